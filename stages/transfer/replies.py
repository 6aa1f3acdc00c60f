"""What the models must reply: flat, strict JSON objects. Reasoning comes before the decision that it supports.

Docstrings of these classes are part of no request; field names and their order are.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from stages.llm import Reply, Request

CATEGORY = Literal["direct_translation", "format_conversion", "equivalent_replacement", "deletion"]
"""The fifth category, error_correction, is the program's: an item whose label was corrected before."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Review(_Reply):
    reasoning: str
    verdict: Literal["correct", "wrong", "unsure"]
    error_type: Literal["none", "restrictive_answer_set", "stale_fact", "wrong_label", "ill_posed"]
    proposed_answers: list[str]


class MetaReview(_Reply):
    reason: str
    decision: Literal["confirm", "reject", "unsure"]


class SortedItem(_Reply):
    reasoning: str
    category: Literal["direct_translation", "format_conversion", "equivalent_replacement", "deletion", "error_correction"]
    confidence: Annotated[int, Field(ge=0, le=100)]
    rule_id: str
    issue: str
    question: str


class OpenItem(_Reply):
    note: str
    category: CATEGORY
    rule_ids: list[str]
    question: str
    deletion_rule_id: str
    deletion_reason: str


class ShortAnswerItem(_Reply):
    note: str
    category: CATEGORY
    rule_ids: list[str]
    question: str
    answer: str
    aliases: list[str]
    deletion_rule_id: str
    deletion_reason: str


class MultipleChoiceItem(_Reply):
    note: str
    category: CATEGORY
    rule_ids: list[str]
    question: str
    option_texts: list[str]
    right_option: int
    """Counted from 1; 0 for a deletion."""
    deletion_rule_id: str
    deletion_reason: str


class YesNoItem(_Reply):
    note: str
    category: CATEGORY
    rule_ids: list[str]
    question: str
    answer: Literal["yes", "no"]
    deletion_rule_id: str
    deletion_reason: str


class ConstraintTexts(_Reply):
    number: int
    kwargs_json: str


class IfevalItem(_Reply):
    note: str
    category: CATEGORY
    rule_ids: list[str]
    question: str
    constraints: list[ConstraintTexts]
    deletion_rule_id: str
    deletion_reason: str


class MinimalPair(_Reply):
    note: str
    rule_ids: list[str]
    right_sentence: str
    wrong_sentence: str


class SpanReading(_Reply):
    reasoning: str
    choice: int
    """Counted from 1; 0 for a reading of its own."""
    reading: str


Translated = OpenItem | ShortAnswerItem | MultipleChoiceItem | YesNoItem | IfevalItem


class Asker(Protocol):
    """What the stage needs of stages.llm.Client."""

    def ask(self, requests: list[Request]) -> list[Reply]: ...

    def usage(self) -> dict[str, Any]: ...
