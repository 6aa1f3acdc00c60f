"""What the checkers of IFEval's constraints share in every language: ids, keyword arguments by name, and the two relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stages.core.errors import UserError

Kwargs = Mapping[str, Any]

EXISTENCE, FREQUENCY, FORBIDDEN = "keywords:existence", "keywords:frequency", "keywords:forbidden_words"
LETTER = "keywords:letter_frequency"
WORDS, SENTENCES = "length_constraints:number_words", "length_constraints:number_sentences"
PARAGRAPHS, FIRST_WORD = "length_constraints:number_paragraphs", "length_constraints:nth_paragraph_first_word"
LESS_THAN, AT_LEAST = "less than", "at least"


def needed(kwargs: Kwargs, name: str, id: str) -> Any:
    """The keyword argument `name`; 0 and the empty list are values. Raises UserError when it is absent or null."""
    value = kwargs.get(name)
    if value is None:
        raise UserError(f"The constraint {id} lacks the keyword argument {name!r}; give it with the item.")
    return value


def relation(kwargs: Kwargs, name: str, id: str) -> str:
    """`less than` or `at least`. Raises UserError for anything else, a translated relation above all."""
    value = needed(kwargs, name, id)
    if value not in (LESS_THAN, AT_LEAST):
        raise UserError(f"The constraint {id} has {name} {value!r}; it must be {LESS_THAN!r} or {AT_LEAST!r}, whatever the language.")
    return str(value)


def holds(count: int, relation: str, bound: int) -> bool:
    """Strictly fewer than `bound`, or `bound` and more. There is no third relation: `at most` must be restated with another number."""
    return count < bound if relation == LESS_THAN else count >= bound
