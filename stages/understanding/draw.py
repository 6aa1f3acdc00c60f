"""Drawing without chance: the order of things depends on a seed and on their names, never on the order they come in.

A larger draw of the same candidates keeps what a smaller one took.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def rank(seed: int, *names: str) -> str:
    """64 hexadecimal digits that stand for a random number in [0, 1)."""
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).hexdigest()


def ordered(items: Iterable[T], name: Callable[[T], str], seed: int, purpose: str = "") -> list[T]:
    """`items` in the order of the seed. `name` must tell them apart; `purpose` gives another order for another draw."""
    return sorted(items, key=lambda item: (rank(seed, purpose, name(item)), name(item)))


def spread(items: Iterable[T], group_of: Callable[[T], str], name: Callable[[T], str], n: int | None, seed: int, purpose: str = "") -> list[T]:
    """At most `n` of `items`, one of each group in turn, so that no recording or speaker fills the draw."""
    seen: dict[str, int] = defaultdict(int)
    turns: list[tuple[int, str, T]] = []
    for item in ordered(items, name, seed, purpose):
        group = group_of(item)
        turns.append((seen[group], rank(seed, purpose, group), item))
        seen[group] += 1
    return [item for _, _, item in sorted(turns, key=lambda turn: turn[:2])][:n]
