"""KMSAV (Park et al. 2024): spontaneous talk of several people in Korean videos.

`data/list.txt` names every video: id, domain, participants, length in seconds, split. The 515 videos that are transcribed
have `<id>.json`, a list of items with speaker_id, start_time, end_time and text; audio is `<id>.wav`, 16 kHz. Items come in
any order, overlap each other, and have one-letter tags before words. Speaker ids hold inside a video only, so a speaker's
name here begins with the video's. Videos of the split `pretrain` have no transcript.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.ingest import recordings, tags, text
from stages.ingest.book import TIME_RULES, Book, mark_overlaps, placed, timed
from stages.ingest.listing import Listing
from stages.ingest.recordings import Recording
from stages.ingest.tags import TagRule

KEYS: dict[str, type | tuple[type, ...]] = {"speaker_id": str, "start_time": (int, float), "end_time": (int, float), "text": str}
AUDIO = (".wav", ".flac", ".ogg", ".mp3", ".m4a")
LENGTH_TOLERANCE_S = 1.5
"""The list gives whole seconds."""
MOST_ITEMS = 10_000

RULES = TIME_RULES | {
    "list_line": "a line of the list is not: id, domain, participants, seconds, split",
    "listed_twice": "the list has the video more than once with different values",
    "untranscribed": "the video belongs to a split without transcripts",
    "no_transcript": "the list has the video, its transcript is not there",
    "not_in_list": "the transcript's video is not in the list, so nothing is known of it",
    "file_twice": "there are several files of this kind for one video",
    "not_text": "the transcript is in no known encoding, or cannot be read",
    "bad_json": "the transcript is no JSON list",
    "no_items": "the transcript is an empty list",
    "bad_item": "an item lacks a key, has a value of another type, names no speaker, or has half a character in its text",
    "too_many_items": f"an item's place in its transcript has no number below {MOST_ITEMS}",
    "unknown_tag": "an item has a tag that the table of tags does not have",
    "no_audio": "the recording is not there",
    "damaged_audio": "the recording cannot be decoded",
}


def read(listing: Listing, book: Book, table: dict[str, TagRule], untranscribed: list[str], tolerance_s: float, audio_required: bool) -> None:
    """Fill `book`. Raises UserError when there is no list."""
    listed = _list(listing, book)
    transcripts, audio = listing.by_stem((".json",)), listing.by_stem(AUDIO)
    unused = sorted(audio.keys() - {name for name in listed if name in transcripts})
    book.report["n_recordings_without_a_transcript"], book.report["recordings_without_a_transcript"] = len(unused), unused[:20]
    for name in sorted(transcripts.keys() - listed.keys()):
        book.refuse_file(name, "not_in_list", f"{transcripts[name][0][0]} is there")
    for name, video in listed.items():
        files = transcripts.get(name, [])
        if video["split"] in untranscribed:
            book.refuse_file(name, "untranscribed", f"split {video['split']}")
        elif not files:
            book.refuse_file(name, "no_transcript", f"{name}.json is not there")
        elif several := next((found for found in (files, audio.get(name, [])) if len(found) > 1), None):
            book.refuse_file(name, "file_twice", ", ".join(path for path, _ in several))
        else:
            _video(name, video, files[0][1].path, audio.get(name), book, table, tolerance_s, audio_required)


def _list(listing: Listing, book: Book) -> dict[str, Row]:
    """Video to its line of the list, in the list's order; `number` counts every line, so that it does not shift."""
    found = listing.named("list.txt")
    if found is None:
        raise UserError(f"{listing.folder} has no data/list.txt; put the KMSAV data there as it is distributed.")
    try:
        lines, notes = text.read(found.path)
    except text.Unreadable as why:
        raise UserError(f"{found.path} is not text ({why}); restore it from upstream.") from None
    if notes:
        book.report["list"] = f"{found.name}: {'; '.join(notes)}"
    videos: dict[str, Row] = {}
    conflicts: dict[str, list[str]] = {}
    number = -1
    for line in lines.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        number += 1
        fields = line.split()
        if len(fields) != 5 or not re.fullmatch(r"[0-9]{1,6} [0-9]{1,7}(\.[0-9]+)?", f"{fields[2]} {fields[3]}"):
            book.refuse_file(fields[0], "list_line", line[:80])
            continue
        video = {"domain": fields[1], "participants": int(fields[2]), "seconds": float(fields[3]), "split": fields[4]}
        before = videos.get(fields[0])
        if before is None:
            videos[fields[0]] = {**video, "number": number}
        elif {**before, "number": 0} != {**video, "number": 0}:
            conflicts.setdefault(fields[0], []).append(line)
    for name, others in conflicts.items():
        del videos[name]
        book.refuse_file(name, "listed_twice", " / ".join(others))
    return videos


def _video(
    name: str, video: Row, path: Path, audio: Any, book: Book, table: dict[str, TagRule], tolerance_s: float, audio_required: bool
) -> None:
    try:
        items, notes = _items(path)
    except _Bad as why:
        book.refuse_file(name, why.reason, str(why))
        return
    recording, problem = recordings.of_transcript(audio, f"{name}.wav or other audio", audio_required)
    if recording and abs(recording.length_s - video["seconds"]) > LENGTH_TOLERANCE_S:
        notes.append(f"length: the list says {video['seconds']:g} s, the audio has {recording.length_s:.3f} s")
    heard = {item["speaker_id"].strip() for item in items if _complete(item)}
    if len(heard) != video["participants"]:
        notes.append(f"participants: the list says {video['participants']}, the transcript has {len(heard)}")
    rows = []
    unplaced: list[int] = []
    length = recording.length_s if recording else None
    latest = -1.0
    for place, item in enumerate(items):
        row = _row(name, video, place, item, recording, book)
        if not _complete(item):
            book.refuse(row, "bad_item", f"item {place} of {name}: {_excerpt(item)}")
            unplaced.append(place)
            continue
        times = _number(item["start_time"]), _number(item["end_time"])
        span, where = timed(*times, length, tolerance_s), placed(*times, length)
        if len(span) == 2 and span[0] == "bad_time":
            unplaced.append(place)
        row |= where or {}
        if place >= MOST_ITEMS:
            book.refuse({**row, "id": f"{book.corpus}/{name}/{place}"}, "too_many_items", f"item {place} of {name}")
            continue
        said = tags.read(item["text"], table, "slashed")
        row = {**row, "words": said.words, "tags": said.tags, "kind": said.kind}
        if problem:
            book.refuse(row, *problem)
        elif said.unknown:
            book.refuse(row, "unknown_tag", f"item {place} of {name} has {' '.join(said.unknown)} in {item['text']!r}")
        elif len(span) == 2:
            book.refuse(row, span[0], f"item {place} of {name}: {span[1]}")
        else:
            start, end, moved = span
            more = [f"extra keys: {', '.join(sorted(item.keys() - KEYS.keys()))}"] if item.keys() - KEYS.keys() else []
            late = [f"order: item {place} comes after a later one"] if start < latest else []
            latest = max(latest, start)
            rows.append({**row, "start_s": start, "end_s": end, "notes": [*notes, *moved, *more, *late]})
    if unplaced:
        notes = [f"unplaced: item {', '.join(map(str, unplaced))} may be said anywhere"]
        rows = [{**row, "notes": row["notes"] + notes} for row in rows]
    doubtful = mark_overlaps(rows, tolerance_s)
    for row in rows:
        if row["id"] in doubtful:
            book.refuse(row, "speaker_overlaps_itself", doubtful[row["id"]])
        else:
            book.keep(row)


class _Bad(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def _items(path: Path) -> tuple[list[Any], list[str]]:
    try:
        content, notes = text.read(path)
        items = nfc(json.loads(content))
    except text.Unreadable as why:
        raise _Bad("not_text", str(why)) from None
    except (ValueError, RecursionError) as error:
        raise _Bad("bad_json", f"{error}") from None
    if not isinstance(items, list):
        raise _Bad("bad_json", f"it is a JSON {type(items).__name__}, not a list")
    if not items:
        raise _Bad("no_items", "it has no item")
    return items, [f"encoding: {note}" for note in notes]


def _complete(item: Any) -> bool:
    """Whether an item has the four keys with values of their types, and a speaker; a bool is no time, and half a character is no text."""
    if not isinstance(item, dict) or not all(isinstance(item.get(k), t) and not isinstance(item[k], bool) for k, t in KEYS.items()):
        return False
    try:
        json.dumps(item, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return bool(item["speaker_id"].strip())


def _excerpt(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False)[:120].encode("utf-8", errors="backslashreplace").decode("utf-8")


def _number(value: int | float) -> float:
    """JSON's whole numbers have no end, floats have."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _row(name: str, video: Row, place: int, item: Any, recording: Recording | None, book: Book) -> Row:
    audio = recording.columns() if recording else recordings.NO_AUDIO
    complete = _complete(item)
    return book.row(
        f"{video['number']:05d}{place:04d}",
        recording=name, index=place, kind="speech", domain=video["domain"], split=video["split"], participants=video["participants"],
        speaker=f"{name}:{item['speaker_id'].strip()}" if complete else None, text=item["text"] if complete else "", words="",
        start_s=0.0, end_s=0.0, **audio,
    )  # fmt: skip
