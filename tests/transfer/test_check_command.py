from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stages.core.paths import ROOT
from tests.transfer.pairs import GOOD


def run(lines: list[Any], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "stages.transfer.check", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_line_gets_one_answer_in_order(tmp_path: Path) -> None:
    bad = {**GOOD["choice"], "target": {**GOOD["choice"]["target"], "answer": "C"}}
    done = run([{"id": "one", **GOOD["open"]}, {"id": "two", **bad}], tmp_path)
    assert done.returncode == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == {"id": "one", "failures": []}
    assert second["id"] == "two"
    assert second["failures"] == [{"check": "key", "detail": "the answer 'C' is not one of ㄱ ㄴ ㄷ ㄹ"}]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": "x", "source": {"prompt": "a"}}, "line 1 has no target object"),
        ({"id": "x", "source": {}, "target": {}}, "line 1 has no source.prompt"),
        ({"id": "x", "source": {"prompt": "a", "instruction_id_list": ["i"], "kwargs": [{}, {}]}, "target": {}}, "1 instruction ids and 2 kwargs"),
        ([1], "line 1 is not a JSON object"),
    ],
)
def test_bad_input_is_one_sentence(line: Any, told: str, tmp_path: Path) -> None:
    done = run([line], tmp_path)
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("example", ["pass_example", "fail_example"])
def test_the_acceptance_table(example: str, shared: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (shared / "cases" / "hypertranslation_open.jsonl").read_text(encoding="utf-8").splitlines()]
    done = run([{"id": row["id"], "source": row["source"], "target": row[example]} for row in rows], tmp_path)
    answers = {answer["id"]: answer["failures"] for answer in map(json.loads, done.stdout.splitlines())}
    assert len(answers) == len(rows)
    if example == "pass_example":
        assert {id: failures for id, failures in answers.items() if failures} == {}
    else:
        assert [row["id"] for row in rows if row["fail_detectable"] and not answers[row["id"]]] == []
