"""KSS (Park 2018): one voice actor reads 12,854 sentences.

`<part>/<part>_<NNNN>.wav` in four parts, 44.1 kHz, and `transcript.v.1.4.txt` without a header. Six fields between bars:
path, original script (with digits), expanded script (as it is said), the expanded script in jamo, seconds, English. The
reader's words are the expanded script. One clip is one utterance, so a recording's length is its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from pathlib import PurePosixPath

from stages.core.errors import UserError
from stages.core.files import Row
from stages.ingest import recordings, text
from stages.ingest.book import Book
from stages.ingest.listing import Found, Listing
from stages.ingest.recordings import Damaged

NAME = re.compile(r"([1-9])/\1_(\d{4})\.(?:wav|flac)", re.ASCII)
FIELDS = ["path", "original", "expanded", "decomposed", "seconds", "english"]
SPEAKER = "kss"
"""The corpus has one speaker, a woman; her age is not given."""
LENGTH_TOLERANCE_S = 0.15
"""The transcript gives lengths with one decimal."""

RULES = {
    "fields": "a line has not six fields",
    "name_pattern": "a path is not <part>/<part>_<NNNN>.wav",
    "no_text": "the expanded script is empty",
    "bad_length": "the seconds are no positive number, and there is no audio to measure",
    "duplicate": "an earlier line has the same path and the same text",
    "conflict": "another line has the same path and another text, so neither can be trusted",
    "file_twice": "there are several files for one clip",
    "no_audio": "the clip is not there",
    "damaged_audio": "the clip cannot be decoded",
}


def read(listing: Listing, book: Book, audio_required: bool) -> None:
    """Fill `book`. Raises UserError when there is no transcript, or when it is not text."""
    transcript = _transcript(listing, book)
    try:
        lines, notes = text.read(transcript.path)
    except text.Unreadable as why:
        raise UserError(f"{transcript.path} is not text ({why}); restore it from upstream.") from None
    if notes:
        book.report["transcript"] = f"{transcript.name}: {'; '.join(notes)}"
    if not lines.strip():
        raise UserError(f"{transcript.path} is empty; restore it from upstream.")
    clips = _clips(listing)
    told: dict[str, list[str]] = defaultdict(list)
    rows: list[Row] = []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", lines), 1):
        if line.strip():
            rows += _line(line, number, clips, book, told, audio_required)
    for row in rows:
        if len(set(told[row["recording"]])) > 1:
            book.refuse(row, "conflict", f"{row['recording']} has {len(told[row['recording']])} lines: {' / '.join(told[row['recording']])}")
        else:
            book.keep(row)
    named = {row["recording"] for row in rows} | {str(one.row.get("recording")) for one in book.rejected}
    book.report["n_clips_without_a_line"] = len(clips.keys() - named)
    book.report["clips_without_a_line"] = sorted(clips.keys() - named)[:20]


def _clips(listing: Listing) -> dict[str, list[tuple[str, Found]]]:
    """`<part>/<part>_<NNNN>` to its files (one, if all is well) with their names, whatever folder the corpus lies in."""
    found: dict[str, list[tuple[str, Found]]] = defaultdict(list)
    for name in sorted(listing.files):
        path = PurePosixPath(name)
        if path.suffix.lower() in (".wav", ".flac"):
            found["/".join(path.with_suffix("").parts[-2:])].append((name, listing.files[name]))
    return found


def _transcript(listing: Listing, book: Book) -> Found:
    found = sorted(name for name in listing.files if re.fullmatch(r"transcript.*\.txt", PurePosixPath(name).name))
    if not found:
        raise UserError(f"{listing.folder} has no transcript.v.1.4.txt; put the KSS corpus there as it is distributed.")
    if len(found) > 1:
        book.report["transcripts_not_read"] = found[:-1]
    return listing.files[found[-1]]


def _line(
    line: str, number: int, clips: dict[str, list[tuple[str, Found]]], book: Book, told: dict[str, list[str]], audio_required: bool
) -> list[Row]:
    fields = line.split("|")
    place = PurePosixPath(fields[0].strip())
    name = NAME.fullmatch(fields[0].strip())
    if len(fields) != len(FIELDS):
        book.refuse_file(f"line {number}", "fields", f"line {number} has {len(fields)} fields: {line[:80]}")
        return []
    if not name:
        book.refuse_file(f"line {number}", "name_pattern", f"line {number} names {fields[0]!r}")
        return []
    _, original, expanded, decomposed, seconds, english = (field.strip() for field in fields)
    words = " ".join(expanded.split())
    recording = str(place.with_suffix(""))
    row = book.row(
        f"{name[1]}{name[2]}",
        recording=recording, index=number - 1, kind="speech", speaker=SPEAKER, gender="female", participants=1, start_s=0.0, end_s=0.0,
        text=original, words=words, translation=english or None, **recordings.NO_AUDIO,
    )  # fmt: skip
    if not words:
        book.refuse(row, "no_text", f"line {number}")
        return []
    if words in told[recording]:
        book.refuse(row, "duplicate", f"line {number}")
        return []
    told[recording].append(words)
    notes = [] if unicodedata.normalize("NFC", decomposed) == expanded else ["decomposed script: it is not the expanded script"]
    stated = _seconds(seconds)
    files = clips.get(recording, [])
    if len(files) > 1:
        book.refuse(row, "file_twice", ", ".join(file for file, _ in files))
        return []
    clip = files[0][1] if files else None
    if clip is None and audio_required:
        book.refuse(row, "no_audio", f"{place} is not there")
        return []
    if clip is None:
        if stated is None:
            book.refuse(row, "bad_length", f"line {number} has {seconds!r}")
            return []
        return [{**row, "end_s": stated, "notes": notes}]
    try:
        probed = recordings.probe(clip)
    except Damaged as why:
        book.refuse(row, "damaged_audio", f"{place} {why}")
        return []
    if stated is None or abs(stated - probed.length_s) > LENGTH_TOLERANCE_S:
        notes.append(f"length: the transcript says {seconds} s, the clip has {probed.length_s:.3f} s")
    return [{**row, **probed.columns(), "end_s": round(probed.length_s, 6), "notes": notes}]


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 < seconds < 1e6 else None
