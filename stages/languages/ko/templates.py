"""The little language of a rule's `do`: text, `{group}`, `{group:filter}`, and `[ ... ]` left out when a group in it is absent."""

from __future__ import annotations

import re
from collections.abc import Callable

from stages.core.errors import UserError, nearest
from stages.languages.ko import numerals
from stages.languages.ko.particles import fitting

_PART = re.compile(r"\{(\w+)(?::(\w+))?\}|([^{}\[\]]+)|(\[)|(\])")
_SINO_MONTHS = {6: "유", 10: "시"}


def month(text: str) -> str:
    """6 is 유 and 10 is 시 before 월."""
    return _SINO_MONTHS.get(int(text)) or numerals.sino(int(text))


def hour(text: str) -> str:
    """Native up to twelve, Sino-Korean for the hours of a 24-hour clock."""
    value = int(text)
    return numerals.native(value) if 1 <= value <= 12 else numerals.sino(value)


def native(text: str) -> str:
    value = int(text.replace(",", ""))
    return numerals.native(value) if 1 <= value <= numerals.NATIVE_MAX else numerals.sino(value)


def ordinal(text: str) -> str:
    """Before 째: 첫, 둘, 셋, 열한, 열두."""
    value = int(text)
    if not 1 <= value <= numerals.NATIVE_MAX:
        return numerals.sino(value)
    return {1: "첫", 2: "둘", 3: "셋", 4: "넷"}.get(value) or (numerals.native(value) if value > 10 else numerals.native(value, before_counter=False))


def whole_and(text: str) -> str:
    """The whole part of a mixed number with 와 or 과: 이와, 삼과."""
    said = numerals.sino(text)
    return said + fitting("과", "와", said[-1])


def anniversary(text: str) -> str:
    """The day in a date that has become a name: 19 is 일구, but 10 and 12 are said as numbers."""
    return numerals.sino(int(text)) if text in ("10", "20", "30", "12") else numerals.digits(text.lstrip("0"), zero="영")


def english_ordinal(text: str) -> str:
    """1st to 10th by sound, later ones as Korean ordinals."""
    value = int(re.sub(r"\D", "", text))
    known = ("", "퍼스트", "세컨드", "서드", "포스", "피프스", "식스스", "세븐스", "에이스", "나인스", "텐스")
    return known[value] if 0 < value < len(known) else f"{native(str(value))} 번째"


def pages(text: str) -> str:
    return "에서 ".join(numerals.sino(part) for part in re.findall(r"\d+", text))


def ampm(text: str) -> str:
    return "오전" if text[0] in "aA" else "오후"


FILTERS: dict[str, Callable[[str], str]] = {
    "sino": lambda text: numerals.sino(text.replace(",", "")),
    "serial": lambda text: numerals.digits(re.sub(r"\D", "", text)),
    "serials": lambda text: " ".join(numerals.digits(part) for part in re.findall(r"\d+", text)),
    "digits": lambda text: numerals.digits(text, zero="영"),
    "dotted": lambda text: " 점 ".join(numerals.sino(part) for part in text.split(".")),
    "dotted_serial": lambda text: " 점 ".join(numerals.digits(part) for part in text.split(".")),
    "shape": lambda text: "삼각형" if text == "△" else "사각형",
    "plus_minus": lambda text: "플러스" if text == "+" else "마이너스",
    "month": month,
    "hour": hour,
    "ordinal": ordinal,
    "anniversary": anniversary,
    "sinos": lambda text: " ".join(numerals.number(part) for part in re.findall(r"\d[\d,]*(?:\.\d+)?", text)),
    "ratio": lambda text: " 대 ".join(numerals.number(part) for part in re.findall(r"\d[\d,]*(?:\.\d+)?", text)),
}


def compile_template(source: str, rule_id: str, extra: dict[str, Callable[[str], str]]) -> Callable[[re.Match[str]], str]:
    """A function from the rule's match to the reading. Raises UserError for an unknown filter."""
    known = FILTERS | extra
    parts: list[tuple[str, Callable[[str], str] | None, int]] = []
    level = block = 0
    for group, filter_name, literal, opened, closed in _PART.findall(source):
        if opened:
            block, level = block + 1, 1
        elif closed:
            level = 0
        elif group:
            if filter_name and filter_name not in known:
                raise UserError(f"Rule {rule_id!r} uses the filter {filter_name!r}, which does not exist.{nearest(filter_name, known)}")
            parts.append((group, known[filter_name] if filter_name else str, block * level))
        else:
            parts.append((literal, None, block * level))

    def fill(match: re.Match[str]) -> str:
        values = match.groupdict()
        absent = {block for name, convert, block in parts if convert is not None and block and values[name] is None}
        return "".join((convert(values[name] or "") if convert else name) for name, convert, block in parts if not block or block not in absent)

    return fill
