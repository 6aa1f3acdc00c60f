"""Numbers with what they count or measure: amounts, ranges, lists, counters and units."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.languages.ko import numerals, templates
from stages.languages.ko.counters import HANGUL, Counter, counter_at, hit
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Scan

_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+(?!\.?\d))?")
_MAGNITUDE = re.compile(r"[십백천]?[만억조경]|[십백천]")
_COUNTED = 20
"""Numbers of more digits are never counted with, only said."""
_ORDER = {"": 1, "십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16}
_RANGE = re.compile(r"\s?[~∼～〜]\s?|[-–—−](?=\d)")
_LIST = re.compile(r"(?:\s?[,·・、]\s?\d{1,2}){1,8}(?![\d,.])")
_ABOUT = re.compile(r"여(?=\s?[가-힣])(?!\s(?:을|를|은|는))")


class Amount(NamedTuple):
    """A written number: `3억 5천만`, `1,234.5`, `10여`."""

    start: int
    end: int
    spoken: str
    value: int | None
    """None for a decimal, a number with 만 or 억, or an approximate one: those are never said in native numerals."""
    magnitude: str


def amount_at(scan: Scan, at: int) -> Amount | None:
    """The number that starts at `at`."""
    text, counters = scan.text, scan.reader.counters
    match = _NUMBER.match(text, at)
    if not match:
        return None
    groups: list[tuple[str, str]] = []
    end = match.end()
    while True:
        digits = match[0].replace(",", "")
        magnitude = _magnitude(text, end, counters, at)
        groups.append((digits, magnitude))
        end += len(magnitude)
        if not magnitude:
            break
        gap = 1 if text[end : end + 1] == " " else 0
        following = _NUMBER.match(text, end + gap)
        if not following or "." in following[0] or len(following[0]) > _COUNTED:
            break
        inner = _magnitude(text, following.end(), counters, at)
        size = int(following[0].replace(",", "")) * _order(inner)
        if size >= _order(magnitude) or (gap and not inner and len(following[0].replace(",", "")) < 3):
            break
        match, end = following, following.end()
    plain = len(groups) == 1 and not groups[0][1]
    spoken = numerals.number(groups[0][0]) if plain else _composed(groups)
    value = int(groups[0][0]) if plain and "." not in groups[0][0] and len(groups[0][0]) <= _COUNTED else None
    about = _ABOUT.match(text, end) if value is None or value >= 10 else None
    if about:
        return Amount(at, about.end(), spoken + "여", None, "")
    return Amount(at, end, spoken, value, groups[-1][1] if len(groups) == 1 else "")


def _composed(groups: list[tuple[str, str]]) -> str:
    """3억 5천만 is 삼억 오천만, 5천5백 is 오천오백."""
    spoken = ""
    for place, (digits, magnitude) in enumerate(groups):
        gap = " " if place and groups[place - 1][1][-1] in "만억조경" else ""
        spoken += gap + _group(digits, magnitude, place == 0)
    return spoken


def _magnitude(text: str, at: int, counters: dict[str, Any], number_at: int) -> str:
    """만, 천만, 억 ... directly after digits, unless they begin a counter: 조각, 경기."""
    match = _MAGNITUDE.match(text, at)
    if not match:
        return ""
    run = HANGUL.match(text, at)
    word = run[0] if run else ""
    longer = any(counters.get(word[:size], ("", "none"))[1] != "none" for size in range(len(match[0]) + 1, min(len(word), 5) + 1))
    return "" if longer or (match[0] == "조" and text[number_at - 1 : number_at] == "제") else match[0]


def _order(magnitude: str) -> int:
    order = 1
    for char in magnitude:
        order *= _ORDER[char]
    return order


def _group(digits: str, magnitude: str, first: bool) -> str:
    if digits == "1" and magnitude and (magnitude[0] in "십백천" or (magnitude == "만" and first)):
        return magnitude
    return numerals.number(digits) + magnitude


def say(amount: Amount, counter: Counter | None) -> str:
    """The number as it is said before `counter`."""
    value = amount.value
    if counter is None or value is None:
        return amount.spoken
    if counter.word[0] == "월" and counter.joined:
        return templates.month(str(value)) if 1 <= value <= 12 else amount.spoken
    if 1 <= value <= counter.native_up_to:
        return "첫" if value == 1 and counter.word == "번째" else numerals.native(value)
    return amount.spoken


def quantity(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """The reading of the number at the match's start with its range, counter or unit."""
    at = match.start()
    first = amount_at(scan, at)
    if first is None:
        return None
    ranged = _range(scan, first)
    if ranged:
        return ranged
    unit = scan.reader.units.after_number(text, first.end, scan.tail())
    if unit:
        return Hit(at, unit.end, unit.around(say_for_unit(first, unit.native_hours)), unit.rule_id)
    counter = counter_at(scan, first.end, first.value, at)
    if counter is None:
        counter = _shared_counter(scan, first)
        if counter is None:
            before_word = " " if text[first.end : first.end + 1].isascii() and text[first.end : first.end + 1].isalpha() else ""
            return Hit(at, first.end, first.spoken + before_word, "number.large" if first.magnitude else "number.plain")
        shared = counter
        return hit(at, first.end, shared, shared.rule_id, lambda sense: say(first, sense))
    gap = "" if counter.joined or counter.start > first.end else " "
    return hit(at, first.end, counter, counter.rule_id, lambda sense: say(first, sense) + gap)


def say_for_unit(amount: Amount, native: bool) -> str:
    return numerals.native(amount.value) if native and amount.value is not None and 1 <= amount.value <= 23 else amount.spoken


def _shared_counter(scan: Scan, first: Amount) -> Counter | None:
    """`2, 3명`, `1·2학년`: the counter stands once, after the last number."""
    if first.value is None:
        return None
    more = _LIST.match(scan.text, first.end)
    if not more:
        return None
    values = [first.value, *(int(part) for part in re.findall(r"\d+", more[0]))]
    if values != sorted(set(values)):
        return None
    return counter_at(scan, more.end(), values[-1], first.start)


def _range(scan: Scan, first: Amount) -> Hit | None:
    text = scan.text
    mark = _RANGE.match(text, first.end)
    if not mark:
        return None
    second = amount_at(scan, mark.end())
    if second is None or text[second.end : second.end + 1] in ("-", ":", "–"):
        return None
    hyphen = mark[0].strip() not in "~∼～〜"
    unit = scan.reader.units.after_number(text, second.end, scan.tail())
    counter = None if unit else counter_at(scan, second.end, second.value, first.start)
    if hyphen:
        ascending = first.value is not None and (second.value is None or first.value < second.value)
        if not ascending or not (unit or counter):
            return None
    low = first.spoken + (second.magnitude if second.magnitude and not first.magnitude and first.value is not None else "")
    if unit:
        return Hit(first.start, unit.end, unit.around(f"{low}에서 {second.spoken}"), "range.unit")
    if counter is None:
        return Hit(first.start, second.end, f"{low}에서 {second.spoken}", "range.plain")
    gap = "" if counter.joined or counter.start > second.end else " "
    if counter.native_up_to and (first.value or 0) > numerals.NATIVE_MAX and (second.value or 0) < (first.value or 0):
        return Hit(first.start, second.end, f"{low}에서 {second.spoken}{gap}", "range.counter")  # 2024~25시즌

    def reading(sense: Counter) -> str:
        if sense.native_up_to or sense.joined:
            separator = "" if sense.joined else " "
            start = say(first, sense) if low == first.spoken else low
            return f"{start}{separator}{sense.word}에서 {say(second, sense)}{gap}"
        return f"{low}에서 {second.spoken}{gap}"

    return hit(first.start, second.end, counter, "range.counter", reading)


def currency(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`$40`, `₩3만`, `US$1~2`: the name of the currency goes after the amount."""
    name = scan.reader.currencies[match["symbol"].replace(" ", "")]
    first = amount_at(scan, match.end())
    if first is None:
        return None
    mark = _RANGE.match(text, first.end)
    if mark:
        again = re.match(re.escape(match["symbol"]), text[mark.end() : mark.end() + 6])
        second = amount_at(scan, mark.end() + (again.end() if again else 0))
        if second is not None:
            low = first.spoken + (second.magnitude if second.magnitude and not first.magnitude else "")
            return Hit(match.start(), second.end, f"{low}에서 {second.spoken} {name}", "currency.range")
    end, word = first.end, ""
    size = re.compile(r"\s?(million|billion|trillion|thousand)(?![a-z])").match(text, end)
    if size:
        end, word = size.end(), " " + {"million": "밀리언", "billion": "빌리언", "trillion": "트릴리언", "thousand": "사우전드"}[size[1]]
    return Hit(match.start(), end, f"{first.spoken}{word} {name}", "currency.symbol")


def signed(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A minus or plus before a number: 마이너스, or 영하 when a temperature follows."""
    amount = amount_at(scan, match.end())
    if amount is None:
        return None
    unit = scan.reader.units.after_number(text, amount.end, scan.tail())
    minus = match[0].strip() in "-−–"
    mark = _RANGE.match(text, amount.end)
    second = amount_at(scan, mark.end()) if minus and mark else None
    if second is not None:
        scale = scan.reader.units.after_number(text, second.end, scan.tail())
        if scale and scale.temperature:
            return Hit(match.start(), scale.end, f"영하 {amount.spoken} 도에서 영상 {second.spoken} 도", "unit.temperature")
    if minus and unit and unit.temperature:
        below = "" if re.search(r"영하\s*$", text[max(0, match.start() - 6) : match.start()]) else "영하 "
        prefix = "화씨 " if unit.temperature == "화씨" and "화씨" not in scan.tail() else ""
        return Hit(match.start(), unit.end, f"{prefix}{below}{amount.spoken} 도", "unit.temperature")
    degrees = re.compile(r"\s?도(?![가-힣])|\s?도(?:까지|의|로|에|를|가|이|는|씨|나|쯤|정도|안팎|이하|이상)").match(text, amount.end)
    if minus and degrees and not unit:
        below = "" if re.search(r"영하\s*$", text[max(0, match.start() - 6) : match.start()]) else "영하 "
        gap = "" if text[amount.end : amount.end + 1] == " " else " "
        return Hit(match.start(), amount.end, f"{below}{amount.spoken}{gap}", "unit.temperature")
    return Hit(match.start(), match.end(), "마이너스 " if minus else "플러스 ", "number.sign")


def clock(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    """A clock time, or two with 에서 between: 네 시 사십오 분. Full hours have no minutes."""
    groups = match.groupdict()
    said = _time(groups["h"], groups["m"], groups.get("s"))
    if groups.get("i"):
        said = f"{said}에서 {_time(groups['i'], groups['n'], None)}"
    if groups.get("ap"):
        said = f"{templates.ampm(groups['ap'])} {said}"
    return Hit(match.start(), match.end(), said, "")


def _time(hours: str, minutes: str, seconds: str | None) -> str:
    said = templates.hour(hours) + " 시"
    if int(minutes) or seconds:
        said += f" {numerals.sino(minutes)} 분"
    return said + (f" {numerals.sino(seconds)} 초" if seconds else "")


def fraction(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    """`1/2`, `2 1/2`, `½`: the denominator first, then a blank where a counter follows."""
    groups = match.groupdict()
    if groups.get("n"):
        above, _, below = unicodedata.normalize("NFKC", groups["n"]).partition("⁄")
    else:
        above, below = groups["a"], groups["b"]
    said = f"{numerals.sino(below)}분의 {numerals.sino(above)}"
    if groups.get("w"):
        said = f"{templates.whole_and(groups['w'])} {said}"
    unit = scan.reader.units.after_number(text, match.end(), scan.tail())
    if unit:
        return Hit(match.start(), unit.end, unit.around(said), "")
    counter = counter_at(scan, match.end(), None, match.start())
    gap = " " if counter and counter.start == match.end() and not counter.joined else ""
    return Hit(match.start(), match.end(), said + gap, "")


def hyphened(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`2-1`: a range when a counter or unit follows a larger number, otherwise a label with 다시 for the hyphen."""
    first = amount_at(scan, match.start())
    if first is not None and (ranged := _range(scan, first)):
        return ranged
    counter = counter_at(scan, match.end(), None, match.start())
    gap = " " if counter and counter.start == match.end() else ""
    return Hit(match.start(), match.end(), " 다시 ".join(numerals.sino(part) for part in match["n"].split("-")) + gap, "")


_BOUNDS = {"≥": "이상", ">=": "이상", "≤": "이하", "<=": "이하", ">": "초과", "<": "미만"}


def bound(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`≥ 10`: the number with its unit, then 이상."""
    amount = amount_at(scan, match.end())
    if amount is None:
        return None
    unit = scan.reader.units.after_number(text, amount.end, scan.tail())
    if unit:
        return Hit(match.start(), unit.end, f"{unit.around(amount.spoken)} {_BOUNDS[match['c']]}", "")
    counter = counter_at(scan, amount.end, amount.value, match.end())
    if counter:
        return Hit(match.start(), counter.end, f"{say(amount, counter)} {counter.word} {_BOUNDS[match['c']]}", "")
    return Hit(match.start(), amount.end, f"{amount.spoken} {_BOUNDS[match['c']]}", "")


def date_range(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`12/1~12/5`: two days when the second is later; with one denominator, or falling, they are fractions."""
    first, second = (int(match["m"]), int(match["d"])), (int(match["n"]), int(match["e"]))
    if second <= first or first[1] == second[1]:
        return None
    said = [f"{templates.month(str(month))}월 {numerals.sino(day)}일" for month, day in (first, second)]
    return Hit(match.start(), match.end(), "에서 ".join(said), "")
