"""Units of measure: single symbols, powers, products and quotients (per is 퍼)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from stages.languages.ko import numerals

_SUPERSCRIPT = str.maketrans("⁻¹²³⁴", "-1234")
_POWER_NAMES = {2: "제곱", 3: "세제곱", 4: "네제곱"}
_SPEED = re.compile(r"(?:시속|초속|분속)\s*(?:약\s*)?\Z")


class Unit(NamedTuple):
    """A unit expression found in a text."""

    end: int
    spoken: str
    rule_id: str
    temperature: str = ""
    """섭씨 or 화씨, put before the number unless the text has it already."""
    prefix: str = ""
    native_hours: bool = False

    def around(self, number: str) -> str:
        return f"{self.prefix}{number} {self.spoken}"


class Units:
    """The rulebook's units, ready to be found."""

    def __init__(self, book: dict[str, Any]) -> None:
        self.names: dict[str, list[str]] = book["units"]
        self.per: dict[str, str] = book["unit_per"]
        self._alone = set(book["lists"]["unit_alone"][3:-1].split("|"))
        symbols = "|".join(re.escape(symbol) for symbol in sorted(self.names, key=len, reverse=True))
        power = r"(?:\^\{?(-?[1-4])\}?|(⁻?[¹²³⁴])|([23])(?![\d.,]))?"
        self._one = re.compile(f"({symbols}){power}")
        self._join = re.compile(r"\s?(/|per)\s?\(?(\d[\d,]*)?\s?|([·⋅∙])(?=[A-Za-zµμΩ])")
        self._stop = re.compile(r"[A-Za-z0-9]")

    def after_number(self, text: str, at: int, tail: str) -> Unit | None:
        """The unit at `at`, or after one blank, when nothing Latin continues it. `tail` is what has been said before."""
        start = at + 1 if text[at : at + 1] in (" ", "\u00a0") else at
        found = self._expression(text, start)
        if found is None:
            return None
        end, parts = found
        symbol = parts[0][1]
        if start > at and symbol in ("in", "a", "d", "h", "s", "B", "b", "D"):
            return None
        group = self.names[symbol][0]
        if group == "unit.temperature" and len(parts) == 1:
            scale = self.names[symbol][1]
            return Unit(end, "도", group, scale, "" if not scale or scale in tail[-6:] else f"{scale} ")
        if _SPEED.search(tail) and len(parts) == 2 and parts[1][0] == "퍼" and parts[1][1] in ("h", "hr", "s", "sec", "min"):
            parts = parts[:1]
        native = len(parts) == 1 and symbol in ("h", "hr", "hrs")
        return Unit(end, self._say(parts), group, native_hours=native)

    def alone(self, text: str, at: int) -> Unit | None:
        """A unit that stands without a number: `km`, `g/mL`, `m²`; never a single letter or an English word."""
        found = self._expression(text, at)
        if found is None:
            return None
        end, parts = found
        symbols = [part[1] for part in parts]
        if len(parts) == 1:
            fits = symbols[0] in self._alone or bool(parts[0][2] > 1 and symbols[0] in ("m", "km", "cm", "mm"))
        else:
            fits = (any(len(symbol) > 1 for symbol in symbols) and not any(symbol in ("a", "in", "A", "S", "h") for symbol in symbols[:1])) or text[
                at:end
            ] in ("m/s", "m/s²", "m/s2", "m/s^2", "g/L", "J/K", "V/m", "N/m", "W/m")
        return Unit(end, self._say(parts), self.names[symbols[0]][0]) if fits else None

    def _expression(self, text: str, at: int) -> tuple[int, list[tuple[str, str, int, str]]] | None:
        """(end, [(joint, symbol, power, number)]) of the longest unit expression at `at`."""
        match = self._one.match(text, at)
        if not match:
            return None
        parts = [("", match[1], _power(match), "")]
        end = match.end()
        while True:
            joint = self._join.match(text, end)
            if not joint:
                break
            following = self._one.match(text, joint.end())
            if not following or (self._stop.match(text, following.end()) and following[1].isalpha()):
                break
            parts.append(("퍼" if joint[1] in ("/", "per") else "", following[1], _power(following), (joint[2] or "").replace(",", "")))
            end = following.end()
            if "(" in joint[0] and text[end : end + 1] == ")":
                end += 1
        if parts[-1][1][-1].isascii() and parts[-1][1][-1].isalpha() and self._stop.match(text, end):
            return None
        if "(" in text[at:end] and ")" not in text[at:end]:
            closing = text.find(")", end)
            end = closing + 1 if closing == end else end
        return end, parts

    def _say(self, parts: list[tuple[str, str, int, str]]) -> str:
        said = []
        for joint, symbol, power, number in parts:
            below = joint == "퍼" or power < 0
            if below:
                said.append("퍼")
            if number:
                said.append(numerals.sino(number))
            name = self.per.get(symbol, self.names[symbol][1]) if below else self.names[symbol][1]
            power = abs(power)
            said.append((_POWER_NAMES[power] + name if symbol not in self.per else f"{name} {_POWER_NAMES[power]}") if power > 1 else name)
        return " ".join(said)


def _power(match: re.Match[str]) -> int:
    written = match[2] or (match[3] or "").translate(_SUPERSCRIPT) or match[4] or "1"
    return int(written)
