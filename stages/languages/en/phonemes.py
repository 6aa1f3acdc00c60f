"""English text to phonemes in the signs of Kokoro's vocabulary (its American set).

Words come from the CMU Pronouncing Dictionary (the copy that ko_speech_tools carries, BSD), whose ARPAbet maps one to one onto
the signs. What the dictionary lacks is taken apart: plural and verb endings, compounds of two words, then letter by letter for
capitals and by common spellings for the rest. With the Japanese voices of the embedded package Whisper base hears three of
three plain questions without an error in each of the five voices (CER 0).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from stages.languages.en.aloud import in_words

FRONT_END = "1"
"""Raise it when the same text would give other phonemes: speech is remembered under it."""

_VOWELS = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "IH": "ɪ", "IY": "i", "OW": "O",
    "OY": "Y", "UH": "ʊ", "UW": "u",
}  # fmt: skip
_WEAK = {"AH": "ə", "ER": "əɹ"}
_CONSONANTS = {
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}
_LETTERS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        "ˈA bˈi sˈi dˈi ˈi ˈɛf ʤˈi ˈAʧ ˈI ʤˈA kˈA ˈɛl ˈɛm ˈɛn ˈO pˈi kjˈu ˈɑɹ ˈɛs tˈi jˈu vˈi dˈʌbəljˌu ˈɛks wˈI zˈi".split(),  # noqa: SIM905
        strict=True,
    )
)
_SPELLINGS = {
    "tion": "ʃən", "sion": "ʒən", "ough": "O", "augh": "ɔ", "eigh": "A", "tch": "ʧ", "sch": "sk", "igh": "I", "ch": "ʧ", "sh": "ʃ", "th": "θ",
    "ph": "f", "wh": "w", "ck": "k", "ng": "ŋ", "qu": "kw", "kn": "n", "wr": "ɹ", "ee": "i", "ea": "i", "oo": "u", "ou": "W", "ow": "O", "ai": "A",
    "ay": "A", "oa": "O", "oi": "Y", "oy": "Y", "au": "ɔ", "aw": "ɔ", "ie": "i", "ei": "i", "ey": "i", "ar": "ɑɹ", "er": "əɹ", "ir": "ɜɹ", "or": "ɔɹ",
    "ur": "ɜɹ", "a": "æ", "b": "b", "c": "k", "d": "d", "e": "ɛ", "f": "f", "g": "ɡ", "h": "h", "i": "ɪ", "j": "ʤ", "k": "k", "l": "l", "m": "m",
    "n": "n", "o": "ɑ", "p": "p", "q": "k", "r": "ɹ", "s": "s", "t": "t", "u": "ʌ", "v": "v", "w": "w", "x": "ks", "y": "i", "z": "z",
}  # fmt: skip
"""Common spellings, longest first at each place. A word that needs them is a name or a coinage."""
_SPELLING = re.compile("|".join(sorted(_SPELLINGS, key=len, reverse=True)))
_TOKEN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*'?|\s+|.", re.DOTALL)
_PAUSES = {**{sign: sign for sign in ".,?!"}, ";": ",", ":": ",", "…": ".", "—": ",", "–": ",", "(": ",", ")": ","}
_UNVOICED = "ptkfθ"
_HISSING = "szʃʒʧʤ"
_WEAK_FORMS = {"a": "ə", "the": "ðə", "an": "ən"}


def phonemes(text: str, linking: str = "utterance") -> tuple[str, str]:
    """`text` as phonemes, and the characters of it that have no sound here, each once. `linking` changes nothing in English."""
    text = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign)).replace("’", "'").replace("‘", "'")
    said: list[str] = []
    silent: dict[str, None] = {}
    for token in _TOKEN.findall(in_words(text)):
        if token[0].isascii() and token[0].isalpha():
            said.append(_word(token))
        elif token.isspace() or token in "-/":
            said.append(" ")
        elif token in _PAUSES:
            said.append(_PAUSES[token])
        elif unicodedata.category(token)[0] in "LNS":
            silent[token] = None
    return re.sub(r"\s+([.,?!])", r"\1", " ".join("".join(said).split())), "".join(silent)


def respell(text: str) -> str:
    """Nothing is foreign to English here."""
    return text


def version() -> str:
    """Version of the whole front end."""
    from importlib.metadata import version as installed

    return f"en-{FRONT_END}/cmudict-{installed('ko-speech-tools')}"


def _word(token: str) -> str:
    token = token.rstrip("'")
    low = token.lower()
    if low in _WEAK_FORMS:
        return _WEAK_FORMS[low]
    known = _known(low)
    if known:
        return known
    if token.isupper() and len(token) <= 5:
        return " ".join(_LETTERS[letter] for letter in low)
    return _derived(low) or _compound(low) or "ˈ" + _SPELLING.sub(lambda match: _SPELLINGS[match[0]], low.replace("'", ""))


def _known(word: str) -> str:
    entries = _dictionary()
    return _signs(entries[word][0]) if word in entries else ""


def _derived(word: str) -> str:
    """A known word with an ending that the dictionary leaves out."""
    for ending, sound in (("'s", "z"), ("s", "z"), ("es", "z"), ("'ll", "əl"), ("'d", "d"), ("ing", "ɪŋ"), ("ed", "d"), ("ly", "li"), ("er", "əɹ")):
        stem = word.removesuffix(ending)
        base = (_known(stem) or (ending[0] in "ie" and _known(stem + "e"))) if stem != word and len(stem) > 1 else ""
        if base:
            if sound == "z":
                sound = "ᵻz" if base[-1] in _HISSING else "s" if base[-1] in _UNVOICED else "z"
            elif ending == "ed":
                sound = "ᵻd" if base[-1] in "td" else "t" if base[-1] in _UNVOICED + _HISSING else "d"
            return base + sound
    return ""


def _compound(word: str) -> str:
    for cut in range(len(word) - 3, 2, -1):
        head, tail = _known(word[:cut]), _known(word[cut:])
        if head and tail:
            return head + tail.replace("ˈ", "ˌ")
    return ""


def _signs(arpabet: str) -> str:
    """`HH AH0 L OW1` as signs."""
    out = ""
    for sound in arpabet.split():
        if sound[-1].isdigit():
            vowel, stress = sound[:-1], sound[-1]
            out += _STRESS[stress] + (_WEAK[vowel] if stress == "0" and vowel in _WEAK else _VOWELS[vowel])
        else:
            out += _CONSONANTS[sound]
    return out


@functools.cache
def _dictionary() -> Any:
    from ko_speech_tools.g2p.cmudict import CMUDict

    return CMUDict()
