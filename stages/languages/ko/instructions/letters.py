"""keywords:letter_frequency: how often a letter stands in an answer.

A Korean letter is one of the 40 that a dictionary sorts by: 19 consonants (ㄲ ㄸ ㅃ ㅆ ㅉ are letters of their own, so ㄲ is no ㄱ)
and 21 vowels (ㅐ is no ㅏ, ㅘ neither ㅗ nor ㅏ). It counts wherever it stands in a syllable. A cluster below a syllable (ㄺ in 닭) is no
such letter but two of them: 닭 has one ㄹ and one ㄱ. A letter written alone (ㅋㅋ) counts, in whatever code it comes.

Asked for a whole syllable (가), that syllable is counted; asked for a Latin letter, upper and lower case are one; any other mark
(! #) is counted as it stands.
"""

from __future__ import annotations

import unicodedata

from stages.languages.constraints import LETTER as ID
from stages.languages.constraints import Kwargs, holds, needed, relation

_FIRST = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWEL = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_LAST = ("ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅁ", "ㅂ", "ㅂㅅ",
         "ㅅ", "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ")  # fmt: skip
_CLUSTERS = dict(zip("ㄳㄵㄶㄺㄻㄼㄽㄾㄿㅀㅄ", (pair for pair in _LAST if len(pair) == 2), strict=True))
_FOLDED = str.maketrans(
    {chr(0x1100 + place): letter for place, letter in enumerate(_FIRST)}
    | {chr(0x1161 + place): letter for place, letter in enumerate(_VOWEL)}
    | {chr(0x11A8 + place): letters for place, letters in enumerate(_LAST)}
    | _CLUSTERS
)
"""Conjoining letters, which NFD makes of syllables, and clusters written alone -> letters of the keyboard."""


def letters(text: str) -> str:
    """Every Hangul syllable of `text` as its letters; the rest as it is."""
    return unicodedata.normalize("NFD", text).translate(_FOLDED)


def count(letter: str, text: str) -> int:
    """How often `letter` stands in `text`."""
    letter = unicodedata.normalize("NFC", letter).strip()
    if not letter:
        return 0
    if "가" <= letter[0] <= "힣" or letter in _CLUSTERS:
        return _clusters(letter, text) if letter in _CLUSTERS else unicodedata.normalize("NFC", text).count(letter)
    return letters(text).casefold().count(letters(letter).casefold())


def _clusters(cluster: str, text: str) -> int:
    """Asked for a cluster by itself, the syllables that end in it are counted, and the cluster written alone."""
    final = chr(0x11A8 + _LAST.index(_CLUSTERS[cluster]))
    decomposed = unicodedata.normalize("NFD", text)
    return decomposed.count(final) + decomposed.count(cluster)


def check(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    found = count(str(needed(kwargs, "letter", ID)), answer)
    return holds(found, relation(kwargs, "let_relation", ID), int(needed(kwargs, "let_frequency", ID)))
