"""Ingest: the upstream sets, in the layouts that they are published in, become rows; audio passes as untouched bytes.

Source: the paper's section 3.1 takes VoiceBench and OpenAudioBench as its inputs; stages/ingest/voicebench.py and
openaudiobench.py tell what these are like. Every upstream row becomes a row here or a rejection with its reason. A row
whose audio is not there is a text row, flagged. A file that is damaged stops the stage with one sentence.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import Field, model_validator

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import BelowRoot, Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.ingest import openaudiobench, rows, voicebench, wildspeech
from stages.ingest.audio import Clip, SourceAudio
from stages.ingest.record import Record

Format = Literal["open", "short_answer", "multiple_choice", "bbh", "ifeval", "refusal"]


class Sample(Settings):
    """A fixed choice of rows, spread evenly over the tasks: in each task, the first by sha256 of `<seed>:<id>`."""

    n: int = Field(ge=1)
    seed: int = 0


class IngestSettings(Settings):
    source: Literal["voicebench", "openaudiobench", "wildspeech"]
    root: str
    """The folder that holds voicebench/, openaudiobench/ and wildspeech/, relative to the project or absolute."""
    path: BelowRoot
    """The subset's folder below `root`, such as voicebench/bbh or openaudiobench/eval_datas/trivia_qa."""
    repo_id: str
    revision: str
    licence: str
    released_config: str
    """The first part of every row id."""
    format: Format
    splits: list[str] | None = None
    """VoiceBench splits to take, in this order; null takes all by name. Row numbers count over the splits taken."""
    task_from: Literal["split", "id"] | None = None
    """Where upstream names a row's sub-task: mmsu and sd-qa in the split, bbh in the id."""
    source_rows: int | None = Field(None, ge=0)
    """How many rows upstream has."""
    complete: bool = False
    """Refuse a source that has not exactly `source_rows` rows."""
    limit: int | None = Field(None, ge=1)
    """Take the first rows only, for a trial."""
    sample: Sample | None = None
    """Take a spread of rows only, for a trial."""
    keep_audio: bool = True
    """Carry the source audio along; its hash is kept in either case."""
    text_rows: Literal["keep", "reject"] = "keep"
    """What to do with a row whose audio is not there."""

    @model_validator(mode="after")
    def _one_trial(self) -> IngestSettings:
        if self.limit is not None and self.sample is not None:
            raise ValueError("set `limit` or `sample`, not both")
        if self.complete and self.source_rows is None:
            raise ValueError("`complete` needs `source_rows`, the number of rows upstream")
        return self


@dataclass(frozen=True)
class Source:
    """The tools of this stage: an upstream subset that can be read."""

    subset: str
    folder: Path
    progress: Progress

    def records(self, settings: IngestSettings) -> Iterator[Record]:
        if settings.source == "voicebench":
            return voicebench.records(self.folder, settings.format, settings.splits, settings.task_from)
        if settings.source == "wildspeech":
            return wildspeech.records(self.folder, settings.splits)
        return openaudiobench.records(self.folder)


@contextmanager
def open_source(settings: IngestSettings, context: Context) -> Iterator[Source]:
    yield Source(context.subset, context.root / settings.root / settings.path, context.progress)


def run(_: list[Row], settings: IngestSettings, source: Source) -> Outcome:
    """Read, choose, judge. Raises UserError for a source that is damaged or not complete."""
    read: list[tuple[Row, Record]] = []
    with source.progress.task("rows", settings.source_rows or 0) as progress:
        for record in source.records(settings):
            read.append((_row(record, settings, source.subset), record))
            progress.advance()
    if settings.complete and len(read) != settings.source_rows:
        raise UserError(f"{source.folder} has {len(read)} rows, upstream has {settings.source_rows}; fetch it again, it is not complete.")
    chosen = chosen_rows(read, settings)
    kept: list[Row] = []
    rejected: list[Rejection] = []
    clips: list[tuple[str, Clip]] = []
    for row, record in chosen:
        verdict = Rejection(row, "unfit", "ingest.unfit", record.unfit) if record.unfit else rows.judged(row, record.where)
        if settings.text_rows == "reject" and record.clip is None and not isinstance(verdict, Rejection):
            verdict = Rejection(row, "no_source_audio", "ingest.text_rows", f"{record.audio_path} is not there")
        if isinstance(verdict, Rejection):
            rejected.append(verdict)
            continue
        kept.append(verdict)
        if record.clip is not None and settings.keep_audio:
            clips.append((verdict["id"], record.clip))
    report = {
        "source_rows": len(read),
        "left_out_by_trial": len(read) - len(chosen),
        "with_audio": sum(row["has_source_audio"] for row in kept),
        "text_only": sum(not row["has_source_audio"] for row in kept),
        "tasks": dict(sorted(Counter(row["task"] for row in kept if row["task"]).items())),
    }
    return Outcome(kept, rejected, report, audio=SourceAudio(clips))


def _row(record: Record, settings: IngestSettings, subset: str) -> Row:
    return {
        **rows.base(record, f"{settings.released_config}-{record.index:05d}", subset, settings.format),
        "source": settings.repo_id,
        "source_config": PurePosixPath(settings.path).name,
        "source_revision": settings.revision,
        "licence": settings.licence,
    }


def chosen_rows(read: list[tuple[Row, Record]], settings: IngestSettings) -> list[tuple[Row, Record]]:
    """The rows of a trial, in their order; all rows where the settings ask for no trial.

    `sample` takes one row of each task in turn until it has `n`, so that a small trial meets every kind of item. Which
    rows of a task come first depends on seed and id alone, so a larger `n` adds rows and drops none.
    """
    if settings.sample is None:
        return read[: settings.limit]
    seed = settings.sample.seed
    by_task: dict[str, list[str]] = defaultdict(list)
    for row, _ in sorted(read, key=lambda item: hashlib.sha256(f"{seed}:{item[0]['id']}".encode()).digest()):
        by_task[row["task"]].append(row["id"])
    ranked = sorted((place, task, id) for task, ids in by_task.items() for place, id in enumerate(ids))
    taken = {id for _, _, id in ranked[: settings.sample.n]}
    return [item for item in read if item[0]["id"] in taken]


def explain(row: Row) -> list[str]:
    """Where the item comes from."""
    place = " ".join(filter(None, [row["source_config"], row["source_id"], row["task"]]))
    lines = [f"{row['source']} at {row['source_revision']}: {place} ({row['licence']})"]
    if row["has_source_audio"]:
        lines.append(f"audio {row['source_audio_path']}, sha256 {row['source_audio_sha256'][:12]}")
    else:
        lines.append("text only, no source audio")
    lines.append(f"prompt: {row['prompt']}")
    if row["references"]:
        lines.append(f"accepted: {' | '.join(row['references'])}")
    lines += [f"constraint: {one['id']} {one['kwargs']}" for one in row["instructions"]]
    return lines


STAGE = Stage(
    name="ingest",
    run=run,
    settings=IngestSettings,
    reads=None,
    input_schema=None,
    output_schema="Ingested",
    tools=open_source,
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
