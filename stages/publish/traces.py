"""What must not be in any file of a release: paths of a machine, the name of its user, keys and tokens.

A key is never shown in a message. Texts of the data may speak of paths (a question about Linux may), so in rows only a value
that is a path as a whole, or this machine's own folders, count; so in rulebooks. The card and the notes must name no home folder.
"""

from __future__ import annotations

import functools
import getpass
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stages.core.paths import ROOT
from stages.publish.problems import Problem

KEYS = re.compile(
    r"""(?x) \b( hf_(?=[A-Za-z_]*\d)[A-Za-z0-9_]{10,} | (?:hf|api_org)_[A-Za-z0-9]{30,} | sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{10,}
    | sk_(?:live|test)_[A-Za-z0-9]{16,} | (?:AKIA|ASIA)[0-9A-Z]{16} | AIza[0-9A-Za-z_-]{30,}
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{18,} | xox[abpr]-[A-Za-z0-9-]{16,}
    | eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,} )
    | \bhttps?://[^\s/:@]+:[^\s/:@]+@
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY----- | \bBearer[ ]+[A-Za-z0-9._~+/-]{16,}
    | (?i:\b(?:api[_-]?key|secret|password|access[_-]?token)\b["']?\s*[:=]\s*["']?)[A-Za-z0-9_\-+/=.]{16,}"""
)
"""Shapes of keys and tokens of the services that a build may use."""

_WHOLE_PATH = re.compile(r"(?:file:/{0,2})?/(?:[^/\s]+/)+[^/\s]*|[A-Za-z]:[\\/][^\s]*|\\\\[^\s\\]+\\[^\s]*|~/[^\s]+")
_HOME = re.compile(r"(?<![\w.:/-])(?:/(?:home|Users|root|mnt|media|private|var/folders|tmp)/[^\s/\"'`)]+|[A-Za-z]:\\Users\\[^\s\\\"']+)")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$")
_COMMON = {"root", "user", "admin", "ubuntu", "runner", "test", "nobody", "work", "local", "app", "home"}


def problems(folder: Path) -> Iterator[Problem]:
    """One for each trace, file by file; for JSONL and parquet rows with the row's id."""
    secrets, own, user = _secrets(), _own_folders(), _user()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        where = path.relative_to(folder).as_posix()
        if user and user in [part.partition(".")[0] for part in where.split("/")]:
            yield Problem("user_name", where, "is called like the user of this machine; let the reviewer have another name")
        if path.is_symlink():
            yield Problem("absolute_path", where, "is a link; a release holds plain files")
        elif path.suffix == ".parquet":
            yield from _parquet(path, where, secrets, own, user)
        elif path.suffix == ".jsonl":
            for number, line in enumerate(path.read_bytes().splitlines(), 1):
                yield from _line(line, f"{where} line {number}", secrets, own, user)
        else:
            text = path.read_bytes().decode("utf-8", errors="replace")
            yield from (Problem(*found) for found in _text(text, where, secrets, own, user))
            if "/" not in where or where.startswith("releases/"):
                for found in sorted(set(_HOME.findall(text))):
                    yield Problem("absolute_path", where, f"names the folder {found!r} of a machine")


def _text(text: str, where: str, secrets: dict[str, str], own: list[str], user: str | None) -> Iterator[tuple[str, str, str]]:
    if KEYS.search(text):
        yield "secret", where, "contains what looks like a key or token; take it out, and revoke it if it is real"
    for name, value in secrets.items():
        if value in text:
            yield "secret", where, f"contains the value of the environment's {name}"
    for place in own:
        if place in text:
            yield "absolute_path", where, f"names this machine's folder {place!r}"
    if user and _named(user).search(text):
        yield "user_name", where, "names the user of this machine"


@functools.cache
def _named(user: str) -> re.Pattern[str]:
    """The name as part of an address or a path, or as who decided; as a mere word it may be anybody's."""
    name = re.escape(user)
    return re.compile(rf"""(?<![\w-]){name}(?:@[\w.-]+\b|(?=[/\\]))|[/\\]{name}(?![\w-])|"(?:reviewer|person|user)":\s*"{name}\"""")


def _line(line: bytes, where: str, secrets: dict[str, str], own: list[str], user: str | None) -> Iterator[Problem]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        row = None
    if not isinstance(row, dict):
        yield Problem("columns", where, "is not a JSON object")
        return
    where = f"{where} ({row['id']})" if isinstance(row.get("id"), str) else where
    yield from _row(row, where, secrets, own, user)


def _row(row: dict[str, Any], where: str, secrets: dict[str, str], own: list[str], user: str | None) -> Iterator[Problem]:
    text = "\n".join(_strings(row))
    yield from (Problem(*found) for found in _text(text, where, secrets, own, user))
    for column, value in row.items():
        for one in _strings(value):
            if one == user:
                yield Problem("user_name", where, f"names the user of this machine in the column {column}")
            if column == "detail" and (place := _HOME.search(one)):  # the build's own words on an item
                yield Problem("absolute_path", where, f"names the folder {place[0]!r} of a machine in the column {column}")
            if _WHOLE_PATH.fullmatch(one.strip(" \t\n\"'`")):
                yield Problem("absolute_path", where, f"has the absolute path {one!r} in the column {column}")


def _parquet(path: Path, where: str, secrets: dict[str, str], own: list[str], user: str | None) -> Iterator[Problem]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            leaves = [file.schema.column(n) for n in range(len(file.schema))]
            texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type == "STRING"]
            for batch in file.iter_batches(columns=texts):
                for row in batch.to_pylist():
                    yield from _row(row, f"{where} ({row.get('id')})", secrets, own, user)
            notes = (file.schema_arrow.metadata or {}).items()
            text = "\n".join(f"{key.decode(errors='replace')} {value.decode(errors='replace')}" for key, value in notes)
            yield from (Problem(*found) for found in _text(text, where, secrets, own, user))
    except (pa.ArrowException, OSError):
        return  # told by the gate, which reads the rows


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _secrets() -> dict[str, str]:
    """Values of environment variables that are named like secrets; short ones would be found by chance."""
    return {name: value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= 12}


def _own_folders() -> list[str]:
    """This machine's folders that a file could name; the root and single names such as /root are looked for with what follows."""
    places = {str(ROOT), str(Path.home()), os.getcwd()}
    return sorted(place if place.count("/") > 1 or "\\" in place else f"{place}/" for place in places if len(place) > 1)


def _user() -> str | None:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        return None
    return name if len(name) >= 3 and name.casefold() not in _COMMON else None
