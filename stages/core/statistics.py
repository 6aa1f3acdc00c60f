"""Mean and 95 % intervals, for every stage that tells one."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def mean(values: Sequence[float]) -> float | None:
    """Exact to the last digit whatever the order; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of a sample of two values or more (n - 1)."""
    centre = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def wilson(share: float, n: int) -> tuple[float, float]:
    """The score interval of a share, 0 to 1, that was seen in `n` cases, one or more (Wilson 1927)."""
    spread = _Z * _Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def student(values: Sequence[float]) -> tuple[float, float]:
    """Student's interval of the mean of two values or more; it is not cut to any scale."""
    from scipy.special import stdtrit

    n = len(values)
    centre = math.fsum(values) / n
    half = float(stdtrit(n - 1, 0.975)) * deviation(values) / math.sqrt(n)
    return centre - half, centre + half
