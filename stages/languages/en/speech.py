"""English as it is said and heard: numbers in words, sentences, and the form in which a text and a transcript are compared."""

from __future__ import annotations

import re
import unicodedata

from stages.languages.base import Change, Reading
from stages.languages.en import aloud

_ABBREVIATIONS = frozenset("mr mrs ms dr prof st vs etc e.g i.e no inc ltd jr sr a.m p.m u.s approx dept fig".split())  # noqa: SIM905
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)")
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_CONTRACTION = re.compile(r"\b(can't|cannot|won't|shan't|(\w+)n't|(i)'m|(\w+)'(re|ll|ve))\b")
_LONG = {"re": "are", "ll": "will", "ve": "have"}
_SPELLINGS = {"ok": "okay", "mr": "mister", "mrs": "missus", "dr": "doctor"}


def read(text: str) -> Reading:
    """`text` with its numbers in words."""
    text = unicodedata.normalize("NFC", text)
    changes = tuple(
        Change(match.start(), match.end(), f"number.{match.lastgroup}", match[0], aloud.said(match)) for match in aloud.SPOKEN.finditer(text)
    )
    return Reading(aloud.in_words(text), changes)


def comparable(text: str) -> str:
    """What is heard: numbers in words, small letters and digits without blanks; don't equals do not."""
    spoken = aloud.in_words(unicodedata.normalize("NFC", text)).casefold().replace("’", "'")
    spoken = _CONTRACTION.sub(_long, spoken)
    return "".join(_SPELLINGS.get(word, word) for word in re.findall(r"[^\W_]+", spoken))


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`; a line break ends one, an abbreviation or an initial does not."""
    found: list[str] = []
    for line in text.splitlines():
        start = 0
        for match in _END.finditer(line):
            before = line[start : match.start()].rsplit(None, 1)[-1:] or [""]
            last = before[0].lower().lstrip("(\"'“‘")
            if match[0][0] == "." and (last in _ABBREVIATIONS or re.fullmatch(r"[a-z]", last)) and match.end() < len(line):
                continue
            found.append(line[start : match.end()].strip())
            start = match.end()
        found.append(line[start:].strip())
    return [sentence for sentence in found if any(char.isalnum() for char in sentence)]


def _long(match: re.Match[str]) -> str:
    word = match[0]
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    if word.endswith("n't"):
        return f"{match[2]} not"
    return "i am" if match[3] else f"{match[4]} {_LONG[match[5]]}"
