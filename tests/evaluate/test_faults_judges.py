"""Known faults of other evaluations, by their numbers: judges' replies and short answers (37-51), each with its right value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stages.core.paths import ROOT
from stages.core.statistics import mean
from stages.evaluate.scorers.base import Item, Judgment, Prediction, fill, load
from stages.languages import load as language
from tests.evaluate.rows import judged, value

OPEN = "alpacaeval_full"


@pytest.mark.parametrize(
    ("fault", "outputs", "mark", "invalid"),
    [
        (37, ["Rating: 5", "5", "4"], 14 / 3, 0),
        (37, ["4/5", "Score: 4", "[[4]]"], 4.0, 0),
        (37, ["**4**", "Mark: 4.", "I would give it a 4."], 4.0, 0),
        (37, ["", "3", "5"], 4.0, 1),
        (38, ["nan", "4", "4"], 4.0, 1),
        (38, ["8", "4", "2"], 3.0, 1),
        (38, ["0", "-1", "3"], 3.0, 2),
        (38, ["1_0", "inf", "5"], 5.0, 2),
        (39, ["On the 1-5 scale: 4"] * 3, 4.0, 0),
        (39, ["Out of a possible 5 points this gets: 2/5"] * 3, 2.0, 0),
    ],
)
def test_a_mark_is_read(fault: int, outputs: list[str], mark: float, invalid: int) -> None:
    got = judged(OPEN, outputs)
    assert got == {"mean_1_5": pytest.approx(mark, abs=1e-5), "score_100": pytest.approx(20 * mark, abs=1e-4), "n_invalid": invalid}


def test_fault_39_nothing_readable_is_no_mark_and_a_filled_text_is_not_filled_again() -> None:
    assert judged(OPEN, ["", "I cannot say.", "good"]) == {"mean_1_5": None, "score_100": None, "n_invalid": 3}
    assert fill("A: {response}", {"response": "{question}", "question": "q"}) == "A: {question}"


def test_a_lost_sample_does_not_make_an_item_weigh_less() -> None:
    scorer = load("open")
    items = {"a": ["5", "5", "5"], "b": ["1", "?", "?"]}
    scores = [
        scorer.item(Item(id, "open", "en"), Prediction(id, "x"), [Judgment(id, n, text) for n, text in enumerate(texts)], "fixed")
        for id, texts in items.items()
    ]
    total = scorer.total(scores)
    assert (total.value, total.n_invalid, total.parts["mark"]) == (60.0, 2, 3.0)


def test_fault_39_an_item_without_a_mark_is_left_out_and_counted() -> None:
    scorer = load("open")
    score = scorer.item(Item("a", "open", "en"), Prediction("a", "x"), [Judgment("a", 0, None)], "fixed")
    total = scorer.total([score])
    assert (total.value, total.n, total.n_scored, total.n_judge_failed) == (None, 1, 0, 1)


@pytest.mark.parametrize(
    ("fault", "outputs", "right"),
    [
        (40, ["Yes.", "yes", "YES!"], True),
        (40, ["**Yes**", "no", "Yes, it is."], True),
        (41, ["Yes", "No", "Unsure"], False),
        (41, ["No", "Yes", "Yes"], True),
        (41, ["maybe", "hm", ""], None),
        (51, ["none given", "Yes", "hm"], True),
        (51, ["The yes/no answer is no"] * 3, False),
    ],
)
def test_votes_are_counted(fault: int, outputs: list[str], right: bool | None) -> None:
    assert judged("sd-qa-judge", outputs) is right


def test_fault_41_a_tie_is_no_pass_and_is_flagged() -> None:
    judgments = [Judgment("a", n, text) for n, text in enumerate(["Yes", "No", "Unsure"])]
    score = load("reference").item(Item("a", "reference", "en", reference="r"), Prediction("a", "x"), judgments, "fixed")
    assert (score.value, score.flagged, score.n_invalid) == (0.0, True, 1)


@pytest.mark.parametrize(
    ("fault", "reference", "answer", "right"),
    [
        (42, "The", "bananas", False),
        (42, "9", "It was in 1995.", False),
        (42, "no", "I know that one.", False),
        (42, "9", "There are nine of them.", True),
        (44, "rome", "It is Rome.", True),
        (44, "the Tiber", "That would be the Tiber river in Italy.", True),
    ],
)
def test_a_short_answer_is_found_as_a_whole(fault: int, reference: str, answer: str, right: bool) -> None:
    assert value("voicebench", "sd-qa-panda", {"prompt": "q", "reference": reference}, answer) is right


def test_faults_43_and_46_the_match_needs_no_package_version_and_no_fetched_file() -> None:
    source = ROOT / "stages/evaluate/scorers"
    code = "".join(path.read_text(encoding="utf-8") for path in source.glob("*.py"))
    assert "qa_metrics" not in code
    assert "http" not in code
    assert load("reference").version != load("aliases").version


def test_fault_45_an_item_keeps_its_accent() -> None:
    item = Item("sd-qa-00001", "reference", "en", task="usa", reference="Rome")
    assert item.task == "usa"
    assert load("reference").item(item, Prediction(item.id, "Rome"), [Judgment(item.id, 0, "yes")], "fixed").value == 100.0


@pytest.mark.parametrize(
    ("fault", "subset", "outputs", "score", "invalid"),
    [
        (48, "trivia_qa", ['{"analysis": "see {2} and {3}", "judgment": "correct"}'], 100.0, 0),
        (48, "trivia_qa", ['```json\n{"analysis": "a } b", "judgment": "incorrect"}\n```'], 0.0, 0),
        (48, "web_questions", ['Sure: {"analysis": "x", "judgment": "Correct"} Done.'], 100.0, 0),
        (49, "alpaca_eval", ["not [[3]] but [[8]]"], 80.0, 0),
        (50, "alpaca_eval", ["Rating: [[11]]"], None, 1),
        (50, "alpaca_eval", ["[[0]]"], None, 1),
        (50, "llama_questions", ["no idea what to say"], None, 1),
        (51, "llama_questions", ["INCORRECT"], 0.0, 0),
        (51, "llama_questions", ["the score is [Incorrect]"], 0.0, 0),
        (51, "llama_questions", ["It is not correct."], 0.0, 0),
        (50, "reasoning_qa", ["so 4 marks: [4]"], 80.0, 0),
    ],
)
def test_openaudiobench_scales(fault: int, subset: str, outputs: list[str], score: float | None, invalid: int) -> None:
    assert judged(subset, outputs, protocol="openaudiobench") == {"score": score, "n_invalid": invalid}


def test_fault_47_a_reply_is_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    reply = f'{{"judgment": __import__("pathlib").Path({str(trap)!r}).touch() or "correct"}}'
    for mode in ("fixed", "compat"):
        judged("trivia_qa", [reply], mode=mode, protocol="openaudiobench")  # type: ignore[arg-type]
        assert not os.path.exists(trap)
    assert judged("trivia_qa", ['{"judgment": str("correct")}'], mode="compat", protocol="openaudiobench") == {"score": None, "n_invalid": 1}


def test_fault_50_no_valid_reply_at_all_divides_nothing() -> None:
    assert mean([]) is None
    assert judged("web_questions", ["?", "{}"], protocol="openaudiobench") == {"score": None, "n_invalid": 2}


@pytest.mark.parametrize(
    ("reply", "vote"),
    [
        ("none given", None),
        ("The yes/no answer is no", False),
        ("INCORRECT", False),
        ("CORRECT", True),
        ("아니요, 오답입니다.", False),
        ("네, 정답과 같습니다.", True),
    ],
)
def test_fault_51_yes_and_no_are_whole_words(reply: str, vote: bool | None) -> None:
    assert language("ko").answers.vote(reply) is vote


@pytest.mark.parametrize(
    ("fault", "subset", "outputs", "peer"),
    [
        (38, OPEN, ["9", "4", "4"], {"mean_1_5": 5.666667}),
        (49, "alpaca_eval", ["not [[2]] but [[9]]"], {"score": 20.0, "n_invalid": 0}),
        (48, "trivia_qa", ['{"analysis": "see {1}", "judgment": "correct"}'], {"score": None, "n_invalid": 1}),
    ],
)
def test_compat_has_the_fault(fault: int, subset: str, outputs: list[str], peer: dict[str, float]) -> None:
    assert judged(subset, outputs, mode="compat", protocol="voicebench" if subset == OPEN else "openaudiobench") == peer
