"""Rules found at a position: one combined expression a trigger class, tried in the order of priority.

A rule stands where its first character stands, so a text is walked once, from one character that a voice cannot read
to the next, and at each only the rules of that kind of character are asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stages.languages.base import Candidate

LEFT_WINDOW = 24
_NAMED = re.compile(r"\(\?P<\w+>")


class Hit(NamedTuple):
    """What a rule makes of `text[start:end]`."""

    start: int
    end: int
    text: str
    rule_id: str
    joins: bool = False
    """The reading is part of the word before it: no blank is put between."""
    candidates: tuple[Candidate, ...] = ()
    """Where the context decided nothing: this reading and the other possible ones."""


Call = Callable[[Any, str, "re.Match[str]"], Hit | None]


class Otherwise(NamedTuple):
    """Another reading of what a rule matches, possible where `when` matches from there on and nothing before it excludes it."""

    rule_id: str
    do: Callable[[re.Match[str]], str]
    why: str
    when: str
    not_left: str | None

    def fits(self, text: str, at: int) -> bool:
        excluded = self.not_left and re.search(f"(?:{self.not_left})\\Z", text[max(0, at - LEFT_WINDOW) : at])
        return not excluded and re.compile(self.when).match(text, at) is not None


class Rule:
    """One pattern rule, compiled at its first use."""

    def __init__(
        self, entry: dict[str, Any], do: Callable[[re.Match[str]], str] | None, call: Call | None, otherwise: tuple[Otherwise, ...] = ()
    ) -> None:
        self.id: str = entry["id"]
        self.source: str = entry["pattern"]
        self.joins: bool = entry["joins"]
        self.why: str = entry.get("why", "")
        self.do, self.call, self.otherwise = do, call, otherwise
        self._left, self._not_left = entry.get("left"), entry.get("not_left")
        self._compiled: tuple[re.Pattern[str], re.Pattern[str] | None, re.Pattern[str] | None] | None = None

    def hit(self, engine: Any, text: str, at: int) -> Hit | None:
        if self._compiled is None:
            self._compiled = (
                re.compile(self.source),
                re.compile(f"(?:{self._left})\\Z") if self._left else None,
                re.compile(f"(?:{self._not_left})\\Z") if self._not_left else None,
            )
        pattern, left, not_left = self._compiled
        match = pattern.match(text, at)
        if match is None:
            return None
        if left or not_left:
            before = text[max(0, at - LEFT_WINDOW) : at]
            if (left and not left.search(before)) or (not_left and not_left.search(before)):
                return None
        if self.call:
            found: Hit | None = self.call(engine, text, match)
            if found is None:
                return None
            found = found if found.rule_id else found._replace(rule_id=self.id)
        else:
            assert self.do is not None
            found = Hit(at, match.end(), self.do(match), self.id, self.joins)
        others = [Candidate(other.rule_id, other.do(match), other.why) for other in self.otherwise if other.fits(text, at)]
        return found._replace(candidates=(Candidate(found.rule_id, found.text, self.why), *others)) if others else found


class RuleSet:
    """The rules of one trigger class."""

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._combined: re.Pattern[str] | None = None

    def hit(self, engine: Any, text: str, at: int) -> Hit | None:
        for rule in self._candidates(text, at):
            found = rule.hit(engine, text, at)
            if found is not None:
                return found
        return None

    def _candidates(self, text: str, at: int) -> Iterator[Rule]:
        if not self.rules:
            return
        if self._combined is None:
            # Each alternative is wrapped in a group of its own, whose number says which rule matched first.
            self._combined = re.compile("|".join(f"({_NAMED.sub('(?:', _plain(rule.source))})" for rule in self.rules))
        match = self._combined.match(text, at)
        if match is None:
            return
        first = (match.lastindex or 1) - 1
        yield self.rules[first]
        yield from self.rules[first + 1 :]


def _plain(source: str) -> str:
    """Unnamed capturing groups would shift the numbers of the combined expression."""
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", source)
