from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.settings import Settings
from stages.core.stage import Outcome, Rejection, Stage
from tests.core.test_schemas import ROW


class Keep(Settings):
    keep: list[int]


def _corrected(row: dict[str, Any]) -> dict[str, Any]:
    added = {"correction": "not_reviewed", "correction_type": None, "correction_reason": None, "correction_requests": []}
    return {**row, **added, "corrected_reference": row["reference"], "corrected_references": row["references"]}


def _keep_some(rows: list[dict[str, Any]], settings: Keep, tools: None) -> Outcome:
    kept = [_corrected(row) for row in reversed(rows) if row["source_index"] in settings.keep]
    rejected = [Rejection(row, "unwanted", "keep", "not in the list") for row in rows if row["source_index"] not in settings.keep]
    return Outcome(kept, rejected, {"seen": len(rows)})


def _stage(run: Any = _keep_some) -> Stage:
    return Stage("correct", run, Keep, reads="ingest", input_schema="Ingested", output_schema="Corrected")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [{**ROW, "id": f"bbh-test-{n:05d}", "source_index": n} for n in range(3)]
    files.write_jsonl(tmp_path / "data/ingest/bbh/rows.jsonl", rows)
    return tmp_path


def test_rows_rejected_rows_and_report_are_written(root: Path) -> None:
    report = runner.run_stage(_stage(), "bbh", {"keep": [0, 2]}, root)
    out = root / "data/correct/bbh"
    assert [row["id"] for row in files.read_jsonl(out / "rows.jsonl")] == ["bbh-test-00000", "bbh-test-00002"]
    [rejected] = files.read_jsonl(out / "rejected.jsonl")
    assert (rejected["id"], rejected["reason"], rejected["rule_id"], rejected["detail"]) == ("bbh-test-00001", "unwanted", "keep", "not in the list")
    assert rejected["prompt"] == ROW["prompt"]
    assert report == files.read_json(root / "data/reports/correct/bbh.json")
    assert {k: report[k] for k in ("n_in", "n_kept", "n_rejected", "reasons", "seen")} == {
        "n_in": 3,
        "n_kept": 2,
        "n_rejected": 1,
        "reasons": {"unwanted": 1},
        "seen": 3,
    }


def test_the_same_input_gives_the_same_bytes(root: Path) -> None:
    runner.run_stage(_stage(), "bbh", {"keep": [1, 2]}, root)
    first = {path.name: path.read_bytes() for path in (root / "data/correct/bbh").iterdir()}
    runner.run_stage(_stage(), "bbh", {"keep": [1, 2]}, root)
    assert first == {path.name: path.read_bytes() for path in (root / "data/correct/bbh").iterdir()}


def test_a_stage_that_loses_or_doubles_a_row_does_not_pass(root: Path) -> None:
    for faulty in (lambda rows, s, t: Outcome([]), lambda rows, s, t: Outcome([_corrected(rows[0])] * 2 + [_corrected(r) for r in rows[1:]])):
        with pytest.raises(AssertionError, match="bbh-test-0000"):
            runner.run_stage(_stage(faulty), "bbh", {"keep": []}, root)
    assert not (root / "data/correct").exists()


def test_bad_input_rows_are_refused_before_the_stage_runs(root: Path) -> None:
    files.write_jsonl(root / "data/ingest/bbh/rows.jsonl", [{**ROW, "format": "essay"}])
    with pytest.raises(UserError, match=r"Item bbh-test-00000 in data/ingest/bbh/rows.jsonl has 'essay'"):
        runner.run_stage(_stage(), "bbh", {"keep": []}, root)


def test_a_misspelt_setting_names_its_full_key(root: Path) -> None:
    with pytest.raises(UserError, match=r"Config key subsets\.bbh\.correct\.kep is unknown\. Did you mean 'keep'\?"):
        runner.run_stage(_stage(), "bbh", {"keep": [], "kep": []}, root)


def test_a_sweep_writes_beside_the_build(root: Path) -> None:
    runner.run_stage(_stage(), "bbh", {"keep": [0]}, root, root / "sweep/0")
    assert (root / "sweep/0/rows.jsonl").exists()
    assert (root / "sweep/0/report.json").exists()
    assert not (root / "data/correct").exists()
