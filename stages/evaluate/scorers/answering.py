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


_CHOOSING = ("multiple_choice", "option_text", "bbh")
_NOTHING = 20.0
"""The lowest mark of five; other scales begin at 0 or 10."""


def scored(item: Item, value: float | None, seen: Flags, answer: Any = None, **more: Any) -> ItemScore:
    refused = seen.refused and _gives_nothing(item.protocol, value, more)
    return ItemScore(item.id, value, answer, missing=seen.missing, empty=seen.empty, refused=refused, **more)


def _gives_nothing(protocol: str, value: float | None, more: dict[str, Any]) -> bool:
    """Whether an answer in the words of a refusal is one: `No, she isn't` answers a question that is harmless."""
    if protocol == "refusal" or value is None:
        return True
    return bool(more.get("unparsed")) if protocol in _CHOOSING else value <= _NOTHING
