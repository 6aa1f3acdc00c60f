"""Parquet as the sources use it, a few rows at a time: memory stays small however large the audio is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError, nearest

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 32
"""Rows in memory at a time; audio bytes are in them."""
BUFFER_BYTES = 1 << 20
"""Read a column chunk in pieces of this size. By default all row groups would be fetched ahead: the whole file in memory."""
LFS_POINTER = b"version https://git-lfs"


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """The parquet file at `path`. What goes wrong in the block because of the file becomes a UserError that names it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        what = "is a Git LFS pointer, not the file itself" if _is_pointer(path) else f"is not a whole parquet file ({_first_line(error)})"
        raise UserError(f"{path} {what}; fetch the source again.") from None


def _is_pointer(path: Path) -> bool:
    try:
        with path.open("rb") as start:
            return start.read(len(LFS_POINTER)) == LFS_POINTER
    except OSError:
        return False


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")


def check_columns(file: pq.ParquetFile, path: Path, needed: dict[str, str]) -> None:
    """Raise UserError unless `file` has the `needed` columns (name to type, one of KINDS)."""
    schema = file.schema_arrow
    for name, kind in needed.items():
        if name not in schema.names:
            raise UserError(f"{path} has no column {name!r}; its columns are {', '.join(schema.names)}.{nearest(name, schema.names)}")
        found = schema.field(name).type
        if not _is(found, kind):
            raise UserError(f"{path} has the type {found} in column {name!r}, where upstream has {KINDS[kind]}; restore the upstream file.")


KINDS = {
    "string": "a string",
    "integer": "an integer",
    "flag": "a boolean",
    "strings": "a list of strings",
    "structs": "a list of structs",
    "audio": "a struct of bytes (binary) and path (string)",
}


def _is(found: pa.DataType, kind: str) -> bool:
    import pyarrow.types as is_a

    def text(dtype: pa.DataType) -> bool:
        return is_a.is_string(dtype) or is_a.is_large_string(dtype)

    def items(dtype: pa.DataType) -> bool:
        return is_a.is_list(dtype) or is_a.is_large_list(dtype)

    if kind == "string":
        return text(found)
    if kind == "integer":
        return bool(is_a.is_integer(found))
    if kind == "flag":
        return bool(is_a.is_boolean(found) or is_a.is_null(found))
    if kind == "strings":
        return items(found) and text(found.value_type)
    if kind == "structs":
        return items(found) and is_a.is_struct(found.value_type)
    fields = {field.name: field.type for field in found} if is_a.is_struct(found) else {}
    data = fields.get("bytes")
    return data is not None and (is_a.is_binary(data) or is_a.is_large_binary(data)) and "path" in fields and text(fields["path"])


def rows(file: pq.ParquetFile) -> Iterator[dict[str, Any]]:
    """The rows of `file` in order, as plain values."""
    for group in range(file.num_row_groups):
        for batch in _batches(file, group):
            yield from batch.to_pylist()


def _batches(file: pq.ParquetFile, group: int, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    yield from file.iter_batches(batch_size=BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False)


def audio_of(path: Path, wanted: list[int]) -> Iterator[bytes]:
    """The audio bytes of the rows `wanted`, which ascend. Row groups without one of them are skipped."""
    with opened(path) as file:
        first = 0
        for group in range(file.num_row_groups):
            behind = first + file.metadata.row_group(group).num_rows
            here = {row for row in wanted if first <= row < behind}
            row = first
            for batch in _batches(file, group, ["audio.bytes"]) if here else ():
                for cell in batch.column("audio"):
                    if row in here:
                        yield cell["bytes"].as_py()
                    row += 1
            first = behind
