"""Which stretches of a recording make a segment, from its transcript alone. Where exactly to cut, the audio decides later.

utterance  one utterance of one speaker, nobody overlapping.
speaker    continuous speech of one speaker: no other voice between, and no pause longer than `max_pause_s`.
dialogue   whole utterances of everybody, taken together as long as they fit; the cut lies in a pause of all of them.

Nothing that is private lies in a segment, nor what a corpus's reader refused (nobody knows its words, or whose they are), nor
beside one so close that a cut could touch it. Every utterance that a cut
leaves out has its reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from pydantic import Field

from stages.core.files import Row
from stages.core.settings import Settings

SPOKEN = ("speech", "unintelligible")
REFUSED = "refused"
"""The kind that `segments` gives to stretches that were rejected before, and are heard all the same."""
NEVER = ("private", REFUSED)
VOICES = (*SPOKEN, "other_speaker")
RULES = {
    "overlapped": "somebody else talks at the same time, or something that may not be heard reaches into it",
    "inexact": "its words are not certain, or not all of them",
    "unintelligible": "it was not understood",
    "too_short": "it and what may stand beside it are shorter than any capability of this cut takes",
    "too_long": "it is longer than any capability of this cut takes, and has no pause to cut it at",
    "not_drawn": "the cut has as many segments as it may have",
    "no_silence": "there is no silence beside it to cut in",
    "audio_ends_early": "the recording ends before the segment does",
    "duplicate_audio": "an earlier segment of this cut has the very same sound",
    "unused": "no capability takes a segment of this length and with these tags",
}
"""Reason to rule: why an utterance is in no segment of a cut."""


Hidden = Literal["nothing", "filler", "words"]
_DEGREES: list[Hidden] = ["nothing", "filler", "words"]


def hidden(tags: list[str], hides: dict[str, Hidden]) -> Hidden:
    """The most that is heard besides the words of a text with these tags."""
    return max((hides[tag] for tag in tags), key=_DEGREES.index, default="nothing")


def within(found: Hidden, allowed: Hidden) -> bool:
    return _DEGREES.index(found) <= _DEGREES.index(allowed)


class CutSettings(Settings):
    kind: Literal["utterance", "speaker", "dialogue"]
    hidden: Hidden = "words"
    """The most that may be heard in an utterance and not be among its words; see the table of tags."""
    max_pause_s: float = Field(2.0, gt=0)
    """A longer silence ends a segment."""
    min_pause_s: float = Field(0.15, ge=0)
    """A dialogue is cut only in pauses of everybody that are at least so long."""
    interviewer: bool = False
    """Whether a voice without a transcript may be heard in a dialogue."""
    max_segments: int | None = Field(None, ge=1)
    """Draw so many at most, spread over the recordings."""


@dataclass(frozen=True)
class Span:
    """Utterances that make a segment, and how far its ends may be moved without touching another sound."""

    rows: list[Row]
    """Utterances in order of time; the first and the last sound of the segment are theirs."""
    earliest_s: float
    latest_s: float
    interviewer: bool = False
    """Whether a voice without a transcript is heard in it."""

    @property
    def start_s(self) -> float:
        return float(self.rows[0]["start_s"])

    @property
    def end_s(self) -> float:
        return max(float(row["end_s"]) for row in self.rows)


@dataclass
class Found:
    spans: list[Span] = field(default_factory=list)
    left: list[tuple[Row, str, str]] = field(default_factory=list)
    """Utterance, reason, detail."""


def find(rows: list[Row], cut: CutSettings, hides: dict[str, Hidden], min_s: float, max_s: float, pad_s: float) -> Found:
    """The spans of one recording, whose rows of all kinds these are. Ends move by at most `pad_s`, so `max_s` holds after it."""
    rows = sorted(rows, key=lambda row: (row["start_s"], row["end_s"], row["id"]))
    sounds = _Stretches.of([row for row in rows if row["kind"] != "silence"])
    found = Found()
    for group in _groups(rows, cut, hides, max_s - 2 * pad_s, found):
        span = _with_margins(group, sounds, pad_s)
        if span.end_s - span.start_s < min_s - 2 * pad_s:  # the ends may still move outwards
            found.left += [(row, "too_short", f"{span.end_s - span.start_s:.2f} s together") for row in group]
        else:
            found.spans.append(span)
    return found


def _groups(rows: list[Row], cut: CutSettings, hides: dict[str, Hidden], max_s: float, found: Found) -> Iterator[list[Row]]:
    """Lists of utterances, each of which can be a segment by everything but its shortness."""
    current: list[Row] = []
    barred = _barred(rows, cut)
    for block in _blocks(rows, cut):
        first, last = block[0]["start_s"], max(row["end_s"] for row in block)
        problem = next((why for row in block if row["kind"] in SPOKEN and (why := _problem(row, cut, hides))), None)
        if barred.touch(first, last):
            problem = problem or ("overlapped", "a private or foreign stretch lies in it")
        if problem is None and last - first > max_s:
            problem = ("too_long", f"{last - first:.2f} s without a pause")
        if problem:
            yield from _closed(current)
            current = []
            found.left += [(row, *problem) for row in block if row["kind"] in SPOKEN]
            continue
        if current and not _joins(current, block, cut, max_s):
            yield from _closed(current)
            current = []
        current = current + block
    yield from _closed(current)


def _closed(group: list[Row]) -> Iterator[list[Row]]:
    """A group without what is not spoken by those who are transcribed at its ends."""
    while group and group[0]["kind"] not in SPOKEN:
        group = group[1:]
    while group and group[-1]["kind"] not in SPOKEN:
        group = group[:-1]
    if group:
        yield group


def _blocks(rows: list[Row], cut: CutSettings) -> Iterator[list[Row]]:
    """Voices that cannot be cut apart: each utterance alone, or in a dialogue all that have no pause between them.

    A refused stretch stands alone: what it overlaps is barred, what it only follows is not.
    """
    block: list[Row] = []
    until = 0.0
    for row in rows:
        if row["kind"] not in (*VOICES, *NEVER):
            continue
        apart = cut.kind != "dialogue" or REFUSED in (row["kind"], block[-1]["kind"] if block else "")
        if block and (apart or row["start_s"] - until >= cut.min_pause_s):
            yield block
            block = []
        until = max(until, row["end_s"]) if block else row["end_s"]
        block.append(row)
    if block:
        yield block


@dataclass(frozen=True)
class _Stretches:
    """Stretches in order of their starts."""

    starts: list[float]
    ends: list[float]
    """The latest end up to each of them."""

    @classmethod
    def of(cls, rows: list[Row]) -> _Stretches:
        return cls([row["start_s"] for row in rows], list(accumulate((row["end_s"] for row in rows), max)))

    def last_end_before(self, moment: float) -> float:
        """The latest end of those that begin before `moment`."""
        count = bisect_left(self.starts, moment)
        return self.ends[count - 1] if count else 0.0

    def next_start(self, moment: float) -> float:
        count = bisect_left(self.starts, moment)
        return self.starts[count] if count < len(self.starts) else float("inf")

    def touch(self, first: float, last: float) -> bool:
        return self.last_end_before(last) > first


def _barred(rows: list[Row], cut: CutSettings) -> _Stretches:
    """What may not be heard."""
    allowed = cut.kind == "dialogue" and cut.interviewer
    return _Stretches.of([row for row in rows if row["kind"] in NEVER or (row["kind"] == "other_speaker" and not allowed)])


def _problem(row: Row, cut: CutSettings, hides: dict[str, Hidden]) -> tuple[str, str] | None:
    if cut.kind != "dialogue" and row["overlaps"]:
        return "overlapped", ""
    if row["kind"] == "unintelligible" and (cut.kind != "dialogue" or not within("words", cut.hidden)):
        return "unintelligible", ""
    if not within(hidden(row["tags"], hides), cut.hidden):
        return "inexact", f"tags {' '.join(row['tags'])}"
    return None


def _joins(current: list[Row], block: list[Row], cut: CutSettings, max_s: float) -> bool:
    if cut.kind == "utterance":
        return False
    if cut.kind == "speaker" and block[0]["speaker"] != current[-1]["speaker"]:
        return False
    until = max(row["end_s"] for row in current)
    pause = block[0]["start_s"] - until
    return bool(pause <= cut.max_pause_s and max(row["end_s"] for row in block) - current[0]["start_s"] <= max_s)


def _with_margins(group: list[Row], sounds: _Stretches, pad_s: float) -> Span:
    """The span, which may reach `pad_s` into silence on both sides, as far as the next sound that is annotated."""
    start, end = group[0]["start_s"], max(row["end_s"] for row in group)
    before = min(sounds.last_end_before(start), start)
    after = end if sounds.last_end_before(end) > end else sounds.next_start(end)
    length = group[0]["recording_s"]
    latest = min(after, end + pad_s, length if length is not None else end)
    return Span(group, max(before, start - pad_s, 0.0), max(latest, end), any(row["kind"] == "other_speaker" for row in group))
