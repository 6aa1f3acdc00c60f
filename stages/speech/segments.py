"""The store of speech as files that can be shared: speech-00000.parquet, speech-00001.parquet, ... and so for each of its tables.

A file is never changed once it is written: a later save writes what has come since to a new one, so that a remote takes only
that. What comes from elsewhere is checked: a key is the hash of its request, and audio has the hash that its row states.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core.errors import UserError
from stages.core.files import replacing
from stages.core.shards import PARQUET_OPTIONS, row_groups
from stages.speech.store import TABLES, Store


def save(store: Store, folder: Path) -> list[Path]:
    """Write the rows that no file of `folder` has yet. Returns the new files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = []
    for table in TABLES:
        files = sorted(folder.glob(f"{table}-*.parquet"))
        known = {key for path in files for key in _column(path, "key")}
        new = [key for key in store.keys(table) if key not in known]
        if not new:
            continue
        names = store.columns(table)
        path = folder / f"{table}-{len(files):05d}.parquet"
        with replacing(path) as temporary:
            writer: Any = None
            for group in row_groups((store.row(table, key) for key in new), size=_size):
                made = pa.table({name: [row[place] for row in group] for place, name in enumerate(names)})
                writer = writer or pq.ParquetWriter(temporary, made.schema, **PARQUET_OPTIONS)
                writer.write_table(made)
            writer.close()
        written.append(path)
    return written


def load(store: Store, path: Path) -> int:
    """Take the rows of one file into the store; returns how many were new. Raises UserError when they are not what they say."""
    table = path.stem.rpartition("-")[0]
    names = store.columns(table)
    taken = 0
    for rows in _batches(path, names):
        for row in rows:
            _verify(dict(zip(names, row, strict=True)), path)
        taken += store.take(table, rows)
    return taken


def _verify(row: dict[str, Any], path: Path) -> None:
    key = hashlib.sha256(row["request"].encode()).hexdigest()
    if key != row["key"] or ("flac" in row and hashlib.sha256(row["flac"]).hexdigest() != row["sha256"]):
        raise UserError(f"{path} holds a row {row['key'][:12]} that does not have its hash; fetch the file again (`dvc pull -f`).")


def _batches(path: Path, names: list[str]) -> Iterator[list[tuple[Any, ...]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            if file.schema_arrow.names != names:
                raise UserError(f"{path} has other columns than the store of this version; let whoever saved it save it again.")
            for batch in file.iter_batches(batch_size=100):
                yield [tuple(row[name] for name in names) for row in batch.to_pylist()]
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({str(error).splitlines()[0].rstrip('.')}); fetch it again (`dvc pull -f`).") from None


def _column(path: Path, name: str) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_table(path, columns=[name])[name].to_pylist())
    except (pa.ArrowException, OSError, KeyError) as error:
        raise UserError(f"{path} cannot be read ({str(error).splitlines()[0].rstrip('.')}); fetch it again (`dvc pull -f`).") from None


def _size(row: tuple[Any, ...]) -> int:
    return sum(len(value) for value in row if isinstance(value, (bytes, str)))
