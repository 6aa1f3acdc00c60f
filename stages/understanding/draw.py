"""Drawing without chance: the order of things depends on a seed and on their names, never on the order they come in.

A larger draw of the same candidates keeps what a smaller one took, and a candidate that is gone moves no other.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def rank(seed: int, *names: str) -> str:
    """64 hexadecimal digits that stand for a random number in [0, 1)."""
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).hexdigest()


def ordered(items: Iterable[T], name: Callable[[T], str], seed: int, purpose: str = "") -> list[T]:
    """`items` in the order of the seed. `name` must tell them apart; `purpose` gives another order for another draw."""
    return sorted(items, key=lambda item: (rank(seed, purpose, name(item)), name(item)))


def balanced(items: Sequence[T], class_of: Callable[[T], str], name: Callable[[T], str], n: int | None, seed: int, purpose: str = "") -> list[T]:
    """At most `n` of `items`, as many of each class: sizes differ by one at most, and none exceeds the rarest class by more.

    With `n` of None, as many as the rarest class allows. Classes take turns in the order of their names, so the larger
    ones come first by name when `n` does not divide. Returned in the order of the seed.
    """
    by_class: dict[str, list[T]] = defaultdict(list)
    for item in ordered(items, name, seed, purpose):
        by_class[class_of(item)].append(item)
    if not by_class:
        return []
    rarest = min(map(len, by_class.values()))
    wanted = rarest * len(by_class) if n is None else min(n, rarest * len(by_class))
    share, more = divmod(wanted, len(by_class))
    taken = [item for place, key in enumerate(sorted(by_class)) for item in by_class[key][: share + (place < more)]]
    return ordered(taken, name, seed, purpose)


def spread(items: Iterable[T], group_of: Callable[[T], str], name: Callable[[T], str], n: int | None, seed: int, purpose: str = "") -> list[T]:
    """At most `n` of `items`, one of each group in turn, so that no recording or speaker fills the draw."""
    seen: dict[str, int] = defaultdict(int)
    turns: list[tuple[int, str, T]] = []
    for item in ordered(items, name, seed, purpose):
        group = group_of(item)
        turns.append((seen[group], rank(seed, purpose, group), item))
        seen[group] += 1
    return [item for _, _, item in sorted(turns, key=lambda turn: turn[:2])][:n]
