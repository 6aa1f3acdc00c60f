"""Known faults of other evaluations, by their numbers: multiple choice (1-9) and BBH (10-15), each with its right value."""

from __future__ import annotations

from typing import Any

import pytest

from stages.evaluate.scorers.base import Item, Prediction, load
from tests.evaluate.rows import PLANETS, bbh, choice, value

FAULTS: list[tuple[int, str, str | None]] = [
    (1, "The answer is certainly B", "B"),
    (1, "The correct answer is definitely A", "A"),
    (1, "I would choose boldly: C", "C"),
    (2, "The tool is a, hmm, barometer, so I say D", "D"),
    (2, "It's a, well, barometer.", "D"),
    (3, "Not C, it has to be D", "D"),
    (3, "It isn't A and it isn't B; it's D.", "D"),
    (3, "Eliminate A, B and C. That leaves D.", "D"),
    (3, "A is wrong. The answer is D.", "D"),
    (4, "The answer is B. Hold on, the answer is D.", "D"),
    (4, "I pick A. No wait, D.", "D"),
    (4, "It's B... sorry, I mean D.", "D"),
    (5, "Answer: D", "D"),
    (5, "Correct: D", "D"),
    (5, "D ", "D"),
    (5, "  d\n", "D"),
    (5, "**D**", "D"),
    (5, "Option D", "D"),
    (6, "", None),
    (6, "   ", None),
    (6, "I'm sorry, I can't answer that question.", None),
    (6, "I did not hear the question.", None),
    (7, "barometer", "D"),
    (7, "You need a barometer for that.", "D"),
    (7, "BAROMETER!", "D"),
]


@pytest.mark.parametrize(("fault", "answer", "right"), FAULTS)
def test_a_choice_is_read(fault: int, answer: str, right: str | None) -> None:
    assert choice(answer) == right


def test_fault_6_a_mute_model_scores_nothing_and_compat_gives_the_mean_of_the_guess() -> None:
    items = [Item(f"i{n}", "multiple_choice", "en", options=tuple(PLANETS.items()), reference="ABCD"[n % 4]) for n in range(40)]
    scorer = load("multiple_choice")
    fixed = scorer.total([scorer.item(item, Prediction(item.id, ""), [], "fixed") for item in items], "fixed")
    compat = scorer.total([scorer.item(item, Prediction(item.id, ""), [], "compat") for item in items], "compat")
    assert (fixed.value, fixed.n_empty, fixed.parts["fail"]) == (0.0, 40, 100.0)
    assert (compat.value, compat.mode) == (25.0, "compat")


def test_fault_8_the_share_of_unread_answers_is_counted() -> None:
    rows = [
        {"reference": "A", "response": "A"},
        {"reference": "B", "response": "who knows"},
        {"reference": "C", "response": ""},
        {"reference": "D", "response": "A"},
    ]
    assert value("voicebench", "mcq-aggregate", {"rows": rows}) == {"acc": 25.0, "fail": 50.0}


def test_fault_9_a_score_says_by_which_rules_it_was_made() -> None:
    score = load("multiple_choice").total([], "compat")
    assert (score.scorer, score.mode) == ("multiple_choice", "compat")
    assert score.version.split(".")[0].isdigit()
    assert len({load(name).version for name in ("multiple_choice", "bbh", "open", "refusal")}) == 4


PAIR = "Which order is usual? (A) red old car (B) old red car"
LIES = "Ben tells the truth. Rosa says Ben lies. Does Rosa tell the truth?"
VERDICTS: list[tuple[int, str, str, str, str | None]] = [
    (10, "hyperbaton", PAIR, "B", "(b)"),
    (10, "hyperbaton", PAIR, "b", "(b)"),
    (10, "hyperbaton", PAIR, "A", "(a)"),
    (11, "web_of_lies", LIES, "Rosa must be lying.", "no"),
    (11, "web_of_lies", LIES, "So Rosa has to be lying.", "no"),
    (11, "web_of_lies", LIES, "Rosa must be telling the truth.", "yes"),
    (12, "sports_understanding", "", "The sentence you read out is not plausible", "no"),
    (12, "sports_understanding", "", "The sentence about the goalkeeper is not plausible.", "no"),
    (13, "navigate", "", "Nothing changed, yes it is so", "yes"),
    (13, "navigate", "", "Not a single step is left over, so yes.", "yes"),
    (13, "navigate", "", "Yesterday's route does not matter. No.", "no"),
    (14, "navigate", "", "", None),
    (14, "navigate", "", "I could not follow.", None),
    (15, "hyperbaton", PAIR, "The proper adjective order is best seen in (a)", "(a)"),
    (15, "hyperbaton", PAIR, "The correct order is beyond doubt option A", "(a)"),
]


@pytest.mark.parametrize(("fault", "task", "prompt", "answer", "right"), VERDICTS)
def test_a_verdict_is_read(fault: int, task: str, prompt: str, answer: str, right: str | None) -> None:
    assert bbh(task, answer, prompt) == right


def test_fault_14_what_is_not_read_is_counted_and_compat_gives_the_mean_of_the_toss() -> None:
    item = Item("navigate_1", "bbh", "en", prompt="Back at the start?", reference="yes", task="navigate")
    scorer = load("bbh")
    fixed, compat = (scorer.item(item, Prediction(item.id, "hard to tell"), [], mode) for mode in ("fixed", "compat"))
    assert (fixed.value, fixed.unparsed, compat.value) == (0.0, True, 50.0)


COMPAT: list[tuple[int, Any, Any]] = [
    (1, choice("The answer is certainly B", mode="compat"), "C"),
    (2, choice("The tool is a, hmm, barometer, so I say D", mode="compat"), "A"),
    (3, choice("Not C, it has to be D", mode="compat"), "C"),
    (4, choice("The answer is B. Hold on, the answer is A.", mode="compat"), "A"),
    (5, choice("Answer: D", mode="compat"), None),
    (7, choice("barometer", mode="compat"), None),
    (10, bbh("hyperbaton", "B", PAIR, mode="compat"), "(a)"),
    (11, bbh("web_of_lies", "Rosa must be lying.", LIES, mode="compat"), "yes"),
    (12, bbh("sports_understanding", "the sentence you read out is not plausible", mode="compat"), "yes"),
    (13, bbh("navigate", "Nothing changed, yes it is so", mode="compat"), "no"),
    (15, bbh("hyperbaton", "The proper adjective order is best seen in (a)", PAIR, mode="compat"), "(b)"),
]


@pytest.mark.parametrize(("fault", "got", "peer"), COMPAT)
def test_compat_has_the_fault(fault: int, got: Any, peer: Any) -> None:
    assert got == peer


@pytest.mark.parametrize(
    ("answer", "right"),
    [("정답은 ㄴ이에요", "ㄴ"), ("삼십 도가 아니고 디귿입니다", "ㄷ"), ("오십 도요", "ㄷ"), ("ㄱ은 아니고 ㄴ입니다", "ㄴ"), ("모르겠어요", None)],
)
def test_korean_labels_and_spoken_numbers_are_read(answer: str, right: str | None) -> None:
    item = {"prompt": "더운 날은?", "choices": {"ㄱ": "10도", "ㄴ": "30도", "ㄷ": "50도", "ㄹ": "70도"}, "reference": "ㄴ"}
    assert value("kvoicebench", "openbookqa", item, answer) == right
