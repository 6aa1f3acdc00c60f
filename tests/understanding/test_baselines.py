"""What can be reached without hearing: known regularities are found, and nothing is found where there is none."""

from __future__ import annotations

import random

import pytest

from stages.core.files import Row
from stages.understanding import options
from stages.understanding.baselines import measure, model, wilson


def _rows(n: int, seed: int = 0, size: int = 4) -> list[Row]:
    """Questions without any regularity."""
    chance = random.Random(seed)
    space = [f"{number} 번" for number in range(1, 9)]
    rows = []
    for number in range(n):
        choices = chance.sample(space, size)
        at = chance.randrange(size)
        rows.append(
            {
                "id": f"x-{number:04d}",
                "question": f"몇 번 나옵니까? 말: ‘{chance.choice('가나다라마바사')}’",
                "choices": choices,
                "answer_index": at,
                "answer": choices[at],
            }
        )
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_where_there_is_nothing_to_be_guessed_nothing_is_flagged(seed: int) -> None:
    told = measure(_rows(400, seed), 0, 0.05)
    assert told["guessable"] == []
    assert told["chance"] == 0.25


def test_a_favoured_answer_is_found() -> None:
    rows = _rows(200)
    for row in rows[:120]:
        row["choices"] = ["한 번", *[choice for choice in row["choices"] if choice != "한 번"][:3]]
        row["answer"], row["answer_index"] = "한 번", 0
    told = measure(rows, 0, 0.0)
    assert told["majority_answer"]["accuracy"] > 0.55
    assert "majority_answer" in told["guessable"]


def test_a_favoured_place_is_found() -> None:
    rows = _rows(300)
    for row in rows[:150]:
        row["choices"].remove(row["answer"])
        row["choices"].insert(2, row["answer"])
        row["answer_index"] = 2
    assert "majority_place" in measure(rows, 0, 0.0)["guessable"]


def test_a_word_of_the_question_that_gives_the_answer_away_is_found() -> None:
    """No answer and no place is favoured; only question and answer go together."""
    rows = []
    for number in range(200):
        answer = ["사과", "배", "감", "귤"][number % 4]
        rows.append({"id": f"x-{number:04d}", "question": f"{'봄여름'[number % 2]} {answer[0]}밭에서 딴 것은?", "answer": answer})
    shown = options.arrange([options.Draft(row["id"], row["answer"], tuple({"사과", "배", "감", "귤"} - {row["answer"]})) for row in rows], 0)
    for row, one in zip(rows, shown, strict=True):
        row["choices"], row["answer_index"] = one.choices, one.answer_index
    told = measure(rows, 0, 0.0)
    assert told["majority_place"]["accuracy"] == 0.25
    assert told["text"]["accuracy"] > 0.9
    assert told["guessable"] == ["text"]


def test_long_right_options_are_found() -> None:
    rows = _rows(150)
    for number, row in enumerate(rows):
        row["choices"] = [f"선택지 {number} {place}" for place in range(4)]
        row["choices"][row["answer_index"]] += " 그리고 더 길게"
        row["answer"] = row["choices"][row["answer_index"]]
    assert "text" in measure(rows, 0, 0.0)["guessable"]


def test_an_answer_that_is_right_only_once_is_no_majority() -> None:
    rows = _rows(40)
    for number, row in enumerate(rows):
        row["choices"] = [f"{number}-{place}" for place in range(4)]
        row["answer"] = row["choices"][row["answer_index"]]
    assert measure(rows, 0, 0.0)["majority_answer"]["accuracy"] == 0.25


def test_the_interval_is_wilsons() -> None:
    """Values of the textbook formula: 10 of 40, and the ends of the range."""
    score = wilson(10, 40)
    assert (score.accuracy, score.low, score.high) == (0.25, pytest.approx(0.1419, abs=1e-4), pytest.approx(0.4019, abs=1e-4))
    assert (wilson(0, 20).low, wilson(20, 20).high) == (0.0, 1.0)
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_an_empty_capability_is_no_error() -> None:
    told = measure([], 0, 0.0)
    assert (told["n"], told["guessable"]) == (0, [])


def test_the_model_is_scored_on_all_that_it_tried() -> None:
    rows: list[Row] = [{"evidence": f'{{"guesses": {{"asked": 2, "right": {right}}}}}'} for right in (2, 1, 0)]
    assert model([*rows, {"evidence": "{}"}, {"id": "age/kss-1"}]) == {"n": 3, **vars(wilson(1.5, 3))}
    assert model([{"evidence": "{}"}]) is None


def test_a_handful_of_questions_is_too_few_to_be_called_guessable() -> None:
    rows = [{**row, "answer_index": 0, "answer": row["choices"][0]} for row in _rows(4)]
    assert measure(rows, 0, 0.0)["guessable"] == ["majority_place"]
    assert measure(rows, 0, 0.0, least=5)["guessable"] == []
