"""What a changed release does to scores that are stored already (data/score/<model>/rows.jsonl): which hold, and by how much they move."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from stages.core import files
from stages.core.files import Row
from stages.publish.compare import Diff, Release


@dataclass(frozen=True)
class Effect:
    """One model's score on one config."""

    name: str
    n: int
    """Scored items of the release before."""
    before: float
    after: float | None
    """Over the items that are still there and unchanged; None when there are none."""
    stale: int
    """Items whose question, answer or audio changed: their scores say nothing of the new release."""

    @property
    def difference(self) -> float | None:
        return None if self.after is None else self.after - self.before


def measure(root: Path, before: Release, diff: Diff, language: str) -> list[Effect]:
    """The effects on every stored score that covers a removed or changed item, by model and config."""
    gone = {change.id for change in diff.of("removed")}
    changed = {change.id for change in diff.of("changed")}
    config_of = {id: config for config, rows in before.rows.items() for id in rows}
    found: list[Effect] = []
    for path in sorted((root / "data" / "score").glob("*/rows.jsonl")):
        values: dict[str, dict[str, float]] = defaultdict(dict)
        for row in files.read_jsonl(path):
            id = str(row.get("item_id", row.get("id")))
            if id in config_of and row.get("language", language) == language and (value := _value(row)) is not None:
                values[config_of[id]][id] = value
        for config, scores in sorted(values.items()):
            if not scores.keys() & (gone | changed):
                continue
            kept = [value for id, value in scores.items() if id not in gone and id not in changed]
            after = statistics.fmean(kept) if kept else None
            stale = len(scores.keys() & changed)
            found.append(Effect(f"{path.parent.name}, {config}", len(scores), statistics.fmean(scores.values()), after, stale))
    return found


def _value(row: Row) -> float | None:
    value = row.get("value", row.get("score"))
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
