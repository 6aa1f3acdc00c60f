"""How far two people agree on the entries that both have judged: Cohen's kappa.

kappa = (p_o - p_e) / (1 - p_e), with p_o the share of equal verdicts and p_e what two people with these habits would reach by
chance (Cohen 1960, "A coefficient of agreement for nominal scales"). The interval takes p_e as given, as his does, but the
Wilson score interval for p_o: with few entries, or when two people agree on all or on none, it stays wide instead of vanishing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from stages.core.statistics import wilson
from stages.review.decisions import Verdict
from stages.review.queue import QueueEntry


@dataclass(frozen=True)
class Agreement:
    first: str
    second: str
    """The two reviewers."""
    kind: str
    n: int
    """Entries that both judged; a skip is no judgement, and a verdict on a text that has changed since is none either."""
    observed: float
    kappa: float | None
    """None for questions, whose answers are not the same categories from one to the next, and where chance alone gives 1."""
    low: float | None = None
    high: float | None = None
    """95 % interval of kappa."""
    differing: tuple[str, ...] = ()
    """Ids of the entries on which they differ."""


def kappa(pairs: Iterable[tuple[str, str]]) -> tuple[float | None, float | None, float | None]:
    """(kappa, low, high) of pairs of verdicts; all None for no pair or when both always say the same one thing."""
    pairs = list(pairs)
    n = len(pairs)
    if not n:
        return None, None, None
    observed = sum(a == b for a, b in pairs) / n
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(first[label] * second[label] for label in first) / n**2
    if expected == 1:
        return None, None, None
    low, high = wilson(observed, n)
    value, low, high = ((share - expected) / (1 - expected) for share in (observed, low, high))
    return value, max(-1.0, low), high


def table(entries: Iterable[QueueEntry], last: dict[tuple[str, str], Verdict]) -> list[Agreement]:
    """One line for every two reviewers and kind of entry with at least one entry that both judged."""
    entries = list(entries)
    reviewers = sorted({reviewer for _, reviewer in last})
    lines = []
    for first, second in combinations(reviewers, 2):
        for kind in sorted({entry.kind for entry in entries}):
            both = {}
            for entry in entries:
                verdicts = [_judged(entry, last.get((entry.id, reviewer))) for reviewer in (first, second)]
                if entry.kind == kind and verdicts[0] and verdicts[1]:
                    both[entry.id] = (verdicts[0], verdicts[1])
            if not both:
                continue
            observed = sum(a == b for a, b in both.values()) / len(both)
            value, low, high = (None, None, None) if kind == "question" else kappa(both.values())
            differing = tuple(sorted(id for id, (a, b) in both.items() if a != b))
            lines.append(Agreement(first, second, kind, len(both), observed, value, low, high, differing))
    return lines


def _judged(entry: QueueEntry, verdict: Verdict | None) -> str | None:
    if verdict is None or verdict.verdict == "skip" or (verdict.seen and verdict.seen != entry.fingerprint()):
        return None
    return verdict.verdict
