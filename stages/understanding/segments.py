"""Stage segments: the pieces of recordings that questions can be asked about, cut in silence, within the lengths that each capability takes.

Paper 2605.27984, section 3.2: questions are grounded in segments of authentic speech. A corpus's configuration names its
cuts (see spans.py) and says for each capability which cut it takes and how long a segment may be. Every utterance is in a
segment of each cut or is left out with a reason; the audio of the segments goes into shards as FLAC, at the rate it was
recorded at. A corpus without its audio gives segments by reference: transcript, place and length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from stages.core import files
from stages.core.app import main
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.understanding import cutting, draw, spans
from stages.understanding.spans import CutSettings, Span

Capability = Literal[
    "age", "gender", "number_of_speakers", "word_order", "word_frequency_counting", "fact_extraction", "topic_summary", "role_profession",
    "general_counting",
]  # fmt: skip
_FROM_UTTERANCE = ["corpus", "source", "source_revision", "licence", "recording", "audio_path", "audio_in", "participants", "domain", "split"]


class Use(Settings):
    """What a capability takes of this corpus."""

    cut: str
    min_s: float = Field(gt=0)
    max_s: float = Field(gt=0)
    hidden: spans.Hidden = "words"
    """The most that may be heard in the segment and not be among its words."""
    not_noted: list[str] = Field([])
    """Inconsistencies of the corpus that bar a recording: what its notes begin with."""


class Tag(Settings):
    """A line of the corpus's table of tags; see stages/ingest/tags.py."""

    means: str
    kind: str = "noise"
    words: str = "drop"
    hides: spans.Hidden = "nothing"


class SegmentsSettings(Settings):
    original_dataset: str
    """The corpus as released rows name it."""
    root: str
    path: str
    """Where the corpus lies; recordings in it are read again."""
    tags: dict[str, Tag] = Field({})
    cuts: dict[str, CutSettings] = Field(min_length=1)
    """Name, of small letters, to the cut; it stands in the segments' ids."""
    capabilities: dict[Capability, Use] = Field(min_length=1)
    pad_s: float = Field(0.2, ge=0)
    """How far a cut may move from the annotated boundary into silence."""
    cut_below_db: float = Field(20.0, ge=0)
    """A cut must be so much quieter than the segment's loudest 10 ms."""
    seed: int = 0

    @model_validator(mode="after")
    def _fitting(self) -> SegmentsSettings:
        for name in self.cuts:
            if not (name.isascii() and name.isalpha() and name.islower()):
                raise ValueError(f"the cut {name!r} must be a word of small letters")
        for name, use in self.capabilities.items():
            if use.cut not in self.cuts:
                raise ValueError(f"{name} takes the cut {use.cut!r}, which is not among `cuts`.{nearest(use.cut, self.cuts)}")
            if use.max_s <= use.min_s:
                raise ValueError(f"{name} has max_s {use.max_s:g}, which is not more than min_s {use.min_s:g}")
        return self


@dataclass(frozen=True)
class Tools:
    rows: list[Row]
    """The utterances of the corpus, of all kinds."""
    refused: list[Row]
    """Stretches of the same recordings that the stage corpus rejected, and that are heard all the same: no segment may hold one."""
    folders: dict[str, Path]
    """`audio_in` to the folder that `audio_path` is relative to."""
    progress: Progress


@contextmanager
def open_tools(settings: SegmentsSettings, context: Context) -> Iterator[Tools]:
    from stages.core import schemas

    corpus = context.root / "data" / "corpus" / context.subset
    rows = files.read_jsonl(corpus / "rows.jsonl")
    schemas.check(rows, "Utterance", str((corpus / "rows.jsonl").relative_to(context.root)))
    recordings = {row["recording"] for row in rows}
    refused = [
        {**row, "kind": spans.REFUSED}
        for row in files.read_jsonl(corpus / "rejected.jsonl")
        if row["recording"] in recordings and row.get("kind", "silence") != "silence" and row["end_s"] > row["start_s"]
    ]
    source = context.root / settings.root / settings.path
    yield Tools(rows, refused, {"source": source if source.is_dir() else source.parent, "unpacked": corpus / "unpacked"}, context.progress)


def run(_: list[Row], settings: SegmentsSettings, tools: Tools) -> Outcome:
    """Raises UserError when a recording is gone or changed since the stage corpus read it."""
    recordings = [list(group) for _, group in groupby(sorted([*tools.rows, *tools.refused], key=_by_recording), key=lambda row: row["recording"])]
    found: dict[str, spans.Found] = {}
    for name, cut in settings.cuts.items():
        found[name] = _found(recordings, name, cut, settings)
    rejected = [_left(row, name, reason, detail) for name, one in found.items() for row, reason, detail in one.left]
    wanted = [(name, span) for name, one in found.items() for span in one.spans]
    wanted.sort(key=lambda item: (item[1].rows[0]["recording"], item[1].start_s, item[0]))
    rows: list[Row] = []
    pieces: dict[str, tuple[Path, int, int]] = {}
    seen: dict[tuple[str, str], str] = {}
    with tools.progress.task("segments", len(wanted)) as task:
        for path, group in groupby(wanted, key=lambda item: _path(item[1], tools)):
            for name, span, piece in _measured(path, group):
                task.advance()
                row = _segment(name, settings.cuts[name], span, piece, settings)
                problem = _problem(row, piece, settings, seen, name)
                if problem:
                    rejected += [_left(one, name, *problem) for one in span.rows]
                    continue
                rows.append(row)
                if path is not None and piece is not None:
                    pieces[row["id"]] = (path, piece.first, piece.last)
    report = _report(tools.rows, rows, rejected, settings)
    hashes = {row["id"]: row["content_sha256"] for row in rows}
    return Outcome(rows, rejected, report, audio=Clips(pieces, hashes))


def _by_recording(row: Row) -> tuple[str, float, float, str]:
    return row["recording"], row["start_s"], row["end_s"], row["id"]


def _found(recordings: list[list[Row]], name: str, cut: CutSettings, settings: SegmentsSettings) -> spans.Found:
    uses = [use for use in settings.capabilities.values() if use.cut == name]
    hides = {tag: rule.hides for tag, rule in settings.tags.items()}
    whole = spans.Found()
    if not uses:
        return whole
    shortest, longest = min(use.min_s for use in uses), max(use.max_s for use in uses)
    for rows in recordings:
        one = spans.find(rows, cut, hides, shortest, longest, settings.pad_s)
        whole.spans += one.spans
        whole.left += one.left
    if cut.max_segments is not None:
        drawn = draw.spread(
            whole.spans, lambda span: span.rows[0]["recording"], lambda span: span.rows[0]["id"], cut.max_segments, settings.seed, name
        )
        taken = {span.rows[0]["id"] for span in drawn}
        whole.left += [(row, "not_drawn", "") for span in whole.spans if span.rows[0]["id"] not in taken for row in span.rows]
        whole.spans = [span for span in whole.spans if span.rows[0]["id"] in taken]
    whole.left = [left for left in whole.left if left[0]["kind"] in spans.SPOKEN]
    return whole


def _path(span: Span, tools: Tools) -> Path | None:
    row = span.rows[0]
    return None if row["audio_path"] is None else tools.folders[row["audio_in"]] / row["audio_path"]


def _measured(path: Path | None, group: Iterable[tuple[str, Span]]) -> Iterator[tuple[str, Span, cutting.Cut | None]]:
    if path is None:
        yield from ((name, span, None) for name, span in group)
        return
    with cutting.open_recording(path) as file:
        for name, span in group:
            row = span.rows[0]
            if abs(file.frames / file.samplerate - row["recording_s"]) > 1e-4 or file.samplerate != row["sample_rate_hz"]:
                raise UserError(f"{path} is not the recording that the stage corpus read; run that stage again.")
            yield name, span, cutting.cut(file, span.earliest_s, span.start_s, span.end_s, span.latest_s)


def _problem(row: Row, piece: cutting.Cut | None, settings: SegmentsSettings, seen: dict[tuple[str, str], str], name: str) -> tuple[str, str] | None:
    if piece is not None and not piece.complete:
        return "audio_ends_early", f"{row['recording']} has no sound to the end of {row['start_s']:g} to {row['end_s']:g} s"
    if not row["turns"]:
        return "unintelligible", "none of it was understood"
    if not row["uses"]:
        return "unused", f"{row['duration_s']:.2f} s"
    if piece is None:
        return None
    if not piece.in_silence(settings.cut_below_db):
        return "no_silence", f"{row['recording']} at {row['start_s']:.2f} and {row['end_s']:.2f} s"
    first = seen.setdefault((name, piece.sha256), row["id"])
    return None if first == row["id"] else ("duplicate_audio", f"the same as {first}")


def _segment(name: str, cut: CutSettings, span: Span, piece: cutting.Cut | None, settings: SegmentsSettings) -> Row:
    first = span.rows[0]
    start_s = round(piece.start_s if piece else span.start_s, 6)
    end_s = round(piece.end_s if piece else span.end_s, 6)
    spoken = [row for row in span.rows if row["kind"] in spans.SPOKEN]
    turns = _turns(spoken)
    speakers = sorted({row["speaker"] for row in spoken})
    alone = len(speakers) == 1 and not span.interviewer
    number = first["id"].rpartition("-")[2]
    return {
        **{column: first[column] for column in _FROM_UTTERANCE},
        "id": f"{first['corpus']}-{name}-{number}",
        "kind": cut.kind,
        "uses": _uses(name, end_s - start_s, span, settings),
        "original_dataset": settings.original_dataset,
        "original_sample_id": first["recording"],
        "has_audio": piece is not None,
        "start_s": start_s,
        "end_s": end_s,
        "duration_s": round(end_s - start_s, 6),
        "sample_rate_hz": piece.rate if piece else None,
        "content_sha256": piece.sha256 if piece else None,
        "transcript": "\n".join(turn["text"] for turn in turns),
        "turns": turns,
        "speakers": speakers,
        "gender": spoken[0]["gender"] if alone else None,
        "age_years": spoken[0]["age_years"] if alone else None,
        "utterances": [row["id"] for row in spoken],
        "tags": sorted({tag for row in span.rows for tag in row["tags"]}),
    }


def _uses(name: str, duration_s: float, span: Span, settings: SegmentsSettings) -> list[str]:
    hides = {tag: rule.hides for tag, rule in settings.tags.items()}
    heard = spans.hidden([tag for row in span.rows for tag in row["tags"]], hides)
    fitting = (
        capability
        for capability, use in settings.capabilities.items()
        if use.cut == name and use.min_s <= duration_s <= use.max_s and spans.within(heard, use.hidden)
        and not any(note.split(":")[0] in use.not_noted for row in span.rows for note in row["notes"])
    )
    return sorted(fitting)


def _turns(spoken: list[Row]) -> list[dict[str, Any]]:
    """What each says until another says something; what was not understood has no words and makes no turn."""
    turns: list[dict[str, Any]] = []
    for row in spoken:
        if not row["words"]:
            continue
        if turns and turns[-1]["speaker"] == row["speaker"]:
            turns[-1]["text"] += f" {row['words']}"
            turns[-1]["end_s"] = max(turns[-1]["end_s"], row["end_s"])
        else:
            turns.append({"speaker": row["speaker"], "start_s": row["start_s"], "end_s": row["end_s"], "text": row["words"]})
    return turns


def _left(row: Row, name: str, reason: str, detail: str) -> Rejection:
    """An utterance that is in no segment of a cut; the rest of it stands in data/corpus, under the same id."""
    told = {column: row[column] for column in ("corpus", "recording", "start_s", "end_s", "words")}
    return Rejection({**told, "id": f"{name}/{row['id']}"}, reason, f"segments.{reason}", detail)


class Clips:
    """(segment id, FLAC), cut again from the recordings while iterating, in the order that the shard writer wants.

    Not a sequence on purpose: the writer streams what is not one, so a clip at a time is in memory.
    """

    def __init__(self, pieces: dict[str, tuple[Path, int, int]], hashes: dict[str, str]) -> None:
        self._pieces = pieces
        self._hashes = hashes

    def __len__(self) -> int:
        return len(self._pieces)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        from stages.core import shards

        ids = sorted(self._pieces, key=lambda id: (shards.shard_name(id), id))
        for path, group in groupby(ids, key=lambda id: self._pieces[id][0]):
            with cutting.open_recording(path) as file:
                for id in group:
                    _, first, last = self._pieces[id]
                    data, digest = cutting.encode(file, first, last)
                    if digest != self._hashes[id]:
                        raise UserError(f"{path} changed while it was being cut (segment {id}); let nothing write there and run again.")
                    yield id, data


def _report(utterances: list[Row], rows: list[Row], rejected: list[Rejection], settings: SegmentsSettings) -> dict[str, Any]:
    spoken = sum(row["kind"] in spans.SPOKEN for row in utterances)
    left = Counter((one.row["id"].split("/")[0], one.reason) for one in rejected)
    used = Counter(row["id"].split("-")[-2] for row in rows for _ in row["utterances"])
    uses = Counter(use for row in rows for use in row["uses"])
    return {
        "cuts": {
            name: {
                "utterances": spoken,
                "used": used[name],
                "left_out": {reason: count for (cut, reason), count in sorted(left.items()) if cut == name},
                "segments": sum(row["id"].split("-")[-2] == name for row in rows),
            }
            for name in settings.cuts
        },
        "segments_for": {name: uses[name] for name in sorted(settings.capabilities)},
        "seconds_of_segments": round(sum(row["duration_s"] for row in rows), 1),
        "with_audio": sum(row["has_audio"] for row in rows),
        "rules": {reason: spans.RULES[reason] for reason in sorted({one.reason for one in rejected})},
    }


def explain(row: Row) -> list[str]:
    return [f"{row['original_dataset']} {row['recording']}, {row['start_s']:.2f} to {row['end_s']:.2f} s, {len(row['utterances'])} utterances"]


STAGE = Stage(
    name="segments",
    run=run,
    settings=SegmentsSettings,
    reads=None,
    input_schema=None,
    output_schema="Segment",
    tools=open_tools,
    group="corpora",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
