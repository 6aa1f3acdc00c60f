"""Share what was paid for: the stores of replies and of speech go with the data to a DVC remote, and come back from it.

    python -m stages.stores push [REMOTE]    stores -> data/stores, `dvc add`, `dvc push`; then commit data/stores.dvc and the dvc.lock files
    python -m stages.stores pull [REMOTE]    `dvc pull`, then data/stores -> the stores of this machine
    python -m stages.stores save | load      the same without a remote, for a copy by hand

The remote is the one of .dvc/config, a folder beside the checkout, unless another is named. With what was pulled `dvc repro`
has nothing to do, and after an edit it asks and speaks only what the edit touches.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from stages.core import files
from stages.core.app import exiting
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT, cache_dir
from stages.llm import exchange
from stages.llm.store import Store as Replies
from stages.speech import segments
from stages.speech.store import Store as Speech

FOLDER = Path("data/stores")
REPLIES = "replies.jsonl"
_LOADED = "stores.json"
_COMMANDS = ("push", "pull", "save", "load")


def save(root: Path = ROOT) -> str:
    """Write the stores to data/stores. What lies there and is not in the stores (a colleague's) stays, for it is loaded first."""
    folder = root / FOLDER
    if folder.exists():
        load(root)
    with Replies.open(cache_dir() / "replies.sqlite") as store:
        count = exchange.write_replies(folder / REPLIES, store, store.every_key())
    with closing(Speech(cache_dir() / "speech.sqlite")) as speech:
        segments.save(speech, folder)
        counts = speech.counts()
    _note(root)
    return f"{count} replies, {counts['speech']} sentences and {counts['transcripts']} transcripts are in {FOLDER}"


def load(root: Path = ROOT) -> str:
    """Take data/stores into this machine's stores; files that were taken before are passed over."""
    if not (root / FOLDER).is_dir():
        raise UserError(f"{FOLDER} does not exist; fetch it (`python -m stages.stores pull`), or copy it there.")
    note = cache_dir() / _LOADED
    known = files.read_json(note) if note.exists() else {}
    counts = {"replies": 0, "sentences": 0}
    for path in _files(root):
        if known.get(path.name) == _stamp(path):
            continue
        if path.suffix == ".jsonl":
            with Replies.open(cache_dir() / "replies.sqlite") as store:
                counts["replies"] += exchange.take_missing(store, path)
        else:
            with closing(Speech(cache_dir() / "speech.sqlite")) as speech:
                taken = segments.load(speech, path)
            counts["sentences"] += taken if path.name.startswith("speech-") else 0
    _note(root)
    return f"{counts['replies']} replies and {counts['sentences']} sentences were new to this machine"


def _files(root: Path) -> list[Path]:
    folder = root / FOLDER
    return sorted([*folder.glob("*.parquet"), *folder.glob(REPLIES)])


def _stamp(path: Path) -> list[int]:
    """Changes when the file does; hashing gigabytes at each build would cost more than loading them."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def _note(root: Path) -> None:
    """Remember which files the stores hold."""
    files.write_json(cache_dir() / _LOADED, {path.name: _stamp(path) for path in _files(root)})


def _dvc(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=ROOT, check=False)
    if done.returncode:
        raise UserError(f"`dvc {' '.join(arguments)}` failed (see above); check the remote with `dvc remote list`, then run this again.")


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in _COMMANDS or len(arguments) > 2 or (arguments[0] in ("save", "load") and len(arguments) > 1):
        hint = nearest(arguments[0], _COMMANDS) if arguments else ""
        raise UserError(f"python -m stages.stores takes push or pull, each with a remote's name if wanted, or save or load.{hint}")
    remote = ["-r", arguments[1]] if len(arguments) > 1 else []
    match arguments[0]:
        case "push":
            print(save())
            _dvc("add", "--quiet", str(FOLDER))
            # By name first: where a lock speaks of what was never built here, DVC passes over everything that it cannot list.
            _dvc("push", *remote, f"{FOLDER}.dvc")
            _dvc("push", *remote)
            print("Commit dvc.lock, pipelines/*/dvc.lock and data/stores.dvc (git add data/stores.dvc), so that others pull this very state.")
        case "pull":
            # What was never built, such as another profile's part of the pipeline, is nowhere to be had.
            _dvc("pull", "--allow-missing", *remote)
            if (ROOT / f"{FOLDER}.dvc").exists():
                _dvc("pull", "--allow-missing", *remote, f"{FOLDER}.dvc")
            if (ROOT / f"{FOLDER}.dvc").exists() and not (ROOT / FOLDER).is_dir():
                raise UserError(f"The remote does not hold {FOLDER}, which {FOLDER}.dvc speaks of; let whoever committed that push again.")
            print(load() if (ROOT / FOLDER).is_dir() else "no stores were shared; only data came")
        case "save":
            print(save())
        case "load":
            print(load())


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
