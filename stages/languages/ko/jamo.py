"""Hangul letters: taking syllables apart, and whether a syllable ends in a consonant."""

from __future__ import annotations

_FIRST = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_MIDDLE = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_LAST = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_BASE, _END = 0xAC00, 0xD7A3
RIEUL = 8


def is_syllable(char: str) -> bool:
    return _BASE <= ord(char) <= _END


def final(char: str) -> int | None:
    """Number of the final consonant: 0 for none, 8 for ㄹ; None when `char` is not a Hangul syllable."""
    code = ord(char)
    return (code - _BASE) % 28 if _BASE <= code <= _END else None


def decompose(text: str) -> str:
    """Every syllable as its letters (닭 is ㄷㅏㄺ); everything else as it is. `text` is in NFC."""
    letters = []
    for char in text:
        code = ord(char) - _BASE
        if 0 <= code <= _END - _BASE:
            letters += [_FIRST[code // 588], _MIDDLE[code % 588 // 28], _LAST[code % 28]]
        else:
            letters.append(char)
    return "".join(letters)


def compose(first: str, middle: str, last: str = "") -> str:
    """The syllable of its letters."""
    return chr(_BASE + (_FIRST.index(first) * 21 + _MIDDLE.index(middle)) * 28 + _LAST.index(last))
