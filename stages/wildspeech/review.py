"""Put what WildSpeech's stages made to people: entries for the review desk (data/review/item.jsonl, topic `wildspeech`).

    python -m stages.wildspeech.review wildspeech

Chosen queries, paralinguistic items and checklists, those that wait for a verdict and those that have one. What is decided at
the desk lies in data/decisions/wildspeech/ and counts at the next `dvc repro`. Entries of other stages stay as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from stages.core import files
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.wildspeech import people

QUEUE = Path("data/review/item.jsonl")
_MADE = {"select": people.query_entry, "paralinguistic": people.paralinguistic_entry, "checklist": people.checklist_entry}
"""Stage to the entry of one of its rows."""
REOPENED = ("awaiting_review", "rejected_by_reviewer")
"""Reasons of rejected rows that people may still judge, or judge otherwise."""


def entries(root: Path, subset: str) -> list[dict[str, Any]]:
    """The entries of one benchmark, in their present texts. Raises UserError where nothing is built."""
    found = {}
    for stage, made in _MADE.items():
        folder = root / "data" / stage / subset
        if not (folder / "rows.jsonl").exists():
            continue
        rejected = [row for row in files.read_jsonl(folder / "rejected.jsonl") if row["reason"] in REOPENED]
        for row in [*files.read_jsonl(folder / "rows.jsonl"), *rejected]:
            entry = made(row)
            found[entry["id"]] = entry
    if not found:
        raise UserError(f"Nothing of {subset} has been built yet; run `dvc repro`, then this again.")
    return [found[id] for id in sorted(found)]


def main(arguments: list[str], root: Path = ROOT) -> None:
    known = read_config("wildspeech", root)
    if len(arguments) != 1 or arguments[0] not in known:
        given = " ".join(arguments) or "nothing"
        raise UserError(f"python -m stages.wildspeech.review takes one of {', '.join(known)}, got {given}.{nearest(given, known)}")
    made = entries(root, arguments[0])
    path = root / QUEUE
    mine = {entry["id"] for entry in made}
    others = [row for row in (files.read_jsonl(path) if path.exists() else []) if row["id"] not in mine and not _ours(row, arguments[0])]
    files.write_jsonl(path, sorted([*others, *made], key=lambda entry: entry["id"]))
    print(f"{len(made)} entries -> {QUEUE} (`make review` shows them)")


def _ours(row: Row, subset: str) -> bool:
    return row["subset"] == subset and row["stage"] in _MADE


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
