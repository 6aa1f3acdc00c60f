"""How far a judge agrees with itself over the samples of one answer, read from the stored replies."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stages.core.files import Row
from stages.evaluate.scorers import load


@dataclass(frozen=True)
class Agreement:
    protocol: str
    language: str
    n: int
    """Answers with at least two readable judgments."""
    unanimous: float
    """Share of them whose judgments are all the same."""
    spread: float | None
    """Mean standard deviation of the marks of an answer, on the judge's own scale; None for votes."""
    alpha: float | None
    """Krippendorff's alpha, interval for marks, nominal for votes; None where all judgments are the same."""
    n_invalid: int
    """Judgments that could not be read or had."""
    marks: tuple[tuple[str, int], ...]
    """Every mark or vote and how often it was given."""


def agreements(rows: Iterable[Row]) -> list[Agreement]:
    """One for each judged protocol and language, sorted."""
    read: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    invalid: Counter[tuple[str, str]] = Counter()
    for row in rows:
        judge = load(row["protocol"]).judge
        if judge is None or not row["judgments"]:
            continue
        key = (row["protocol"], row["language"])
        values = [None if one["text"] is None else judge.read(one["text"], row["language"]) for one in row["judgments"] if not one["corrected"]]
        invalid[key] += values.count(None)
        read[key].append([value for value in values if value is not None])
    return [_agreement(*key, units, invalid[key]) for key, units in sorted(read.items())]


def _agreement(protocol: str, language: str, units: list[list[float]], n_invalid: int) -> Agreement:
    votes = all(isinstance(value, (bool, str)) for unit in units for value in unit)
    several = [unit for unit in units if len(unit) > 1]
    unanimous = sum(len(set(unit)) == 1 for unit in several) / len(several) if several else math.nan
    marks = Counter(_said(value) for unit in units for value in unit)
    spread = None
    if several and not votes:
        spread = math.fsum(_deviation(unit) for unit in several) / len(several)
    alpha = krippendorff(several, nominal=votes) if several else None
    return Agreement(protocol, language, len(several), unanimous, spread, alpha, n_invalid, tuple(sorted(marks.items())))


def _said(value: float | bool | str) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value) if isinstance(value, str) else f"{value:g}"


def _deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def krippendorff(units: Sequence[Sequence[float]], nominal: bool) -> float | None:
    """Krippendorff's alpha of units with two or more values each; None where every value is the same."""
    pooled = Counter(value for unit in units for value in unit)
    n = sum(pooled.values())
    observed = math.fsum(_disagreement(Counter(unit), nominal) / (len(unit) - 1) for unit in units) / n
    expected = _disagreement(pooled, nominal) / (n * (n - 1))
    return None if expected == 0 else 1 - observed / expected


def _disagreement(counts: Counter[float], nominal: bool) -> float:
    """Sum of the distance over all ordered pairs of values."""
    return math.fsum(
        left_count * right_count * (1.0 if nominal else (float(left) - float(right)) ** 2)
        for left, left_count in counts.items()
        for right, right_count in counts.items()
        if left != right
    )
