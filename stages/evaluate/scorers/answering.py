"""What is common to all scorers: the answer's text, and the flags that every score counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from stages.evaluate.scorers.base import Item, ItemScore, Prediction
from stages.languages import Language, load


@cache
def opened(code: str) -> Language:
    """The language `code`, opened once."""
    return load(code)


@dataclass(frozen=True, slots=True)
class Flags:
    missing: bool
    empty: bool
    refused: bool

    @property
    def none(self) -> bool:
        """Whether there is nothing to read."""
        return self.missing or self.empty


def flags(item: Item, prediction: Prediction) -> Flags:
    text = prediction.text
    if text is None:
        return Flags(True, False, False)
    if not text.strip():
        return Flags(False, True, False)
    return Flags(False, False, opened(item.language).answers.refuses(text))


def scored(item: Item, value: float | None, seen: Flags, answer: Any = None, **more: Any) -> ItemScore:
    return ItemScore(item.id, value, answer, missing=seen.missing, empty=seen.empty, refused=seen.refused, **more)
