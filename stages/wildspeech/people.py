"""What people decided about queries and checklists at the desk (topic `wildspeech`), and the entries that are put to them.

A verdict counts as long as its entry shows the same texts as when it was given. One rejection removes an item; of several
edits the latest counts; accepted is what enough people accepted or edited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from stages.core.files import Row
from stages.core.settings import Settings
from stages.review import decisions
from stages.review.decisions import Verdict
from stages.review.queue import QueueEntry

TOPIC = "wildspeech"


class ReviewSettings(Settings):
    required: bool = True
    """Whether only what people accepted goes on; otherwise what nobody rejected."""
    min_reviewers: int = Field(1, ge=1)


class Ruling(NamedTuple):
    state: Literal["accepted", "rejected", "open"]
    edit: dict[str, str]
    said: list[str]
    """`reviewer date: verdict`, of every verdict that counts."""
    reason: str


@dataclass
class People:
    """Verdicts by entry."""

    by_entry: dict[str, list[Verdict]] = field(default_factory=lambda: defaultdict(list))
    stale: list[str] = field(default_factory=list)
    """Ids of entries with a verdict on texts that have changed since."""

    def ruling(self, entry: QueueEntry, settings: ReviewSettings) -> Ruling:
        verdicts = []
        for verdict in self.by_entry.get(entry.id, ()):
            if verdict.seen and verdict.seen != entry.fingerprint():
                self.stale.append(entry.id)
            elif verdict.verdict != "skip":
                verdicts.append(verdict)
        said = [f"{verdict.reviewer} {verdict.date}: {verdict.verdict}" for verdict in verdicts]
        if against := [verdict for verdict in verdicts if verdict.verdict == "reject"]:
            return Ruling("rejected", {}, said, "; ".join(f"{verdict.reviewer}: {verdict.reason}" for verdict in against))
        edits = sorted((verdict for verdict in verdicts if verdict.verdict == "edit"), key=lambda verdict: (verdict.date, verdict.reviewer))
        state: Literal["accepted", "open"] = "accepted" if len(verdicts) >= settings.min_reviewers else "open"
        return Ruling(state, edits[-1].edit if edits else {}, said, "")


def read(root: Path) -> People:
    """Everybody's last verdicts. Raises UserError for a damaged file."""
    people = People()
    for (entry, _), verdict in sorted(decisions.read(root, TOPIC).last().items()):
        people.by_entry[entry].append(verdict)
    return people


@cache
def wording() -> dict[str, dict[str, str]]:
    """What people are asked, in the desk's two languages."""
    import yaml

    asked: dict[str, dict[str, str]] = yaml.safe_load((Path(__file__).parent / "wording.yaml").read_text(encoding="utf-8"))
    return asked


def query_entry(row: Row) -> QueueEntry:
    """Whether a chosen query belongs into the benchmark; query, category and topic may be edited."""
    return _entry(
        row, "query", "select", {"original_query": row["original_query"]},
        {"query": row["query"], "category": row["category"], "topic": row["topic"]},
        [f"screening: {row['screening']}", f"commonness: {row['commonness']}", f"difficulty: {row['difficulty']}"],
    )  # fmt: skip


PARALINGUISTIC_TEXTS = ("delivery", "meant", "other", "must_notice")


def paralinguistic_entry(row: Row) -> QueueEntry:
    """Whether a paralinguistic item works: the query said so, both readings, and what a right answer must notice."""
    target = {column: row[column] or "" for column in PARALINGUISTIC_TEXTS}
    return _entry(row, "query", "paralinguistic", {"kind": row["kind"], "query": row["query"], "contrast": row["contrast"] or ""}, target, [])


def checklist_entry(row: Row) -> QueueEntry:
    """Whether the points of a checklist are the right ones; a point that is emptied goes."""
    source = {"query": row["query"]} | {column: row[column] for column in ("meant", "must_notice") if row[column]}
    target = {f"point_{number}": point for number, point in enumerate(row["checklist"], 1)}
    return _entry(row, "checklist", "checklist", source, target, row["checklist_flags"])


def _entry(row: Row, part: str, stage: str, source: dict[str, str], target: dict[str, str], flags: Sequence[str]) -> QueueEntry:
    values: dict[str, Any] = {
        "id": f"item:{row['subset']}:{row['id']}/{part}",
        "kind": "item",
        "stage": stage,
        "subset": row["subset"],
        "title": row["query"][:120],
        "prompt": wording()[stage],
        "source": source,
        "target": target,
        "affected": [row["id"]],
        "flags": [flag for flag in flags if flag],
    }
    return QueueEntry.model_validate(values)
