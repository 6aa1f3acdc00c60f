"""Forms of a judge's reply, and how the replies about one item become its marks or votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from stages.evaluate.scorers.answering import opened
from stages.evaluate.scorers.base import Item, Judgment


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="One or two sentences: why.")


class MarkOfFive(_Form):
    mark: int = Field(ge=1, le=5, description="1 to 5.")


class MarkOfTen(_Form):
    mark: int = Field(ge=1, le=10, description="1 to 10.")


class Vote(_Form):
    verdict: Literal["yes", "no"]


def mark_within(low: float, high: float) -> Callable[[str, str], float | None]:
    """Reader of a mark: (raw reply, language of the prompt) -> mark or None."""

    def read(reply: str, language: str) -> float | None:
        return opened(language).answers.mark(reply, low, high)

    return read


def read_vote(reply: str, language: str) -> bool | None:
    return opened(language).answers.vote(reply)


def fields(item: Item, answer: str) -> dict[str, str]:
    """What a judge prompt may hold."""
    references = list(item.references) or ([item.reference] if item.reference else [])
    return {
        "question": item.prompt,
        "response": answer,
        "reference": item.reference or (references[0] if references else ""),
        "references": "\n".join(f"- {one}" for one in references),
        "checklist": str(item.extra.get("checklist", "")),
    }


def read_all(item: Item, judgments: Sequence[Judgment], read: Callable[[str, str], Any]) -> tuple[list[Any], int]:
    """(valid marks or votes in order of the samples, number of replies that are not)."""
    values = [None if one.text is None else read(one.text, item.language) for one in sorted(judgments, key=lambda one: one.sample)]
    valid = [value for value in values if value is not None]
    return valid, len(values) - len(valid)
