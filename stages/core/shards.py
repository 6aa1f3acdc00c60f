"""Encoded audio in parquet shards keyed by row id: few large files instead of one file a clip.

A folder holds `audio-00000.parquet`, `audio-00001.parquet`, ...: shard n has the rows whose source index (the digits that
end an id) lies in [n * 1000, (n + 1) * 1000). The place of a row depends on its id alone, so a changed, added or rejected
row changes the bytes of one shard and no other. Columns: id (string), audio (binary, as encoded upstream or by us, never
re-encoded) and sha256 (hex of the audio); rows in order of id. Nothing is compressed again: audio already is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError
from stages.core.files import replacing

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_SHARD = 1000
"""Width of a shard in source indices; a shard holds at most this many rows."""
ROWS_PER_GROUP = 100
BYTES_PER_GROUP = 64 << 20
"""A row group is what a reader must hold in memory; long recordings close it before it has ROWS_PER_GROUP rows."""

PARQUET_OPTIONS: dict[str, Any] = {"compression": "none", "use_dictionary": False, "write_page_index": True}
"""Options of every parquet file with audio, here and in a release. pyarrow's content-defined chunking stays off: it keeps
compressed pages alike between versions, but our clips lie in the file as they are, where a content-addressed store (the
Hub's Xet) finds them anyway. With it the writer needs 1.7 times the CPU, and a store that has the file before one of 300
clips was removed must take 3.7 % of the new one instead of 2.0 % (benchmarks/parquet.py --cdc)."""

_INDEX = re.compile(r"-(\d+)$")


def shard_name(id: str) -> str:
    """The shard file that holds the row `id`. Raises UserError when `id` does not end in `-` and digits."""
    found = _INDEX.search(id)
    if not found:
        raise UserError(f"Row id {id!r} has no number at its end; ids look like bbh-test-00012 (stages/core/schemas.py).")
    return f"audio-{int(found[1]) // ROWS_PER_SHARD:05d}.parquet"


def write_shards(folder: Path, items: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Write (id, encoded audio) pairs to `folder` and remove the shards that no longer have a row. Returns the shards' paths.

    A list or tuple may come in any order. Any other iterable is streamed, one row group in memory at a time, and must come
    in order of id. Each shard takes its place only when it is whole. Raises UserError for an id that comes twice or out of
    order, for empty audio, and when the disk is full.
    """
    if isinstance(items, Sequence):
        items = sorted(items, key=lambda item: _order(item[0]))
    written: list[Path] = []
    for name, clips in groupby(_checked(items, folder), key=lambda clip: shard_name(clip[0])):
        path = folder / name
        with replacing(path) as temporary:
            _write(temporary, clips)
        written.append(path)
    for stale in set(folder.glob("audio-*.parquet")) - set(written):
        stale.unlink()
    return written


def _order(id: str) -> tuple[str, str]:
    return shard_name(id), id


def _checked(items: Iterable[tuple[str, bytes]], folder: Path) -> Iterator[tuple[str, bytes]]:
    before: tuple[str, str] | None = None
    for id, audio in items:
        place = _order(id)
        if before is not None and place <= before:
            what = "comes twice" if place == before else f"comes after {before[1]}"
            raise UserError(f"Item {id} {what} in the audio for {folder}; ids must be unique and streamed in their order.")
        if not audio:
            raise UserError(f"Item {id} has 0 bytes of audio for {folder}; a row without audio must be left out or rejected.")
        before = place
        yield id, audio


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([pa.field("id", pa.string(), False), pa.field("audio", pa.binary(), False), pa.field("sha256", pa.string(), False)])


def _write(path: Path, clips: Iterable[tuple[str, bytes]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    with pq.ParquetWriter(path, schema, write_statistics=["id"], **PARQUET_OPTIONS) as writer:
        for group in row_groups(clips, size=lambda clip: len(clip[1])):
            ids, audio = zip(*group, strict=True)
            hashes = [hashlib.sha256(clip).hexdigest() for clip in audio]
            writer.write_table(pa.table([pa.array(ids), pa.array(audio, pa.binary()), pa.array(hashes)], schema=schema), row_group_size=len(ids))


def row_groups(rows: Iterable[Any], size: Any) -> Iterator[list[Any]]:
    """`rows` in lists of at most ROWS_PER_GROUP rows and, but for a single larger row, BYTES_PER_GROUP bytes by `size(row)`."""
    group: list[Any] = []
    held = 0
    for row in rows:
        weight = size(row)
        if group and (len(group) == ROWS_PER_GROUP or held + weight > BYTES_PER_GROUP):
            yield group
            group, held = [], 0
        group.append(row)
        held += weight
    if group:
        yield group


def read_audio(folder: Path, id: str) -> bytes:
    """The encoded audio of one row. Raises UserError as `iter_audio` does."""
    return next(iter_audio(folder, [id]))[1]


def iter_audio(folder: Path, ids: Iterable[str], damaged: Callable[[str, str], None] | None = None) -> Iterator[tuple[str, bytes]]:
    """(id, encoded audio) for each of `ids`, in the shards' order (that of sorted ids), one row group in memory at a time.

    Row groups without a wanted row are skipped. Raises UserError when a shard is missing or damaged, when an id is not in
    it, or when the audio of a row no longer has its sha256. Where `damaged` is given it is told (id, what is wrong) instead,
    and the row is passed over.
    """
    for name, group in groupby(sorted(set(ids), key=_order), key=shard_name):
        missing = set(group)
        path = folder / name
        try:
            if not path.exists():
                raise UserError(f"{path} does not exist, but item {min(missing)} belongs there; run the stage that writes this audio again.")
            for id, audio, sha256 in _read(path, missing):
                if hashlib.sha256(audio).hexdigest() == sha256:
                    yield id, audio
                elif damaged is None:
                    raise UserError(f"The audio of item {id} in {path} is damaged (sha256 differs); run the stage that writes it again.")
                else:
                    damaged(id, f"its audio in {name} is damaged (sha256 differs)")
            if missing:
                raise UserError(f"Item {min(missing)} has no audio in {path}; run the stage that writes it again.")
        except UserError as error:
            if damaged is None:
                raise
            for id in sorted(missing):
                damaged(id, str(error))


def _read(path: Path, missing: set[str]) -> Iterator[tuple[str, bytes, str]]:
    """(id, audio, sha256 as stored) of the rows in `missing`, each taken out of it before it is given."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(_schema()):
                raise UserError(f"{path} is not an audio shard (columns {', '.join(file.schema_arrow.names)}); run the stage that writes it again.")
            for group in range(file.num_row_groups):
                statistics = file.metadata.row_group(group).column(0).statistics
                if not any(statistics.min <= id <= statistics.max for id in missing):
                    continue
                table = file.read_row_group(group)
                for row, id in enumerate(table["id"].to_pylist()):
                    if id in missing:
                        missing.remove(id)
                        yield id, table["audio"][row].as_py(), table["sha256"][row].as_py()
                if not missing:
                    return
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not a readable parquet file ({_first_line(error)}); run the stage that writes it again.") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")
