"""The picture of a card: how well the released audio was heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.core import files


def cer_plot(path: Path, cer: Mapping[str, Sequence[float]]) -> bool:
    """Draw the distribution of the character error rate over all rows and by config, as PNG. False, and no file, without any rate."""
    listed = {name: sorted(values) for name, values in cer.items() if values}
    if not listed:
        return False
    from stages.core import figures

    def picture(figure: Any) -> None:
        whole, each = figure.subplots(1, 2, width_ratios=(3, 4))
        every = [100 * value for values in listed.values() for value in values]
        whole.hist(every, bins=min(40, max(5, len(every) // 5)), color=figures.COLOURS[0])
        whole.set(xlabel="CER of an item (%)", ylabel="items", title=f"All {len(every)} items")
        names = list(reversed(listed))
        boxes = [[100 * value for value in listed[name]] for name in names]
        each.boxplot(
            boxes, orientation="horizontal", whis=(5, 95), widths=0.6, flierprops={"markersize": 2}, medianprops={"color": figures.COLOURS[1]}
        )
        each.set_yticks(range(1, len(names) + 1), [f"{name} ({len(listed[name])})" for name in names])
        each.set(xlabel="CER of an item (%)", title="By config: quartiles, 5th to 95th percentile")
        whole.yaxis.get_major_locator().set_params(integer=True)
        for axes in (whole, each):
            axes.grid(axis="x")

    with files.replacing(path) as temporary:
        temporary.write_bytes(figures.png(figures.draw(picture, 10, 1.6 + 0.32 * max(6, len(listed))), 120))
    return True
