"""Korean numerals: Sino-Korean for any size, native up to 99, digit by digit, and English words for digits beside Latin letters."""

from __future__ import annotations

_DIGITS = "영일이삼사오육칠팔구"
_SMALL = ("", "십", "백", "천")
_MYRIADS = ("", "만", "억", "조", "경", "해", "자", "양", "구", "간", "정", "재", "극")
_NATIVE_ONES = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_BEFORE_COUNTER = {"하나": "한", "둘": "두", "셋": "세", "넷": "네"}
_ENGLISH = (
    "제로",
    "원",
    "투",
    "쓰리",
    "포",
    "파이브",
    "식스",
    "세븐",
    "에이트",
    "나인",
    "텐",
    "일레븐",
    "트웰브",
    "서틴",
    "포틴",
    "피프틴",
    "식스틴",
    "세븐틴",
    "에이틴",
    "나인틴",
    "트웬티",
)
NATIVE_MAX = 99
SINO_MAX_DIGITS = 4 * len(_MYRIADS)


def sino(number: int | str) -> str:
    """A whole number, spaced by myriads: 12345 is `만 이천삼백사십오`. A leading 일 is dropped before 만 but not before 억 and up.

    A number of more digits than Korean has names for is read digit by digit.
    """
    text = str(number).lstrip("0")
    if not text:
        return "영"
    if len(text) > SINO_MAX_DIGITS:
        return digits(text, zero="영")
    groups = []
    for power, myriad in enumerate(_MYRIADS):
        end = len(text) - 4 * power
        if end <= 0:
            break
        group = text[max(0, end - 4) : end]
        value = _group(group)
        if value:
            groups.append(("" if value == "일" and myriad == "만" and end == 1 else value) + myriad)
    return " ".join(reversed(groups))


def _group(group: str) -> str:
    spoken = ""
    for place, digit in enumerate(reversed(group)):
        if digit != "0":
            spoken = ("" if digit == "1" and place else _DIGITS[int(digit)]) + _SMALL[place] + spoken
    return spoken


def native(number: int, before_counter: bool = True) -> str:
    """1 to 99 in native numerals: 21 is `스물한` before a counter and `스물하나` alone. Raises ValueError outside 1 to 99."""
    if not 1 <= number <= NATIVE_MAX:
        raise ValueError(f"no native numeral for {number}")
    tens, ones = divmod(number, 10)
    if not before_counter:
        return _NATIVE_TENS[tens] + _NATIVE_ONES[ones]
    if number == 20:
        return "스무"
    return _NATIVE_TENS[tens] + _BEFORE_COUNTER.get(_NATIVE_ONES[ones], _NATIVE_ONES[ones])


def digits(text: str, zero: str = "공") -> str:
    """Each digit by its name. Zero is 공 in telephone and serial numbers and 영 after a decimal point."""
    return "".join(zero if digit == "0" else _DIGITS[int(digit)] for digit in text)


def number(text: str) -> str:
    """A whole number or decimal as written, thousands commas and sign allowed: `-1,234.05` is `마이너스 천이백삼십사 점 영오`."""
    sign = ""
    if text[0] in "-−+":
        sign, text = ("플러스 " if text[0] == "+" else "마이너스 "), text[1:]
    whole, point, fraction = text.replace(",", "").partition(".")
    return sign + sino(whole) + (f" 점 {digits(fraction, zero='영')}" if point and fraction else "")


def english(number: int) -> str:
    """0 to 99 in English words as Korean writes them, for digits beside Latin letters: MP3, H2O. Larger numbers are Sino-Korean."""
    if number <= 20:
        return _ENGLISH[number]
    if number > NATIVE_MAX:
        return sino(number)
    tens, ones = divmod(number, 10)
    return ("", "", "트웬티", "서티", "포티", "피프티", "식스티", "세븐티", "에이티", "나인티")[tens] + (_ENGLISH[ones] if ones else "")


_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman(text: str) -> int:
    """The value of a Roman numeral in capital Latin letters."""
    total = 0
    for here, after in zip(text, (*text[1:], "I"), strict=True):
        total += -_ROMAN[here] if _ROMAN[here] < _ROMAN[after] else _ROMAN[here]
    return total
