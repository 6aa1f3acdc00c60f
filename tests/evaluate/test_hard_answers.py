"""Answers that no one expects: a megabyte, nothing but one sign, tags that never end. Every reader comes back soon and with a plain value."""

from __future__ import annotations

import time

import pytest

from stages.languages import load

ENGLISH = [("A", "Danube"), ("B", "Nile"), ("C", "Congo"), ("D", "Rhine")]
KOREAN = [("ㄱ", "다뉴브강"), ("ㄴ", "나일강"), ("ㄷ", "콩고강"), ("ㄹ", "라인강")]
SIZE = 1_000_000
PIECES = ["\n", "B, ", "<think>"]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("code", ["en", "ko"])
def test_a_megabyte_is_read(code: str, piece: str) -> None:
    answers, options = load(code).answers, ENGLISH if code == "en" else KOREAN
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]
    started = time.process_time()
    assert answers.choice(text, options) in (None, 0, 1, 2, 3)
    assert answers.verdict(text, "Does Ana tell the truth?", "web_of_lies") in (None, True, False)
    assert answers.refuses(text) in (True, False)
    assert answers.mark(text, 1, 5) is None
    assert answers.vote(text) in (None, True, False)
    assert answers.loops(text) in (True, False)
    assert time.process_time() - started < 30  # quadratic reading takes minutes


def test_the_end_of_a_long_answer_counts() -> None:
    thoughts = "<think>" + "A is a river. B is one, too. " * 40_000 + "</think>The answer is C."
    assert load("en").answers.choice(thoughts, ENGLISH) == 2
    assert load("en").answers.choice("Rivers flow down to the sea. " * 40_000 + "\n\nFinal answer: D", ENGLISH) == 3
    assert load("ko").answers.choice("강은 바다로 흐릅니다. " * 40_000 + "\n\n정답은 ㄴ입니다.", KOREAN) == 1
