"""What changed between two releases, why, what it does to scores, and which version it asks for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from stages.core import files
from stages.core.errors import UserError
from stages.publish import compare, diff, effects, folder, notes
from stages.publish.compare import Entry, Release
from tests.publish.builds import Build, flac, synthesized
from tests.publish.test_folder import settings

PARTS = {"mmsu": {"config": "mmsu", "capability": "knowledge"}}


def entry(answer: str = "a", audio: str = "1", **told: Any) -> Entry:
    return Entry({"id": "x", "answer": answer}, audio, told)


def release(rows: dict[str, Entry], refused: dict[str, dict[str, str]] | None = None, **more: Any) -> Release:
    return Release("v1.0.0", {"mmsu": rows}, refused or {}, {"mmsu": ["id", "audio", "answer"]}, **more)


REFUSED = {"stage": "validate", "reason": "erratum", "rule_id": "erratum:m-1", "detail": "two options are right"}


def test_each_kind_of_change_has_its_reason() -> None:
    before = release(
        {"m-1": entry(), "m-2": entry(spoken="a"), "m-3": entry(), "m-4": entry(spoken="a"), "m-5": entry(), "m-8": entry(target_answer="a")},
        {"m-6": {**REFUSED, "reason": "unintelligible", "stage": "synthesize", "rule_id": "max_cer"}},
    )
    after = release(
        {
            "m-2": entry(audio="2", spoken="b"), "m-3": entry(), "m-4": entry(spoken="a", cer=0.1), "m-6": entry(), "m-7": entry(),
            "m-8": entry("b", target_answer="b", errata=["erratum of 2026-12-01 by kim: corrected target_answer"]),
        },
        {"m-1": REFUSED},
    )  # fmt: skip
    found = compare.compare(before, after)
    assert [(c.id, c.kind, c.fields, c.audio, c.reason) for c in found.changes] == [
        ("m-1", "removed", {}, False, "validate: erratum (erratum:m-1): two options are right"),
        ("m-2", "changed", {}, True, "normalize: spoken"),
        ("m-5", "removed", {}, False, "not among the source items of this build"),
        ("m-6", "added", {}, False, "no longer rejected by synthesize as unintelligible (max_cer)"),
        ("m-7", "added", {}, False, "a source item that the release before did not have"),
        ("m-8", "changed", {"answer": ("a", "b")}, False,
         "erratum of 2026-12-01 by kim: corrected target_answer (hypertranslate: target_answer)"),
    ]  # fmt: skip
    assert found.told == ["m-4"]
    assert notes.summary(found) == "2 rows added, 2 rows removed, 2 rows changed (audio of 1), provenance alone of 1 rows changed"


@pytest.mark.parametrize(
    ("after", "level", "version"),
    [
        (release({"m-1": entry()}), "patch", "1.2.4"),
        (release({"m-1": entry(cer=0.2)}), "patch", "1.2.4"),
        (release({"m-1": entry("b")}), "minor", "1.3.0"),
        (release({"m-1": entry(), "m-2": entry()}), "minor", "1.3.0"),
        (release({}), "minor", "1.3.0"),
        (Release("b", {}, {}, {}), "major", "2.0.0"),
        (Release("b", {"mmsu": {"m-1": entry()}}, {}, {"mmsu": ["id", "audio", "reference"]}), "major", "2.0.0"),
    ],
)
def test_the_version_says_what_a_change_means_to_users(after: Release, level: str, version: str) -> None:
    found = compare.compare(release({"m-1": entry()}), after)
    assert found.level() == level
    assert notes.next_version("v1.2.3", level) == version
    notes.check_version("KVoiceBench", version, "v1.2.3", found)
    notes.check_version("KVoiceBench", "3.0.0", "v1.2.3", found)
    with pytest.raises(UserError, match=rf"has {level} changes since 1\.2\.3, so it cannot be released as 1\.2\.3; set .* to {version}"):
        notes.check_version("KVoiceBench", "1.2.3", "v1.2.3", found)


def score(root: Path, model: str, rows: dict[str, float | None], language: str = "ko") -> None:
    lines = [{"id": f"KVoiceBench/{id}", "item_id": id, "language": language, "value": value} for id, value in rows.items()]
    files.write_jsonl(root / f"data/score/{model}/rows.jsonl", lines)


def test_stored_scores_tell_what_a_change_does_to_them(tmp_path: Path) -> None:
    before = release({f"m-{n}": entry() for n in range(5)})
    after = release({"m-0": entry(), "m-1": entry(), "m-2": entry("b"), "m-4": entry()}, {"m-3": REFUSED})
    score(tmp_path, "careful", {"m-0": 100.0, "m-1": 0.0, "m-2": 100.0, "m-3": 100.0, "m-4": None, "other-1": 50.0})
    score(tmp_path, "english", {"m-2": 100.0}, "en")
    [effect] = effects.measure(tmp_path, before, compare.compare(before, after), "ko")
    assert (effect.name, effect.n, effect.before, effect.after, effect.difference, effect.stale) == ("careful, mmsu", 4, 75.0, 50.0, -25.0, 1)
    text = notes.write("KVoiceBench", "1.1.0", compare.compare(before, after), [effect], ["README.md"])
    assert "| careful, mmsu | 4 | 75.00 | 50.00 | -25.00 | 1 |" in text
    assert "| `m-3` | validate: erratum (erratum:m-1): two options are right |" in text
    assert text.startswith("# KVoiceBench 1.1.0\n\nSince 1.0.0: 1 rows removed, 1 rows changed (audio of 0). This is a minor release")


@pytest.fixture
def build(tmp_path: Path) -> Path:
    Build(tmp_path).subset("mmsu", [synthesized("mmsu", index) for index in range(3)])
    files.write_json(tmp_path / "data/config.json", {"releases": {"KVoiceBench": chosen().model_dump()}})
    folder.publish(chosen(), tmp_path)
    return tmp_path


def chosen(**changes: Any) -> Any:
    return settings(**{"subsets": PARTS, "rulebooks": [], "prompts": [], **changes})


def test_a_release_in_a_folder_is_compared_without_a_hub(build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old"
    shutil.copytree(build / "data/publish/KVoiceBench", old)
    diff.main(["KVoiceBench", f"against={old}"], build)
    assert capsys.readouterr().out == "No row differs from old.\n"
    rows = [synthesized("mmsu", index) for index in range(3)]
    rows[1] = synthesized("mmsu", 1, flac(1), target_answer="ㄱ", target_answers=["ㄱ"])
    Build(build).subset("mmsu", rows, {"mmsu-00002": ("hypertranslate", "deletion")})
    folder.publish(chosen(), build)
    diff.main(["KVoiceBench", f"against={old}", "--json"], build)
    facts = json.loads(capsys.readouterr().out)
    assert [(c["id"], c["kind"], c["fields"], c["reason"]) for c in facts["changes"]] == [
        ("mmsu-00001", "changed", {"answer": ["ㄴ", "ㄱ"]}, "hypertranslate: target_answer, target_answers"),
        ("mmsu-00002", "removed", {}, "hypertranslate: deletion (hypertranslate.rule): seen by a test"),
    ]


def test_a_release_of_others_without_provenance_is_compared_by_its_rows_and_audio(build: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(build / "data/publish/KVoiceBench", old)
    shutil.rmtree(old / "provenance")
    now = compare.from_folder(build / "data/publish/KVoiceBench")
    assert compare.compare(compare.from_folder(old), now).changes == []
    path = old / "mmsu/test-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["audio"]["bytes"] = flac(77)
    pq.write_table(type(table).from_pylist(rows, schema=table.schema), path)
    [change] = compare.compare(compare.from_folder(old), now).changes
    assert (change.id, change.fields, change.audio) == ("mmsu-00000", {}, True)


def test_croissant_metadata_is_valid_and_read_by_its_own_library(build: Path, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant")
    script = """
import json, sys, warnings
warnings.simplefilter("ignore")
import mlcroissant
data = mlcroissant.Dataset(sys.argv[1])
issues = data.metadata.ctx.issues
sets = {record.name: [field.name for field in record.fields] for record in data.metadata.record_sets}
description = json.load(open(sys.argv[1]))
for field in description["recordSet"][0]["field"]:
    if field["dataType"] == "sc:AudioObject":  # decoding would want another library
        description["recordSet"][0]["field"].remove(field)
json.dump(description, open(sys.argv[2], "w"))
rows = [{key.split("/")[-1]: value.decode() for key, value in row.items()} for row in mlcroissant.Dataset(sys.argv[2]).records("mmsu")]
print(json.dumps([sorted(issues.errors), sets, rows]))
"""
    out = build / "data/publish/KVoiceBench"
    ran = subprocess.run(
        [sys.executable, "-c", script, str(out / "croissant.json"), str(out / "text.json")], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    errors, sets, rows = json.loads(ran.stdout.splitlines()[-1])
    assert errors == []
    assert sets == {"mmsu": [f"mmsu/{column}" for column in ("id", "audio", "transcription", "answer", "capability")]}
    assert [(row["id"], row["answer"]) for row in rows] == [(f"mmsu-0000{n}", "ㄴ") for n in range(3)]
