"""Reported items: where a decision goes in the configuration, and what the runner makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stages import errata as command
from stages.core import errata, files, runner
from stages.core.errors import UserError
from stages.publish import folder
from stages.publish.validate import STAGE
from tests.publish.builds import Build, synthesized
from tests.publish.test_folder import settings


def decide(root: Path, reporter: str, *lines: dict[str, Any]) -> None:
    path = root / f"data/decisions/errata/{reporter}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    base = {"edit": {}, "reason": "", "reviewer": reporter, "date": "2026-12-01"}
    path.write_text("".join(json.dumps({**base, "seq": n, **line}, ensure_ascii=False) + "\n" for n, line in enumerate(lines, 1)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Build(tmp_path).subset("mmsu", [synthesized("mmsu", index) for index in range(3)])
    Build(tmp_path).subset("trivia_qa", [synthesized("trivia_qa", index) for index in range(2)])
    release = settings(subsets={name: {"config": name, "capability": "knowledge"} for name in ("mmsu", "trivia_qa")}, rulebooks=[], prompts=[])
    modules = {name: f"stages.transfer.{name}" for name in ("correct", "hypertranslate", "normalize", "synthesize")}
    modules = {"ingest": "stages.ingest.stage", **modules, "validate": "stages.publish.validate"}
    subset: dict[str, Any] = {stage: {} for stage in modules}
    config = {"stages": modules, "subsets": {"mmsu": subset, "trivia_qa": subset}, "releases": {"KVoiceBench": release.model_dump()}}
    files.write_json(tmp_path / "data/config.json", config)
    return tmp_path


def entered(root: Path) -> dict[str, Any]:
    from stages import compose

    config = dict(files.read_json(root / "data/config.json"))
    compose.enter_errata(config, root)
    return config


def laid(config: dict[str, Any]) -> dict[str, list[str]]:
    """`subset.stage` to the ids of its errata."""
    found = {}
    for subset, stages in config["subsets"].items():
        found |= {f"{subset}.{stage}": sorted(values["errata"]) for stage, values in stages.items() if "errata" in values}
    return found


def test_without_decisions_the_configuration_is_as_it_was(root: Path) -> None:
    assert entered(root) == files.read_json(root / "data/config.json")


def test_each_edit_goes_to_the_one_stage_that_makes_the_column(root: Path) -> None:
    decide(
        root, "kim",
        {"queue_id": "item:mmsu:mmsu-00001", "verdict": "edit", "edit": {"target_answer": "ㄱ", "spoken": "새 말"}, "reason": "wrong key"},
        {"queue_id": "item:trivia_qa:trivia_qa-00000", "verdict": "reject", "reason": "not a fact"},
    )  # fmt: skip
    config = entered(root)
    assert laid(config) == {
        "mmsu.hypertranslate": ["mmsu-00001"], "mmsu.normalize": ["mmsu-00001"], "trivia_qa.validate": ["trivia_qa-00000"]
    }  # fmt: skip
    assert config["subsets"]["mmsu"]["normalize"]["errata"]["mmsu-00001"]["edit"] == {"spoken": "새 말"}
    notes = {id: line["note"] for id, line in config["releases"]["KVoiceBench"]["errata"].items()}
    assert notes["mmsu-00001"] == "erratum of 2026-12-01 by kim: corrected spoken, target_answer, wrong key"


def test_the_latest_decision_counts_and_accepting_takes_it_back(root: Path) -> None:
    one = {"queue_id": "item:mmsu:mmsu-00001", "verdict": "reject"}
    decide(root, "kim", one)
    decide(root, "lee", {**one, "verdict": "accept", "date": "2026-12-02"})
    assert laid(entered(root)) == {}
    decide(root, "park", {**one, "verdict": "edit", "edit": {"target_answer": "ㄱ"}, "date": "2026-12-03"})
    assert laid(entered(root)) == {"mmsu.hypertranslate": ["mmsu-00001"]}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            {"queue_id": "item:mmsu:mmsu-00001", "verdict": "edit", "edit": {"target_anser": "ㄱ"}},
            "which no stage makes. Did you mean 'target_answer'",
        ),
        ({"queue_id": "question:mmsu:q1", "verdict": "reject"}, "errata are on item:<subset>:<row id>"),
    ],
)
def test_a_decision_that_nothing_can_carry_out_is_one_sentence(root: Path, line: dict[str, Any], sentence: str) -> None:
    decide(root, "kim", line)
    with pytest.raises(UserError) as error:
        entered(root)
    assert sentence in str(error.value)


def test_the_runner_takes_an_item_out_and_says_which_errata_found_no_row(root: Path) -> None:
    values = {
        "releases": ["KVoiceBench"],
        "language": "ko",
        "errata": {id: {"note": "n", "reject": "r", "edit": {}} for id in ("mmsu-00001", "mmsu-00009")},
    }
    report = runner.run_stage(STAGE, "mmsu", values, root)
    assert [row["id"] for row in files.read_jsonl(root / "data/validate/mmsu/rows.jsonl")] == ["mmsu-00000", "mmsu-00002"]
    [rejected] = files.read_jsonl(root / "data/validate/mmsu/rejected.jsonl")
    assert (rejected["id"], rejected["reason"], rejected["rule_id"], rejected["detail"]) == ("mmsu-00001", "erratum", "erratum:mmsu-00001", "n")
    assert report["errata"] == {"applied": ["mmsu-00001"], "without_row": ["mmsu-00009"]}
    assert report["reasons"] == {"erratum": 1}


def test_an_edited_answer_is_exchanged_among_all_accepted_ones() -> None:
    row = synthesized("trivia_qa", 0)
    assert errata.edited(row, {"target_answer": "파리시"})["target_answers"] == ["빠리", "파리시"]
    assert errata.edited(row, {"target_answers": '["파리"]'})["target_answers"] == ["파리"]
    with pytest.raises(UserError, match="must be JSON of the kind that is there"):
        errata.edited(row, {"target_answers": "파리"})


def test_a_report_is_recorded_tried_and_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["mmsu-00001", "answer=ㄱ", "reason=the key was wrong", "reporter=Kim"], root)
    said = capsys.readouterr().out
    assert "recorded in data/decisions/errata/kim.jsonl: edit mmsu-00001\n  target_answer: ㄴ -> ㄱ\n" in said
    assert "`dvc repro` will run hypertranslate@mmsu, and what comes after." in said
    assert "It is released in KVoiceBench" in said
    command.main(["trivia_qa-00001", 'answer=["파리", "빠리", "파리시"]', "reason=an alias is missing", "reporter=kim"], root)
    found = errata.decided(root)
    assert found["trivia_qa", "trivia_qa-00001"].edit == {"target_answers": '["파리", "빠리", "파리시"]', "target_answer": "파리"}
    command.main(["mmsu-00001", "accept", "reason=it was right", "reporter=kim"], root)
    assert list(errata.decided(root)) == [("trivia_qa", "trivia_qa-00001")]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mmsu-00009", "reject", "reason=x", "reporter=kim"], "No release that is built here has the item 'mmsu-00009'"),
        (["mmsu-00001", "reject", "reason=x"], "needs a reason and a reporter"),
        (["mmsu-00001", "drop", "reason=x", "reporter=kim"], "takes an item id"),
        (["mmsu-00001", "anser=ㄱ", "reason=x", "reporter=kim"], "has no column 'anser'. Did you mean 'answer'"),
        (["mmsu-00001", "audio=x", "reason=x", "reporter=kim"], "is not decided on here"),
        (["mmsu-00001", "target_options=x", "reason=x", "reporter=kim"], "must be JSON of the kind that is there"),
        (["trivia_qa-00001", "answer=[파리]", "reason=x", "reporter=kim"], "is not a JSON array of accepted answers"),
    ],
)
def test_a_wrong_report_records_nothing(root: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(UserError) as error:
        command.main(arguments, root)
    assert sentence in str(error.value)
    assert not (root / "data/decisions/errata").exists()


def test_an_erratum_is_carried_out_by_the_release_where_no_stage_knows_of_it(root: Path) -> None:
    line = {"note": "erratum of 2026-12-01 by kim: corrected target_answer", "edit": {"target_answer": "ㄱ"}}
    chosen = settings(
        subsets={"mmsu": {"config": "mmsu", "capability": "knowledge"}}, rulebooks=[], prompts=[],
        errata={"mmsu-00001": line, "mmsu-00002": {"note": "erratum: taken out", "reject": "wrong"}},
    )  # fmt: skip
    out = folder.publish(chosen, root)
    told = {row["id"]: row for row in files.read_jsonl(out / "provenance/mmsu.jsonl")}
    assert (told["mmsu-00001"]["target_answer"], told["mmsu-00001"]["errata"]) == ("ㄱ", [line["note"]])
    assert "errata" not in told["mmsu-00000"]
    [refused] = files.read_jsonl(out / "provenance/mmsu-rejected.jsonl")
    assert (refused["id"], refused["reason"], refused["detail"]) == ("mmsu-00002", "erratum", "erratum: taken out")
