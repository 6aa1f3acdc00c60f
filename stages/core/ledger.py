"""The ledger: what became of every source item, read together from the rows that the stages left.

Each stage leaves rows.jsonl (kept) and rejected.jsonl below data/<stage>/<subset>/. Rows only gain columns, so the last row
of an item holds its story, and the totals must reconcile: the rows that a stage kept are exactly those that the next one
kept or rejected. Nothing here is a table of its own that could disagree with the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row

ORDER = ("ingest", "correct", "hypertranslate", "normalize", "synthesize", "validate")
"""The stages that every item of a SpokenQA subset passes, first to last; other builds name theirs."""


@dataclass(frozen=True)
class Item:
    """One source item and where it ended."""

    id: str
    subset: str
    row: Row
    """Its columns as far as it came, without the rejection's."""
    stage: str
    """The stage that rejected it, or the last one that kept it."""
    reason: str | None = None
    """Why it was rejected; None for an item that was kept."""
    rule_id: str = ""
    detail: str = ""
    order: tuple[str, ...] = ORDER
    """The stages that it has to pass."""

    @property
    def released(self) -> bool:
        return self.reason is None and self.stage == self.order[-1]

    def passed(self, stage: str) -> bool:
        """Whether `stage` kept it."""
        return stage in self.order and self.order.index(self.stage) - (self.reason is not None) >= self.order.index(stage)


@dataclass(frozen=True)
class Ledger:
    subset: str
    items: list[Item]
    """In order of id; every ingested item once."""
    order: tuple[str, ...] = ORDER

    def counts(self) -> dict[str, Any]:
        """Integers: source, reviewed, corrected, redesigned, rejected, released, and `reasons` ("stage: reason" to count).

        A corrected item has a label that the review replaced; a redesigned one became an equivalent task. Either may have
        been rejected later, so the columns need not add up; source = rejected + released does.
        """
        reviewed = [item for item in self.items if item.passed("correct") and item.row["correction"] != "not_reviewed"]
        reasons = Counter(f"{item.stage}: {item.reason}" for item in self.items if item.reason is not None)
        return {
            "source": len(self.items),
            "reviewed": len(reviewed) + reasons["correct: unresolved"],
            "corrected": sum(item.row["correction"] == "corrected" for item in reviewed),
            "redesigned": sum(item.passed("hypertranslate") and item.row["category"] == "equivalent_replacement" for item in self.items),
            "rejected": sum(reasons.values()),
            "released": sum(item.released for item in self.items),
            "reasons": dict(sorted(reasons.items(), key=lambda pair: (self.order.index(pair[0].split(":")[0]), pair[0]))),
        }


def read(root: Path, subset: str, order: tuple[str, ...] = ORDER, unreconciled: Callable[[str], None] | None = None) -> Ledger:
    """The ledger of a subset that has passed every stage of `order`.

    Raises UserError when a stage's rows are missing, or when they do not reconcile, with the first item and the stage.
    Where `unreconciled` is given it is told the latter instead, and the reading goes on.
    """
    items: list[Item] = []
    before: list[str] | None = None
    for stage in order:
        folder = root / "data" / stage / subset
        if stage == order[-1]:
            items += [Item(row["id"], subset, row, stage, order=order) for row in files.read_jsonl(folder / "rows.jsonl")]
            kept = [item.id for item in items if item.released]
        else:
            kept = _ids(folder / "rows.jsonl")
        rejected = [replace(_rejection(row, subset, stage), order=order) for row in files.read_jsonl(folder / "rejected.jsonl")]
        try:
            _reconcile(before, kept, rejected, stage, subset)
        except UserError as error:
            if unreconciled is None:
                raise
            unreconciled(str(error))
        items += rejected
        before = kept
    return Ledger(subset, sorted(items, key=lambda item: item.id), order)


def left_out(root: Path, subset: str, stage: str) -> tuple[int, Counter[tuple[str, str]]]:
    """(items that `stage` kept, reason and rule id of those that it rejected to their number), a line in memory at a time."""
    folder = root / "data" / stage / subset
    try:
        with (folder / "rows.jsonl").open("rb") as lines:
            kept = sum(1 for line in lines if line.strip())
        with (folder / "rejected.jsonl").open("rb") as lines:
            rejected = (orjson.loads(line) for line in lines if line.strip())
            return kept, Counter((row["reason"], row["rule_id"]) for row in rejected)
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        raise UserError(f"{folder} is missing or damaged; run `dvc repro` to make it again.") from None


def _ids(path: Path) -> list[str]:
    """The ids alone; several times faster than reading whole rows."""
    try:
        return [orjson.loads(line)["id"] for line in path.read_bytes().splitlines()]
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        files.read_jsonl(path)  # says what is wrong with the file
        raise UserError(f"{path} has a row without 'id'; run `dvc repro` to make it again.") from None


def _rejection(row: Row, subset: str, stage: str) -> Item:
    rest = dict(row)
    try:
        reason, rule_id, detail = rest.pop("reason"), rest.pop("rule_id"), rest.pop("detail")
        return Item(rest["id"], subset, rest, stage, reason, rule_id, detail)
    except KeyError as error:
        raise UserError(f"data/{stage}/{subset}/rejected.jsonl has a row without {error.args[0]!r}; run `dvc repro` to make it again.") from None


def _reconcile(before: list[str] | None, kept: list[str], rejected: list[Item], stage: str, subset: str) -> None:
    after = Counter(kept + [item.id for item in rejected])
    where = f"data/{stage}/{subset}"
    twice = sorted(id for id, count in after.items() if count > 1)
    if twice:
        raise UserError(f"Item {twice[0]} is in {where} {after[twice[0]]} times, kept or rejected; run `dvc repro` to make it again.")
    if before is None:
        return
    lost, invented = sorted(set(before) - after.keys()), sorted(after.keys() - set(before))
    if lost:
        raise UserError(f"Item {lost[0]} came to {where} and is neither kept nor rejected there ({len(lost)} such items); run `dvc repro`.")
    if invented:
        raise UserError(f"Item {invented[0]} is in {where} but did not come from the stage before it ({len(invented)} such items); run `dvc repro`.")


def find(root: Path, id: str, order: tuple[str, ...] = ORDER) -> Item | None:
    """The item `id` of whatever has been built so far by the stages of `order`, or None. Reads only the lines that name it."""
    return next(find_all(root, id, order), None)


def find_all(root: Path, id: str, order: tuple[str, ...] = ORDER) -> Iterator[Item]:
    """As find, in every subset that has it: several models answer one query."""
    for ingested in sorted((root / "data" / order[0]).glob("*/rows.jsonl")):
        subset = ingested.parent.name
        found: Item | None = None
        for stage in order:
            folder = root / "data" / stage / subset
            kept, rejected = _line(folder / "rows.jsonl", id), _line(folder / "rejected.jsonl", id)
            if rejected is not None:
                found = replace(_rejection(rejected, subset, stage), order=order)
                break
            if kept is None:
                break
            found = Item(id, subset, kept, stage, order=order)
        if found is not None:
            yield found


def _line(path: Path, id: str) -> Row | None:
    if not path.exists():
        return None
    needle = f'"id":{orjson.dumps(id).decode()}'.encode()
    with path.open("rb") as lines:
        for line in lines:
            if needle in line:
                try:
                    row = files.nfc(orjson.loads(line))
                except orjson.JSONDecodeError:
                    files.read_jsonl(path)  # says which line is wrong
                    raise
                if row.get("id") == id:
                    return dict(row)
    return None


def ids(root: Path) -> Iterator[str]:
    """Every ingested id, kept or not."""
    for path in sorted((root / "data" / ORDER[0]).glob("*/r*.jsonl")):
        yield from (found.decode() for found in re.findall(rb'"id":"([a-z0-9_-]+-\d+)"', path.read_bytes()))
