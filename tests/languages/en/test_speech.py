"""English as it is said and heard."""

from __future__ import annotations

import pytest

from stages.languages import load
from stages.languages.en.aloud import cardinal, in_words, ordinal
from stages.languages.en.phonemes import phonemes


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It costs $4.50.", "It costs four point five zero dollars."),
        ("1,234 people", "one thousand two hundred thirty-four people"),
        ("the 21st of May 1999", "the twenty-first of May nineteen ninety-nine"),
        ("at 7:05 or 8:00", "at seven oh five or eight o'clock"),
        ("3.14 is 10%", "three point one four is ten percent"),
        ("call 007", "call zero zero seven"),
        ("in 2005", "in two thousand five"),
        ("no numbers here", "no numbers here"),
    ],
)
def test_numbers_are_said_in_words(written: str, said: str) -> None:
    assert in_words(written) == said
    assert in_words(said) == said
    assert load("en").read(written).text == said


def test_number_words() -> None:
    assert [cardinal(n) for n in (0, 13, 40, 99, 100, 1_000_001)] == [
        "zero", "thirteen", "forty", "ninety-nine", "one hundred", "one million one",
    ]  # fmt: skip
    assert [ordinal(n) for n in (1, 2, 3, 5, 8, 9, 12, 20, 21, 100)] == [
        "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "twentieth", "twenty-first", "one hundredth",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [("I'm 21 & don't pay $5.", "i am twenty one and do not pay five dollars"), ("You can't!", "you cannot"), ("Café, OK?", "cafe okay")],
)
def test_what_sounds_alike_is_comparable(one: str, other: str) -> None:
    english = load("en")
    assert english.comparable(one) == english.comparable(other)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("Hello, world!", "həlˈO, wˈɜɹld!"),
        ("dogs", "dˈɑɡz"),
        ("NASA BVQ", "nˈæsə bˈi vˈi kjˈu"),
        ("3 cats", "θɹˈi kˈæts"),
        ("naïve café", "nˌIˈiv kəfˈA"),
    ],
)
def test_words_become_the_voices_signs(text: str, signs: str) -> None:
    assert phonemes(text) == (signs, "")


def test_a_coined_word_has_sounds_and_a_foreign_script_is_told() -> None:
    said, silent = phonemes("blorptastic 한국")
    assert len(said) > 6
    assert silent == "한국" or set(silent) >= set("한국") or silent
