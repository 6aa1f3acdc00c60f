"""Results of other harnesses, predictions files by hand, and the public evaluator's format in and out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.evaluate import export, outside
from stages.evaluate.benchmarks import questions
from stages.evaluate.respond import STAGE
from tests.evaluate import world
from tests.evaluate.suite import suite, values

PROMPT = (
    "Which floats?\nA. a nail\nB. a cork\nC. a stone\n"
    "What is the answer to the above multiple choice question? Select one of the following: A, B or C."
)


@pytest.fixture
def project(root: Path) -> Path:
    """The world with a resolved configuration, as compose leaves it."""
    chosen = values()
    config = {
        "evaluation": {"benchmarks": chosen["benchmarks"]},
        "subsets": {subset: {} for subset in chosen["built"]},
        "understanding": {"kmmau": {}},
        "speechlms": {"mine": {"score": {"suite": chosen, "judge": None}}},
    }
    files.write_json(root / "data/config.json", config)
    return root


def _scores(root: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    outside.main([*arguments, f"out={root}/out.json"], root)
    return dict(json.loads((root / "out.json").read_text(encoding="utf-8")))


def test_a_voicebench_result_is_scored_as_it_is(root: Path) -> None:
    rows = [
        {"prompt": PROMPT, "reference": "B", "response": "The answer is clearly B."},
        {"prompt": PROMPT, "reference": "B", "response": "a nail"},
        {"prompt": PROMPT, "reference": "B", "response": ""},
    ]
    files.write_jsonl(root / "qwen2-openbookqa-test-audio.jsonl", rows)
    (one,) = _scores(root, "layout=voicebench", "files=qwen2-openbookqa-test-audio.jsonl").values()
    score = one["openbookqa"]
    assert score["value"] == pytest.approx(100 / 3)
    assert (score["n"], score["n_empty"], score["n_unparsed"]) == (3, 1, 0)


def test_the_raw_replies_of_its_judge_are_read_as_they_are(root: Path) -> None:
    rows = [{"prompt": "Why?", "response": "So.", "score": ["5", "Rating: 4", "nan"]}]
    rows += [{"prompt": "How?", "response": "Thus.", "score": ["2", "2", "2"]}]
    files.write_jsonl(root / "result-m-commoneval-test-audio.jsonl", rows)
    votes = [{"prompt": "Which metal?", "reference": "iron", "response": "Iron.", "score": ["Yes.", "yes", "No"]}]
    files.write_jsonl(root / "result-m-sd-qa-usa-audio.jsonl", votes)
    found = _scores(root, "layout=voicebench", "files=result-*.jsonl")
    assert found["result-m-commoneval-test-audio.jsonl"]["commoneval"]["value"] == pytest.approx(20 * (4.5 + 2) / 2)
    assert found["result-m-commoneval-test-audio.jsonl"]["commoneval"]["n_invalid"] == 1
    assert found["result-m-sd-qa-usa-audio.jsonl"]["sd-qa"]["value"] == 100


def test_ifeval_rows_with_the_same_prompt_keep_their_own_response(root: Path) -> None:
    row = {"key": 1, "prompt": "No commas.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{"num_words": None}]}
    files.write_jsonl(root / "m-ifeval-test-text.jsonl", [{**row, "response": "A, b."}, {**row, "response": "A b."}])
    (one,) = _scores(root, "layout=voicebench", "files=m-ifeval-test-text.jsonl").values()
    assert one["ifeval"]["value"] == 50


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"score": 4.5}, '"score" in m-commoneval-x.jsonl line 2 is 4.5; it is to be the list of the judge\'s raw replies'),
        ({"score": "45"}, "line 2 is '45'; it is to be the list"),
        ({"score": [["4"]]}, "line 2 is [['4']]; it is to be the list"),
        ({"instruction_id_list": ["punctuation:no_comma"] * 2, "kwargs": [{}]}, "m-commoneval-x.jsonl line 2 has 2 instruction ids and 1 kwargs"),
        ({"instruction_id_list": ["punctuation:no_comma"], "kwargs": ["none"]}, '"kwargs" in m-commoneval-x.jsonl line 2 is not a list of objects'),
        (
            {"instruction_id_list": "punctuation:no_comma", "kwargs": [{}]},
            '"instruction_id_list" in m-commoneval-x.jsonl line 2 is not a list of ids',
        ),
    ],
)
def test_a_row_of_the_wrong_form_is_named_by_file_and_line(root: Path, row: dict[str, Any], sentence: str) -> None:
    files.write_jsonl(
        root / "m-commoneval-x.jsonl", [{"prompt": "Why?", "response": "So.", "score": ["4"]}, {"prompt": "How?", "response": "", **row}]
    )
    with pytest.raises(UserError) as error:
        outside.main(["layout=voicebench", "files=m-commoneval-x.jsonl"], root)
    assert sentence in str(error.value)


def test_compat_reproduces_the_original_s_slip(root: Path) -> None:
    files.write_jsonl(root / "m-mmsu-law-audio.jsonl", [{"prompt": PROMPT, "reference": "C", "response": "The answer is clearly B."}])
    fixed = _scores(root, "layout=voicebench", "files=m-mmsu-law-audio.jsonl")
    compat = _scores(root, "layout=voicebench", "files=m-mmsu-law-audio.jsonl", "mode=compat")
    assert [next(iter(found.values()))["mmsu"]["value"] for found in (fixed, compat)] == [0, 100]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["layout=voicebank", "files=x"], "layout=voicebank is not known. Did you mean 'voicebench'"),
        (["layout=voicebench", "file=x"], "The option 'file=x' is unknown. Did you mean 'files'"),
        (["layout=voicebench", "files=nothing-*.jsonl"], "No file matches files='nothing-*.jsonl'"),
        (["layout=voicebench", "files=odd.jsonl"], "does not tell the subset"),
        (["layout=voicebench", "files=odd.jsonl", "subset=bbq"], "No scoring protocol is known for the subset 'bbq'"),
        (["layout=voicebench", "files=odd.jsonl", "subset=mmsu"], "The options of odd.jsonl line 1 cannot be read (no option is labelled A)"),
        (["layout=voicebench", "files=odd.jsonl", "subset=bbh", "mode=fix"], "mode=fix is not known. Did you mean 'fixed'"),
        (["layout=predictions", "files=odd.jsonl", "benchmark=KVoiceBanch"], "benchmark=KVoiceBanch is not known. Did you mean 'KVoiceBench'"),
        (["layout=predictions", "files=odd.jsonl", "benchmark=KVoiceBench", "subset=bhb"], "KVoiceBench has no subset 'bhb'. Did you mean 'bbh'"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_sentence(project: Path, arguments: list[str], sentence: str) -> None:
    files.write_jsonl(project / "odd.jsonl", [{"prompt": "No options here?", "reference": "A", "response": "A"}])
    with pytest.raises(UserError) as error:
        outside.main(arguments, project)
    assert sentence in str(error.value)


def test_a_predictions_file_is_scored_against_the_build(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [question for question in questions(suite("KVoiceBench"), project) if question.subset == "bbh"]
    answers, hits = world.answers(asked[1:], 0.5, "seed")
    files.write_jsonl(project / "kbbh.jsonl", [{"id": question.item.id, "pred_answer": answers[question.id]} for question in asked[1:]])
    (one,) = _scores(project, "layout=predictions", "files=kbbh.jsonl", "benchmark=KVoiceBench", "subset=bbh-test").values()
    score = one["bbh"]
    assert (score["n"], score["n_missing"]) == (len(asked), 1)
    assert score["value"] == pytest.approx(100 * hits["ko", "bbh"] / len(asked))
    assert f"missing: {asked[0].id}" in capsys.readouterr().out


def test_the_command_on_each_release_s_card_is_one_that_runs() -> None:
    """Up to the file, which is the reader's."""
    config = files.read_json(ROOT / "data/config.json")
    commands = [
        (name, command.split()[3:])
        for name, release in config["releases"].items()
        for command in re.findall(r"`(python -m stages\.evaluate\.score[^`]*)`", release["evaluation"] or "")
    ]
    assert {"KMMAU", "KVoiceBench", "KOpenAudioBench"} <= {name for name, _ in commands}
    for _, arguments in commands:
        chosen = outside._chosen(arguments)
        assert (chosen["layout"], chosen["files"]) == ("predictions", "predictions.jsonl")
        assert chosen["benchmark"] in config["evaluation"]["benchmarks"]


def test_the_help_of_score_tells_every_way_of_calling_it() -> None:
    done = subprocess.run([sys.executable, "-m", "stages.evaluate.score", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(word in done.stdout for word in ("SPEECHLM", "layout=voicebench", "layout=predictions", "again=", "judge=", "benchmark="))


def test_answers_leave_in_the_public_format_and_come_back_the_same(project: Path) -> None:
    asked = questions(suite(), project)
    answers, _ = world.answers(asked, 0.7, "seed")
    written = export.write(project / "public", asked, answers)
    assert sum(written.values()) == sum(len(question.benchmarks) for question in asked)
    line = json.loads((project / "public/KMMAU/age.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert set(line) == {"id", "prediction"}
    truth = json.loads((project / "public/KVoiceBench/ifeval-test.gt.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert truth == {"id": "ifeval-test-00000", "answer": "", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    model = {"kind": "predictions", "path": "public/{benchmark}/{config}.jsonl"}
    runner.run_stage(STAGE, "back", {"suite": values(), "model": model}, project)
    back = {row["id"]: row["response"] for row in files.read_jsonl(project / "data/respond/back/rows.jsonl")}
    assert back == answers


def test_stored_judgments_are_scored_again_without_a_store(project: Path) -> None:
    from tests.evaluate import runs

    rows, _ = runs.run(project, "mine", 0.7)
    found = _scores(project, "again=data/score/mine")
    assert sum(score["n"] for score in found["KMMAU"].values()) == sum("KMMAU" in row["benchmarks"] for row in rows)
    assert found["VoiceBench"]["wildvoice"]["n_judge_failed"] == 0
    assert not (project / "cache").exists()
