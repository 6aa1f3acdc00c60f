"""The final table and the story of an item, from a finished build."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stages import explain, summary
from stages.core import files
from stages.core.errors import UserError
from stages.core.stage import Outcome, Stage
from stages.llm import ClientSettings
from stages.publish import folder
from tests.publish.builds import SCHEMA_OF, small
from tests.publish.test_folder import settings

SUBSETS = ["bbh", "mmsu", "ifeval", "trivia_qa", "alpacaeval_full"]
STAGES = {
    "ingest": "stages.ingest.stage",
    "correct": "stages.transfer.correct",
    "hypertranslate": "stages.transfer.hypertranslate",
    "normalize": "stages.transfer.normalize",
    "synthesize": "stages.transfer.synthesize",
    "validate": "stages.publish.validate",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    small(tmp_path)
    files.write_json(tmp_path / "data/config.json", {"subsets": {name: {} for name in SUBSETS}, "releases": {"KVoiceBench": {}}, "stages": STAGES})
    rule = {"id": "units.localise", "do": "Turn miles into kilometres.", "decided_by": {"person": "kim", "date": "2026-11-01"}}
    files.write_text(tmp_path / "rulebooks/ko/one.yaml", json.dumps({"principles": {"rules": [rule]}}))
    files.write_text(tmp_path / "conf/prompt/p.txt", "prompt\n")
    return tmp_path


def test_the_metric_reconciles_and_holds_no_seconds(root: Path) -> None:
    summary.main(["--quiet"], root)
    told = files.read_json(root / "data/summary.json")
    total = told["total"]
    assert (total["source"], total["corrected"], total["redesigned"], total["rejected"], total["released"]) == (16, 1, 1, 3, 13)
    assert total["source"] == total["rejected"] + total["released"]
    assert told["subsets"]["mmsu"]["reasons"] == {"synthesize: unintelligible": 1}
    assert told["subsets"]["bbh"]["mean_cer"] == 0.052
    assert "seconds" not in (root / "data/summary.json").read_text()


def test_the_metric_is_the_same_for_the_same_build(root: Path) -> None:
    summary.main(["--quiet"], root)
    first = (root / "data/summary.json").read_bytes()
    files.write_json(root / "data/reports/ingest/bbh.json", {"seconds": 99})
    summary.main(["--quiet"], root)
    assert (root / "data/summary.json").read_bytes() == first


def test_the_table_shows_counts_costs_and_where_the_data_lies(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.publish(settings(), root)
    capsys.readouterr()
    summary.main([], root)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["subset", *summary.COUNTS, "seconds", "replies", "mean", "CER"]
    assert next(line for line in lines if line.startswith("bbh")).split() == ["bbh", "6", "1", "1", "2", "4", "3.8", "5", "0.052"]
    assert next(line for line in lines if line.startswith("all")).split()[:8] == ["all", "16", "1", "1", "3", "13", "18.8", "15"]
    assert "10 replies came from the store, 5 were asked for ($2.50)." in lines
    assert any(line.startswith("data/publish/KVoiceBench: 10 rows in 4 configs, ") for line in lines)


def test_questions_on_recordings_are_counted_by_capability(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = files.read_json(root / "data/config.json")
    files.write_json(root / "data/config.json", {**config, "understanding": {"kmmau": {}}})
    one = {"released": 3, "candidates": 9, "shortfall": 2, "target": 5, "reasons": {"unreviewed": 6}}
    told = {"capabilities": {"gender": one}, "total": {**one, "reasons": {}}, "guessable": ["gender"]}
    files.write_json(root / "data/assemble/kmmau/summary.json", told)
    summary.main([], root)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "gender 3 of 9 candidates (6 unreviewed), 2 short of 5; guessable" in lines
    assert "all 3 of 9 candidates, 2 short of 5" in lines


def test_a_build_that_does_not_reconcile_is_no_table(root: Path) -> None:
    rows = files.read_jsonl(root / "data/validate/mmsu/rows.jsonl")
    files.write_jsonl(root / "data/validate/mmsu/rows.jsonl", rows[:-1])
    with pytest.raises(UserError, match="mmsu-01003 came to data/validate/mmsu and is neither kept nor rejected"):
        summary.main(["--quiet"], root)
    assert not (root / "data/summary.json").exists()


def _story(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    explain.main(list(arguments), root)
    return capsys.readouterr().out


def test_a_released_item_tells_every_stage(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = _story(root, capsys, "bbh-test-00002")
    assert told.startswith("bbh-test-00002 (bbh): released in KVoiceBench\n")
    titles = [line for line in told.splitlines() if line in STAGES]
    assert titles == list(STAGES)
    for said in ("You go 3 steps left", "왼쪽으로 3걸음", "왼쪽으로 세 걸음", "equivalent", "jm_kumo"):
        assert said in told
    assert "rule units.localise: Turn miles into kilometres. [decided by kim 2026-11-01]" in told
    assert f"request {2:064x}: not in the reply store" in told


def test_a_rejected_item_tells_why_and_no_more(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = _story(root, capsys, "bbh-test-00004")
    assert told.startswith("bbh-test-00004 (bbh): rejected by hypertranslate\n")
    assert "deletion: seen by a test" in told
    assert "rule hypertranslate.rule" in told
    assert "\ncorrect\n" in told
    assert "\nnormalize\n" not in told


def test_a_rejected_item_tells_what_was_asked(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = root / "data/hypertranslate/bbh/rejected.jsonl"
    [row] = files.read_jsonl(path)
    files.write_jsonl(path, [{**row, "transfer_requests": ["a" * 64], "rule_ids": ["units.localise"]}])
    told = _story(root, capsys, "bbh-test-00004")
    assert (
        told.index("deletion: seen by a test")
        < told.index("rule hypertranslate.rule")
        < told.index("rule units.localise")
        < told.index("request aaaa")
    )


def test_a_request_names_its_model(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from stages.llm.request import Usage
    from stages.llm.store import Store, Stored

    with Store.open() as store:
        store.put_all([Stored(f"{2:064x}", "translator", "model-x", "{}", Usage())])
    assert f"request {2:064x}: translator, model-x, live" in _story(root, capsys, "bbh-test-00002")


def test_json_holds_every_column(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    explain.main(["mmsu-00007", "--json"], root)
    sys.stdout.flush()
    facts = json.loads(capfdbinary.readouterr().out)
    assert (facts["stage"], facts["reason"], facts["released"]) == ("synthesize", "unintelligible", False)
    assert facts["row"]["target_answer"] == "ㄴ"
    assert facts["rules"] == {"units.localise": "Turn miles into kilometres. [decided by kim 2026-11-01]"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bbh-test-0002"], r"No item 'bbh-test-0002' has been ingested\. Did you mean 'bbh-test-0000\d'"),
        (["zzz"], "No item 'zzz' has been ingested. Ids look like "),
        ([], "takes one item id"),
        (["--jsn", "mmsu-00007"], "takes one item id"),
    ],
)
def test_a_wrong_call_is_one_sentence(root: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        explain.main(arguments, root)


def test_an_empty_project_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Nothing has been built yet: run `dvc repro`"):
        explain.main(["mmsu-00007"], tmp_path)


def test_a_stage_without_a_story_shows_its_columns(root: Path) -> None:
    def nothing(rows: list[Any], settings: Any, tools: Any) -> Outcome:
        return Outcome(rows)

    from stages.core import ledger

    item = ledger.find(root, "mmsu-01003")
    assert item is not None
    silent = Stage("normalize", nothing, ClientSettings, "hypertranslate", SCHEMA_OF["hypertranslate"], SCHEMA_OF["normalize"])
    [chapter] = explain.story(item, [silent])
    assert chapter.lines[0] == f"spoken: {item.row['spoken']}"
    assert chapter.rules == ["number.native"]
