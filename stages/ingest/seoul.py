"""The Korean Corpus of Spontaneous Speech (Seoul Corpus; Yun et al. 2015, OpenSLR 113): 40 speakers, interviewed.

A recording's name tells who speaks: `s01m16m1` is speaker s01, male, 16 years old, interviewed by a man, session 1. Its
TextGrid has seven tiers with fixed places, two pairs of them with one name; the seventh is the utterances in standard
spelling, the fourth the same as pronounced. Stretches without transcribed words have pseudo-tags. The interviewer is
heard but not transcribed (<IVER>), and what is personal is marked (<PRIVATE.INFO>). sound.tgz and label.tgz each hold a
zip file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from stages.core.errors import UserError
from stages.core.files import Row
from stages.ingest import recordings, tags, text, textgrid
from stages.ingest.book import TIME_RULES, Book, mark_overlaps, placed, timed
from stages.ingest.listing import Found, Listing
from stages.ingest.recordings import Recording
from stages.ingest.tags import TagRule
from stages.ingest.textgrid import Interval, Tier

NAME = re.compile(r"(s(\d{2}))([mf])(\d{2})([mf])(\d)", re.ASCII)
GENDER = {"m": "male", "f": "female"}
TIERS = 7
PRONOUNCED, SPELLED = 3, 6
"""Places of the tiers that are read."""
TIER_NAMES = {PRONOUNCED: "utt.prono.", SPELLED: "utt.ortho."}
SAME_S = 0.002
"""How far the same boundary may lie apart in two tiers."""

RULES = TIME_RULES | {
    "name_pattern": "a name is not <speaker><gender><age><interviewer's gender><session>, such as s01m16m1",
    "speaker_conflict": "one speaker id has two genders, or ages more than a year apart, so it stands for two people",
    "no_label": "there is audio without a TextGrid",
    "file_twice": "there are several files of this kind for one recording",
    "not_text": "the TextGrid is in no known encoding, or cannot be read",
    "broken_textgrid": "the TextGrid is cut off or malformed; its last tier is the one that is needed, so none of it is used",
    "unexpected_tiers": "the TextGrid has not the seven tiers in their places",
    "empty_tier": "the tier of utterances is empty",
    "unknown_tag": "an interval has a tag that the table of tags does not have",
    "no_audio": "the recording is not there",
    "damaged_audio": "the recording cannot be decoded",
}


def read(listing: Listing, book: Book, table: dict[str, TagRule], tolerance_s: float, audio_required: bool) -> None:
    """Fill `book`. Raises UserError when there is no TextGrid at all."""
    labels, audio = listing.by_stem((".textgrid",)), listing.by_stem((".flac", ".wav"))
    if not labels:
        raise UserError(f"{listing.folder} has no TextGrid; put the Seoul Corpus there: label/ and sound/, or label.tgz and sound.tgz.")
    good = []
    for name in sorted(labels.keys() | audio.keys()):
        if not NAME.fullmatch(name):
            book.refuse_file(name, "name_pattern", f"{(labels.get(name) or audio[name])[0][0]}")
        elif several := next((files for files in (labels.get(name, []), audio.get(name, [])) if len(files) > 1), None):
            book.refuse_file(name, "file_twice", ", ".join(path for path, _ in several))
        elif name not in labels:
            book.refuse_file(name, "no_label", f"{audio[name][0][0]} has no TextGrid")
        else:
            good.append(name)
    conflicts = _conflicts(good)
    for name in good:
        if name[:3] in conflicts:
            book.refuse_file(name, "speaker_conflict", conflicts[name[:3]])
        else:
            _recording(name, labels[name][0][1], audio.get(name), book, table, tolerance_s, audio_required)


def _conflicts(names: list[str]) -> dict[str, str]:
    """Speakers whose recordings disagree on who they are. A birthday may lie between two sessions."""
    told: dict[str, list[re.Match[str]]] = defaultdict(list)
    for name in names:
        found = NAME.fullmatch(name)
        assert found
        told[found[1]].append(found)
    return {
        speaker: f"{speaker} is {' and '.join(sorted({found[0] for found in all_of}))}"
        for speaker, all_of in told.items()
        if len({found[3] for found in all_of}) > 1 or max(int(found[4]) for found in all_of) - min(int(found[4]) for found in all_of) > 1
    }


def _recording(name: str, label: Found, audio: Any, book: Book, table: dict[str, TagRule], tolerance_s: float, audio_required: bool) -> None:
    try:
        content, notes = text.read(label.path)
        grid = textgrid.parse(content)
    except text.Unreadable as why:
        book.refuse_file(name, "not_text", f"{label.name}: {why}")
        return
    except textgrid.Broken as why:
        book.refuse_file(name, "broken_textgrid", f"{label.name}: {why}")
        return
    if problem := _tiers(grid.tiers):
        book.refuse_file(name, problem[0], f"{label.name}: {problem[1]}")
        return
    recording, missing = recordings.of_transcript(audio, f"{name}.flac or {name}.wav", audio_required)
    shared = [f"encoding: {note}" for note in notes]
    if recording and abs(grid.end_s - recording.length_s) > SAME_S:
        shared.append(f"length: the TextGrid ends at {grid.end_s:g} s, the audio at {recording.length_s:.3f} s")
    rows = []
    pronounced = {round(one.start_s, 3): one for one in grid.tiers[PRONOUNCED].intervals}
    for place, interval in enumerate(grid.tiers[SPELLED].intervals):
        row, unknown = _row(name, place, interval, recording, book, table)
        length = recording.length_s if recording else None
        span = timed(interval.start_s, interval.end_s, length, tolerance_s)
        row |= placed(interval.start_s, interval.end_s, length) or {}
        if missing:
            book.refuse(row, *missing)
        elif unknown:
            book.refuse(row, "unknown_tag", f"interval {place + 1} of {name} has {' '.join(unknown)} in {interval.text!r}")
        elif len(span) == 2:
            book.refuse(row, span[0], f"interval {place + 1} of {name}: {span[1]}")
        else:
            said, note = _pronunciation(row, interval, pronounced.get(round(interval.start_s, 3)), table)
            rows.append({**row, "start_s": span[0], "end_s": span[1], "pronunciation": said, "notes": [*shared, *span[2], *note]})
    doubtful = mark_overlaps(rows, tolerance_s)
    for row in rows:
        if row["id"] in doubtful:
            book.refuse(row, "speaker_overlaps_itself", doubtful[row["id"]])
        else:
            book.keep(row)


def _tiers(tiers: list[Tier]) -> tuple[str, str] | None:
    if len(tiers) != TIERS:
        return "unexpected_tiers", f"{len(tiers)} tiers, expected {TIERS}"
    for place, name in TIER_NAMES.items():
        if tiers[place].name != name or tiers[place].kind != "IntervalTier":
            return "unexpected_tiers", f"tier {place + 1} is the {tiers[place].kind} {tiers[place].name!r}, expected {name!r}"
    if not any(interval.text.strip() for interval in tiers[SPELLED].intervals):
        return "empty_tier", f"tier {SPELLED + 1} has {len(tiers[SPELLED].intervals)} intervals and no label"
    return None


def _row(
    name: str, place: int, interval: Interval, recording: Recording | None, book: Book, table: dict[str, TagRule]
) -> tuple[Row, list[str]]:
    found = NAME.fullmatch(name)
    assert found
    said = tags.read(interval.text, table, "angled")
    own = said.kind in ("speech", "private", "unintelligible")
    who: Row = {"speaker": found[1], "gender": GENDER[found[3]], "age_years": int(found[4])} if own else {}
    row = book.row(
        f"{found[2]}{found[6]}{place:04d}",
        recording=name, index=place, kind=said.kind, text=interval.text, words=said.words if said.kind == "speech" else "",
        tags=said.tags, start_s=0.0, end_s=0.0, **who, **(recording.columns() if recording else recordings.NO_AUDIO),
    )  # fmt: skip
    return row, said.unknown


def _pronunciation(row: Row, interval: Interval, twin: Interval | None, table: dict[str, TagRule]) -> tuple[str | None, list[str]]:
    if row["kind"] != "speech":
        return None, []
    if twin is None or abs(twin.end_s - interval.end_s) > SAME_S:
        return None, ["pronunciation: the tier of pronounced utterances has other boundaries"]
    return tags.read(twin.text, table, "angled").words, []
