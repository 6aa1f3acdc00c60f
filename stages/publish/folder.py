"""Stage publish, to a folder: a release as the Hub would hold it, complete and checked before it appears.

    python -m stages.publish.folder KVoiceBench

data/publish/<release>/ gets <config>/test-00000-of-00001.parquet, the IFEval constraints, provenance and rejections of
every config, the rulebooks, people's decisions, a plot, Croissant metadata and the card (README.md). The folder is a pure
function of rows, audio, rulebooks, decisions and config: the same build gives the same bytes. Paper 2605.27984, section 3.1
and data release.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.core import errata, files, ledger, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.progress import Progress, Task
from stages.core.shards import iter_audio
from stages.publish import card, croissant, figures, gate, hub_parquet, release
from stages.publish.card import Config, File
from stages.publish.problems import Problem, refuse
from stages.publish.release import ReleaseSettings


def publish(chosen: ReleaseSettings, root: Path) -> Path:
    """Build the release from data/ below `root` and return its folder.

    Raises UserError, with the old release untouched, when rows are missing, and when anything of the ledger, the rows, their
    audio, licences, names or texts must not be published: every problem is told.
    """
    out = root / "data" / "publish" / chosen.name
    built = chosen.chosen()
    missing = [subset for subset in chosen.subsets if subset not in built]
    problems: list[Problem] = []
    ledgers = [_ledger(chosen, subset, root, problems) for subset in built]
    rows = {book.subset: [item.row for item in book.items if item.released] for book in ledgers}
    for subset, released in rows.items():
        problems += release.membership_problems(released, chosen, subset)

    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{chosen.name}.", dir=out.parent) as temporary:
        folder = Path(temporary) / chosen.name
        with Progress(f"publish {chosen.name}").task("rows", sum(map(len, rows.values()))) as task:
            configs = [_write_config(folder, chosen, book, rows[book.subset], root, task, problems) for book in ledgers]
        rulebooks = [_copy(root, folder, path) for path in chosen.rulebooks]
        decisions = [_copy(root, folder, path, "decisions") for path in _decisions(root, chosen.decisions)]
        prompts = [_hashed(root, path) for listed in chosen.prompts for path in _expanded(root, listed)]
        plot = figures.cer_plot(folder / "cer.png", {config.name: card.heard(config, chosen) for config in configs})
        text = card.write_card(chosen, configs, missing, [*rulebooks, *prompts], decisions, plot)
        files.write_text(folder / "README.md", text)
        files.write_json(folder / "croissant.json", croissant.describe(chosen, configs, folder))
        refuse(chosen.name, [*problems, *gate.problems(folder, chosen)])
        _replace(out, folder)
    return out


def _ledger(chosen: ReleaseSettings, subset: str, root: Path, problems: list[Problem]) -> ledger.Ledger:
    book = ledger.read(root, subset, tuple(chosen.stages), lambda what: problems.append(Problem("ledger", subset, what)))
    return replace(book, items=[_decided(item, chosen) for item in book.items]) if chosen.errata else book


def _decided(item: ledger.Item, chosen: ReleaseSettings) -> ledger.Item:
    """The item as people decided after a release, where its stages did not carry that out themselves."""
    line = chosen.errata.get(item.id)
    if line is None or not item.released:
        return item
    if line.reject is not None:
        return replace(item, reason=errata.REASON, rule_id=f"{errata.REASON}:{item.id}", detail=line.note)
    return replace(item, row=errata.edited(item.row, line.edit))


def _write_config(
    folder: Path, chosen: ReleaseSettings, book: ledger.Ledger, rows: list[Row], root: Path, task: Task, problems: list[Problem]
) -> Config:
    part = chosen.subsets[book.subset]
    rejected = [item for item in book.items if item.reason is not None]
    before = {stage: ledger.left_out(root, book.subset, stage) for stage in chosen.before}
    files.write_jsonl(folder / "provenance" / f"{part.config}-rejected.jsonl", map(release.refusal, rejected))
    if not rows:
        return Config(book.subset, part, book, rows, [], False, before)
    try:
        files.write_jsonl(folder / "provenance" / f"{part.config}.jsonl", (release.provenance(row, chosen) for row in rows))
        constraints = [line for line in map(release.constraints, rows) if line is not None]
        if constraints:
            files.write_jsonl(folder / part.config / "constraints.jsonl", constraints)
        (folder / part.config).mkdir(exist_ok=True)
        written = hub_parquet.write(folder / part.config, _released(chosen, rows, part, root, task, problems), chosen)
    except KeyError as error:
        place = f"columns or provenance of conf/release/{chosen.name}.yaml"
        raise UserError(f"The rows of {book.subset} have no column {error.args[0]!r}; correct the {place}.") from None
    return Config(book.subset, part, book, rows, written, bool(constraints), before)


def _released(chosen: ReleaseSettings, rows: list[Row], part: release.Part, root: Path, task: Task, problems: list[Problem]) -> Iterator[Row]:
    for row, audio in _with_audio(chosen, rows, root, problems):
        yield release.released_row(row, part, chosen, audio)
        task.advance()


def _with_audio(chosen: ReleaseSettings, rows: list[Row], root: Path, problems: list[Problem]) -> Iterator[tuple[Row, bytes]]:
    """Every row with its audio, in order of id. Audio that lies in another order, or that rows share, passes through a temporary file."""

    def damaged(row_ids: list[str], what: str) -> None:
        problems.extend(Problem("audio_missing", id, what) for id in row_ids)

    users: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        users[chosen.audio.folder.format_map(row)][row[chosen.audio.id]].append(row["id"])
    by_id = {row["id"]: row for row in rows}
    twice = len(by_id) < len(rows)  # told by the ledger
    if chosen.audio.id == "id" and len(users) == 1 and not twice:
        [(place, wanted)] = users.items()
        for id, audio in iter_audio(root / place, wanted, lambda id, what: damaged([id], what)):
            yield by_id[id], audio
        return
    with tempfile.TemporaryFile(dir=root / "data") as spool:
        found: dict[tuple[str, str], tuple[int, int]] = {}
        for place, wanted in sorted(users.items()):
            for key, audio in iter_audio(root / place, wanted, lambda key, what, wanted=wanted: damaged(wanted[key], what)):  # type: ignore[misc]
                found[place, key] = (spool.tell(), len(audio))
                spool.write(audio)
        for row in rows:
            at = found.get((chosen.audio.folder.format_map(row), row[chosen.audio.id]))
            if at is not None:
                spool.seek(at[0])
                yield row, spool.read(at[1])


def _expanded(root: Path, path: str) -> list[str]:
    """The files of a folder, by name; a file as it is."""
    folder = root / path
    return sorted(f"{path}/{file.name}" for file in folder.iterdir() if file.is_file() and file.suffix != ".py") if folder.is_dir() else [path]


def _hashed(root: Path, path: str) -> File:
    return File(path, hashlib.sha256(_bytes(root, path)).hexdigest())


def _decisions(root: Path, topics: list[str]) -> list[str]:
    """The files with people's verdicts on the topics; a topic on which nothing was decided yet has none."""
    found = (path for topic in topics for path in (root / "data" / "decisions" / topic).glob("*") if path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in found)


def _copy(root: Path, folder: Path, path: str, below: str = "") -> File:
    """Copy a text file below the repository to the same place below the release; of people's decisions, what follows `below`."""
    content = _bytes(root, path)
    place = path if not below else f"{below}/{path.partition(f'/{below}/')[2]}"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UserError(f"The release lists {path}, which is not UTF-8 text; correct it.") from None
    files.write_text(folder / place, text)
    return File(place, hashlib.sha256(content).hexdigest(), _version(text))


def _version(text: str) -> str:
    """What a rulebook says of its version, or the day of its youngest decision."""
    if declared := re.search(r"^version:[ ]*(.+?)[ ]*$", text, re.MULTILINE):
        return declared[1]
    return max(re.findall(r"date: [\"']?(\d{4}-\d\d-\d\d)", text), default="")


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
