"""The funnel reconciles, an item's story crosses the chain, and a plan sees the stages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages import explain
from stages.core import files
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.ingest import wildchat
from stages.wildspeech import checklist, funnel, paralinguistic, select
from tests.wildspeech.conftest import queried


def build(root: Path) -> None:
    rows = [queried("w-0000001"), queried("w-0000002"), queried("w-0000003")]
    gone = [{"id": "w-0000004", "reason": "empty", "rule_id": "wildchat.empty", "detail": "the query is empty"}]
    _stage(root, "wildchat", rows, gone, [("empty", 4, 1)])
    _stage(
        root, "select", rows[:1], [{**row, "reason": "duplicate", "rule_id": "duplicate.same_text", "detail": "x"} for row in rows[1:]], [("t", 3, 2)]
    )


def _stage(root: Path, stage: str, rows: list[files.Row], rejected: list[files.Row], steps: list[tuple[str, int, int]]) -> None:
    files.write_jsonl(root / f"data/{stage}/w/rows.jsonl", rows)
    files.write_jsonl(root / f"data/{stage}/w/rejected.jsonl", rejected)
    lines = [{"step": name, "before": before, "removed": removed, "left": before - removed} for name, before, removed in steps]
    report = {"steps": lines, "n_in": len(rows) + len(rejected), "n_kept": len(rows)}
    files.write_json(root / f"data/reports/{stage}/w.json", report)


def test_every_step_and_reason_is_shown(tmp_path: Path) -> None:
    build(tmp_path)
    shown = "\n".join(funnel.lines(funnel.read(tmp_path, "w")))
    assert [line.split() for line in shown.splitlines() if line.startswith("  empty")] == [["empty", "4", "1", "3"]]
    assert "removed by duplicate.same_text 2" in shown


def test_rows_that_do_not_add_up_are_told(tmp_path: Path) -> None:
    build(tmp_path)
    files.write_jsonl(tmp_path / "data/select/w/rejected.jsonl", [])
    with pytest.raises(UserError, match="counts of select do not add up"):
        funnel.read(tmp_path, "w")
    build(tmp_path)
    _stage(tmp_path, "select", [queried("w-0000001")], [], [("t", 1, 0)])
    with pytest.raises(UserError, match="select got 1 rows, but the stages before it left 3"):
        funnel.read(tmp_path, "w")


def test_what_is_not_built_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Nothing of w has been built yet"):
        funnel.read(tmp_path, "w")


def test_chains_run_from_each_source_to_the_end() -> None:
    stages = [module.STAGE for module in (wildchat, select, paralinguistic, checklist)]
    assert explain.chains(stages) == [("wildchat", "select", "checklist"), ("paralinguistic", "checklist")]


def test_a_query_s_story_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path)
    files.write_json(tmp_path / "data/config.json", files.read_json(ROOT / "data/config.json"))
    explain.main(["w-0000001"], tmp_path)
    told = capsys.readouterr().out
    assert "built up to select" in told
    assert "screened: II, Science, commonness 4, difficulty 3: Clear." in told
    explain.main(["w-0000004"], tmp_path)
    assert "rejected by wildchat" in capsys.readouterr().out


def test_what_every_model_answered_stands_behind_the_query_s_story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path)
    files.write_json(tmp_path / "data/config.json", files.read_json(ROOT / "data/config.json"))
    heard = {"lead_s": 0.0, "tempo": 1.0, "text": "It scatters.", "verdict": "kept"}
    for talker, value in (("brief", 7.333333), ("rambling", None)):
        row = {"id": "w-0000001", "talker": talker, "reply": "spoken", "reply_s": 2.0, "readings": [heard], "wrong_language": False, "mark": value}
        marks = [{"transcript": 0, "mark": value, "request": "k"}]
        for stage in ("transcribe", "mark"):
            files.write_jsonl(tmp_path / f"data/{stage}/{talker}/rows.jsonl", [{**row, "marks": marks} if stage == "mark" else row])
            files.write_jsonl(tmp_path / f"data/{stage}/{talker}/rejected.jsonl", [])
    explain.main(["w-0000001"], tmp_path)
    told = capsys.readouterr().out
    assert told.index("screened: II") < told.index("reply of brief") < told.index("mark 7.33 (7.33333)") < told.index("reply of rambling")
    assert "no mark (unreadable)" in told
    explain.main(["w-0000001", "--json"], tmp_path)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["subset"], [one["subset"] for one in facts["answers"]]) == ("w", ["brief", "rambling"])
