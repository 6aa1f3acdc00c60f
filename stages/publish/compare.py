"""What changed from one release to another, item by item: added, removed, changed fields, audio, and for what reason.

A release is read from a folder or from a revision on the Hub; of the latter only the text columns are fetched (by ranges) and
the provenance, not the audio. Rows are joined by id. The reason of a removal is what the ledger says of the item now; of a
change, the first step of the build that gave another result, and people's decisions where there are any.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from stages.core.errors import UserError
from stages.core.files import Row

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_STEPS: dict[str, tuple[str, ...]] = {
    "ingest": ("source", "source_config", "source_split", "source_id", "source_revision", "licence", "prompt", "reference", "references"),
    "correct": ("correction", "correction_type", "corrected_reference", "corrected_references"),
    "hypertranslate": ("category", "target_prompt", "target_options", "target_answer", "target_answers", "rule_ids"),
    "normalize": ("spoken", "reading_rule_ids"),
    "synthesize": ("voice", "synthesizer", "speech_sha256"),
}
"""Step to the columns of the provenance in which its work shows. Other builds are told by the column alone."""


@dataclass(frozen=True)
class Entry:
    """A released row without its audio."""

    fields: Row
    """The released columns but the audio."""
    audio: str | None
    """sha256 of the encoded audio, where known."""
    told: Row
    """Its line of the provenance; empty without one."""


@dataclass
class Release:
    """One side of a comparison."""

    name: str
    rows: dict[str, dict[str, Entry]] = field(default_factory=dict)
    """Config to id to row."""
    refused: dict[str, Row] = field(default_factory=dict)
    """Id to the line that says why it is not released."""
    columns: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    config: str
    id: str
    kind: str
    """added, removed or changed."""
    reason: str
    fields: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Released column to (before, after)."""
    audio: bool = False


@dataclass
class Diff:
    before: str
    after: str
    changes: list[Change] = field(default_factory=list)
    """By config and id."""
    told: list[str] = field(default_factory=list)
    """Ids of rows of which only the provenance changed."""
    configs_added: list[str] = field(default_factory=list)
    configs_removed: list[str] = field(default_factory=list)
    columns: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Change]:
        return [change for change in self.changes if change.kind == kind]

    def level(self) -> str:
        """major: what a reader's code names is gone; minor: a score can move; patch: neither."""
        if self.configs_removed or self.columns:
            return "major"
        return "minor" if self.changes or self.configs_added else "patch"


def compare(before: Release, after: Release) -> Diff:
    diff = Diff(before.name, after.name)
    diff.configs_added = sorted(after.rows.keys() - before.rows.keys())
    diff.configs_removed = sorted(before.rows.keys() - after.rows.keys())
    for config in sorted(before.rows.keys() | after.rows.keys()):
        old, new = before.rows.get(config, {}), after.rows.get(config, {})
        if config in before.columns and config in after.columns and before.columns[config] != after.columns[config]:
            diff.columns[config] = (before.columns[config], after.columns[config])
        for id in sorted(old.keys() | new.keys()):
            if id not in old:
                diff.changes.append(Change(config, id, "added", _why_added(before.refused.get(id), new[id])))
            elif id not in new:
                diff.changes.append(Change(config, id, "removed", _why_removed(after.refused.get(id))))
            elif change := _changed(config, id, old[id], new[id]):
                diff.changes.append(change)
            elif old[id].told != new[id].told:
                diff.told.append(id)
    return diff


def _why_removed(refused: Row | None) -> str:
    if refused is None:
        return "not among the source items of this build"
    detail = f": {refused['detail']}" if refused["detail"] else ""
    return f"{refused['stage']}: {refused['reason']} ({refused['rule_id']}){detail}"


def _why_added(refused: Row | None, entry: Entry) -> str:
    decided = _decided(entry.told, {})
    if refused is None:
        return decided or "a source item that the release before did not have"
    return f"no longer rejected by {refused['stage']} as {refused['reason']} ({refused['rule_id']})" + (f"; {decided}" if decided else "")


def _changed(config: str, id: str, old: Entry, new: Entry) -> Change | None:
    fields = {
        column: (old.fields.get(column), new.fields.get(column))
        for column in [*old.fields, *(column for column in new.fields if column not in old.fields)]
        if old.fields.get(column) != new.fields.get(column)
    }
    audio = old.audio != new.audio
    return Change(config, id, "changed", _why_changed(old.told, new.told), fields, audio) if fields or audio else None


def _why_changed(old: Row, new: Row) -> str:
    decided = _decided(new, old)
    for step, columns in _STEPS.items():
        changed = [column for column in columns if column in old and column in new and old[column] != new[column]]
        if changed:
            why = f"{step}: {', '.join(changed)}"
            return f"{decided} ({why})" if decided else why
    return decided or "the form of the release"


def _decided(new: Row, old: Row) -> str:
    """People's decisions on the item that were not there before."""
    return "; ".join(text for text in new.get("errata", []) if text not in old.get("errata", []))


Opener = Callable[[str], Any]
"""Path inside a release to an open binary file, as a context manager."""


def from_folder(folder: Path) -> Release:
    """Raises UserError when it is no release."""
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    if "README.md" not in paths:
        raise UserError(f"{folder} holds no release; build it with `dvc repro publish`, or name another revision.")
    return _read(folder.name, paths, lambda path: (folder / path).open("rb"))


def from_hub(api: HfApi, repo_id: str, revision: str, name: str, paths: list[str]) -> Release:
    """The release at a commit of the Hub, with the files `paths`."""
    from huggingface_hub import HfFileSystem

    from stages.publish import remote

    files = HfFileSystem(endpoint=api.endpoint, token=api.token, skip_instance_cache=True)

    @contextmanager
    def opened(path: str) -> Iterator[IO[bytes]]:
        with files.open(f"datasets/{repo_id}@{revision}/{path}", "rb", block_size=1 << 20) as file:
            yield file

    return remote.patiently(f"hand out {repo_id} at {name}", lambda: _read(name, paths, opened))


def _read(name: str, paths: list[str], opened: Opener) -> Release:
    release = Release(name)
    told: dict[str, Row] = {}
    for path in sorted(path for path in paths if path.startswith("provenance/") and path.endswith(".jsonl")):
        with opened(path) as file:
            lines = [orjson.loads(line) for line in file.read().splitlines() if line.strip()]
        (release.refused if path.endswith("-rejected.jsonl") else told).update((line["id"], line) for line in lines)
    for path in sorted(path for path in paths if path.endswith(".parquet") and path.count("/") == 1):
        config = path.partition("/")[0]
        with opened(path) as file:
            _rows(file, release, config, told)
    return release


def _rows(file: IO[bytes], release: Release, config: str, told: dict[str, Row]) -> None:
    import pyarrow.parquet as pq

    # In this thread alone: a pool of pyarrow's that still holds a file of Python's when the interpreter ends aborts the process.
    parquet = pq.ParquetFile(file, pre_buffer=False)
    names = parquet.schema_arrow.names
    release.columns[config] = names
    text = [name for name in names if name != "audio"]
    rows = release.rows.setdefault(config, {})
    for row in parquet.read(columns=text, use_threads=False).to_pylist():
        line = told.get(row["id"], {})
        rows[row["id"]] = Entry(row, line.get("speech_sha256") or line.get("audio_sha256"), line)
    if "audio" in names and any(entry.audio is None for entry in rows.values()):  # a release without provenance: its audio must be read
        for batch in parquet.iter_batches(batch_size=32, columns=["id", "audio"], use_threads=False):
            for row in batch.to_pylist():
                old = rows[row["id"]]
                rows[row["id"]] = Entry(old.fields, hashlib.sha256(row["audio"]["bytes"] or b"").hexdigest(), old.told)
