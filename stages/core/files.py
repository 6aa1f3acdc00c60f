"""Reading and writing rows and text: NFC at the first touch, stable bytes, never half a file."""

from __future__ import annotations

import contextlib
import csv
import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from stages.core.errors import UserError

Row = dict[str, Any]

_JSON = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def nfc(value: Any) -> Any:
    """`value` with every string in it, keys included, in Unicode normalization form C."""
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, dict):
        return {nfc(k): nfc(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [nfc(v) for v in value]
    return value


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not.

    Raises UserError when the disk is full or the folder cannot be written; the old file is then untouched.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"Cannot write {path}: {error.strerror or error}; free some space or choose another folder, then run again.") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Indented JSON with sorted keys."""
    with replacing(path) as temporary:
        temporary.write_bytes(orjson.dumps(value, option=_JSON | orjson.OPT_INDENT_2))


def write_jsonl(path: Path, rows: Iterable[Row]) -> None:
    """One JSON object a line with sorted keys: the same rows give the same bytes."""
    with replacing(path) as temporary, temporary.open("wb") as out:
        for row in rows:
            out.write(orjson.dumps(row, option=_JSON))


def read_json(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; run `dvc repro` to make it.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); put a readable file in its place.") from None
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path} is not valid JSON ({error}); restore it or run `dvc repro -f`.") from None


def read_jsonl(path: Path) -> list[Row]:
    """The rows of a JSONL file in NFC. Raises UserError with the line number for a line that is not a JSON object."""
    return list(stream_jsonl(path))


def stream_jsonl(path: Path) -> Iterator[Row]:
    """As read_jsonl, one row at a time."""
    number = 0
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                row = orjson.loads(line)
                if not isinstance(row, dict):
                    raise UserError(f"{path} line {number} is not a JSON object; every line must be one row.")
                yield row if _is_nfc(line) else nfc(row)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; run the stage before it, or `dvc repro`.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); put a readable file in its place.") from None
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path} line {number} is not valid JSON ({error}); mend or remove that line.") from None


def read_table(path: Path, needed: Sequence[str], what: str) -> list[tuple[int, dict[str, str]]]:
    """(line number, cells by column) of a CSV file with a head, in NFC, without the blanks around cells; a cell that is not there is empty.

    Raises UserError, saying `what` the file lists, where it cannot be read, is not UTF-8 CSV, lacks a column that is `needed`, or a line has
    more cells than the head.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            names = [nfc(name.strip()) for name in reader.fieldnames or ()]
            if missing := [name for name in needed if name not in names]:
                raise UserError(f"{path} has no column {missing[0]!r}; it lists {what}, with the columns {', '.join(needed)}.")
            if twice := [name for name in names if names.count(name) > 1]:
                raise UserError(f"{path} has the column {twice[0]!r} twice; keep one.")
            reader.fieldnames = names
            lines = []
            for raw in reader:
                if None in raw:
                    raise UserError(f"{path} line {reader.line_num} has more cells than the head; put quotation marks around a cell with a comma.")
                lines.append((reader.line_num, {name: nfc((cell or "").strip()) for name, cell in raw.items()}))
            return lines
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); it lists {what}, with the columns {', '.join(needed)}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; save it as UTF-8.") from None
    except csv.Error as error:
        raise UserError(f"{path} is not a CSV file ({error}); it lists {what}, with the columns {', '.join(needed)}.") from None


def _is_nfc(line: bytes) -> bool:
    """Whether every text in a line of JSON is in NFC: a part of a text in NFC is so too, unless an escape hides it."""
    return b"\\u" not in line and (line.isascii() or unicodedata.is_normalized("NFC", line.decode()))
