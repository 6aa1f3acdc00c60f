"""Totals of scored rows: a subset's score, a benchmark's figure, and VoiceBench's Overall.

A benchmark's figure is the mean of its subsets, each with the same weight, as VoiceBench takes it, or of its items where
conf/evaluation/ says so (KMMAU). Intervals come from a bootstrap over items, drawn within each subset.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError
from stages.core.files import Row
from stages.evaluate.benchmarks import Benchmark
from stages.evaluate.score import item_score
from stages.evaluate.scorers import Score, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 2000
COUNTS = ("n", "n_scored", "n_missing", "n_empty", "n_unparsed", "n_refused", "n_judge_failed", "n_flagged", "n_invalid", "n_retried")


@dataclass(frozen=True)
class Figure:
    """A benchmark's figure for one model."""

    value: float | None
    interval: tuple[float, float] | None
    n: int
    subsets: Mapping[str, Score]
    """Key of the subset to its score."""
    absent: tuple[str, ...]
    """Subsets of the benchmark that this build does not make or that nothing was scored in."""


def subset_scores(rows: Iterable[Row], benchmark: str) -> dict[str, Score]:
    """Score of every subset of `benchmark` among the rows of one model. Raises UserError for rows of different scorers or modes."""
    by_subset: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if benchmark in row["benchmarks"]:
            by_subset[row["subset"]].append(row)
    return {subset: total(of_subset) for subset, of_subset in sorted(by_subset.items())}


def total(rows: Sequence[Row]) -> Score:
    """The score of rows that one scorer scored in one mode."""
    kinds = {(row["protocol"], row["version"], row["mode"]) for row in rows}
    if len(kinds) > 1:
        told = "; ".join(" ".join(kind) for kind in sorted(kinds))
        raise UserError(f"Rows of {rows[0]['config']} were scored differently ({told}) and cannot be added up; score them again.")
    return load(rows[0]["protocol"]).total([item_score(row) for row in rows], rows[0]["mode"])


def figure(rows: Sequence[Row], name: str, benchmark: Benchmark, seed: int = 0) -> Figure:
    subsets = subset_scores(rows, name)
    own = [row for row in rows if name in row["benchmarks"]]
    absent = tuple(sorted(benchmark.subsets.keys() - {subset for subset, score in subsets.items() if score.value is not None}))
    if benchmark.total == "items":
        values = [row["value"] for row in own if row["value"] is not None]
        value = sum(values) / len(values) if values else None
    else:
        known = [score.value for score in subsets.values() if score.value is not None]
        value = sum(known) / len(known) if known else None
    return Figure(value, _interval(own, benchmark.total, seed), len(own), subsets, absent)


def overall(rows: Sequence[Row], name: str, benchmark: Benchmark) -> float | None:
    """VoiceBench's Overall: the mean of its nine subsets, of which sd-qa counts by the board's figure, the mean of judge and match.

    None unless every subset has a score.
    """
    scores = subset_scores(rows, name)
    values = [score.parts.get("board", score.value) for score in scores.values() if score.value is not None]
    return sum(values) / len(values) if len(values) == len(benchmark.subsets) else None


def _interval(rows: Sequence[Row], how: str, seed: int) -> tuple[float, float] | None:
    """95 % bootstrap interval of a benchmark's figure; None below two scored items in every subset."""
    groups: dict[str, list[float]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: str(row["id"])):
        if row["value"] is not None:
            groups[row["subset"] if how == "subsets" else ""].append(row["value"])
    if not groups or all(len(values) < 2 for values in groups.values()):
        return None
    import numpy as np

    means = np.zeros(RESAMPLES)
    for subset, values in sorted(groups.items()):
        means += resampled_means(np.asarray(values), f"{seed}/{subset}")
    low, high = np.quantile(means / len(groups), [0.025, 0.975])
    return float(low), float(high)


def resampled_means(values: NDArray[Any], key: str, resamples: int = RESAMPLES) -> NDArray[Any]:
    """Means of bootstrap samples of `values`, shape (resamples,). The same values and key give the same means.

    Few distinct values, such as right and wrong, are drawn as counts, which takes no memory for large sets.
    """
    import numpy as np

    random = np.random.default_rng(int(hashlib.sha256(key.encode()).hexdigest()[:16], 16))
    distinct, counts = np.unique(values, return_counts=True)
    drawn = random.multinomial(len(values), counts / len(values), size=resamples)
    means: NDArray[Any] = drawn @ distinct / len(values)
    return means
