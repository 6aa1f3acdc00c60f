"""Praat TextGrid files, long or short form: tiers in their order, told apart by place, never by name.

Praat's own reader takes the quoted strings, numbers and flags in their order and skips every other word, and so does this
one; hence one reader for both forms. The Seoul Corpus uses
a tier name twice, and files break off; praatio 6, the library that is kept best, renames such tiers and cannot say where
a file ends too early.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


class Broken(Exception):
    """A file that is no whole TextGrid; the message says what is wrong and in which line."""


@dataclass(frozen=True)
class Interval:
    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True)
class Tier:
    name: str
    kind: str
    """IntervalTier or TextTier; a TextTier has points, whose start and end are the same."""
    intervals: list[Interval] = field(default_factory=list)


@dataclass(frozen=True)
class TextGrid:
    start_s: float
    end_s: float
    tiers: list[Tier]


_TOKEN = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"'
    r"|(?P<open>\")"
    r"|(?P<comment>![^\r\n]*)"
    r"|(?P<flag><[A-Za-z]+>)"
    r"|(?<![^\s])(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![^\s])"
    r"|[^\s\"]+"
)
"""A number stands free between blanks: `[3]:` and `item` are words to be skipped."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tokens = self._scan()

    def _scan(self) -> Iterator[tuple[str, str]]:
        for found in _TOKEN.finditer(self._text):
            if found.lastgroup in ("text", "flag", "number"):
                self._at = found.start()
                yield found.lastgroup, found[found.lastgroup]
            elif found.lastgroup == "open":
                self._at = found.start()
                raise Broken(f"the text that begins in line {self.line()} is never closed")

    def line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def take(self, kind: str, what: str) -> str:
        try:
            found, value = next(self._tokens)
        except StopIteration:
            raise Broken(f"the file ends in line {self._text.count(chr(10)) + 1}, where {what} is due") from None
        if found != kind:
            raise Broken(f"line {self.line()} has {value[:40]!r} where {what} is due")
        return value.replace('""', '"') if kind == "text" else value

    def number(self, what: str) -> float:
        return float(self.take("number", what))

    def count(self, what: str) -> int:
        value = self.number(what)
        if not 0 <= value < 1e9 or value != int(value):
            raise Broken(f"line {self.line()} has {value:g} as {what}")
        return int(value)


def parse(text: str) -> TextGrid:
    """Raises Broken."""
    reader = _Reader(text)
    if reader.take("text", "the file type") != "ooTextFile" or reader.take("text", "the object class") != "TextGrid":
        raise Broken("the file does not say that it is an ooTextFile with a TextGrid")
    start, end = reader.number("the start of the file"), reader.number("the end of the file")
    if reader.take("flag", "whether there are tiers") != "<exists>":
        return TextGrid(start, end, [])
    tiers = []
    for place in range(1, reader.count("the number of tiers") + 1):
        kind = reader.take("text", f"the class of tier {place}")
        if kind not in ("IntervalTier", "TextTier"):
            raise Broken(f"line {reader.line()} has the class {kind!r} for tier {place}")
        name = reader.take("text", f"the name of tier {place}")
        reader.number(f"the start of tier {place}")
        reader.number(f"the end of tier {place}")
        tier = Tier(name, kind)
        for number in range(1, reader.count(f"the size of tier {place}") + 1):
            what = f"interval {number} of tier {place}"
            first = reader.number(f"the start of {what}")
            last = reader.number(f"the end of {what}") if kind == "IntervalTier" else first
            tier.intervals.append(Interval(first, last, reader.take("text", f"the text of {what}")))
        tiers.append(tier)
    return TextGrid(start, end, tiers)
