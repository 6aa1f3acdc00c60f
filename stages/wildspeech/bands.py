"""Which sketches share a band: the index of locality-sensitive hashing, small enough for millions of queries.

A hash table costs well over a hundred bytes for each band of each query; two sorted arrays cost twelve. New entries wait in a
dictionary, are sorted into an array when there are enough of them, and arrays of like size are merged, so that there are
never more than a few to be searched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

WAITING = 4_096
"""Queries in the dictionary before they are sorted in."""
LIKE = 3
"""An array is merged with the one before it unless that is more than so many times as long."""


@dataclass
class Bands:
    """An index of sketches by number. `bands` is how many bands a sketch has: a power of two up to 256."""

    bands: int
    _waiting: dict[int, list[int]] = field(default_factory=dict)
    _n_waiting: int = 0
    _arrays: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """(keys in ascending order, their numbers), the longest first."""

    def keys(self, sketch: np.ndarray) -> np.ndarray:
        """uint64 of shape (bands,): a hash of each band's values; the low bits say which band it is."""
        import numpy as np

        rows = sketch.reshape(self.bands, -1).astype(np.uint64)
        hashed = np.zeros(self.bands, dtype=np.uint64)
        for column in range(rows.shape[1]):
            hashed = (hashed ^ rows[:, column]) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
        low = np.uint64(self.bands - 1)
        keys: np.ndarray = (hashed & ~low) | np.arange(self.bands, dtype=np.uint64)
        return keys

    def sharing(self, keys: np.ndarray) -> list[int]:
        """The numbers that share a band, ascending, each once."""
        found: set[int] = set()
        for key in keys.tolist() if self._waiting else ():
            found.update(self._waiting.get(key, ()))
        for known, numbers in self._arrays:
            first = known.searchsorted(keys)
            some = known.take(first, mode="clip") == keys
            for begin, end in zip(first[some].tolist(), known.searchsorted(keys[some], side="right").tolist(), strict=True):
                found.update(numbers[begin:end].tolist())
        return sorted(found)

    def add(self, number: int, keys: np.ndarray) -> None:
        for key in keys.tolist():
            self._waiting.setdefault(key, []).append(number)
        self._n_waiting += 1
        if self._n_waiting == WAITING:
            self._sort_in()

    def _sort_in(self) -> None:
        import numpy as np

        n = self._n_waiting * self.bands
        keys = np.fromiter((key for key, numbers in self._waiting.items() for _ in numbers), dtype=np.uint64, count=n)
        numbers = np.fromiter((number for numbers in self._waiting.values() for number in numbers), dtype=np.uint32, count=n)
        self._waiting, self._n_waiting = {}, 0
        order = keys.argsort(kind="stable")
        self._arrays.append((keys[order], numbers[order]))
        while len(self._arrays) > 1 and len(self._arrays[-2][0]) <= LIKE * len(self._arrays[-1][0]):
            last, before = self._arrays.pop(), self._arrays.pop()
            self._arrays.append(_merged(before, last))


def _merged(long: tuple[np.ndarray, np.ndarray], short: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """One sorted array out of two, without sorting: each of the short one's entries has its place among the long one's."""
    import numpy as np

    places = long[0].searchsorted(short[0], side="right") + np.arange(len(short[0]))
    others = np.ones(len(long[0]) + len(short[0]), dtype=bool)
    others[places] = False
    merged = []
    for one, other in zip(long, short, strict=True):
        both = np.empty(len(others), dtype=one.dtype)
        both[places] = other
        both[others] = one
        merged.append(both)
    return merged[0], merged[1]
