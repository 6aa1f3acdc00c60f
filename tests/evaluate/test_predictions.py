from __future__ import annotations

import unicodedata
from pathlib import Path

import orjson
import pytest

from stages.core.errors import UserError
from stages.evaluate import predictions
from stages.evaluate.benchmarks import Question, questions
from tests.evaluate.suite import suite

SCRIPTS = {"en": "LATIN", "ko": "HANGUL"}


@pytest.fixture
def asked(root: Path) -> list[Question]:
    return questions(suite("KVoiceBench"), root)


def _file(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return path


def test_the_four_keys_of_the_public_evaluator_are_taken_in_their_order(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        {"id": "a-00000", "answer": "key", "response": "said"},
        {"id": "a-00001", "pred_answer": "said", "answer": "key"},
        {"id": "a-00002", "answer": "said"},
        {"id": "a-00003", "prediction": "said", "response": "other"},
        {"id": "a-00004", "prediction": None},
        {"id": "a-00005", "prediction": 7},
    )
    assert list(predictions.read(path, "run.jsonl").values()) == ["said"] * 4 + ["", "7"]


def test_decomposed_text_is_composed(tmp_path: Path) -> None:
    path = _file(tmp_path, {"id": "a-00000", "prediction": unicodedata.normalize("NFD", "정답은 ㄷ입니다")})
    assert predictions.read(path, "x") == {"a-00000": "정답은 ㄷ입니다"}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"id": "a-00000", "prediction": "x"}, {"id": "a-00000", "prediction": "y"}], "Prediction a-00000 comes twice in run.jsonl"),
        ([{"id": "a-00000", "predicton": "x"}], "has no answer under prediction, response, pred_answer, answer (it has predicton)"),
        ([{"prediction": "x"}], 'run.jsonl line 1 has no "id"'),
        ([{"id": "a-00000", "prediction": ["x"]}], "Prediction a-00000 in run.jsonl has no answer"),
    ],
)
def test_a_row_that_is_no_prediction_is_named(tmp_path: Path, rows: list[object], sentence: str) -> None:
    with pytest.raises(UserError) as error:
        predictions.read(_file(tmp_path, *rows), "run.jsonl")
    assert sentence in str(error.value)


def test_an_unknown_id_is_named_with_the_nearest_one(asked: list[Question]) -> None:
    with pytest.raises(UserError, match=r"1 of 1 ids that are not in KVoiceBench.*'bbh-tests-00001'.*Did you mean 'bbh-test-0000"):
        predictions.match(asked, {"bbh-tests-00001": "네"}, "run.jsonl")


def test_the_file_of_another_benchmark_is_told(asked: list[Question], root: Path) -> None:
    others = questions(suite("KMMAU"), root)
    answers = {question.item.id: "1" for question in others}
    with pytest.raises(UserError, match="they belong to KMMAU: give the file of the right benchmark"):
        predictions.match(asked, answers, "run.jsonl", others)


def test_a_file_of_the_whole_suite_can_be_scored_in_parts(asked: list[Question], root: Path) -> None:
    others = questions(suite("KMMAU"), root)
    answers = {question.item.id: "1" for question in [*asked, *others]}
    assert predictions.match(asked, answers, "run.jsonl", aside=others) == {question.id: "1" for question in asked}
    with pytest.raises(UserError, match=r"1 of \d+ ids that are not in KVoiceBench, first 'nothing'"):
        predictions.match(asked, answers | {"nothing": "1"}, "run.jsonl", aside=others)
    with pytest.raises(UserError, match="they belong to KMMAU"):
        predictions.match(asked, {others[0].item.id: "1"}, "run.jsonl", aside=others)
    with pytest.raises(UserError, match="they belong to KMMAU"):
        predictions.match(asked, answers, "run.jsonl", others)


def test_the_run_in_the_other_language_is_told(asked: list[Question]) -> None:
    english = {question.id: "I am sure that the answer is the second one." for question in asked}
    with pytest.raises(UserError, match=r"have no Hangul letter, first .* it looks like the run in another language"):
        predictions.check_language(asked, english, SCRIPTS, "run.jsonl")
    few = {question.id: "네, 두 번째 것이 정답이라고 생각합니다." for question in asked} | {asked[0].id: "I only speak English, I am afraid."}
    predictions.check_language(asked, few, SCRIPTS, "run.jsonl")
    labels = {question.id: "B" for question in asked}
    predictions.check_language(asked, labels, SCRIPTS, "run.jsonl")


def test_what_a_model_may_do_is_counted_by_id(asked: list[Question]) -> None:
    ids = [question.id for question in asked]
    answers = dict.fromkeys(ids[4:], "네") | {ids[1]: " \n", ids[2]: "가" * 1_000_000, ids[3]: "<think>음</think>네"}
    found = predictions.inspect(asked, answers, 20_000)
    assert (found.missing, found.empty, found.long, found.thoughts) == ([ids[0]], [ids[1]], [ids[2]], [ids[3]])
    assert found.counts() == {"n_missing": 1, "n_empty": 1, "n_long": 1, "n_thoughts": 1}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>B? no, C.</think>\nThe answer is C.", "\nThe answer is C."),
        ("<think>It goes on and on", ""),
        ("I think <think> is a tag.", "I think <think> is a tag."),
    ],
)
def test_thoughts_are_no_answer(text: str, answer: str) -> None:
    assert predictions.strip_thoughts(text) == answer
