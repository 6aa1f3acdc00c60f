"""Korean text to phonemes in the signs of Kokoro's vocabulary (a subset of IPA).

Kokoro has no Korean voice, but its Japanese and other voices say Korean when they are given Korean sounds. Pronunciation
(liaison, assimilation, tensing) is ko_speech_tools' G2p; the table from jamo to IPA is ours. Choices that were measured
by the character error rate of Whisper base, pooled over 14 sentences, voices jm_kumo / jf_nezumi: tense stops as a
glottal stop and a plain one 0.156 / 0.133, as a plain one alone 0.174 / 0.142, the lax ones voiced at the start of a word
0.193 / 0.156, a final l as a flap 0.183 / 0.161.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from stages.languages.ko import jamo

FRONT_END = "2"
"""Raise it when the same text would give other phonemes: speech is remembered under it."""

_ONSETS = {
    # letter: (at the start, after a voiced sound)
    "ㄱ": ("k", "ɡ"), "ㄷ": ("t", "d"), "ㅂ": ("p", "b"), "ㅈ": ("ʨ", "ʥ"),
    "ㄲ": ("ʔk", "ʔk"), "ㄸ": ("ʔt", "ʔt"), "ㅃ": ("ʔp", "ʔp"), "ㅉ": ("ʔʨ", "ʔʨ"),
    "ㅋ": ("kʰ", "kʰ"), "ㅌ": ("tʰ", "tʰ"), "ㅍ": ("pʰ", "pʰ"), "ㅊ": ("ʨʰ", "ʨʰ"),
    "ㄴ": ("n", "n"), "ㅁ": ("m", "m"), "ㄹ": ("ɾ", "ɾ"), "ㅅ": ("s", "s"), "ㅆ": ("s", "s"), "ㅎ": ("h", "h"), "ㅇ": ("", ""),
}  # fmt: skip
_NUCLEI = {
    "ㅏ": "a", "ㅐ": "ɛ", "ㅑ": "ja", "ㅒ": "jɛ", "ㅓ": "ʌ", "ㅔ": "e", "ㅕ": "jʌ", "ㅖ": "je", "ㅗ": "o", "ㅘ": "wa", "ㅙ": "wɛ",
    "ㅚ": "we", "ㅛ": "jo", "ㅜ": "u", "ㅝ": "wʌ", "ㅞ": "we", "ㅟ": "wi", "ㅠ": "ju", "ㅡ": "ɯ", "ㅢ": "ɯi", "ㅣ": "i",
}  # fmt: skip
_CODAS = {
    **dict.fromkeys("ㄱㄲㅋㄳㄺ", "k"), **dict.fromkeys("ㄴㄵㄶ", "n"), **dict.fromkeys("ㄷㅅㅆㅈㅊㅌㅎ", "t"), **dict.fromkeys("ㄹㄼㄽㄾㅀ", "l"),
    **dict.fromkeys("ㅁㄻ", "m"), **dict.fromkeys("ㅂㅍㅄㄿ", "p"), "ㅇ": "ŋ",
}  # fmt: skip
_LATIN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_VOICED = frozenset("aɛʌeouɯimnŋlɾ")
_PALATAL = frozenset("ij")
_PAUSES = {**{sign: sign for sign in ".,?!"}, ";": ",", ":": ",", "…": ".", "。": ".", "，": ",", "、": ",", "·": ",", "—": ",", "–": ","}


def phonemes(text: str, linking: str = "utterance") -> tuple[str, str]:
    """`text` as phonemes, and the characters of it that have no sound here (Latin letters, digits, symbols), each once.

    `linking` is `utterance`, where sounds change across word boundaries as in fluent speech, or `word`, where they do not.
    """
    g2p = _g2p()
    text = respell(unicodedata.normalize("NFC", text))
    said = " ".join(g2p(word) for word in text.split()) if linking == "word" else g2p(text)
    return _ipa(said)


def respell(text: str) -> str:
    """The Latin words of `text` in Hangul as the voice says them, where the pronouncing dictionary has them; others stay.

    Word by word, because G2p itself replaces the words of a text in the order of a set, which differs from run to run.
    """
    return _LATIN.sub(lambda match: _in_hangul(match[0]), text)


def version() -> str:
    """Version of the whole front end."""
    from importlib.metadata import version as installed

    return f"ko-{FRONT_END}/ko-speech-tools-{installed('ko-speech-tools')}"


@functools.cache
def _in_hangul(word: str) -> str:
    from ko_speech_tools.g2p.english import convert_eng

    return str(convert_eng(word.lower(), _dictionary())) if word.lower() in _dictionary() else word


@functools.cache
def _dictionary() -> Any:
    from ko_speech_tools.g2p.cmudict import CMUDict

    return CMUDict()


@functools.cache
def _g2p() -> Any:
    from ko_speech_tools import G2p

    return G2p()


def _ipa(said: str) -> tuple[str, str]:
    out = ""
    silent: dict[str, None] = {}
    for char in said:
        if not jamo.is_syllable(char):
            if char in _PAUSES:
                out += _PAUSES[char]
            elif char.isspace():
                out += " "
            elif unicodedata.category(char)[0] in "LNS":
                silent[char] = None
            continue
        first, middle, *last = list(jamo.decompose(char))
        onset = _ONSETS[first][bool(out) and out[-1] in _VOICED]
        nucleus = _NUCLEI[middle]
        if first == "ㄹ" and out.endswith("l"):
            onset = "l"
        elif first in "ㅅㅆ" and nucleus[0] in _PALATAL:
            onset = "ɕ"
        elif first in "ㅈㅉㅊ" and nucleus[0] == "j":
            nucleus = nucleus[1:]
        out += onset + nucleus + "".join(_CODAS.get(letter, "") for letter in last)
    return " ".join(out.split()), "".join(silent)
