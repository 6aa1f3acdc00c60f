"""Mean and interval of a set of values on 0 to 100."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def mean(values: Sequence[float]) -> float | None:
    """Exact to the last digit whatever the order; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of `values`: Wilson's where all are 0 or 100, else Student's cut to 0 and 100. None below two."""
    if len(values) < 2:
        return None
    return wilson(sum(value == 100 for value in values), len(values)) if all(value in (0, 100) for value in values) else student(values)


def wilson(hits: int, n: int) -> tuple[float, float]:
    share, spread = hits / n, _Z * _Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return 100 * max(0.0, centre - half), 100 * min(1.0, centre + half)


def student(values: Sequence[float]) -> tuple[float, float]:
    from scipy.special import stdtrit

    n = len(values)
    centre = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1))
    half = float(stdtrit(n - 1, 0.975)) * deviation / math.sqrt(n)
    return max(0.0, centre - half), min(100.0, centre + half)
