"""Voices by id alone, and sentences in portions that a recognizer can judge."""

from __future__ import annotations

from collections import Counter

import pytest

from stages.speech.casting import choose_voice, group
from stages.speech.settings import Voice, Voices

VOICES = Voices(female=[Voice(name="f1"), Voice(name="f2")], male=[Voice(name="m1")])


def test_voices_are_balanced_and_do_not_depend_on_other_rows() -> None:
    ids = [f"bbh-test-{n:05d}" for n in range(2000)]
    chosen = {row_id: choose_voice(row_id, VOICES) for row_id in ids}
    genders = Counter(gender for gender, _ in chosen.values())
    names = Counter(voice.name for _, voice in chosen.values())
    assert abs(genders["female"] - 1000) < 100
    assert abs(names["f1"] - names["f2"]) < 150
    assert all((gender == "male") == (voice.name == "m1") for gender, voice in chosen.values())
    assert chosen["bbh-test-00007"] == choose_voice("bbh-test-00007", VOICES)


@pytest.mark.parametrize(
    ("sentences", "portions"),
    [
        (["a long one", "a", "bb", "c", "dd"], ["a long one", "a. bb. c. dd"]),
        (["a long one", "a"], ["a long one. a"]),
        (["a", "a long one", "another one"], ["a. a long one", "another one"]),
        (["a,", "b?", "c", "long enough"], ["a, b? c. long enough"]),
        (["a"], ["a"]),
        (["...", "a long one", "?!"], ["a long one"]),
        (["..."], []),
    ],
)
def test_short_sentences_go_together(sentences: list[str], portions: list[str]) -> None:
    assert group(sentences, 6, lambda text: sum(char.isalnum() for char in text)) == portions


def test_zero_keeps_every_sentence_apart() -> None:
    assert group(["a", "b"], 0, len) == ["a", "b"]
