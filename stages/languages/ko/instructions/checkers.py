"""The checker of each instruction id, and the one way to call them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from stages.core.errors import UserError, nearest
from stages.languages import markup, tongues, wholes
from stages.languages.constraints import PARAGRAPHS, Kwargs
from stages.languages.ko.instructions import keywords, lengths, letters

CHECKS: dict[str, Callable[[Kwargs, str, str], bool]] = {
    keywords.EXISTENCE: keywords.existence,
    keywords.FREQUENCY: keywords.frequency,
    keywords.FORBIDDEN: keywords.forbidden,
    letters.ID: letters.check,
    tongues.ID: tongues.check,
    lengths.WORDS: lengths.number_words,
    lengths.SENTENCES: lengths.number_sentences,
    PARAGRAPHS: wholes.number_paragraphs,
    lengths.FIRST_WORD: lengths.first_word,
    markup.PLACEHOLDERS: markup.placeholders,
    markup.POSTSCRIPT: markup.postscript,
    markup.BULLETS: markup.bullets,
    markup.HIGHLIGHTS: markup.highlights,
    markup.SECTIONS: markup.sections,
    markup.TITLE: markup.title,
    markup.COMMA: markup.no_comma,
    markup.QUOTATION: markup.quotation,
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
