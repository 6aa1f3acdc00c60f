from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core import options

CLOSING = "\nWhat is the answer to the above multiple choice question? Select one of the following: A, B, C, or D."
LINES = "Which of these is a fruit?\nA. a chair\nB. an apple\nC. a stone\nD. a lamp"


def test_options_are_read_from_their_lines_and_the_closing_line_is_left_out() -> None:
    assert options.of_lines(LINES + CLOSING) == [
        {"label": "A", "text": "a chair"},
        {"label": "B", "text": "an apple"},
        {"label": "C", "text": "a stone"},
        {"label": "D", "text": "a lamp"},
    ]


def test_an_option_may_run_over_several_lines() -> None:
    prompt = "Pick.\nA. one\nand a half\nB. two\nthirds\nSelect one of the following: A or B."
    assert [option["text"] for option in options.of_lines(prompt)] == ["one and a half", "two thirds"]


def test_roman_numerals_in_the_question_are_no_options() -> None:
    prompt = f"Which are true?\nI. Water is wet.\nII. Fire is cold.\nA. I only\nB. II only\nC. both\nD. neither{CLOSING}"
    assert [option["text"] for option in options.of_lines(prompt)] == ["I only", "II only", "both", "neither"]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("Is it?\nyes\nno" + CLOSING, "no option is labelled A"),
        ("A. Smith wrote:\nA. one\nB. two\nSelect one of the following: A or B.", "several options are labelled A"),
        ("Pick.\nA. one\nC. two" + CLOSING, "do not run on from A"),
        ("Pick.\nA. one" + CLOSING, "do not run on from A"),
        ("Pick.\nA. one\nB. \nC. three\nD. four" + CLOSING, "option B has no text"),
        ("Pick.\nA. one\nB. two\nC. three" + CLOSING, "the closing line offers A B C D"),
        ("Pick.\nA. one\nB. two\nAnswer quickly, please.", "no closing line"),
    ],
)
def test_what_cannot_be_read_for_sure_is_not_guessed(prompt: str, why: str) -> None:
    with pytest.raises(options.Unreadable, match=why):
        options.of_lines(prompt)


def test_options_inside_a_sentence_lose_the_question_mark_that_ends_it() -> None:
    found = options.of_sentence("Which order is right: (a) big red bus (b) red big bus?")
    assert found == [{"label": "(a)", "text": "big red bus"}, {"label": "(b)", "text": "red big bus"}]


def test_options_inside_a_sentence_may_stand_on_lines_and_be_upper_case() -> None:
    found = options.of_sentence("Which order is right?\n(A) big red bus\n(B) red big bus")
    assert [option["label"] for option in found] == ["(a)", "(b)"]


def test_options_that_are_questions_keep_their_question_marks() -> None:
    found = options.of_sentence("Which is polite: (a) may I go? (b) can I go?")
    assert [option["text"] for option in found] == ["may I go?", "can I go?"]


def test_a_function_call_is_no_label() -> None:
    with pytest.raises(options.Unreadable):
        options.of_sentence("Is f(a) larger than f(b)?")


_texts = st.lists(st.from_regex(r"[a-z0-9][a-z0-9 ,%°']{0,20}[a-z0-9]", fullmatch=True), min_size=2, max_size=6)


@given(question=st.from_regex(r"[A-Z][a-z ]{3,30}\?", fullmatch=True), texts=_texts)
def test_written_options_are_read_back(question: str, texts: list[str]) -> None:
    labels = "ABCDEF"[: len(texts)]
    lines = [f"{label}. {text}" for label, text in zip(labels, texts, strict=True)]
    closing = f"Select one of the following: {', '.join(labels[:-1])} or {labels[-1]}."
    found = options.of_lines("\n".join([question, *lines, closing]))
    assert found == [{"label": label, "text": " ".join(text.split())} for label, text in zip(labels, texts, strict=True)]
