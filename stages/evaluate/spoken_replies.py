"""Where the spoken replies of a model come from: a folder of clips, or the stage `respond`, which asked the model.

A folder has replies.jsonl, one line a reply: id (of the query), file, and optionally text (the model's own, never judged). A query without
a line, or with a line without a file, has no reply: that is counted, and never stops a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stages.core import files
from stages.core.errors import UserError
from stages.core.settings import Settings

TABLE = "replies.jsonl"


class Replies(Settings):
    kind: Literal["folder", "respond"]
    path: str
    """The folder, relative to the project, or the name of the model under test that `respond` asked."""


@dataclass(frozen=True)
class Reply:
    clip: bytes | None
    """Encoded audio; None for a reply without any."""
    text: str | None


def read(replies: Replies, ids: set[str], language: str, root: Path) -> dict[str, Reply]:
    """Query id to reply. Raises UserError, naming file and line, for an id that no query has, that comes twice, or a clip that is not there."""
    return _folder(root / replies.path, ids) if replies.kind == "folder" else _responded(replies.path, ids, language, root)


def _folder(folder: Path, ids: set[str]) -> dict[str, Reply]:
    table = folder / TABLE
    found: dict[str, Reply] = {}
    for number, row in enumerate(files.read_jsonl(table), 1):
        where, id = f"{table} line {number}", row.get("id")
        for name in ("id", "file", "text"):
            if not isinstance(row.get(name), str | None):
                raise UserError(f"{where} has the {name} {row[name]!r}; it must be text.")
        if id not in ids:
            raise UserError(f"{where} has the id {id!r}, which no query has; correct it, or take the line out.")
        if id in found:
            raise UserError(f"{where} gives {id} a second reply; keep one.")
        file = row.get("file")
        found[id] = Reply(_clip(folder, file, where) if file else None, row.get("text"))
    return found


def _clip(folder: Path, file: str, where: str) -> bytes:
    if "\0" in file:
        raise UserError(f"{where} names {file!r}, which is no name of a file; correct it.")
    path = (folder / file).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UserError(f"{where} names {file!r}, which lies outside {folder}; clips lie in their folder.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{where}: the clip {file} cannot be read ({error.strerror}); put it there, or leave `file` out for no reply.") from None


def _responded(model: str, ids: set[str], language: str, root: Path) -> dict[str, Reply]:
    """From data/respond/<model>; its row ids are `<language>/<query id>`."""
    from stages.core import shards

    folder = root / "data" / "respond" / model
    prefix = f"{language}/"
    rows = {row["item_id"]: row for row in files.read_jsonl(folder / "rows.jsonl") if row["id"].startswith(prefix)}
    spoken = {row["id"] for id, row in rows.items() if id in ids and row.get("reply_sha256")}
    clips = dict(shards.iter_audio(folder, spoken)) if spoken else {}
    return {id: Reply(clips.get(row["id"]), row.get("response")) for id, row in rows.items() if id in ids}
