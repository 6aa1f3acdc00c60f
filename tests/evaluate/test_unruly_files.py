"""A predictions file from respond to the scores: what ends the run before any call, and what is scored for what it is."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.evaluate import respond, score
from tests.evaluate.suite import values
from tests.llm.server import Server, prompt

SUBSETS = ["bbh", "wildvoice", "mmsu"]


def _suite() -> dict[str, Any]:
    return {**values("KVoiceBench", "KMMAU"), "built": SUBSETS}


def _ids(root: Path) -> dict[str, list[str]]:
    return {subset: [row["id"] for row in files.read_jsonl(root / "data/validate" / subset / "rows.jsonl")] for subset in SUBSETS}


def _respond(root: Path, rows: list[Row], only: list[str] | None = None) -> dict[str, Any]:
    files.write_jsonl(root / "run.jsonl", rows)
    return runner.run_stage(respond.STAGE, "model", {"suite": _suite(), "only": only, "model": {"kind": "predictions", "path": "run.jsonl"}}, root)


def _good(root: Path) -> dict[str, str]:
    """item id -> a right answer, from the rows themselves."""
    answers = {}
    for subset in ("bbh", "mmsu"):
        for row in files.read_jsonl(root / "data/validate" / subset / "rows.jsonl"):
            answers[row["id"]] = f"정답은 {row['target_answer']}입니다." if subset == "mmsu" else f"{row['target_answer']}."
    return answers | dict.fromkeys(_ids(root)["wildvoice"], "그 주제에 대해 짧게 말씀드리겠습니다.")


def test_what_a_model_may_do_is_scored_and_the_totals_reconcile(root: Path) -> None:
    answers = _good(root)
    spoken, chosen = _ids(root)["wildvoice"], _ids(root)["mmsu"]
    del answers[spoken[0]]
    answers[spoken[1]] = " \n"
    answers[spoken[2]] = "가나다라마 " * 200_000
    answers[spoken[3]] = "<think>무엇을 말할까.</think>"
    answers[chosen[0]] = unicodedata.normalize("NFD", answers[chosen[0]])
    answers[chosen[1]] = f"**{answers[chosen[1]]}**"
    answers[chosen[2]] = f"<think>정답은 ㄱ, 아니 ㄴ입니다.</think>\n{answers[chosen[2]]}"
    report = _respond(root, [{"id": id, "prediction": text} for id, text in answers.items()], ["KVoiceBench"])
    counted = {name: report[name] for name in ("n_missing", "n_empty", "n_long", "n_thoughts")}
    assert counted == {"n_missing": 1, "n_empty": 1, "n_long": 1, "n_thoughts": 2}
    assert report["found"]["missing"] == [f"ko/{spoken[0]}"]

    def judged(body: dict[str, Any]) -> str:
        return orjson.dumps({"reason": "seen", "mark": 4}).decode()

    (root / "conf").symlink_to(ROOT / "conf")
    with Server(answer=judged) as server:
        role = {"name": "judge", "model": "judge", "base_url": server.url}
        settings = {"suite": _suite(), "only": ["KVoiceBench"], "judge": {"client": {"mode": "live"}, "role": role}}
        told = runner.run_stage(score.STAGE, "model", settings, root)
        # Not about the missing, the empty and the one that is nothing but thoughts; of the long one its beginning.
        assert len(server.requests) == 3 * (len(spoken) - 3)
        assert max(len(prompt(body)) for body in server.requests) < 30_000
    assert told["judge_n_cut"] == 1
    rows = {row["item_id"]: row for row in files.read_jsonl(root / "data/score/model/rows.jsonl")}
    assert len(rows) == sum(len(ids) for ids in _ids(root).values())
    assert [rows[id]["value"] for id in chosen] == [100.0] * len(chosen)
    assert [rows[id]["flags"] for id in spoken[:4]] == [["missing"], ["empty"], [], ["empty"]]
    assert [rows[id]["value"] for id in spoken[:5]] == [20.0, 20.0, 80.0, 20.0, 80.0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: [*rows, rows[0]], "comes twice in run.jsonl"),
        (lambda rows: [*rows, {"id": "bbh-tests-00000", "prediction": "네"}], "first 'bbh-tests-00000'. Did you mean 'bbh-test-00000'?"),
        (lambda rows: [{"id": "gender-0000", "prediction": "남성"}], "they belong to KMMAU: give the file of the right benchmark"),
        (lambda rows: [{**row, "prediction": "I would say that it is the second one."} for row in rows], "it looks like the run in another language"),
        (lambda rows: [{"id": rows[0]["id"], "text": "네"}], "has no answer under prediction, response, pred_answer, answer"),
        (lambda rows: [], "There is no prediction in run.jsonl"),
    ],
)  # fmt: skip
def test_what_cannot_be_the_right_file_ends_the_run_in_one_sentence(root: Path, change: Any, sentence: str) -> None:
    rows = [{"id": id, "prediction": text} for id, text in _good(root).items()]
    with pytest.raises(UserError) as error:
        _respond(root, change(rows), ["KVoiceBench"])
    assert sentence in str(error.value)
    assert not (root / "data/respond/model/rows.jsonl").exists()


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"target_answer": "ㅎ"}, "has the key 'ㅎ', which is not among its options"),
        ({"target_options": [{"label": "ㄱ", "text": "물"}, {"label": "ㄴ", "text": "물"}], "target_answer": "ㄱ"}, "two options with the text '물'"),
    ],
)
def test_an_item_that_cannot_be_scored_is_found_before_the_judge_is_asked(root: Path, columns: Row, sentence: str) -> None:
    _respond(root, [{"id": id, "prediction": text} for id, text in _good(root).items()], ["KVoiceBench"])
    path = root / "data/validate/mmsu/rows.jsonl"
    first, *rest = files.read_jsonl(path)
    files.write_jsonl(path, [{**first, **columns}, *rest])
    with Server() as server:
        role = {"name": "judge", "model": "judge", "base_url": server.url}
        with pytest.raises(UserError) as error:
            runner.run_stage(score.STAGE, "model", {"suite": _suite(), "judge": {"client": {"mode": "live"}, "role": role}}, root)
        assert server.requests == []
    assert f"Item {first['id']} of KVoiceBench" in str(error.value)
    assert sentence in str(error.value)
