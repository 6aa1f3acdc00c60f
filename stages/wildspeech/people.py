"""What people decided about queries and checklists at the desk (topic `wildspeech`), and the entries that are put to them.

The name of an entry holds a digest of its texts: a verdict on a text that has changed since is a verdict on something else.
One rejection removes an item; of several edits the latest counts; accepted is what enough people accepted or edited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from stages.core import verdicts
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Rejection
from stages.core.verdicts import Verdict, content_key

TOPIC = "wildspeech"


class ReviewSettings(Settings):
    required: bool = True
    """Whether only what people accepted goes on; otherwise what nobody rejected."""
    min_reviewers: int = Field(1, ge=1)


class Ruling(NamedTuple):
    state: Literal["accepted", "rejected", "open"]
    said: list[str]
    """`reviewer date: verdict`, of every verdict that counts."""
    reason: str


EntryOf = Callable[[Row], dict[str, Any]]
"""A row to the entry that people judge."""
Apply = Callable[[Row, dict[str, str]], Row]
"""(row, texts as edited) to the row with them. Raises UserError for texts that cannot be used."""


class Judged(NamedTuple):
    left: list[tuple[Row, bool]]
    """(row, whether enough people accepted it)"""
    refused: list[Rejection]


@dataclass
class People:
    """Verdicts by the name of their entry."""

    by_entry: dict[str, list[Verdict]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def settle(self, row: Row, entry_of: EntryOf, apply: Apply, settings: ReviewSettings) -> tuple[Row, Ruling]:
        """`row` as people left it, and what they made of it. An edited text is an entry of its own, on which others may say more."""
        said: list[str] = []
        who: set[str] = set()
        asked: set[str] = set()
        while (entry := entry_of(row))["id"] not in asked:
            asked.add(entry["id"])
            given = self.by_entry.get(entry["id"], [])
            self.used |= {entry["id"]} if given else set()
            said += [f"{verdict.reviewer} {verdict.date}: {verdict.verdict}" for verdict in given]
            who |= {verdict.reviewer for verdict in given}
            if against := [verdict for verdict in given if verdict.verdict == "reject"]:
                return row, Ruling("rejected", said, "; ".join(f"{verdict.reviewer}: {verdict.reason}" for verdict in against))
            edits = sorted((verdict for verdict in given if verdict.verdict == "edit"), key=lambda verdict: (verdict.date, verdict.reviewer))
            if edits:
                row = apply(row, edits[-1].edit)
        return row, Ruling("accepted" if len(who) >= settings.min_reviewers else "open", said, "")

    def judge(self, rows: Sequence[Row], stage: str, said: str, entry_of: EntryOf, apply: Apply, settings: ReviewSettings) -> Judged:
        """`rows` as people left them, the column `said` telling their verdicts."""
        judged = Judged([], [])
        for row in rows:
            row, ruling = self.settle(row, entry_of, apply, settings)
            row = {**row, said: ruling.said}
            if ruling.state == "rejected":
                judged.refused.append(Rejection(row, "rejected_by_reviewer", f"review.{stage}", ruling.reason))
            else:
                judged.left.append((row, ruling.state == "accepted"))
        return judged

    def report(self, subset: str, part: str) -> dict[str, Any]:
        """How many entries of a kind have verdicts, and the verdicts on texts that are not there (any more)."""
        of_part = [entry for entry in self.by_entry if entry.startswith(f"item:{subset}:") and entry.split("/")[1:2] == [part]]
        return {"with_verdicts": len(self.used), "unused": sorted(set(of_part) - self.used)}


def read(root: Path) -> People:
    """Everybody's last verdicts. Raises UserError for a damaged file."""
    return People(verdicts.read(root, TOPIC))


@cache
def wording() -> dict[str, dict[str, str]]:
    """What people are asked, in the desk's two languages."""
    import yaml

    asked: dict[str, dict[str, str]] = yaml.safe_load((Path(__file__).parent / "wording.yaml").read_text(encoding="utf-8"))
    return asked


def query_entry(row: Row) -> dict[str, Any]:
    """Whether a chosen query belongs into the benchmark; query, category and topic may be edited."""
    target = {"query": row["query"], "category": row["category"], "topic": row["topic"]}
    flags = [f"screening: {row['screening']}", f"commonness: {row['commonness']}", f"difficulty: {row['difficulty']}"]
    return _entry(row, "query", "select", {"original_query": row["original_query"]}, target, flags)


PARALINGUISTIC_TEXTS = ("delivery", "meant", "other", "must_notice")


def paralinguistic_entry(row: Row) -> dict[str, Any]:
    """Whether a paralinguistic item works: the query said so, both readings, and what a right answer must notice."""
    source = {"kind": row["kind"], "query": row["query"], "contrast": row["contrast"] or ""}
    return _entry(row, "item", "paralinguistic", source, {column: row[column] or "" for column in PARALINGUISTIC_TEXTS}, [])


def checklist_entry(row: Row) -> dict[str, Any]:
    """Whether the points of a checklist are the right ones; a point that is emptied goes."""
    source = {"query": row["query"]} | {column: row[column] for column in ("meant", "must_notice") if row[column]}
    target = {f"point_{number}": point for number, point in enumerate(row["checklist"], 1)}
    return _entry(row, "checklist", "checklist", source, target, row["checklist_flags"])


def _entry(row: Row, part: str, stage: str, source: dict[str, str], target: dict[str, str], flags: Sequence[str]) -> dict[str, Any]:
    """In the form of stages/review/queue.py."""
    return {
        "id": f"item:{row['subset']}:{row['id']}/{part}/{content_key([*source.values(), *target.values()])}",
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
