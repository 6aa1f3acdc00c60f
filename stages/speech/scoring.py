"""How well a transcript matches what should have been said, in edits that can be added up over sentences."""

from __future__ import annotations

import importlib
import importlib.util
import re
import unicodedata
from dataclasses import dataclass

from stages.languages import Language


@dataclass(frozen=True)
class Errors:
    """Edits and reference lengths, in characters (spaces and punctuation left out) and in words."""

    char_edits: int
    chars: int
    word_edits: int
    words: int

    @property
    def cer(self) -> float:
        return _rate(self.char_edits, self.chars)

    @property
    def wer(self) -> float:
        return _rate(self.word_edits, self.words)

    def __add__(self, other: Errors) -> Errors:
        return Errors(self.char_edits + other.char_edits, self.chars + other.chars, self.word_edits + other.word_edits, self.words + other.words)


_LATIN = re.compile("[A-Za-z]")

NONE = Errors(0, 0, 0, 0)


def compare(reference: str, transcript: str, language: Language) -> Errors:
    """Errors of `transcript`; both sides go through the same reading rules first, so that 2 and the word for it are one."""
    import jiwer

    reference, transcript = respelled(reference, language.code), respelled(transcript, language.code)
    chars, heard_chars = language.comparable(reference), language.comparable(transcript)
    words, heard_words = _words(reference, language), _words(transcript, language)
    return Errors(
        _edits(jiwer.process_characters(chars, heard_chars)) if chars else len(heard_chars),
        len(chars),
        _edits(jiwer.process_words(" ".join(words), " ".join(heard_words))) if words else len(heard_words),
        len(words),
    )


def respelled(text: str, code: str) -> str:
    """`text` with foreign names as the language's own letters write their sound, which is how a recognizer writes them.

    By `stages.languages.<code>.phonemes.respell` where there is one.
    """
    name = f"stages.languages.{code}.phonemes"
    if not _LATIN.search(text) or importlib.util.find_spec(name) is None:
        return text
    return str(importlib.import_module(name).respell(text))


def _edits(output: object) -> int:
    return int(output.substitutions + output.deletions + output.insertions)  # type: ignore[attr-defined]


def _words(text: str, language: Language) -> list[str]:
    spoken = language.read(text).text.casefold()
    return "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in spoken).split()


def _rate(edits: int, length: int) -> float:
    return round(edits / length, 4) if length else float(edits > 0)
