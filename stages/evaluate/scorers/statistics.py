"""Interval of a set of values on 0 to 100."""

from __future__ import annotations

from collections.abc import Sequence

from stages.core.statistics import student, wilson


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of `values`: Wilson's where all are 0 or 100, else Student's cut to 0 and 100. None below two."""
    if len(values) < 2:
        return None
    if all(value in (0, 100) for value in values):
        low, high = wilson(sum(value == 100 for value in values) / len(values), len(values))
        return 100 * low, 100 * high
    low, high = student(values)
    return max(0.0, low), min(100.0, high)
