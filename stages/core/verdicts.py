"""What people decided, as the stages that act on it read it: data/decisions/<topic>/<reviewer>.jsonl, written by the review desk.

One line a verdict; the last line of a reviewer on an entry counts. A torn last line was never acknowledged and is left out.
A stage that acts on verdicts names what was judged by its content (`content_key` in the entry's id), so that a verdict on a
text that has changed since is a verdict on something else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.core.files import nfc


@dataclass(frozen=True)
class Verdict:
    queue_id: str
    verdict: str
    """accept, edit, reject, skip, or the id of an option."""
    edit: dict[str, str]
    reason: str
    reviewer: str
    date: str

    @property
    def id(self) -> str:
        """Its name in a row's provenance."""
        return f"{self.reviewer}:{self.queue_id}"


def read(root: Path, topic: str, rounds: bool = False) -> dict[str, list[Verdict]]:
    """Queue id to the verdicts that count, skips left out, in order of reviewer.

    `rounds` says that the folder also holds rounds of decision questions (YAML, TSV), which the loop reads and no stage does.
    Raises UserError naming file and line for a damaged line that is not the last, and for a file of another kind.
    """
    folder = root / "data" / "decisions" / topic
    found: dict[tuple[str, str], Verdict] = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if path.name.startswith(".") or path.suffix == ".md" or (rounds and path.suffix in (".yaml", ".yml", ".tsv")):
            continue
        if path.suffix != ".jsonl":
            raise UserError(f"{path} is not a file of the desk (<reviewer>.jsonl); verdicts of the topic {topic!r} are given there.")
        found |= {(verdict.queue_id, verdict.reviewer): verdict for verdict in _lines(path)}
    verdicts: dict[str, list[Verdict]] = {}
    for (queue_id, _), verdict in sorted(found.items()):
        if verdict.verdict != "skip":
            verdicts.setdefault(queue_id, []).append(verdict)
    return verdicts


def _lines(path: Path) -> list[Verdict]:
    verdicts: list[Verdict] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); put a readable file in its place.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = nfc(orjson.loads(line))
            edit = value.get("edit") or {}
            texts = [*edit.values(), *(value[name] for name in ("queue_id", "verdict", "reviewer", "date"))]
            if not all(isinstance(text, str) for text in texts):
                raise TypeError("a field is no text")
            verdicts.append(Verdict(value["queue_id"], value["verdict"], dict(edit), str(value.get("reason", "")), value["reviewer"], value["date"]))
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines):
                break
            raise UserError(f"{path} line {number} is not a verdict ({str(error).splitlines()[0]}); mend that line, or take it out.") from None
    return verdicts


def content_key(texts: Iterable[str]) -> str:
    """12 hex digits that stand for what was judged."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def item_entry(row: Mapping[str, Any]) -> str:
    """The queue id under which people judge what a SpokenQA row says in the target language; another text has another id."""
    texts = [row.get("target_prompt") or "", *(row.get("target_answers") or [])]
    return f"item:{row['subset']}:{row['id']}.{content_key(texts)}"


def disagreement_entry(row: Mapping[str, Any], proposal: Iterable[str]) -> str:
    """The queue id under which people judge a key of the source that two reviewers see differently."""
    return f"disagreement:{row['subset']}:{row['id']}.{content_key([row['prompt'], *row['references'], '->', *proposal])}"


def audible_entry(unit: str, row: Mapping[str, Any]) -> str:
    """The queue id under which people judge whether a clip in its noise can be understood; another clip has another id."""
    return f"listen:{unit}:{row['id']}.{row['perturbed_sha256'][:12]}"
