from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.paths import ROOT

ROW: dict[str, Any] = {
    "id": "bbh-test-00000",
    "subset": "bbh",
    "format": "bbh",
    "source": "voicebench",
    "source_config": "bbh",
    "source_split": "test",
    "source_id": "navigate_0",
    "source_index": 0,
    "source_revision": "r",
    "licence": "CC0-1.0",
    "source_columns": "{}",
    "task": "navigate",
    "prompt": "Take 2 steps.",
    "reference": "yes",
    "references": ["yes"],
    "options": [],
    "instructions": [],
    "has_source_audio": False,
    "source_audio_sha256": None,
    "source_audio_path": None,
}


def test_good_rows_pass() -> None:
    schemas.check([ROW, {**ROW, "id": "bbh-test-00001", "options": [{"label": "A", "text": "x"}]}], "Ingested", "rows.jsonl")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"prompt": 3}, "Item bbh-test-00000 in rows.jsonl has 3 in column 'prompt', which must be String."),
        ({"prompt": None}, "Item bbh-test-00000 in rows.jsonl has None in column 'prompt', which fails the check not_nullable."),
        ({"format": "essay"}, "Item bbh-test-00000 in rows.jsonl has 'essay' in column 'format', which fails the check isin"),
        ({"source_index": -1}, "Item bbh-test-00000 in rows.jsonl has '-1' in column 'source_index'"),
        ({"options": ["x"]}, "Item bbh-test-00000 in rows.jsonl has ['x'] in column 'options', which must be List"),
        ({"id": "BBH 1"}, "Item BBH 1 in rows.jsonl has 'BBH 1' in column 'id'"),
        ({"note": "x"}, "Item bbh-test-00000 in rows.jsonl has the unknown column 'note'"),
    ],
)
def test_a_bad_value_names_item_column_and_check(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError) as error:
        schemas.check([{**ROW, **change}], "Ingested", "rows.jsonl")
    assert str(error.value).startswith(sentence)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(UserError, match=r"Item bbh-test-00000 in rows.jsonl lacks the column 'task'"):
        schemas.check([{key: value for key, value in ROW.items() if key != "task"}], "Ingested", "rows.jsonl")


def test_two_rows_with_one_id_are_named() -> None:
    with pytest.raises(UserError, match=r"Two rows in rows\.jsonl have the id bbh-test-00000"):
        schemas.check([ROW, ROW], "Ingested", "rows.jsonl")


def test_each_schema_is_the_one_before_it_and_more() -> None:
    previous: set[str] = set()
    for name in ["Ingested", "Corrected", "Hypertranslated", "Normalized", "Synthesized", "Validated"]:
        now = set(schemas.columns(name))
        assert previous < now
        previous = now


def test_a_validation_imports_no_backend_that_is_not_used() -> None:
    """pandera would import hypothesis, and with it pytest and trio, at its first validation: half a second of each stage."""
    script = (
        "import json, sys; from stages.core import schemas; schemas.check([json.loads(sys.argv[1])], 'Ingested', 'rows.jsonl');"
        "print([name for name in ('hypothesis', 'pandas') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, json.dumps(ROW)]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == "[]\n"
