"""English numbers in words, as far as questions and transcripts need them: counts, decimals, ordinals, years, money, per cent, clock."""

from __future__ import annotations

import re

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_POWERS = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_CURRENCIES = {"$": ("dollar", "dollars"), "£": ("pound", "pounds"), "€": ("euro", "euros")}
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
SPOKEN = re.compile(
    rf"(?P<clock>\b\d{{1,2}}:\d{{2}}\b)|(?P<money>[$£€]\s?(?:{_NUMBER}))|(?P<ordinal>\b\d+(?:st|nd|rd|th)\b)|(?P<percent>(?:{_NUMBER})\s?%)"
    rf"|(?P<year>\b(?:1[1-9]|20)\d\d\b(?![,.]\d))|(?P<number>{_NUMBER})|(?P<and>&)|(?P<plus>(?<=\s)\+(?=\s))"
)


def in_words(text: str) -> str:
    """`text` with its numbers in words; letters and other signs stay."""
    return SPOKEN.sub(said, text)


def cardinal(number: int) -> str:
    """`number` from zero up in words, without `and`."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" {cardinal(number % 100)}" if number % 100 else "")
    for power, name in _POWERS:
        if number >= power:
            if number // power >= 1000:
                return " ".join(_ONES[int(digit)] for digit in str(number))
            return f"{cardinal(number // power)} {name}" + (f" {cardinal(number % power)}" if number % power else "")
    raise AssertionError(number)


def ordinal(number: int) -> str:
    head, mark, last = _last_word(cardinal(number))
    if last in _ORDINALS:
        return head + mark + _ORDINALS[last]
    return head + mark + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def _last_word(words: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"(.*?)([ -]?)([a-z]+)", words)
    assert found
    return found[1], found[2], found[3]


def said(match: re.Match[str]) -> str:
    kind, text = str(match.lastgroup), match[0]
    if kind == "and":
        return "and"
    if kind == "plus":
        return "plus"
    if kind == "clock":
        hour, minute = map(int, text.split(":"))
        return cardinal(hour) + (f" oh {cardinal(minute)}" if 0 < minute < 10 else f" {cardinal(minute)}" if minute else " o'clock")
    if kind == "money":
        one, many = _CURRENCIES[text[0]]
        amount = text[1:].strip()
        return f"{_plain(amount)} {one if amount == '1' else many}"
    if kind == "ordinal":
        return ordinal(int(text[:-2]))
    if kind == "percent":
        return f"{_plain(text.rstrip('% '))} percent"
    if kind == "year":
        head, tail = divmod(int(text), 100)
        if head == 20 and tail < 10:
            return cardinal(int(text))
        return f"{cardinal(head)} {'hundred' if not tail else f'oh {cardinal(tail)}' if tail < 10 else cardinal(tail)}"
    return _plain(text)


def _plain(text: str) -> str:
    whole, point, rest = text.replace(",", "").partition(".")
    if len(whole) > 1 and whole[0] == "0":
        return " ".join(_ONES[int(digit)] for digit in whole)
    return cardinal(int(whole)) + (f" point {' '.join(_ONES[int(digit)] for digit in rest)}" if point else "")
