"""Hanja by their Korean sound, with the initial-sound rule at the beginning of a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.languages.ko.jamo import final
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader, Scan

_INITIAL = dict(
    zip(
        "녀뇨뉴니랴려례료류리라래로뢰루르년념녕량력련렬렴렵령록론롱룡률륭륵름릉린림립락란람랍랑랭략닉",
        "여요유이야여예요유이나내노뇌누느연염영양역연열염엽영녹논농용율융늑늠능인임입낙난남납낭냉약익",
        strict=True,
    )
)
_AFTER_VOWEL = {"률": "율", "렬": "열"}
_NIEUN = 4


def sound(chars: str, reader: Reader) -> str | None:
    """How a Hanja word is read, or None when a character is not in the rulebook."""
    sounds = [reader.hanja.get(char, "") for char in chars]
    if not all(sounds):
        return None
    said = ""
    for place, (char, syllable) in enumerate(zip(chars, sounds, strict=True)):
        spoken = syllable
        if place == 0:
            spoken = _INITIAL.get(syllable, syllable)
        elif syllable in _AFTER_VOWEL and final(said[-1]) in (0, _NIEUN):
            spoken = _AFTER_VOWEL[syllable]
        if char == "不" and sounds[place + 1 : place + 2] and sounds[place + 1][0] in _D_OR_J:
            spoken = "부"
        said += spoken
    return said


_D_OR_J = frozenset(chr(code) for first in (3, 12) for code in range(0xAC00 + first * 588, 0xAC00 + (first + 1) * 588))


def run(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A run of Hanja. When the Hangul beside it says the same (한자(漢字), 漢字(한자)), it is said once."""
    start, end = match.span()
    said = sound(match[0], scan.reader)
    if said is None:
        return Hit(start, end, match[0], "hanja.unknown")
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        before = text[max(0, start - 1 - len(match[0])) : start - 1]
        if before == said or before == "".join(scan.reader.hanja.get(char, "") for char in match[0]):
            return Hit(start, end, "", "hanja.gloss")
    return Hit(start, end, said, "hanja.sound")
