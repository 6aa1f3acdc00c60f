"""Rows that pass one by one: reading, checking, accounting and writing in bounded memory.

For sources of millions of rows. A few thousand rows at a time are checked against their schema; that every row came out
again is seen from an order-free checksum of the ids, not from a list of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from stages.core import files
from stages.core.files import Row
from stages.core.stage import Flow, Rejection

CHECKED_AT_ONCE = 2_000


@dataclass
class Ids:
    """A multiset of ids, as far as two of them can be compared: equal sets have equal sums, and unequal ones practically never."""

    count: int = 0
    total: int = 0

    def add(self, id: str) -> None:
        self.count += 1
        self.total += int.from_bytes(hashlib.blake2b(id.encode(), digest_size=16).digest(), "little")


@dataclass
class Source:
    """The rows of some files, in order, checked while they are drawn. `ids` are those drawn so far."""

    paths: list[Path]
    schema: str | None
    root: Path
    ids: Ids = field(default_factory=Ids)

    def __iter__(self) -> Iterator[Row]:
        for path in self.paths:
            for rows in _chunks(files.stream_jsonl(path)):
                check(rows, self.schema, str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path))
                for row in rows:
                    self.ids.add(row["id"])
                    yield row


@dataclass
class Counts:
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ids: Ids = field(default_factory=Ids)


def check(rows: list[Row], schema: str | None, where: str) -> None:
    if schema is not None:
        from stages.core import schemas

        schemas.check(rows, schema, where)


def write(flow: Flow, out: Path, schema: str, source: Source | None) -> Counts:
    """Draw the flow's results into rows.jsonl and rejected.jsonl (in the order of decision) below `out`.

    Raises UserError for a row that does not fit the schema, AssertionError where kept rows do not ascend by id or the results
    are not the rows of `source` (None for a stage that takes no rows). Nothing is written then.
    """
    counts = Counts()
    with (
        files.replacing(out / "rows.jsonl") as kept_path,
        files.replacing(out / "rejected.jsonl") as rejected_path,
        kept_path.open("wb") as kept,
        rejected_path.open("wb") as rejected,
    ):
        _draw(flow, kept, rejected, counts, schema, str(out / "rows.jsonl"))
        if source is not None and counts.ids != source.ids:
            raise AssertionError(f"the stage of {out} does not account for every row: {source.ids.count} in, {counts.ids.count} out")
    return counts


def _draw(flow: Flow, kept: BinaryIO, rejected: BinaryIO, counts: Counts, schema: str, where: str) -> None:
    chunk: list[Row] = []
    last = ""
    for result in flow.results:
        if isinstance(result, Rejection):
            counts.ids.add(result.row["id"])
            counts.reasons[result.reason] += 1
            rejected.write(_line({**result.row, "reason": result.reason, "rule_id": result.rule_id, "detail": result.detail}))
            continue
        if result["id"] <= last:
            raise AssertionError(f"{result['id']} comes after {last}; a streamed stage keeps rows in the order of their ids")
        last = result["id"]
        counts.ids.add(last)
        counts.kept += 1
        chunk.append(result)
        if len(chunk) == CHECKED_AT_ONCE:
            check(chunk, schema, where)
            kept.writelines(map(_line, chunk))
            chunk = []
    check(chunk, schema, where)
    kept.writelines(map(_line, chunk))


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHECKED_AT_ONCE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
