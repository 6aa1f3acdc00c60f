"""What must hold for a text that goes to a voice. Source: paper 2605.27984, section 3.1.3 (validation checks of the rulebook)."""

from __future__ import annotations

import re
import unicodedata

from stages.languages.ko import numerals
from stages.languages.ko.reader import PAUSES

_PLAIN = re.compile(rf"[가-힣A-Za-zÀ-ÖØ-öø-ɏ\s{re.escape(PAUSES)}-]*")
_SHOWN = 5


def check_spoken(text: str, protected: list[str] | tuple[str, ...] = ()) -> list[str]:
    """The failed checks as `check: detail`.

    digit: a numeral of any script is left. letter: a lone Hangul letter. script: a character of another script than
    Hangul and Latin. symbol: a sign that is no pause. empty: nothing can be said. name: a protected string is gone.
    """
    failures = []
    if not any(char.isalnum() for char in text):
        failures.append("empty: there is nothing to say")
    if not _PLAIN.fullmatch(text):
        found: dict[str, list[str]] = {}
        for char in text:
            if not _PLAIN.fullmatch(char):
                found.setdefault(_kind(char), []).append(char)
        for kind, chars in sorted(found.items()):
            unique = sorted(set(chars))
            failures.append(f"{kind}: {' '.join(f'{char!r}' for char in unique[:_SHOWN])}{' and more' if len(unique) > _SHOWN else ''}")
    failures += [f"name: {name!r} is not in the spoken text" for name in protected if name not in text]
    return failures


def _kind(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "N":
        return "digit"
    if "ㄱ" <= char <= "ㆎ" or "\u1100" <= char <= "\u11ff":
        return "letter"
    return "script" if category[0] in "LM" else "symbol"


_SPAN = re.compile(r"[가-힣\s,]*")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NUMERALS = "영공일이삼사오육칠팔구십백천만억조경열스물서른흔쉰순"
"""Syllables that would make another number of the one beside them."""
_LONGEST = 12
"""Syllables that one written character may take: a long number takes about two a digit, a sign at most a few words."""


def check_reading(written: str, reading: str) -> list[str]:
    """What makes `reading` unfit in the place of `written`, as `check: detail`.

    speech: it is empty, or more than Hangul, blanks and commas. length: it says more than the span can hold. number: a
    number of the span is not in it in any way that numbers are said.
    """
    failures = []
    if not reading.strip() or not _SPAN.fullmatch(reading) or "\n" in reading:
        failures.append("speech: a reading is Hangul, blanks and commas")
    if len(reading) > _LONGEST * max(len(written), 2):
        failures.append(f"length: {len(reading)} characters for {len(written)}")
    said = re.sub(r"[\s,]", "", reading)
    for found in _NUMBER.finditer(written):
        if not any(re.search(f"(?<![{_NUMERALS}]){way}(?![{_NUMERALS}])", said) for way in _ways(found[0].replace(",", ""))):
            failures.append(f"number: {found[0]} is not in the reading")
    return failures


def _ways(number: str) -> set[str]:
    """Everything that a number may be called, without blanks."""
    ways = {numerals.number(number)}
    if number.isdigit():
        value = int(number) if len(number) <= numerals.SINO_MAX_DIGITS else -1
        ways |= {numerals.digits(number), numerals.digits(number, zero="영")}
        if 0 <= value <= numerals.NATIVE_MAX:
            ways.add(numerals.english(value))
        if 1 <= value <= numerals.NATIVE_MAX:
            ways |= {numerals.native(value), numerals.native(value, before_counter=False)}
        ways |= {1: {"첫"}, 3: {"석", "서"}, 4: {"넉", "너"}, 6: {"유"}, 10: {"시"}, 0: {"공"}}.get(value, set())
    return {way.replace(" ", "") for way in ways}
