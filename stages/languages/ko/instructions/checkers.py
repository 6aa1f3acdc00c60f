"""The checker of each instruction id, and the one way to call them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from stages.core.errors import UserError, nearest
from stages.languages.ko.instructions import keywords, lengths, letters, marks, tongues, wholes
from stages.languages.ko.instructions.given import Kwargs

CHECKS: dict[str, Callable[[Kwargs, str, str], bool]] = {
    keywords.EXISTENCE: keywords.existence,
    keywords.FREQUENCY: keywords.frequency,
    keywords.FORBIDDEN: keywords.forbidden,
    letters.ID: letters.check,
    tongues.ID: tongues.check,
    lengths.WORDS: lengths.number_words,
    lengths.SENTENCES: lengths.number_sentences,
    lengths.PARAGRAPHS: lengths.number_paragraphs,
    lengths.FIRST_WORD: lengths.first_word,
    marks.PLACEHOLDERS: marks.placeholders,
    marks.POSTSCRIPT: marks.postscript,
    marks.BULLETS: marks.bullets,
    marks.HIGHLIGHTS: marks.highlights,
    marks.SECTIONS: marks.sections,
    marks.TITLE: marks.title,
    marks.COMMA: marks.no_comma,
    marks.QUOTATION: marks.quotation,
    wholes.JSON: wholes.json_format,
    wholes.CHOICE: wholes.constrained_response,
    wholes.TWO: wholes.two_responses,
    wholes.REPEAT: wholes.repeat_prompt,
    wholes.END: wholes.end_checker,
}


def check(instruction_id: str, kwargs: Kwargs, answer: str, prompt: str = "") -> bool:
    """Whether `answer` keeps the constraint, strictly. An empty answer keeps none.

    Raises UserError for an id without a checker, a missing keyword argument, or a relation that is not one of the two.
    """
    if instruction_id not in CHECKS:
        raise UserError(f"There is no Korean checker for the instruction id {instruction_id!r}.{nearest(instruction_id, CHECKS)}")
    given = {name: _nfc(value) for name, value in kwargs.items()}
    return CHECKS[instruction_id](given, unicodedata.normalize("NFC", answer), unicodedata.normalize("NFC", prompt)) and bool(answer.strip())


def _nfc(value: Any) -> Any:
    if isinstance(value, list):
        return [_nfc(one) for one in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
