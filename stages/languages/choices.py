"""Which option an answer chooses: where options are mentioned, what is said about them, and what counts in the end.

A language finds the mentions (labels, positions, option texts) and tells what is said about each; this module decides. In order:

1. What follows a correction (`no wait`, `actually`) counts before what precedes it.
2. An option that the answer claims (`the answer is B`, `B is correct`), labels before positions before texts; the last claim counts.
3. An option that is a sentence of its own, or opens the answer (`B, since ...`).
4. A label in passing, when there is no other; then a position; then an option text, the longest where texts contain each other.
5. What is only supposed (`maybe B?`), when nothing else is there. What is asked (`is it B?`) is no answer.

An option that is ruled out (`not A`, `A is wrong`) is never chosen for that mention. Two options that are claimed together are no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Options = Sequence[tuple[str, str]]
Kind = Literal["label", "position", "text"]
Status = Literal["claimed", "alone", "bare", "weak", "asked", "ruled_out"]
KINDS: tuple[Kind, ...] = ("label", "position", "text")


@dataclass(frozen=True, slots=True)
class Mention:
    start: int
    end: int
    option: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Group:
    """Mentions that are said in one breath (`A, B and C`), and what is said about all of them."""

    start: int
    end: int
    options: frozenset[int]
    kind: Kind
    status: Status


class Grammar(Protocol):
    correction: re.Pattern[str]
    """What takes back what precedes it."""
    conjunction: re.Pattern[str]
    """What joins the last two of a list, matched whole between two mentions."""
    comma: re.Pattern[str]
    """What joins the others."""
    list_end: re.Pattern[str]
    """What may stand behind a list of commas alone (`A, B, C are wrong`)."""
    pairing: re.Pattern[str]
    """What stands between a label and its own text, where the question's list is said again."""

    explained: re.Pattern[str]
    """What stands between an answer and its explanation."""

    def mentions(self, text: str, options: Options) -> list[Mention]:
        """Every mention, in order, none inside another."""

    def status(self, before: str, inside: str, after: str, several: bool, kind: Kind) -> Status:
        """What the sentence says about a group: the text before it, itself and after it."""


def choose(text: str, options: Options, grammar: Grammar) -> int | None:
    """Position of the option that `text`, which is clean, chooses."""
    mentions = grammar.mentions(text, options)
    if len(mentions) > 2 * _MOST:
        mentions = mentions[:_MOST] + mentions[-_MOST:]
    groups = grouped(text, mentions, grammar)
    if not groups:
        return None
    for start in reversed([found.end() for found in grammar.correction.finditer(text)]):
        # Taken back is only what the correction replaces: by a claim, or by what stands right behind it.
        near = [group for group in groups if group.start >= start]
        near = [
            group
            for group in near
            if group.status in ("claimed", "ruled_out") or (group.status in ("bare", "alone") and group.start - start <= _NEAR)
        ]
        decided, option = _decide(near)
        if decided and not (option is None and all(group.status != "claimed" for group in near)):
            return option
    return _decide(groups)[1]


def apart(found: list[Mention], length: int) -> list[Mention]:
    """In order of the text, none inside another: the longest first. Equal spans of one kind (two options of one text) all stay."""
    taken: list[Mention | None] = [None] * length
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda one: (one.start - one.end, one.start, one.option)):
        span = taken[mention.start : mention.end]
        if all(other is None or (other.start, other.end, other.kind) == (mention.start, mention.end, mention.kind) for other in span):
            kept.append(mention)
            taken[mention.start : mention.end] = [mention] * len(span)
    return sorted(kept, key=lambda one: (one.start, one.option))


def grouped(text: str, mentions: list[Mention], grammar: Grammar) -> list[Group]:
    """Mentions joined to lists, echoes of the question's own option list left out, each with its status."""
    mentions = _without_echo(text, mentions, grammar)
    groups: list[Group] = []
    place = 0
    while place < len(mentions):
        last = _list_end(text, mentions, place, grammar)
        members = mentions[place : last + 1]
        start, end = members[0].start, members[-1].end
        before, after = text[_sentence_start(text, start) : start], text[end : _sentence_end(text, end)]
        options = frozenset(member.option for member in members)
        kind = min((member.kind for member in members), key=KINDS.index)
        status = grammar.status(before, text[start:end], after, len(options) > 1, kind)
        if status == "bare" and not before.strip(_MARKS) and _stands_alone(text, start, after, grammar):
            status = "claimed" if kind == "label" and place and not text[end:].strip(_MARKS) else "alone"
        groups.append(Group(start, end, options, kind, status))
        place = last + 1
    return groups


_MARKS = " \n\t.,:;!?\"'()[]{}-=⇒"


def _stands_alone(text: str, start: int, after: str, grammar: Grammar) -> bool:
    """Whether a group that opens its sentence is all of it, or opens the whole answer and is then explained."""
    return not after.strip(_MARKS) or (not text[:start].strip(_MARKS) and grammar.explained.match(after) is not None)


def _list_end(text: str, mentions: list[Mention], place: int, grammar: Grammar) -> int:
    """Index of the last mention of the list that begins at `place`. A label and its own text are one."""
    last = place
    joined = place
    while last + 1 < len(mentions):
        between = text[mentions[last].end : mentions[last + 1].start]
        if grammar.conjunction.fullmatch(between):
            joined = last = last + 1
        elif grammar.comma.fullmatch(between) and all(mentions[last + 1].option != one.option for one in mentions[place : last + 1]):
            last += 1
        elif _one_option(mentions[last], mentions[last + 1]) and re.fullmatch(r"[\s.,:;)(\]\[\"'\-=]*", between):
            joined += joined == last
            last += 1
        else:
            break
    # A comma alone joins only what stands at the end of the sentence: `A, C.` are two, `B, C being small` is one.
    behind = grammar.list_end.match(text, mentions[last].end)
    if last > joined and not (behind and (last - place > 1 or not behind[0].strip(" .!?\n"))):
        last = joined
    return last


def _one_option(first: Mention, second: Mention) -> bool:
    """A label and its text, in either order."""
    return first.option == second.option and first.kind != second.kind


_LISTED = re.compile(r"[^\w]*(?:\w{1,5})?[^\w]*")
"""What stands between two entries of a list: marks and a short word at most."""


def _without_echo(text: str, mentions: list[Mention], grammar: Grammar) -> list[Mention]:
    """Without runs of label and text, label and text, of two options and more: the question's list said again."""
    echo: set[int] = set()
    place = 0
    while place + 1 < len(mentions):
        run: list[int] = []
        at = place
        while at + 1 < len(mentions) and _pair(text, mentions[at], mentions[at + 1], grammar):
            if run and not _LISTED.fullmatch(text[mentions[at - 1].end : mentions[at].start]):
                break
            run += [at, at + 1]
            at += 2
        if len({mentions[index].option for index in run}) > 1:
            echo.update(run)
        place = max(at, place + 1)
    return [mention for index, mention in enumerate(mentions) if index not in echo]


def _pair(text: str, label: Mention, option: Mention, grammar: Grammar) -> bool:
    same = label.kind == "label" and option.kind == "text" and label.option == option.option
    return same and grammar.pairing.fullmatch(text[label.end : option.start]) is not None


_TOGETHER = 20
"""Characters within which two sentences of one option each are two answers, not an answer and a better one."""
_MOST = 60
"""Mentions at either end of an answer that are read."""
_CONTEXT = 160
"""Characters of a sentence that are read before and after a mention."""
_NEAR = 25
"""Characters between a correction and a bare mention that it introduces."""
_STOP = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|\n+|;")


def _sentence_start(text: str, at: int) -> int:
    """Where the sentence of `at` begins. A colon carries over the end of its line."""
    start = 0
    for found in _STOP.finditer(text, max(0, at - _CONTEXT), at):
        if "\n" in found[0] and text[: found.start()].rstrip()[-1:] == ":":
            continue
        start = found.end()
    return max(start, at - _CONTEXT)


def _sentence_end(text: str, at: int) -> int:
    found = _STOP.search(text, at)
    return min(found.end() if found else len(text), at + _CONTEXT)


def _decide(groups: list[Group]) -> tuple[bool, int | None]:
    """(whether these groups decide, the option or None for two at once)."""
    last_out = {option: group.start for group in groups if group.status == "ruled_out" for option in group.options}
    for kind in KINDS:
        claimed = [group for group in groups if group.kind == kind and group.status == "claimed"]
        claimed = [group for group in claimed if not all(last_out.get(option, -1) > group.start for option in group.options)]
        if claimed:
            return True, _single(claimed[-1].options)
    alone = [group for group in groups if group.status == "alone" and not group.options & last_out.keys()]
    if alone:
        together = [group for group in alone if alone[-1].start - group.end < _TOGETHER]
        return True, _single(frozenset().union(*(group.options for group in together)))
    for status in ("bare", "weak"):
        for kind in KINDS:
            found = _options(groups, kind, status) - last_out.keys()
            if found:
                return True, _single(found)
    return False, None


def _options(groups: list[Group], kind: Kind, status: str) -> frozenset[int]:
    return frozenset(option for group in groups if group.kind == kind and group.status == status for option in group.options)


def _single(options: frozenset[int]) -> int | None:
    return next(iter(options)) if len(options) == 1 else None
