"""What a source reader hands to the stage: one upstream row, read but not yet judged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from stages.core.errors import UserError
from stages.ingest.audio import Clip


@dataclass(frozen=True)
class Record:
    """One upstream row. Texts are NFC; only the ends of `prompt` are stripped."""

    index: int
    """Place in the subset, over all chosen splits in their order; it makes the row's id and never shifts."""
    where: str
    """File and row, and the upstream id where there is one: for error sentences."""
    split: str
    source_id: str
    """The upstream id, or `<split>/<row>` where upstream has none."""
    columns: dict[str, Any]
    """Every upstream column but the audio, in upstream order."""
    prompt: str
    answers: list[str]
    """Every answer that upstream accepts, as written; empty where upstream has none."""
    task: str = ""
    instructions: list[dict[str, Any]] = field(default_factory=list)
    """IFEval constraints: `{"id": ..., "kwargs": {...}}` without the keys that upstream left at null."""
    audio_path: str | None = None
    """Upstream file name of the audio. Data only, never opened."""
    clip: Clip | None = None
    """None for a text row: upstream names the audio, but the bytes are not there."""
    unfit: str = ""
    """Why the item cannot be carried into another language at all; empty for one that can."""


def refuse_twins(seen: dict[str, str], id: str, where: str) -> None:
    """Remember that `id` was seen at `where`. Raises UserError when it was seen before."""
    if id in seen:
        raise UserError(f"Two rows have the id {id!r}: {seen[id]} and {where}; remove or rename one of them.")
    seen[id] = where


def inside(folder: Path, name: str, where: str) -> Path:
    """`folder / name` for a name that comes from data. Raises UserError when the name leads out of `folder`.

    The name is judged by the rules of both path families, and the result again after following symbolic links.
    """
    plain = PurePosixPath(name), PureWindowsPath(name)
    if not name.strip() or "\0" in name or any(p.is_absolute() or p.drive or ".." in p.parts for p in plain):
        raise UserError(f"{where} names the file {name!r}, which leads out of {folder}; use a plain file name inside that folder.")
    path = folder / name
    try:
        path.exists()  # raises for a name that no file can have; resolve does not
        within = path.resolve().is_relative_to(folder.resolve())
    except OSError as error:
        raise UserError(f"{where} names the file {name[:60]!r}, which cannot exist ({error.strerror}); correct that name.") from None
    if not within:
        raise UserError(f"{where} names the file {name!r}, which leads out of {folder} through a link; put the file itself there.")
    return path


def task_named_in(id: str, tasks: Iterable[str], where: str) -> str:
    """The one of `tasks` whose name the upstream id contains. Raises UserError when there is none."""
    for task in tasks:
        if re.search(rf"(?<![a-z]){task}(?![a-z])", id):
            return task
    raise UserError(f"{where} has the id {id!r}, which names none of the tasks {', '.join(tasks)}; correct the id.")
