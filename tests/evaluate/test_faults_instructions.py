"""Known faults of other evaluations, by their numbers: IFEval (16-28), each with its right value."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.evaluate.scorers.base import Item, Prediction, load
from tests.evaluate.rows import constraint, value

LETTER = "keywords:letter_frequency"
LANGUAGE = "language:response_language"
FAULTS: list[tuple[int, str, dict[str, Any], str, bool]] = [
    (16, LANGUAGE, {"language": "en"}, "Lovely to see you.", True),
    (16, LANGUAGE, {"language": "en"}, "OH NO", True),
    (16, LANGUAGE, {"language": "en"}, "Okay, fine.", True),
    (16, LANGUAGE, {"language": "en"}, "오늘은 맑습니다.", False),
    (16, LANGUAGE, {"language": "de"}, "Das ist nicht so schwer.", True),
    (17, LETTER, {"letter": "!", "let_frequency": 2, "let_relation": "at least"}, "Oh! No!", True),
    (17, LETTER, {"letter": "?", "let_frequency": 1, "let_relation": "less than"}, "Oh?", False),
    (18, "keywords:existence", {"keywords": ["art"]}, "A party started.", False),
    (18, "keywords:existence", {"keywords": ["art"]}, "Art, then.", True),
    (18, "keywords:existence", {"keywords": ["C++"]}, "I write C++ daily.", True),
    (18, "keywords:existence", {"keywords": ["2.5"]}, "It costs 215.", False),
    (18, "keywords:frequency", {"keyword": "(y)", "frequency": 1, "relation": "at least"}, "Say (y) now.", True),
    (19, "keywords:forbidden_words", {"forbidden_words": ["50%"]}, "Only 50% came.", False),
    (19, "keywords:forbidden_words", {"forbidden_words": ["cat"]}, "Concatenate them.", True),
    (20, "detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n* two\n-----", True),
    (20, "detectable_format:number_bullet_lists", {"num_bullets": 3}, "- one\n---\n- two", False),
    (21, LETTER, {"letter": "q", "let_frequency": 0, "let_relation": "at least"}, "Hello", True),
    (21, LETTER, {"letter": "q", "let_frequency": 0, "let_relation": "less than"}, "Hello", False),
    (22, "length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "so"}, "One.\n\n\n\nSo two.", True),
    (22, "length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "so"}, "One.\n\nSome two.", False),
    (24, LANGUAGE, {"language": "zh"}, "今天天气很好。", True),
    (24, LANGUAGE, {"language": "zh"}, "It is fine today.", False),
    (25, LANGUAGE, {"language": "ko"}, "2024", False),
    (26, "startend:quotation", {}, "“See you there.”", True),
    (26, "punctuation:no_comma", {}, "첫째，둘째", False),
    (26, "punctuation:no_comma", {}, "one、two", False),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "id", "kwargs", "answer", "right"), FAULTS)
def test_a_constraint_is_checked(fault: int, id: str, kwargs: dict[str, Any], answer: str, right: bool) -> None:
    assert constraint(id, kwargs, answer) is right


@pytest.mark.parametrize(
    ("id", "kwargs", "answer", "right"),
    [
        (LETTER, {"letter": "ㄹ", "let_frequency": 3, "let_relation": "at least"}, "달빛이 흐르고", False),
        (LETTER, {"letter": "ㄹ", "let_frequency": 2, "let_relation": "at least"}, "달빛이 흐르고", True),
        ("keywords:forbidden_words", {"forbidden_words": ["바다"]}, "바다로 떠났다.", False),
        ("keywords:forbidden_words", {"forbidden_words": ["바다"]}, "열바다 식당에 갔다.", True),
        ("keywords:existence", {"keywords": ["바다"]}, "바다사자를 보았다.", False),
        (LANGUAGE, {"language": "ko"}, "12345", False),
    ],
)
def test_the_same_in_korean(id: str, kwargs: dict[str, Any], answer: str, right: bool) -> None:
    assert constraint(id, kwargs, answer, protocol="kvoicebench") is right


def test_fault_16_the_language_of_an_answer_is_the_same_in_every_process() -> None:
    code = "from tests.evaluate.rows import constraint; print(constraint('language:response_language', {'language': 'en'}, 'Lovely to see you.'))"
    seen = {
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env={"PYTHONHASHSEED": seed}).stdout for seed in "0129"
    }
    assert seen == {"True\n"}


def test_fault_23_two_items_with_one_prompt_keep_their_own_answers() -> None:
    rows = [
        {"key": 1, "prompt": "Say it.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "response": "Yes, sir."},
        {"key": 2, "prompt": "Say it.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "response": "Yes sir."},
    ]
    assert value("voicebench", "ifeval-aggregate", {"rows": rows})["strict-prompt"] == 0.5


def test_fault_24_an_unknown_language_is_named() -> None:
    with pytest.raises(UserError, match="xx"):
        constraint(LANGUAGE, {"language": "xx"}, "Hello there")


def test_fault_27_all_four_numbers_are_told_and_an_item_without_constraints_divides_nothing() -> None:
    comma, two = ("punctuation:no_comma", {}), ("detectable_format:number_bullet_lists", {"num_bullets": 1})
    items = [Item("a", "ifeval", "en", instructions=(comma, two)), Item("b", "ifeval", "en", instructions=(comma,)), Item("c", "ifeval", "en")]
    answers = {"a": "Well, then\n* one", "b": "Fine.", "c": "Anything."}
    scorer = load("ifeval")
    total = scorer.total([scorer.item(item, Prediction(item.id, answers[item.id]), [], "fixed") for item in items])
    parts = {name: round(total.parts[name], 4) for name in ("strict_prompt", "strict_instruction", "loose_prompt", "loose_instruction")}
    # Loosely, the first line of a may go, and with it the comma.
    assert parts == {"strict_prompt": 66.6667, "strict_instruction": 66.6667, "loose_prompt": 100.0, "loose_instruction": 100.0}
    assert total.parts["final4"] == pytest.approx(83.3333, abs=1e-3)
    assert total.value == pytest.approx(66.6667, abs=1e-3)
    assert scorer.total([scorer.item(items[2], Prediction("c", "x"), [], "fixed")]).parts["strict_instruction"] == 0.0


def test_fault_28_items_are_found_by_id_not_by_the_text_of_a_column() -> None:
    item = Item("ifeval-test-00003", "ifeval", "en", prompt="spoken form", instructions=(("punctuation:no_comma", {}),))
    score = load("ifeval").item(item, Prediction("ifeval-test-00003", "Fine."), [], "fixed")
    assert (score.id, score.answer) == ("ifeval-test-00003", [True])


@pytest.mark.parametrize(
    ("fault", "id", "kwargs", "answer", "peer"),
    [
        (18, "keywords:existence", {"keywords": ["art"]}, "A party started.", True),
        (19, "keywords:forbidden_words", {"forbidden_words": ["50%"]}, "Only 50% came.", True),
        (20, "detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n* two\n-----", False),
        (25, LANGUAGE, {"language": "ko"}, "2024", True),
        (26, "startend:quotation", {}, "“See you there.”", False),
        (26, "punctuation:no_comma", {}, "one、two", True),
    ],
)
def test_compat_has_the_fault(fault: int, id: str, kwargs: dict[str, Any], answer: str, peer: bool) -> None:
    assert constraint(id, kwargs, answer, mode="compat") is peer
