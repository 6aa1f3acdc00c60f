"""The command that runs acceptance tables, on the handed table where it is at hand and on rows of our own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.evaluate.cases import values
from stages.evaluate.scorers.base import Mode

TABLE = ROOT.parent / "shared/cases/eval_cases_open.jsonl"
needs_table = pytest.mark.skipif(not TABLE.exists(), reason="the handed table is not at hand")


def rows() -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in TABLE.read_bytes().splitlines()]


def same(got: Any, right: Any) -> bool:
    if isinstance(right, dict):
        return isinstance(got, dict) and got.keys() == right.keys() and all(same(got[key], right[key]) for key in right)
    if isinstance(right, bool) or isinstance(got, bool) or not isinstance(right, (int, float)):
        return got is right if isinstance(right, bool) else got == right
    return isinstance(got, (int, float)) and got == pytest.approx(right, abs=1e-5)


@needs_table
@pytest.mark.parametrize(("mode", "key"), [("fixed", "right_value"), ("compat", "peer_value")])
def test_the_handed_table(mode: Mode, key: str) -> None:
    table = [row for row in rows() if not any(word in orjson.dumps(row[key]).decode() for word in ("RANDOM", "NONDET", "ERROR"))]
    got = values(table, mode)
    wrong = [(row["id"], one["value"], row[key]) for row, one in zip(table, got, strict=True) if not same(one["value"], row[key])]
    assert not wrong


def test_the_command_writes_one_line_a_row_in_order(tmp_path: Path) -> None:
    item = {"prompt": "Which one? A tea B milk", "choices": {"A": "tea", "B": "milk"}, "reference": "B"}
    table = [{"id": name, "protocol": "voicebench", "subset": "mmsu", "item": item, "response": text} for name, text in (("z", "B"), ("a", ""))]
    (tmp_path / "t.jsonl").write_bytes(b"\n".join(map(orjson.dumps, table)))
    command = [sys.executable, "-m", "stages.evaluate.cases", str(tmp_path / "t.jsonl"), "--mode", "fixed"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert [orjson.loads(line) for line in done.stdout.splitlines()] == [{"id": "z", "value": "B"}, {"id": "a", "value": None}]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"id": "r1", "protocol": "voicebnch", "subset": "mmsu", "item": {}, "response": ""}, "Did you mean 'voicebench'"),
        ({"id": "r1", "protocol": "voicebench", "subset": "mmsuu", "item": {}, "response": ""}, "Did you mean 'mmsu'"),
        ({"id": "r1", "protocol": "voicebench", "subset": "repeat-check", "item": {}, "response": ""}, "shape"),
    ],
)
def test_a_row_that_cannot_be_scored_is_named(row: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence) as caught:
        values([row], "fixed")
    assert "r1" in str(caught.value)
