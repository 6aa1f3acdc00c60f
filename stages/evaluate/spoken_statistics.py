"""Numbers of the report on spoken replies: means with two intervals, length bias, and agreement with people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stages.core.statistics import deviation, student

RESAMPLES = 2000
CORRELATION_RESAMPLES = 400
_SEED = 2506


@dataclass(frozen=True)
class Mean:
    n: int
    mean: float | None
    deviation: float | None
    """Of the sample (n - 1); None below two values."""
    t_low: float | None
    t_high: float | None
    """Student's 95 % interval of the mean, as WildSpeech-Bench gives it."""
    boot_low: float | None
    boot_high: float | None
    """The 95 % percentile interval of a bootstrap over the items, which needs no normal shape. Not cut to the scale by chance: it cannot leave it."""


@dataclass(frozen=True)
class Correlation:
    n: int
    pearson: float | None
    spearman: float | None
    kendall: float | None
    """Tau-b, which knows ties."""
    intervals: dict[str, tuple[float, float] | None]
    """95 % percentile intervals of a bootstrap over the pairs; None below four pairs, or where too few resamples vary."""


def mean(values: Sequence[float]) -> Mean:
    n = len(values)
    if not n:
        return Mean(0, None, None, None, None, None, None)
    centre = math.fsum(values) / n
    if n < 2:
        return Mean(n, _r(centre), None, None, None, None, None)
    t_low, t_high = student(values)
    low, high = bootstrap(values)
    return Mean(n, _r(centre), _r(deviation(values)), _r(t_low), _r(t_high), _r(low), _r(high))


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % percentile interval of the mean; the same values give the same interval."""
    import numpy as np

    draw = np.random.Generator(np.random.PCG64(_SEED))
    taken = np.asarray(sorted(values))[draw.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    return float(np.quantile(taken, 0.025)), float(np.quantile(taken, 0.975))


def correlate(pairs: Sequence[tuple[float, float]]) -> Correlation:
    """How two lists of marks go together. None where a side does not vary, and for fewer than three pairs, which always agree or disagree."""
    import numpy as np
    from scipy.stats import kendalltau, pearsonr, spearmanr

    sides = np.array(sorted(pairs), float).reshape(-1, 2)
    values: dict[str, float | None] = {}
    intervals: dict[str, tuple[float, float] | None] = {}
    for name, measure in (("pearson", pearsonr), ("spearman", spearmanr), ("kendall", kendalltau)):
        values[name] = None if (value := _statistic(measure, sides)) is None else _r(value)
        intervals[name] = _interval(measure, sides) if value is not None else None
    return Correlation(len(sides), values["pearson"], values["spearman"], values["kendall"], intervals)


def _statistic(measure: Any, sides: Any) -> float | None:
    if len(sides) < 3 or (sides.max(axis=0) == sides.min(axis=0)).any():
        return None
    return float(measure(sides[:, 0], sides[:, 1]).statistic)


def _interval(measure: Any, sides: Any) -> tuple[float, float] | None:
    import numpy as np

    if len(sides) < 4:
        return None
    draw = np.random.Generator(np.random.PCG64(_SEED))
    taken = (sides[draw.integers(0, len(sides), len(sides))] for _ in range(CORRELATION_RESAMPLES))
    found = [value for resample in taken if (value := _statistic(measure, resample)) is not None]
    if len(found) < CORRELATION_RESAMPLES // 2:
        return None
    return _r(float(np.quantile(found, 0.025))), _r(float(np.quantile(found, 0.975)))


def _r(value: float) -> float:
    return round(value, 4)
