"""Comparisons: the two languages on the items that they share, the ranks of models, and whether runs may be compared at all.

The language gap is taken over pairs: an item of the source and the item that was made of it, answered by the same model. Items that
were rejected on the way, or are of one language only, are left out, so that the difference is one of language and not of items. Its
interval is a bootstrap over pairs, its p a sign-flip test (exact for few pairs), Holm-adjusted over the families of a model.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError
from stages.core.files import Row
from stages.evaluate.scorers import load
from stages.evaluate.totals import resampled_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLIPS = 20_000
_EXACT = 12
"""Up to this many pairs that differ, every sign pattern is counted."""


@dataclass(frozen=True)
class Pair:
    item_id: str
    family: str
    subset: str
    source: float
    target: float


@dataclass(frozen=True)
class Gap:
    """Target minus source, in points of 100."""

    n: int
    source: float
    target: float
    difference: float
    interval: tuple[float, float] | None
    """95 %; None below two pairs."""
    p: float
    """Two-sided, that there is no difference."""
    p_adjusted: float
    """By Holm over the families compared for a model."""


def pairs(rows: Iterable[Row], source_language: str, target_language: str) -> list[Pair]:
    """Pairs of scored items by item id, sorted. The source item counts by its corrected key, as the target item was made from it."""
    values: dict[str, dict[str, float]] = {source_language: {}, target_language: {}}
    about: dict[str, tuple[str, str]] = {}
    for row in rows:
        value = row["paired_value"] if row["language"] == source_language else row["value"]
        if row["language"] in values and value is not None:
            values[row["language"]][row["item_id"]] = value
            about[row["item_id"]] = (row["family"], row["subset"])
    shared = values[source_language].keys() & values[target_language].keys()
    return [Pair(id, *about[id], values[source_language][id], values[target_language][id]) for id in sorted(shared)]


def gaps(found: Sequence[Pair]) -> dict[str, Gap]:
    """Gap of every task family, and of all pairs under "all"."""
    by_family: dict[str, list[Pair]] = defaultdict(list)
    for pair in found:
        by_family[pair.family].append(pair)
    families = {family: _gap(of_family, family) for family, of_family in sorted(by_family.items())}
    adjusted = holm({family: gap.p for family, gap in families.items()})
    families = {family: replace(gap, p_adjusted=adjusted[family]) for family, gap in families.items()}
    return {**families, "all": _gap(list(found), "all")} if found else {}


def _gap(found: Sequence[Pair], key: str) -> Gap:
    import numpy as np

    differences = np.asarray([pair.target - pair.source for pair in found])
    interval = None
    if len(found) > 1:
        low, high = np.quantile(resampled_means(differences, f"gap/{key}"), [0.025, 0.975])
        interval = (float(low), float(high))
    p = sign_flip_p(differences, key)
    source, target = (math.fsum(getattr(pair, side) for pair in found) / len(found) for side in ("source", "target"))
    return Gap(len(found), source, target, target - source, interval, p, p)


def sign_flip_p(differences: NDArray[Any], key: str = "") -> float:
    """Two-sided p of the mean difference under random signs. Exact for at most 12 differences that are not zero."""
    import numpy as np

    sizes = np.abs(differences[differences != 0])
    if not len(sizes):
        return 1.0
    observed = abs(float(differences.sum())) - 1e-9
    if len(sizes) <= _EXACT:
        signs = 1 - 2 * ((np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1)
        return float((np.abs(signs @ sizes) >= observed).mean())
    random = np.random.default_rng(int(hashlib.sha256(f"flip/{key}".encode()).hexdigest()[:16], 16))
    distinct, counts = np.unique(sizes, return_counts=True)
    sums = sum(size * (2 * random.binomial(count, 0.5, _FLIPS) - count) for size, count in zip(distinct, counts, strict=True))
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + _FLIPS))


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjustment of several p at once."""
    adjusted: dict[str, float] = {}
    largest = 0.0
    for place, (name, p) in enumerate(sorted(values.items(), key=lambda one: (one[1], one[0]))):
        largest = max(largest, min(1.0, p * (len(values) - place)))
        adjusted[name] = largest
    return adjusted


@dataclass(frozen=True)
class Ranks:
    """How far two rankings of the same models agree."""

    n: int
    kendall_tau: float
    spearman_rho: float


def ranks(first: Mapping[str, float], second: Mapping[str, float]) -> Ranks | None:
    """Agreement of two sets of figures over the models that both have; None below three models or where one set is all ties."""
    models = sorted(first.keys() & second.keys())
    if len(models) < 3:
        return None
    from scipy.stats import kendalltau, spearmanr

    left, right = [first[model] for model in models], [second[model] for model in models]
    if len(set(left)) == 1 or len(set(right)) == 1:
        return None
    return Ranks(len(models), float(kendalltau(left, right).statistic), float(spearmanr(left, right).statistic))


def differences(runs: Mapping[str, Any]) -> list[str]:
    """Why figures of the runs (model -> what `about` says) may not stand in one table, one sentence each; empty where they may."""
    found = []
    for key in sorted({key for about in runs.values() for key in about}):
        by_value: dict[str, list[str]] = defaultdict(list)
        for name, about in sorted(runs.items()):
            if key in about:
                by_value[str(about[key])].append(name)
        if len(by_value) > 1:
            told = "; ".join(f"{value} ({', '.join(names)})" for value, names in sorted(by_value.items()))
            found.append(f"{key} differs: {told}.")
    return found


def about(rows: Sequence[Row], judge: Mapping[str, Any] | None) -> dict[str, Any]:
    """What has to be the same for two runs to be compared: mode, the version of every scorer, and the judge."""
    known: dict[str, Any] = {"mode": ", ".join(sorted({row["mode"] for row in rows}))}
    for protocol in sorted({row["protocol"] for row in rows}):
        known[f"scorer {protocol}"] = ", ".join(sorted({row["version"] for row in rows if row["protocol"] == protocol}))
    for key, value in sorted((judge or {}).items()):
        if key == "prompts":
            known |= {f"judge prompt {name}": digest for name, digest in sorted(value.items())}
        else:
            known[f"judge {key}"] = value
    if judge is None:
        known["judge model"] = None
    return known


def outdated(rows: Iterable[Row]) -> list[str]:
    """Protocols whose rows another version of the code scored, one sentence each."""
    versions = {(row["protocol"], row["version"]) for row in rows}
    return [
        f"scorer {protocol} is of version {version}, the code is of version {load(protocol).version}."
        for protocol, version in sorted(versions)
        if version != load(protocol).version
    ]


def require_same(runs: Mapping[str, Any], old: Sequence[str]) -> None:
    """Raise UserError when the runs were not scored alike, or by other code than this one (`old`, from `outdated`)."""
    if old:
        raise UserError(f"Scores are older than the code: {old[0]} Score them again (`dvc repro`, or anyway=true to see them as they are, marked).")
    if found := differences(runs):
        more = f" ({len(found)} differences in all)" if len(found) > 1 else ""
        raise UserError(
            f"The runs {', '.join(sorted(runs))} were not scored alike and cannot be compared: {found[0]}{more} Score them again with the same code, "
            "judge and prompts, or set anyway=true to see them side by side, marked."
        )
