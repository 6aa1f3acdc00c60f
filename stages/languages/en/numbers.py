"""English numbers: `twelve` and `12` are one, `1,000` and `1000` are one."""

from __future__ import annotations

import re

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = dict(zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True))
_UNITS = {word: value for value, word in enumerate(_ONES)} | _TENS
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_WORD = rf"(?:{'|'.join(sorted([*_UNITS, *_SCALES], key=len, reverse=True))})"
_RUN = re.compile(rf"\b{_WORD}(?:(?:[\s-]+(?:and\s+)?){_WORD})*\b", re.IGNORECASE)
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)


def spelled(number: int) -> str:
    """0 to 999,999,999 in words, with hyphens and without `and`: 121 is `one hundred twenty-one`."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens = next(word for word, value in _TENS.items() if value == number // 10 * 10)
        return tens + (f"-{_ONES[number % 10]}" if number % 10 else "")
    for word, scale in (("million", 10**6), ("thousand", 1000), ("hundred", 100)):
        if number >= scale:
            rest = number % scale
            return f"{spelled(number // scale)} {word}" + (f" {spelled(rest)}" if rest else "")
    return str(number)


def value(words: str) -> int | None:
    """The number that a run of number words says; None where they are no one number (`one two`)."""
    total, current, last = 0, 0, None
    for word in re.findall(r"[a-z]+", words.casefold()):
        if word == "and":
            continue
        if word in _UNITS:
            one = _UNITS[word]
            fits = current == 0 or current % 100 == 0 or (one < 10 and last in _TENS)
            if not fits or (current == 0 and last is not None and last in _UNITS):
                return None
            current += one
        elif word == "hundred":
            current = max(current, 1) * 100
        else:
            total += max(current, 1) * _SCALES[word]
            current = 0
        last = word
    return total + current


def digits(text: str) -> str:
    """`text` with number words, grouped digits and ordinals in digits: `twenty-first` stays, `the 21st` is `the 21`."""

    def one(found: re.Match[str]) -> str:
        number = value(found[0])
        return found[0] if number is None else str(number)

    text = _GROUPED.sub(lambda found: found[0].replace(",", ""), text)
    return _ORDINAL.sub(r"\1", _RUN.sub(one, text))


def alternatives(token: str) -> str:
    """A regular expression for a token of an option's text in both of its forms."""
    if token.replace(",", "").isdigit() and len(token) <= 9:
        number = int(token.replace(",", ""))
        words = spelled(number).replace("-", "[ -]").replace("hundred ", "hundred (?:and )?").replace(" ", r"\s+")
        plain = f"{number}"
        grouped = re.escape(f"{number:,}")
        years = f"|{_year(number)}" if 1100 <= number <= 2099 and number % 1000 else ""
        scaled = "".join(rf"|{number // scale}\s+{word}" for word, scale in _SCALES.items() if scale > 100 and number and number % scale == 0)
        return rf"(?:(?:{re.escape(token)}|{plain}|{grouped})(?:st|nd|rd|th)?|{words}{years}{scaled})"
    if token in _UNITS:
        return rf"(?:{token}|{_UNITS[token]})"
    return re.escape(token)


def _year(number: int) -> str:
    """A year in two halves, as a regular expression: 1905 is nineteen oh five, 1900 nineteen hundred."""
    century, rest = divmod(number, 100)
    if not rest:
        return rf"{spelled(century)}\s+hundred"
    last = rf"(?:oh|o|and)[\s-]+{spelled(rest)}" if rest < 10 else spelled(rest).replace("-", "[ -]")
    return rf"{spelled(century).replace('-', '[ -]')}[\s-]+{last}"
