"""Stage publish, to a folder: a release as the Hub would hold it, complete before it appears.

    python -m stages.publish.folder KVoiceBench

data/publish/<release>/ gets <config>/test-00000-of-00001.parquet, the IFEval constraints, provenance and rejections of
every config, both rulebooks and the card (README.md). The folder is a pure function of rows, audio, rulebooks and config:
the same build gives the same bytes. Paper 2605.27984, section 3.1 and data release.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core import files, ledger, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.progress import Progress, Task
from stages.core.shards import iter_audio
from stages.publish import card, hub_parquet, release
from stages.publish.card import Config, File
from stages.publish.release import ReleaseSettings


def publish(chosen: ReleaseSettings, root: Path) -> Path:
    """Build the release from data/ below `root` and return its folder.

    Raises UserError, with the old release untouched, when rows or audio are missing, when the ledger does not reconcile,
    or when the licence of a row forbids it.
    """
    out = root / "data" / "publish" / chosen.name
    built = [subset for subset in chosen.subsets if subset in chosen.built]
    missing = [subset for subset in chosen.subsets if subset not in chosen.built]
    ledgers = [ledger.read(root, subset) for subset in built]
    rows = {book.subset: [item.row for item in book.items if item.released] for book in ledgers}
    for subset, released in rows.items():
        release.check_membership(released, chosen, subset)
    release.check_licences([row for released in rows.values() for row in released], chosen)

    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{chosen.name}.", dir=out.parent) as temporary:
        folder = Path(temporary) / chosen.name
        with Progress(f"publish {chosen.name}").task("rows", sum(map(len, rows.values()))) as task:
            configs = [_write_config(folder, chosen, book, rows[book.subset], root, task) for book in ledgers]
        rulebooks = [_copy(root, folder, path) for path in chosen.rulebooks]
        prompts = [_hashed(root, path) for listed in chosen.prompts for path in _expanded(root, listed)]
        files.write_text(folder / "README.md", card.write_card(chosen, configs, missing, [*rulebooks, *prompts]))
        _replace(out, folder)
    return out


def _write_config(folder: Path, chosen: ReleaseSettings, book: ledger.Ledger, rows: list[Row], root: Path, task: Task) -> Config:
    part = chosen.subsets[book.subset]
    rejected = [item for item in book.items if item.reason is not None]
    files.write_jsonl(
        folder / "provenance" / f"{part.config}-rejected.jsonl",
        map(release.refusal, rejected),
    )
    if not rows:
        return Config(book.subset, part, book, rows, 0, False)
    files.write_jsonl(folder / "provenance" / f"{part.config}.jsonl", map(release.provenance, rows))
    constraints = [line for line in map(release.constraints, rows) if line is not None]
    if constraints:
        files.write_jsonl(folder / part.config / "constraints.jsonl", constraints)
    path = card.parquet_path(folder, part.config)
    hub_parquet.write(path, _released(chosen, book.subset, rows, root, task))
    return Config(book.subset, part, book, rows, path.stat().st_size, bool(constraints))


def _released(chosen: ReleaseSettings, subset: str, rows: list[Row], root: Path, task: Task) -> Iterator[Row]:
    by_id = {row["id"]: row for row in rows}
    for id, audio in iter_audio(root / "data" / "synthesize" / subset, by_id):
        yield release.released_row(by_id[id], chosen.subsets[subset], chosen.transcription, audio)
        task.advance()


def _expanded(root: Path, path: str) -> list[str]:
    """The files of a folder, by name; a file as it is."""
    folder = root / path
    return sorted(f"{path}/{file.name}" for file in folder.iterdir() if file.is_file() and file.suffix != ".py") if folder.is_dir() else [path]


def _hashed(root: Path, path: str) -> File:
    return File(path, hashlib.sha256(_bytes(root, path)).hexdigest())


def _copy(root: Path, folder: Path, path: str) -> File:
    """Copy a file below the repository to the same place below the release."""
    content = _bytes(root, path)
    files.write_text(folder / path, content.decode())
    return File(path, hashlib.sha256(content).hexdigest())


def _bytes(root: Path, path: str) -> bytes:
    source = (root / path).resolve()
    if not source.is_relative_to(root.resolve()):
        raise UserError(f"The release lists {path!r}, which lies outside the project; name a file below it, such as rulebooks/ko/normalization.yaml.")
    try:
        return source.read_bytes()
    except OSError as error:
        raise UserError(f"The release lists {path}, which cannot be read ({error.strerror}); correct it in conf/release/.") from None


def _replace(out: Path, folder: Path) -> None:
    """Put `folder` where `out` is, so that no reader sees a mixture of two releases."""
    old = folder.with_name("old")
    try:
        if out.exists():
            out.rename(old)
        folder.rename(out)
    except OSError as error:
        if old.exists() and not out.exists():
            old.rename(out)
        raise UserError(f"Cannot replace {out}: {error.strerror}; close what uses it and run again.") from None
    shutil.rmtree(old, ignore_errors=True)


def load_settings(name: str, root: Path = ROOT) -> ReleaseSettings:
    values: dict[str, Any] = read_config(f"releases.{name}", root)
    return settings.load(ReleaseSettings, values, f"releases.{name}")


def main(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise UserError("python -m stages.publish.folder takes one release, such as KVoiceBench (conf/release/).")
    out = publish(load_settings(arguments[0]), ROOT)
    print(f"published {arguments[0]} to {out.relative_to(ROOT)}")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
