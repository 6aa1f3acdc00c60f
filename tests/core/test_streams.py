"""Streamed stages: every row accounted for, nothing half written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Flow, Rejection, Stage


class Plain(Settings):
    drop: int = 0


def gathered(index: int) -> Row:
    return {
        "id": f"w-{index:07d}", "subset": "w", "source": "s", "source_revision": "r", "licence": "CC0-1.0", "source_file": "f", "source_index": index,
        "conversation_id": "c", "source_model": None, "source_language": "English", "query": "why", "n_words": 1,
    }  # fmt: skip


def _flow(rows: Iterator[Row], settings: Plain, tools: Any) -> Flow:
    def results() -> Iterator[Row | Rejection]:
        for row in rows:
            if row["source_index"] % 2 < settings.drop:
                yield Rejection({"id": row["id"]}, "odd", "test.odd")
            else:
                yield row

    return Flow(results(), {"note": 1})


STAGE = Stage("second", _flow, Plain, "first", "Gathered", "Gathered", group="wild", streamed=True)


def _source(root: Path, rows: list[Row]) -> None:
    files.write_jsonl(root / "data/first/w/rows.jsonl", rows)


def test_rows_pass_and_are_counted(tmp_path: Path) -> None:
    _source(tmp_path, [gathered(index) for index in range(4_500)])
    report = runner.run_stage(STAGE, "w", {"drop": 1}, tmp_path)
    assert (report["n_in"], report["n_kept"], report["n_rejected"], report["reasons"], report["note"]) == (4_500, 2_250, 2_250, {"odd": 2_250}, 1)
    assert len(files.read_jsonl(tmp_path / "data/second/w/rows.jsonl")) == 2_250
    assert files.read_jsonl(tmp_path / "data/second/w/rejected.jsonl")[0] == {"id": "w-0000000", "reason": "odd", "rule_id": "test.odd", "detail": ""}


def test_a_lost_row_is_a_bug(tmp_path: Path) -> None:
    _source(tmp_path, [gathered(index) for index in range(3)])

    def lose(rows: Iterator[Row], settings: Plain, tools: Any) -> Flow:
        all_rows = list(rows)
        return Flow(iter(all_rows[1:]))

    with pytest.raises(AssertionError, match="3 in, 2 out"):
        runner.run_stage(Stage("second", lose, Plain, "first", "Gathered", "Gathered", group="wild", streamed=True), "w", {}, tmp_path)


def test_an_exchanged_row_is_a_bug(tmp_path: Path) -> None:
    _source(tmp_path, [gathered(0), gathered(1)])

    def exchange(rows: Iterator[Row], settings: Plain, tools: Any) -> Flow:
        list(rows)
        return Flow(iter([gathered(0), gathered(2)]))

    with pytest.raises(AssertionError, match="does not account for every row"):
        runner.run_stage(Stage("second", exchange, Plain, "first", "Gathered", "Gathered", group="wild", streamed=True), "w", {}, tmp_path)


def test_a_row_that_does_not_fit_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    _source(tmp_path, [gathered(0), {**gathered(1), "n_words": 0}])
    with pytest.raises(UserError, match=r"Item w-0000001 in data/first/w/rows.jsonl has '0' in column 'n_words'"):
        runner.run_stage(STAGE, "w", {}, tmp_path)
    assert not (tmp_path / "data/second/w/rows.jsonl").exists()


def test_kept_rows_must_ascend(tmp_path: Path) -> None:
    _source(tmp_path, [gathered(1), gathered(0)])
    with pytest.raises(AssertionError, match="w-0000000 comes after w-0000001"):
        runner.run_stage(STAGE, "w", {}, tmp_path)
