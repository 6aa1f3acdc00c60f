"""What a corpus reader fills: a row for every annotated stretch, or a rejection with the rule that it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stages.core.files import Row
from stages.core.stage import Rejection

NONE: Row = {
    "speaker": None, "gender": None, "age_years": None, "domain": None, "split": "", "participants": None, "pronunciation": None,
    "translation": None, "tags": [], "overlaps": False, "notes": [],
}  # fmt: skip


@dataclass
class Book:
    """`rules` states every reason for which this reader rejects, and its rule in words."""

    corpus: str
    reader: str
    rules: dict[str, str]
    base: Row
    """Columns that all rows share."""
    kept: list[Row] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)

    def row(self, number: str, **columns: Any) -> Row:
        return {**self.base, **NONE, "id": f"{self.corpus}-{number}", "corpus": self.corpus, **columns}

    def keep(self, row: Row) -> None:
        self.kept.append(row)

    def refuse(self, row: Row, reason: str, detail: str) -> None:
        self.rejected.append(Rejection(row, reason, self._rule(reason), detail))

    def refuse_file(self, name: str, reason: str, detail: str) -> None:
        """A file, or another thing of the source that has no rows."""
        self.refuse({**self.base, "id": f"{self.corpus}/{name}", "corpus": self.corpus, "recording": name}, reason, detail)

    def move(self, ids: set[str], reason: str, detail_of: dict[str, str]) -> None:
        """Reject rows that were kept so far."""
        for row in self.kept:
            if row["id"] in ids:
                self.refuse(row, reason, detail_of[row["id"]])
        self.kept = [row for row in self.kept if row["id"] not in ids]

    def _rule(self, reason: str) -> str:
        if reason not in self.rules:
            raise AssertionError(f"{self.reader} rejects for {reason!r}, which is not among its rules")
        return f"{self.reader}.{reason}"

    def notes(self) -> dict[str, int]:
        """Inconsistencies that were kept: the part of each note before its colon, and how often."""
        return dict(sorted(Counter(note.split(":")[0] for row in self.kept for note in row["notes"]).items()))


ROUNDED_S = 0.001
"""Transcripts round; what lies past the end by no more is no inconsistency."""


def timed(start_s: float, end_s: float, length_s: float | None, tolerance_s: float) -> tuple[float, float, list[str]] | tuple[str, str]:
    """The stretch inside a recording of `length_s`, with a note when its end was moved; or the reason and detail of a rejection."""
    span = f"{start_s:g} to {end_s:g} s"
    if not (abs(start_s) < 1e7 and abs(end_s) < 1e7):  # also catches NaN and infinity
        return "bad_time", f"{span} is no time in a recording"
    if start_s < 0:
        return "negative_time", span
    if end_s <= start_s:
        return "no_duration", span
    if length_s is not None and end_s > length_s:
        if end_s - length_s <= ROUNDED_S and start_s < length_s:
            return start_s, round(length_s, 6), []
        if end_s - length_s > tolerance_s or start_s >= length_s:
            return "past_the_end", f"{span}, the recording ends at {length_s:.3f} s"
        return start_s, round(length_s, 6), [f"end moved: {end_s:g} s is past the end at {length_s:.3f} s"]
    return start_s, end_s, []


POINT_S = 0.01


def placed(start_s: float, end_s: float, length_s: float | None) -> Row | None:
    """The columns `start_s` and `end_s` of a stretch that cannot be used but is heard all the same; None when its times do not tell where.

    Segments keep clear of it: nobody knows its words, or whose they are.
    """
    if not (abs(start_s) < 1e7 and abs(end_s) < 1e7):
        return None
    first, last = sorted((start_s, end_s))
    last = max(last, first + POINT_S)
    limit = last if length_s is None else min(last, length_s)
    return {"start_s": max(first, 0.0), "end_s": limit} if max(first, 0.0) < limit else None


TIME_RULES = {
    "bad_time": "a time is no number of seconds",
    "negative_time": "a stretch begins before the recording does",
    "no_duration": "a stretch ends where it begins, or before",
    "speaker_overlaps_itself": "one speaker says two things at once, so times or speakers are wrong",
    "past_the_end": "a stretch reaches past the end of the audio by more than the tolerance",
}


def mark_overlaps(rows: list[Row], tolerance_s: float) -> dict[str, str]:
    """Set `overlaps` on the rows of one recording, and find speakers who overlap themselves: row id to what was seen.

    One speaker cannot say two things at once; either the times or the speakers are wrong, so neither can be used.
    """
    doubtful: dict[str, str] = {}
    for one, other in _overlapping(rows):
        one["overlaps"] = other["overlaps"] = True
        if one["speaker"] is not None and one["speaker"] == other["speaker"] and min(one["end_s"], other["end_s"]) - other["start_s"] > tolerance_s:
            what = f"speaks from {one['start_s']:g} to {one['end_s']:g} s and from {other['start_s']:g} to {other['end_s']:g} s"
            doubtful[one["id"]] = doubtful[other["id"]] = f"{one['speaker']} {what}"
    return doubtful


def _overlapping(rows: list[Row]) -> Iterator[tuple[Row, Row]]:
    open_rows: list[Row] = []
    for row in sorted(rows, key=lambda row: (row["start_s"], row["end_s"], row["id"])):
        open_rows = [other for other in open_rows if other["end_s"] > row["start_s"]]
        for other in open_rows:
            yield other, row
        open_rows.append(row)
