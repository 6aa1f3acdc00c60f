"""Numbers in an option or a short answer, in every form in which they are said: 3번 is 세 번 and 삼 번, 백 도 is 100도."""

from __future__ import annotations

import re
from functools import lru_cache

from stages.languages.ko import numerals

_COUNTED = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열")
_COUNTERS = (
    "번째|번|명|개|시|살|마리|장|권|대|가지|시간|달|군데|곳|분|사람|대째|병|잔|그루|채|켤레|벌|송이|자루|척|칸|줄|바퀴|걸음|"
    "발|쪽|배|차례|회|층|조각|그릇|통|글자|문장|단어|음절|도|퍼센트|원|년|월|일|주|킬로|미터|대"
)
_NATIVE = {numerals.native(number): number for number in range(1, 100)} | {
    numerals.native(number, before_counter=False): number for number in range(1, 100)
}
_NATIVE |= {"석": 3, "넉": 4, "서": 3, "너": 4, "스물": 20}
_DIGITS = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(?![\d])")
_SINO_DIGIT = {char: value for value, char in enumerate("영일이삼사오육칠팔구")} | {"공": 0, "륙": 6}
_SINO_SMALL = {"십": 10, "백": 100, "천": 1000}
_SINO_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_SINO_RUN = re.compile(r"[영일이삼사오육륙칠팔구십백천만억조](?:\s?[영일이삼사오육륙칠팔구십백천만억조])*")
_SPOKEN = re.compile(
    rf"(?<![가-힣])(?:({'|'.join(sorted(_NATIVE, key=len, reverse=True))})|"
    rf"([일이삼사오육칠팔구십백천만억조](?:\s?[일이삼사오육륙칠팔구십백천만억조])*))(?=\s?(?:{_COUNTERS}))"
)


@lru_cache(maxsize=8192)
def pattern_of(number: str) -> str:
    """A regular expression for a number written in digits (no commas) in digits and in both Korean readings, blanks anywhere."""
    whole, point, fraction = number.partition(".")
    value = int(whole)
    grouped = f"{value:,}"
    forms = {re.escape(number), re.escape(grouped + point + fraction)}
    spoken = [numerals.sino(value)] + (["공"] if value == 0 else [])
    if 1 < value < 10**13 and spoken[0][0] not in "일" and str(value)[0] == "1":
        spoken.append("일" + spoken[0])
    if point:
        spoken = [f"{one} 점 {numerals.digits(fraction, zero='영')}" for one in spoken]
    elif 1 <= value <= numerals.NATIVE_MAX:
        spoken += [numerals.native(value), numerals.native(value, before_counter=False)]
    forms |= {r"\s*".join(map(re.escape, one.replace(" ", ""))) for one in spoken}
    return f"(?:{'|'.join(sorted(forms, key=len, reverse=True))})"


def sino_value(text: str) -> int | None:
    """The number that Sino-Korean numerals say (이천이십사 is 2024); None where they are none."""
    total = group = digit = 0
    for char in text.replace(" ", ""):
        if char in _SINO_DIGIT:
            if digit:
                return None
            digit = _SINO_DIGIT[char]
        elif char in _SINO_SMALL:
            group += (digit or 1) * _SINO_SMALL[char]
            digit = 0
        elif char in _SINO_LARGE:
            total += (group + digit or 1) * _SINO_LARGE[char]
            group = digit = 0
        else:
            return None
    return total + group + digit


def digits(text: str) -> str:
    """`text` with numerals before counters in digits and digits without commas: 세 번 is 3번, 백 도 is 100도."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)

    def one(found: re.Match[str]) -> str:
        value = _NATIVE[found[1]] if found[1] else sino_value(found[2])
        return found[0] if value is None else str(value)

    text = _SPOKEN.sub(one, text)
    return re.sub(rf"(?<=\d)\s+(?={_COUNTERS})", "", text)


def numbers(text: str) -> list[tuple[int, int, str]]:
    """(start, end, number without commas) of every number in digits."""
    return [(found.start(), found.end(), found[0].replace(",", "")) for found in _DIGITS.finditer(text)]
