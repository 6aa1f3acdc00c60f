"""The counter after a number: by its list, or by role in context; where the context decides nothing, with its other senses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.languages.base import Candidate
from stages.languages.ko.scanner import LEFT_WINDOW, Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Scan

HANGUL = re.compile(r"[가-힣]{1,12}")
_TAIL = re.compile(
    r"(?:씩|째|쯤|정도|이상|이하|미만|초과|이내|짜리|당|간|가량|안팎|내외|남짓|중|꼴|어치|들|전|후|뒤|안|동안|마다|반|입|때|배기|박이|된|되는|용|형|제|차|여|치|넘게|넘는|가까이|모두|경|께|정각|무렵|즈음|분량|상당|발|초|말|하고)*"
    r"(?:한테서?|에게서?|께서는?|에서(?:는|도|만|부터|의)?|에는|에도|에만|에야|에|의|은|는|이|가|을|를|도|만|로(?:는|도|만|부터|서|써|서는)?|으로(?:는|도|만|부터|서|써|서는)?|와|과|랑|이랑|부터|까지|만큼|보다|처럼|같이|나|이나|든|이든|뿐|밖에|조차|마저|라도|이라도|요|이요|야|이야|씩|하고|마다|이서)*"
    r"(?:이[가-힣]{1,5}|입니[가-힣]{1,3}|입디[가-힣]{1,2}|일[가-힣]{0,3}|인[가-힣]{0,3}|임[가-힣]{0,3}|다[가-힣]{0,2}|며|면|고요?|구요|구나|군요?|지만|지요?|죠|네요?"
    r"|라[가-힣]{0,3}|란[가-힣]{0,2}|랍[가-힣]{1,3}|래[가-힣]{0,2}|니까?|든지|더라[가-힣]{0,2}|던[가-힣]{0,2}|거나|거든요?|에요|예요|여서|였[가-힣]{0,4}|로서|한[가-힣]{0,2}|뿐이[가-힣]{0,4})?"
)


class Counter(NamedTuple):
    """The counter after a number, and how the number is said before it."""

    start: int
    end: int
    word: str
    rule_id: str
    native_up_to: int
    """0 for a Sino-Korean counter."""
    joined: bool
    why: str = ""
    others: tuple[Counter, ...] = ()
    """The same counter in its other senses, where the context decided nothing."""


def counter_at(scan: Scan, at: int, value: int | None, left_of: int) -> Counter | None:
    """The counter at `at`, or after one blank. `left_of` is where the number starts, for counters that depend on context."""
    reader, text = scan.reader, scan.text
    start = at + 1 if text[at : at + 1] in (" ", "\u00a0") else at
    run = HANGUL.match(text, start)
    if not run:
        return None
    word = run[0]
    for size in range(min(len(word), reader.longest_counter), 0, -1):
        entry = reader.counters.get(word[:size])
        if entry is None:
            continue
        if size == 1 and (not _TAIL.fullmatch(word, 1) or (start > at and word[0] in reader.attached_only)):
            continue
        rule_id, numeral, up_to, joined = entry
        if numeral == "none":
            return None
        end = start + size
        if numeral != "context":
            return Counter(start, end, word[:size], rule_id, up_to if numeral == "native" else 0, joined)
        senses = _senses(scan, word[:size], value, left_of, end)
        if senses[0]["numeral"] == "none":
            return None
        first, *others = (
            Counter(
                start,
                end,
                word[:size],
                f"{rule_id}.{sense['sense']}",
                sense.get("up_to", 99) if sense["numeral"] == "native" else 0,
                sense.get("joined", False),
                sense["why"],
            )
            for sense in senses
            if sense["numeral"] != "none"
        )
        return first._replace(others=tuple(others))
    return None


def _senses(scan: Scan, word: str, value: int | None, left_of: int, end: int) -> list[dict[str, Any]]:
    """The sense of a counter that reads by role; when it is only the default, followed by the others that the number allows."""
    text = scan.text
    before = text[max(0, left_of - LEFT_WINDOW) : left_of]
    allowed = []
    for sense in scan.reader.senses[word]:
        if value is not None and not sense.get("min", 0) <= value <= sense.get("max", 10**18):
            continue
        if value is not None and "multiple_of" in sense and value % sense["multiple_of"]:
            continue
        allowed.append(sense)
        if "left" in sense and not scan.reader.pattern(f"(?:{sense['left']})\\Z").search(before):
            continue
        if "not_left" in sense and scan.reader.pattern(f"(?:{sense['not_left']})\\Z").search(before):
            continue
        if "right" in sense and not scan.reader.pattern(sense["right"]).match(text, end):
            continue
        if "not_right" in sense and scan.reader.pattern(sense["not_right"]).match(text, end):
            continue
        decided = "left" in sense or "right" in sense
        return [sense] if decided else [sense, *(other for other in allowed if other is not sense)]
    return [scan.reader.senses[word][-1], *allowed]


def hit(start: int, end: int, counter: Counter, rule_id: str, reading: Callable[[Counter], str]) -> Hit:
    """The reading with `counter`, and those with its other senses where they differ."""
    said = reading(counter)
    candidates = {said: Candidate(counter.rule_id, said, counter.why)}
    for other in counter.others:
        other_said = reading(other)
        candidates.setdefault(other_said, Candidate(other.rule_id, other_said, other.why))
    return Hit(start, end, said, rule_id, candidates=tuple(candidates.values()) if len(candidates) > 1 else ())
