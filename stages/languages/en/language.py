"""English as the stages see it: the language of the sources. Its answers are read and scored; nothing is carried into it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from stages.core.errors import UserError
from stages.languages.base import Answers, Candidate, Instructions, Lexicon, Reading, Rulebook

_SOURCE = "English is a language of sources: it has no reading rules, so nothing can be carried into it; take another `language`."


class English:
    """See stages.languages.base.Language."""

    code = "en"
    name = "English"

    def __init__(self) -> None:
        self.option_labels = list("ABCDEFGHIJ")
        self.yes = ["yes", "true"]
        self.no = ["no", "false"]

    def read(self, text: str, chosen: Mapping[tuple[int, int], Candidate] | None = None) -> Reading:
        """Numbers in words: as far as queries that stay in English are said aloud."""
        from stages.languages.en import speech

        return speech.read(text)

    def check_reading(self, written: str, reading: str) -> list[str]:
        raise UserError(_SOURCE)

    def check_spoken(self, text: str, protected: list[str] | tuple[str, ...] = ()) -> list[str]:
        raise UserError(_SOURCE)

    def split_sentences(self, text: str) -> list[str]:
        from stages.languages.en.sentences import split

        return split(text)

    def comparable(self, text: str) -> str:
        """What is heard: small letters without accents, blanks and punctuation, numbers in words, contractions in full."""
        from stages.languages.en import speech

        return speech.comparable(_plain(text))

    def alias_key(self, text: str) -> str:
        from stages.languages.en.choices import tokens
        from stages.languages.en.numbers import digits

        return " ".join(tokens(digits(_plain(text))))

    def decompose(self, text: str) -> str:
        return text

    @property
    def rulebook(self) -> Rulebook:
        raise UserError(_SOURCE)

    @property
    def lexicon(self) -> Lexicon:
        raise UserError(_SOURCE)

    @property
    def instructions(self) -> Instructions:
        from stages.languages.en import instructions

        checks: Any = instructions  # no witnesses: those are for the languages that items are carried into
        return checks

    @property
    def answers(self) -> Answers:
        from stages.languages.en import answers

        return answers


def _plain(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)).casefold()
