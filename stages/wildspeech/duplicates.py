"""Queries that were asked before: the same text, the same words, nearly the same text (paper 2506.21875 §2.1.1: redundancy).

Near duplicates are found by MinHash over the character trigrams of the bare words (rensa), and every candidate is verified by
the true Jaccard similarity, so the sketch decides nothing by itself. Of equal queries the first in the source stays. Memory
is some hundred bytes a kept query; no text is held but through `text_of`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from stages.core.settings import Settings
from stages.wildspeech.bands import Bands

if TYPE_CHECKING:
    import numpy as np

TWINS = ("same_text", "same_words", "near_duplicate")
"""The steps, in their order."""
ESTIMATED = 64
"""So many of a sketch's values estimate a similarity before the true one is computed; the error is below 0.19 in 998 of 1,000 cases."""
MARGIN = 0.19
FEW = 4
"""Fewer candidates than this are compared without an estimate."""
_WORD = re.compile(r"\w+")


class DuplicateSettings(Settings):
    min_similarity: float = Field(0.65, gt=0, le=1)
    """Two queries whose trigrams have this Jaccard similarity or more are one."""
    bands: Literal[16, 32, 64] = 32
    rows: int = Field(5, ge=2)
    """Values in a band. A pair of similarity s is looked at with probability 1 - (1 - s^rows)^bands: 0.98 for 0.65, 0.997 for 0.7."""
    seed: int = 7

    @property
    def permutations(self) -> int:
        return self.bands * self.rows


class Twin(NamedTuple):
    """The kept query that another one repeats."""

    step: str
    """One of TWINS."""
    number: int
    """The number that the kept query was given."""
    similarity: float


def bare(query: str) -> str:
    """The words of `query` alone, in lower case."""
    return " ".join(_WORD.findall(query.casefold()))


def trigrams(words: str) -> set[str]:
    padded = f" {words} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


@dataclass
class Seen:
    """The kept queries so far, numbered by the caller in ascending order."""

    settings: DuplicateSettings
    text_of: Callable[[int], str]
    """The query of a number that was kept."""
    _texts: dict[bytes, int] = field(default_factory=dict)
    _words: dict[bytes, int] = field(default_factory=dict)
    _index: Bands | None = None
    _sketches: Any = None
    """The beginnings of the kept sketches, uint16 of shape (room, ESTIMATED)."""
    _last: tuple[str, Any, Any] = ("", None, None)
    """The query that was looked up last, its sketch and its bands: most are kept next."""

    def same(self, query: str) -> Twin | None:
        """The kept query that the same text, or the same words, stood for before."""
        if (number := self._texts.get(_digest(query))) is not None:
            return Twin("same_text", number, 1.0)
        if (number := self._words.get(_digest(bare(query)))) is not None:
            return Twin("same_words", number, 1.0)
        return None

    def near(self, query: str) -> Twin | None:
        """The most similar kept query, the first of several, if it is similar enough."""
        own = trigrams(bare(query))
        sketch, keys = self._sketch(query, own)
        best: Twin | None = None
        for number in self._candidates(sketch, keys):
            similarity = jaccard(own, trigrams(bare(self.text_of(number))))
            if similarity >= self.settings.min_similarity and (best is None or similarity > best.similarity):
                best = Twin("near_duplicate", number, similarity)
        return best

    def _candidates(self, sketch: np.ndarray, keys: np.ndarray) -> list[int]:
        """The numbers that share a band with `sketch` and may be similar enough, ascending."""
        import numpy as np

        found = self._bands().sharing(keys)
        if len(found) < FEW:
            return found
        alike = (self._sketches[found] == sketch[:ESTIMATED].astype(np.uint16)).mean(axis=1)
        return [number for number, estimate in zip(found, alike, strict=True) if estimate >= self.settings.min_similarity - MARGIN]

    def keep(self, query: str, number: int) -> None:
        """Remember a query that repeats none of the kept ones."""
        words = bare(query)
        self._texts[_digest(query)] = self._words[_digest(words)] = number
        sketch, keys = self._sketch(query, None)
        self._bands().add(number, keys)
        self._remember(number, sketch)

    def repeat(self, query: str, twin: Twin) -> None:
        """Remember a query that goes, so that its own repetitions are counted as such."""
        self._texts.setdefault(_digest(query), twin.number)
        self._words.setdefault(_digest(bare(query)), twin.number)

    def _remember(self, number: int, sketch: np.ndarray) -> None:
        import numpy as np

        if self._sketches is None:
            self._sketches = np.zeros((1024, ESTIMATED), dtype=np.uint16)
        if number >= len(self._sketches):
            self._sketches = np.concatenate([self._sketches, np.zeros_like(self._sketches)])
        self._sketches[number] = sketch[:ESTIMATED].astype(np.uint16)

    def _bands(self) -> Bands:
        if self._index is None:
            self._index = Bands(self.settings.bands)
        return self._index

    def _sketch(self, query: str, grams: set[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """uint32 values of the sketch, and the keys of its bands."""
        if self._last[0] != query or self._last[1] is None:
            import numpy as np
            from rensa import RMinHash

            sketch = RMinHash(self.settings.permutations, self.settings.seed)
            sketch.update(sorted(trigrams(bare(query)) if grams is None else grams))
            values = np.array(sketch.digest(), dtype=np.uint32)
            self._last = query, values, self._bands().keys(values)
        return self._last[1], self._last[2]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()
