"""Thresholds swept over stored scores: nothing is synthesized, asked or judged again.

    python -m stages.evaluate.thresholds                   the gate on the speech of the questions, and the judge's limit
    python -m stages.evaluate.thresholds steps=500 out=data/report/thresholds

Two thresholds decide what a figure is made of: the character error rate above which a question is not published
(speech.max_cer) and the share of unreadable judgments above which a run fails (judge.max_invalid_share). For each value this tells what
would be left and what the models would get.
"""

from __future__ import annotations

import bisect
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from stages.core import files
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT

STEPS = 100


@dataclass(frozen=True)
class Point:
    """What a threshold leaves."""

    threshold: float
    n: int
    value: float | None
    """Mean of the values of the items that are left; for the judge's limit, share of the model's subsets that may be reported."""


def cer_gate(rows: Sequence[Row], steps: int = STEPS) -> list[Point]:
    """For thresholds from 0 to the largest error rate: the target items at or below it, and their mean value."""
    scored = sorted((row["cer"], row["value"]) for row in rows if row["cer"] is not None and row["value"] is not None)
    if not scored:
        return []
    rates = [cer for cer, _ in scored]
    sums = [0.0, *accumulate(value for _, value in scored)]
    points = []
    for threshold in _grid(max(rates), steps):
        n = bisect.bisect_right(rates, threshold)
        points.append(Point(threshold, n, sums[n] / n if n else None))
    return points


def invalid_limit(rows: Sequence[Row], steps: int = STEPS) -> list[Point]:
    """For limits from 0 to the largest share of invalid judgments: how many judged subsets stay below it, and their share in per cent."""
    judgments: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row["judgments"]:
            of_subset = judgments[f"{row['language']}/{row['subset']}"]
            of_subset[0] += row["n_invalid"]
            of_subset[1] += sum(not one["corrected"] for one in row["judgments"])
    shares = sorted(invalid / n for invalid, n in judgments.values())
    if not shares:
        return []
    counts = [(threshold, bisect.bisect_right(shares, threshold)) for threshold in _grid(max(shares[-1], 0.05), steps)]
    return [Point(threshold, n, 100 * n / len(shares)) for threshold, n in counts]


def _grid(top: float, steps: int) -> list[float]:
    return [round(top * step / steps, 6) for step in range(steps + 1)]


SWEEPS = {"cer_gate": cer_gate, "invalid_limit": invalid_limit}
AXES = {"cer_gate": "largest character error rate of a question's speech", "invalid_limit": "largest share of unreadable judgments"}
HEIGHTS = {"cer_gate": ("mean score", "items left"), "invalid_limit": ("% of judged subsets", "subsets left")}


def write(folder: Path, models: Mapping[str, Sequence[Row]], chosen: Mapping[str, float], steps: int = STEPS) -> dict[str, Any]:
    """CSV and picture of each sweep in `folder`; returns the sweeps' figures by name, where there was something to sweep."""
    from stages.core import figures
    from stages.evaluate import pictures

    drawn: dict[str, Any] = {}
    for name, sweep in SWEEPS.items():
        found = {model: sweep(rows, steps) for model, rows in models.items()}
        found = {model: points for model, points in found.items() if points}
        if not found:
            continue
        lines = ["model,threshold,n,value"]
        for model, points in found.items():
            lines += [f"{model},{point.threshold:g},{point.n},{'' if point.value is None else round(point.value, 4)}" for point in points]
        files.write_text(folder / f"{name}.csv", "\n".join(lines) + "\n")
        series = {model: [(point.threshold, point.n, point.value) for point in points] for model, points in found.items()}

        def picture(canvas: Any, name: str = name, series: Any = series) -> None:
            pictures.threshold_chart(canvas, series, chosen[name], AXES[name], HEIGHTS[name])

        figure = figures.draw(picture, 7, 4.2)
        files.write_text(folder / f"{name}.svg", figures.svg(figure))
        drawn[name] = figure
    return drawn


def main(arguments: Sequence[str], root: Path = ROOT) -> None:
    given = {"steps": str(STEPS), "out": "data/report/thresholds"}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in given:
            raise UserError(f"The option {argument!r} is unknown.{nearest(key, given)} Options: steps=, out=.")
        given[key] = value
    if not given["steps"].isdigit() or not int(given["steps"]):
        raise UserError(f"steps={given['steps']} is not a number of steps; give a whole number above 0.")
    names = list(read_config("speechlms", root))
    models = {name: files.read_jsonl(root / "data" / "score" / name / "rows.jsonl") for name in names}
    chosen = {"cer_gate": read_config("speech.max_cer", root), "invalid_limit": read_config("evaluation.judge.max_invalid_share", root)}
    drawn = write(root / given["out"], models, chosen, int(given["steps"]))
    for name in drawn:
        print(f"{name} -> {given['out']}/{name}.csv, {given['out']}/{name}.svg")
    if not drawn:
        raise UserError("No model has scores of questions with speech or a judge; run `dvc repro` with speechlms in params.yaml first.")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
