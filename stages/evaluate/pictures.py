"""The pictures of the report, each a function that fills a figure (stages/core/figures.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stages.core.figures import COLOURS, GRID, INK, MUTED
from stages.evaluate.agreement import Agreement
from stages.evaluate.compare import Gap
from stages.evaluate.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAMILY_COLOURS = {
    "multiple_choice": "#2f6fb0",
    "binary": "#4aa3c7",
    "short_answer": "#3a9a7a",
    "open_ended": "#d9822b",
    "instruction_following": "#b4475f",
    "safety": "#8a4a9a",
    "acoustic": "#7d8b2f",
    "contextual": "#b59a2e",
    "audio_understanding": "#7d8b2f",
}
OTHER = "#8894a3"


def said(name: str) -> str:
    """A name of the configuration as a label: `open_ended` is Open-ended."""
    return {"open_ended": "Open-ended", "multiple_choice": "Multiple choice", "all": "All pairs"}.get(name, name.replace("_", " ").capitalize())


def _tint(colour: str, share: float) -> tuple[float, float, float]:
    """`colour` mixed with white; 0 leaves it."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return red + (1 - red) * share, green + (1 - green) * share, blue + (1 - blue) * share


def sunburst(figure: Figure, counts: Sequence[tuple[str, str, int]], centre: str) -> None:
    """What a suite consists of: (family, category, number of items). Inner ring families, outer ring categories."""
    axes = figure.subplots()
    families: dict[str, list[tuple[str, int]]] = {}
    for family, category, n in counts:
        families.setdefault(family, []).append((category, n))
    order = sorted(families, key=lambda family: (-sum(n for _, n in families[family]), family))
    whole = sum(n for _, _, n in counts)
    ring: Any = {"startangle": 90, "counterclock": False}
    inner = [sum(n for _, n in families[family]) for family in order]
    colours = [FAMILY_COLOURS.get(family, OTHER) for family in order]
    outer, tints, names = [], [], []
    for family, colour in zip(order, colours, strict=True):
        parts = sorted(families[family], key=lambda part: (-part[1], part[0]))
        for place, (category, n) in enumerate(parts):
            outer.append(n)
            tints.append(_tint(colour, 0.28 + 0.4 * place / max(len(parts), 2)))
            names.append(category)
    axes.pie(inner, radius=0.72, colors=colours, wedgeprops={"width": 0.34, "edgecolor": "white", "linewidth": 1.2}, **ring)
    axes.pie(outer, radius=1.06, colors=tints, wedgeprops={"width": 0.32, "edgecolor": "white", "linewidth": 1.0}, **ring)
    _names_inside(axes, [said(family) for family in order], inner, whole)
    _names_beside(axes, [f"{name} · {n}" for name, n in zip(names, outer, strict=True)], outer, whole)
    axes.text(0, 0, f"{whole:,}\n{centre}", ha="center", va="center", fontsize=11, linespacing=1.4)
    axes.set(xlim=(-1.9, 1.9), ylim=(-1.3, 1.3))
    axes.set_aspect("equal")


def _middles(sizes: Sequence[int], whole: int) -> list[tuple[float, float, float]]:
    """(x, y, sweep in degrees) of the middle of every sector, on the unit circle, clockwise from the top."""
    found, start = [], 90.0
    for n in sizes:
        sweep = 360 * n / whole
        angle = math.radians(start - sweep / 2)
        found.append((math.cos(angle), math.sin(angle), sweep))
        start -= sweep
    return found


def _names_inside(axes: Any, names: Sequence[str], sizes: Sequence[int], whole: int) -> None:
    """Names in the sectors of the inner ring that have room for one; the colours and the outer ring tell the others."""
    for name, (x, y, sweep) in zip(names, _middles(sizes, whole), strict=True):
        if sweep >= 22:
            axes.text(0.55 * x, 0.55 * y, name.replace(" ", "\n"), ha="center", va="center", fontsize=8.5, color="white", linespacing=1.05)


def _names_beside(axes: Any, names: Sequence[str], sizes: Sequence[int], whole: int, room: float = 0.075) -> None:
    """Names beside the outer ring, moved apart where they would overlap, with a line to their sector."""
    places = list(zip(names, _middles(sizes, whole), strict=True))
    for right in (True, False):
        own = sorted(((y, x, name) for name, (x, y, _) in places if (x >= 0) == right), reverse=True)
        heights = _apart([1.16 * y for y, _, _ in own], room)
        for (y, x, name), height in zip(own, heights, strict=True):
            reach = max(1.16 * abs(x), 1.13 * math.sqrt(max(0.0, 1.0 - min(1.0, (height / 1.16) ** 2))) + 0.1)
            edge = reach if right else -reach
            axes.plot([1.07 * x, edge], [1.07 * y, height], color=MUTED, linewidth=0.5)
            axes.text(edge + (0.02 if right else -0.02), height, name, ha="left" if right else "right", va="center", fontsize=7.5, color=INK)


def _apart(heights: Sequence[float], room: float) -> list[float]:
    """Descending heights with at least `room` between neighbours, as little moved as one pass down and one pass up can."""
    moved = list(heights)
    for place in range(1, len(moved)):
        moved[place] = min(moved[place], moved[place - 1] - room)
    if moved and moved[-1] < -1.25:
        moved[-1] = -1.25
        for place in range(len(moved) - 2, -1, -1):
            moved[place] = max(moved[place], moved[place + 1] + room)
    return moved


def gap_chart(figure: Figure, gaps: Mapping[str, Mapping[str, Gap]], families: Sequence[str], source: str, target: str) -> None:
    """Target minus source by task family, one mark a model with its interval."""
    axes = figure.subplots()
    step = 0.8 / max(len(gaps), 1)
    for place, (model, of_model) in enumerate(gaps.items()):
        colour = COLOURS[place % len(COLOURS)]
        for row, family in enumerate(families):
            gap = of_model.get(family)
            if gap is None:
                continue
            y = len(families) - 1 - row + 0.4 - step * (place + 0.5)
            if gap.interval:
                axes.plot(gap.interval, [y, y], color=colour, linewidth=2.2, alpha=0.45, solid_capstyle="round")
            axes.plot([gap.difference], [y], "o", color=colour, markersize=6, label=model if family == families[0] else None)
    axes.axvline(0, color=MUTED, linewidth=1)
    for row in range(len(families) - 1):
        axes.axhline(row + 0.5, color=GRID, linewidth=0.8)
    counts = {family: max((of_model[family].n for of_model in gaps.values() if family in of_model), default=0) for family in families}
    axes.set_yticks(range(len(families)), [f"{said(family)} (n = {counts[family]})" for family in reversed(families)])
    axes.set_ylim(-0.5, len(families) - 0.5)
    axes.set_xlabel(f"{target} minus {source}, points of 100 on shared items; bar: 95 % interval")
    axes.grid(axis="x")
    axes.tick_params(length=0)
    figure.legend(loc="outside upper left", ncols=min(len(gaps), 4), handletextpad=0.3)


def heat_map(figure: Figure, table: Table) -> None:
    """Every subset by every model, 0 to 100."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    axes = figure.subplots()
    lines = table.lines
    values = np.array([[math.nan if cell.value is None else cell.value for cell in line.cells] for line in lines])
    shades = LinearSegmentedColormap.from_list("scores", ["#f4f1ea", "#bcd3e2", "#5c97bd", "#1f5f8f", "#123a5e"], bad="#f0f0f0")
    axes.imshow(np.ma.masked_invalid(values), cmap=shades, vmin=0, vmax=100, aspect="auto")
    for row, line in enumerate(lines):
        for column, cell in enumerate(line.cells):
            dark = cell.value is not None and cell.value > 55
            axes.text(column, row, cell.text, ha="center", va="center", fontsize=9, color="white" if dark else INK)
    few = len(table.columns) <= 4
    axes.set_xticks(range(len(table.columns)), table.columns, rotation=0 if few else 30, ha="center" if few else "left")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    for row in range(1, len(lines)):
        new_group = lines[row].group != lines[row - 1].group
        axes.axhline(row - 0.5, color="white", linewidth=5 if new_group else 1.2)
    start = 0
    for row in range(1, len(lines) + 1):
        if row == len(lines) or lines[row].group != lines[start].group:
            place = len(table.columns) - 0.4
            axes.text(place, (start + row - 1) / 2, lines[start].group, rotation=270, ha="left", va="center", fontsize=9, color=MUTED)
            start = row


def judge_chart(figure: Figure, found: Mapping[str, Sequence[Agreement]]) -> None:
    """Left: share of answers on which all samples of the judge agree. Right: the marks that it gave."""
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
    bars = [(model, one) for model, of_model in found.items() for one in of_model if one.n]
    labels = [f"{model}\n{one.protocol}, {one.language}" for model, one in bars]
    colours = [COLOURS[list(found).index(model) % len(COLOURS)] for model, _ in bars]
    left.barh(range(len(bars)), [100 * one.unanimous for _, one in bars], color=colours, height=0.62)
    for row, (_, one) in enumerate(bars):
        alpha = "" if one.alpha is None else f"  α {one.alpha:.2f}"
        left.text(101, row, f"n {one.n}{alpha}", va="center", fontsize=8, color=MUTED)
    left.set_yticks(range(len(bars)), labels, fontsize=8)
    left.invert_yaxis()
    left.set_xlim(0, 135)
    left.set_xticks([0, 50, 100])
    left.set_title("All samples agree, % of answers", fontsize=10)
    left.tick_params(length=0)
    _marks(right, found)


def _marks(axes: Any, found: Mapping[str, Sequence[Agreement]]) -> None:
    models = list(found)
    marks = [str(mark) for mark in range(1, 6)]
    step = 0.8 / max(len(models), 1)
    for place, model in enumerate(models):
        counts = dict.fromkeys(marks, 0)
        for one in found[model]:
            if one.protocol == "open":
                for mark, n in one.marks:
                    counts[str(round(float(mark)))] = counts.get(str(round(float(mark))), 0) + n
        whole = sum(counts.values()) or 1
        shares = [100 * counts[mark] / whole for mark in marks]
        axes.bar([at - 0.4 + step * (place + 0.5) for at in range(5)], shares, width=step * 0.9, color=COLOURS[place % len(COLOURS)], label=model)
    axes.set_xticks(range(5), marks)
    axes.set_title("Marks of open questions, % of judgments", fontsize=10)
    axes.grid(axis="y")
    axes.tick_params(length=0)
    axes.legend(fontsize=8)


def threshold_chart(
    figure: Figure, sweeps: Mapping[str, Sequence[tuple[float, int, float | None]]], chosen: float, what: str, of_what: tuple[str, str]
) -> None:
    """Below: what a gate leaves. Above: what the models get on it. `sweeps`: model -> (threshold, items left, score)."""
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1])
    for place, (model, points) in enumerate(sweeps.items()):
        scored = [(at, score) for at, _, score in points if score is not None]
        upper.plot([at for at, _ in scored], [score for _, score in scored], color=COLOURS[place % len(COLOURS)], linewidth=2, label=model)
    points = next(iter(sweeps.values()), [])
    lower.fill_between([at for at, _, _ in points], [n for _, n, _ in points], color=MUTED, alpha=0.3, step="post")
    for axes in (upper, lower):
        axes.axvline(chosen, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.grid(axis="y")
    upper.set_ylabel(of_what[0])
    lower.set_ylabel(of_what[1])
    lower.set_xlabel(f"{what}; dashed: the one in use")
    figure.legend(loc="outside upper left", ncols=min(max(len(sweeps), 1), 4), fontsize=8)
