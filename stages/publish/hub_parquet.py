"""Released rows as parquet that the Hub and `datasets.load_dataset` open with an Audio column, written by pyarrow alone.

`datasets` itself cannot encode audio without torch; its reader only needs the struct
{bytes, path} and the feature description in the schema's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from stages.core.errors import UserError
from stages.core.files import Row, replacing
from stages.core.shards import PARQUET_OPTIONS, row_groups
from stages.publish.release import ReleaseSettings, hub_features

T = TypeVar("T")

BYTES_PER_FILE = 500 << 20
"""A file is closed when it has reached this size: few large files, none beyond what the Hub likes."""


def file_name(split: str, number: int, of: int) -> str:
    """As the Hub names the files of a split."""
    return f"{split}-{number:05d}-of-{of:05d}.parquet"


def write(folder: Path, rows: Iterable[Row], settings: ReleaseSettings, bytes_per_file: int = BYTES_PER_FILE) -> list[Path]:
    """Stream released rows to files of the release's split in `folder`, two row groups in memory at a time. Returns the files.

    `rows` are taken from another thread. Raises UserError when the disk is full, and for a value that is not of its column's
    type; no file has then its name.
    """
    import pyarrow.parquet as pq

    schema = _schema(settings)
    audio = next((column for column, value in settings.listed().items() if value == "@audio"), None)
    groups = _ahead(_table(group, schema) for group in row_groups(rows, size=lambda row: len(row[audio]["bytes"]) if audio else 1024))
    parts: list[Path] = []
    group = next(groups, None)
    while group is not None:
        part = folder / f".part-{len(parts)}"
        with replacing(part) as temporary, pq.ParquetWriter(temporary, schema, write_statistics=["id"], **PARQUET_OPTIONS) as writer:
            while group is not None:
                writer.write_table(group, row_group_size=len(group))
                group = next(groups, None)
                if temporary.stat().st_size >= bytes_per_file:
                    break
        parts.append(part)
    return [part.rename(folder / file_name(settings.split, number, len(parts))) for number, part in enumerate(parts)]


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """`items`, the next being made while the caller works on one: to read and verify audio takes a third of the time."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def _table(rows: list[Row], schema: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        what = str(error).splitlines()[0].rstrip(".")
        raise UserError(f"The rows from {rows[0]['id']} on do not fit the release's columns ({what}); declare the column under `types`.") from None


def _schema(settings: ReleaseSettings) -> Any:
    import pyarrow as pa

    text = pa.string()
    plain = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_(), "list<string>": pa.list_(text)}
    types = {
        column: pa.struct({"bytes": pa.binary(), "path": text}) if value == "@audio" else plain.get(settings.types.get(column, ""), text)
        for column, value in settings.listed().items()
    }
    return pa.schema(list(types.items()), metadata={"huggingface": json.dumps({"info": {"features": hub_features(settings)}})})
