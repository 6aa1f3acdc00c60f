"""WildChat, the source of WildSpeech's queries: conversations of people with chat models, filtered while they are read.

Source:   allenai/WildChat (first release) and allenai/WildChat-1M on the Hugging Face Hub; Zhao et al. 2024, arXiv 2405.01470.
Licence:  ODC-BY. Addresses, headers and countries are in the 1M release; they are never read here.
Layout:   `data/train-<shard>-of-<shards>[-<hash>].parquet`, one row a conversation.
Columns:  conversation_id (first release) or conversation_hash (1M; not unique on its own), model, turn, language (an English
          name), conversation (list of {content, role, language, toxic, redacted, ...}), toxic, redacted, and
          openai_moderation (list of {flagged, ...}, aligned with the conversation).
Traps:    * the language is a guess of upstream's and at times wrong.
          * a row may be marked clean while one of its turns is marked toxic, or flagged by the moderation.
          * older files lack moderation columns; a row without any mark is not known to be clean.
          * queries may be empty or hold control characters.

Paper 2506.21875, section 2.1.1: English, not toxic, under 50 words, single-turn; 34,736 queries were left. Those four filters
come first, in that order, then the others (stages/ingest/wildchat_filters.py). Files are read in batches, so memory does not
grow with the source; what is removed is written at once, with its reason, and without its text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.core.progress import Progress
from stages.core.settings import BelowRoot, Settings
from stages.core.stage import Context, Flow, Rejection, Stage
from stages.core.steps import Steps
from stages.ingest import parquet, wildchat_filters
from stages.ingest.wildchat_filters import FilterSettings, Part

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FILE = re.compile(r"(?P<split>.+)-(?P<shard>\d{5})-of-(?P<shards>\d{5})(?:-[0-9a-f]+)?\.parquet")
IDS = ("conversation_hash", "conversation_id")
PLAIN = ("model", "language", "turn", "toxic", "redacted")
TURN = ("content", "role", "language", "toxic", "redacted")
BATCH_ROWS = 2_000


class WildChatSettings(FilterSettings):
    root: str
    """The folder that holds the sources, relative to the project or absolute."""
    path: BelowRoot
    """WildChat's folder below `root`; its files lie there or in its folder data/."""
    repo_id: str
    revision: str
    licence: str
    limit: int | None = Field(None, ge=1)
    """Read the first conversations only, for a trial."""


@dataclass(frozen=True)
class Source:
    """The tools of this stage: a folder that can be read."""

    subset: str
    folder: Path
    progress: Progress


@contextmanager
def open_source(settings: Settings, context: Context) -> Iterator[Source]:
    assert isinstance(settings, WildChatSettings)
    yield Source(context.subset, context.root / settings.root / settings.path, context.progress)


def run(_: Iterator[Row], settings: WildChatSettings, source: Source) -> Flow:
    """Read, filter, number. Raises UserError for files that are damaged or not as upstream has them."""
    steps = Steps()
    return Flow(_results(settings, source, steps), steps.report)


def _results(settings: WildChatSettings, source: Source, steps: Steps) -> Iterator[Row | Rejection]:
    same = {"subset": source.subset, "source": settings.repo_id, "source_revision": settings.revision, "licence": settings.licence}
    found = files(source.folder)
    with source.progress.task("conversations", _rows(found)) as progress:
        for part in parts(found, settings.limit):
            verdicts = wildchat_filters.judge(part, settings, steps)
            for row, verdict in enumerate(verdicts):
                index = part.first + row
                where = {"id": f"{source.subset}-{index:07d}", "source_file": part.file, "source_index": index, "conversation_id": part.ids[row]}
                if verdict is not None:
                    yield Rejection({**where, "subset": source.subset}, *verdict)
                    continue
                yield {
                    **same,
                    **where,
                    "source_model": part.models[row],
                    "source_language": part.languages[row],
                    "query": nfc(part.queries[row]),
                    "n_words": int(part.n_words[row]),
                }
            progress.advance(len(part.ids))


def files(folder: Path) -> list[Path]:
    """The parquet files in order of split and shard. Raises UserError for a name that is not upstream's, and for a missing shard."""
    folder = folder / "data" if (folder / "data").is_dir() else folder
    shards: dict[tuple[str, int], dict[int, Path]] = defaultdict(dict)
    for path in sorted(folder.glob("*.parquet")):
        name = FILE.fullmatch(path.name)
        if name is None:
            raise UserError(f"{path} is not named as upstream names its files (train-00000-of-00014.parquet); move it out of the folder.")
        shards[name["split"], int(name["shards"])][int(name["shard"])] = path
    if not shards:
        raise UserError(f"{folder} holds no parquet file; run `python -m stages.ingest.fetch wildchat`, or set `raw` in params.yaml.")
    if len(shards) > 1:
        divisions = " and ".join(f"{split} of {total}" for split, total in sorted(shards))
        raise UserError(f"{folder} mixes files of different divisions ({divisions}); keep one release in a folder.")
    ((split, total), of_split) = next(iter(shards.items()))
    for shard in range(total):
        if shard not in of_split:
            raise UserError(f"{folder / f'{split}-{shard:05d}-of-{total:05d}.parquet'} is missing beside its sister files; fetch it.")
    return [of_split[shard] for shard in range(total)]


def _rows(found: list[Path]) -> int:
    total = 0
    for path in found:
        with parquet.opened(path) as file:
            total += file.metadata.num_rows
    return total


def parts(found: list[Path], limit: int | None) -> Iterator[Part]:
    """The conversations of the files, batch by batch, numbered over all files."""
    first = 0
    for path in found:
        with parquet.opened(path) as file:
            check_columns(file, path)
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=_leaves(file), use_threads=False):
                if limit is not None and first + len(batch) > limit:
                    batch = batch.slice(0, limit - first)
                if len(batch):
                    yield _part(batch, path, first)
                first += len(batch)
                if first == limit:
                    return


def _leaves(file: pq.ParquetFile) -> list[str]:
    """The column chunks that are read. The rest (addresses, headers, scores) is never touched."""
    wanted = []
    for place in range(len(file.schema)):
        steps = file.schema.column(place).path.split(".")
        of_turn = steps[0] == "conversation" and len(steps) == 4 and steps[-1] in TURN
        flag = steps[0] == "openai_moderation" and steps[-1] == "flagged"
        if of_turn or flag or (len(steps) == 1 and steps[0] in (*IDS, *PLAIN)):
            wanted.append(file.schema.column(place).path)
    return wanted


def check_columns(file: pq.ParquetFile, path: Path) -> None:
    """Raise UserError unless `file` is one of the two released forms, as far as it is read."""
    import pyarrow.types as is_a

    schema = file.schema_arrow
    parquet.check_columns(file, path, {"language": "string", "turn": "integer", "conversation": "structs"})
    if not any(name in schema.names for name in IDS):
        raise UserError(f"{path} has neither conversation_hash nor conversation_id; its columns are {', '.join(schema.names)}.")
    stated = {"toxic": "flag", "redacted": "flag", "openai_moderation": "structs"}
    parquet.check_columns(file, path, {name: kind for name, kind in stated.items() if name in schema.names})
    turn = {field.name: field.type for field in schema.field("conversation").type.value_type}
    for name in ("content", "role"):
        if name not in turn or not (is_a.is_string(turn[name]) or is_a.is_large_string(turn[name])):
            raise UserError(f"{path} has no text {name!r} in its conversations, whose parts are {', '.join(turn)}; restore the upstream file.")
    for name in ("toxic", "redacted"):
        if name in turn and not (is_a.is_boolean(turn[name]) or is_a.is_null(turn[name])):
            raise UserError(f"{path} has the type {turn[name]} in {name!r} of its conversations, where upstream has a boolean; restore the file.")


def _part(batch: pa.RecordBatch, path: Path, first: int) -> Part:
    ids = next(batch.column(name) for name in IDS if name in batch.schema.names)
    return wildchat_filters.part(batch, [str(id) if id is not None else "" for id in ids.to_pylist()], path.name, first)


def explain(row: Row) -> list[str]:
    """Where the query comes from."""
    if row.get("query") is None:
        return []
    place = f"{row['source_file']} row {row['source_index']}, conversation {row['conversation_id']}"
    return [f"{row['source']} at {row['source_revision']}: {place} ({row['licence']})", f"query: {row.get('original_query', row['query'])}"]


STAGE = Stage(
    name="wildchat",
    run=run,
    settings=WildChatSettings,
    reads=None,
    input_schema=None,
    output_schema="Gathered",
    tools=open_source,
    group="wildspeech",
    explain=explain,
    streamed=True,
)

if __name__ == "__main__":
    main(STAGE)
