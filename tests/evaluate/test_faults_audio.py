"""Known faults of other evaluations, by their numbers: WildSpeech (52-57), MMAU and MMAU-Pro (58-63), each with its right value."""

from __future__ import annotations

from typing import Any

import pytest

from stages.core.errors import UserError
from stages.evaluate.scorers import checklist
from stages.evaluate.scorers.base import Item, Judgment, Prediction, load
from stages.evaluate.scorers.option_text import check
from stages.languages import load as language
from tests.evaluate.rows import value


def mark(*outputs: str, protocol: str = "wildspeech") -> Any:
    return value(protocol, "judge-parse", {"user_query": "q", "checklist": "- c", "judge_outputs": list(outputs)}, "a reply")


@pytest.mark.parametrize(
    ("fault", "output", "right"),
    [
        (52, "**Score**: 6", 6),
        (52, "### Score\nScore: [7]", 7),
        (52, "Final score = 9", 9),
        (53, "A weaker reply would be Score: 3.\nScore: 8", 8),
        (53, "Score: 2 was my first thought.\n\nScore: 6", 6),
        (52, "no mark at all", None),
    ],
)
def test_a_mark_of_ten_is_read(fault: int, output: str, right: int | None) -> None:
    assert mark(output) == right


def test_fault_52_a_reply_without_a_mark_does_not_end_the_report() -> None:
    rows = [{"response": ["Fine by me."], "score": [8, None, 6], "taskType": "x", "mos": 4.0, "modification_type": ""}]
    rows.append({"response": ["Good to know."], "score": [None], "taskType": "x", "mos": 4.0, "modification_type": ""})
    assert value("wildspeech", "aggregate", {"rows": rows}) == {"mean": 7.0, "n_invalid": 2}


@pytest.mark.parametrize(
    ("reply", "right"), [("Sure.", True), ("Oh, okay.", True), ("HELLO THERE", True), ("저는 모르겠습니다.", False), ("42", True)]
)
def test_fault_54_a_short_english_reply_is_english(reply: str, right: bool) -> None:
    assert checklist.in_language("en", [reply]) is right


def test_fault_54_another_language_gets_the_lowest_mark_and_is_counted() -> None:
    scorer = load("checklist")
    score = scorer.item(Item("a", "checklist", "en"), Prediction("a", None, ("저는 모르겠습니다.",)), [Judgment("a", 0, "Score: 9")], "fixed")
    assert (score.parts["mark"], score.parts["wrong_language"]) == (1.0, 100.0)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("고맙습니다 고맙습니다 고맙습니다", True),
        ("고맙습니다고맙습니다고맙습니다", True),
        ("다음에 또 봐요. 다음에 또 봐요. 다음에 또 봐요.", True),
        ("네, 네, 네. 알겠어요.", False),
        ("고맙습니다. 안녕히 가세요.", False),
    ],
)
def test_fault_55_korean_loops_are_loops(text: str, right: bool) -> None:
    assert value("kwildspeech", "repeat-check", {"text": text}, text) is right


def test_fault_55_phrases_of_silence_are_not_kept() -> None:
    outputs = ["시청해 주셔서 감사합니다.", "오늘은 맑아요.", "오늘은 맑아요.", "그래요 그래요 그래요", "오늘은 맑네요."]
    got = value("kwildspeech", "transcribe", {"asr_outputs_in_order": outputs})
    assert got == ["오늘은 맑아요.", "오늘은 맑아요.", "오늘은 맑네요."]


def test_fault_56_equal_transcripts_are_visible_as_such() -> None:
    scorer = load("checklist")
    prediction = Prediction("a", "Fine.", ("Fine.", "Fine.", "Fine."))
    score = scorer.item(Item("a", "checklist", "en"), prediction, [Judgment("a", n, f"Score: {mark}") for n, mark in enumerate((6, 7, 8))], "fixed")
    assert score.parts["mark"] == 7.0
    assert len(set(prediction.transcripts)) == 1


def test_fault_57_no_speech_quality_is_mixed_into_the_marks() -> None:
    row = {"response": ["Fine by me."], "score": [6], "taskType": "x", "modification_type": ""}
    assert value("wildspeech", "aggregate", {"rows": [row | {"mos": 1.0}]}) == value("wildspeech", "aggregate", {"rows": [row | {"mos": 5.0}]})


SOUNDS = ["a flute", "a drum", "a horn"]


def option(answer: str, key: str = "a flute", choices: list[str] = SOUNDS, protocol: str = "mmau", mode: Any = "fixed") -> Any:
    return value(protocol, "test-mini", {"question": "Which instrument?", "choices": choices, "answer": key}, answer, mode)


@pytest.mark.parametrize(
    ("fault", "answer", "right"),
    [
        (58, "a flute rather than a drum", True),
        (58, "It is a flute, and certainly not a horn.", True),
        (58, "not a flute", False),
        (58, "It cannot be a flute; it is a drum.", False),
        (59, "A", True),
        (59, "(a) a flute", True),
        (59, "The answer is A.", True),
        (59, "B", False),
        (60, "A horn plays.", False),
        (60, "Birds sing", False),
        (60, "A flute plays.", True),
    ],
)
def test_an_option_is_read(fault: int, answer: str, right: bool) -> None:
    assert option(answer) is right


def test_fault_61_items_without_an_answer_are_counted_and_wrong() -> None:
    rows = [{"choices": SOUNDS, "answer": "a drum", "model_output": "a drum"}, {"choices": SOUNDS, "answer": "a drum"}]
    assert value("mmau", "aggregate", {"rows": rows}) == {"acc": 50.0, "n": 2, "n_missing": 1}
    assert value("mmau", "aggregate", {"rows": rows}, mode="compat") == {"acc": 100.0, "n": 1, "n_missing": 1}


def test_fault_62_a_key_that_is_no_option_is_an_error_of_the_data() -> None:
    with pytest.raises(UserError, match="a harp"):
        check(Item("m1", "option_text", "en", reference="a harp", options=tuple(("", text) for text in SOUNDS)))
    check(Item("m1", "option_text", "en", reference="B", options=(("A", "x"), ("B", "y"))))


def overall(reply: str, mode: Any = "fixed") -> Any:
    return value("mmau-pro", "open-judge", {"question": "q", "reference": "r", "judge_outputs": [reply]}, "an answer", mode)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("gibberish", None),
        ("**CORRECTNESS**: 1\n**OVERALL**: 1", 1),
        ("CORRECTNESS: 5\nOVERALL: 3", 3),
        ("OVERALL: 7", None),
        ('{"correctness": 2, "overall": 4}', 4),
        ("CORRECTNESS: 5 RELEVANCE: 5", None),
    ],
)
def test_fault_63_only_an_overall_mark_counts(reply: str, right: int | None) -> None:
    assert overall(reply) == right


def test_fault_63_a_korean_phrase_is_compared_as_it_stands() -> None:
    item = {"task_identifier": "End Checker", "kwargs": {"end_phrase": "그럼 안녕히 계세요"}}
    assert value("mmau-pro-ko", "instruction-following", item, "말씀 잘 들었습니다. 그럼 안녕히 계세요.") is True
    assert value("mmau-pro-ko", "instruction-following", item, "말씀 잘 들었습니다.") is False


@pytest.mark.parametrize(("fault", "answer", "peer"), [(58, "a flute rather than a drum", False), (58, "not a flute", True), (59, "A", False)])
def test_compat_has_the_fault(fault: int, answer: str, peer: bool) -> None:
    assert option(answer, "flute", ["flute", "drum", "horn"], mode="compat") is peer


def test_compat_has_fault_63() -> None:
    assert overall("gibberish", "compat") == 3


def test_korean_options_are_read_with_their_endings() -> None:
    months = ["삼월", "오월", "칠월", "구월"]
    assert option("칠월이에요.", "칠월", months, "kmmau") is True
    assert option("7월입니다.", "칠월", months, "kmmau") is True
    assert option("오월이 아니라 칠월입니다.", "칠월", months, "kmmau") is True
    assert language("ko").answers.choice("3번", [("", month) for month in months]) == 2
