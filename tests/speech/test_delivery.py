"""Marks of delivery in the audio: exact places, and measures that tell when an edit did not work."""

from __future__ import annotations

import numpy as np

from stages.core.delivery import parse
from stages.speech.delivery import STRESS_GAIN_DB, Piece, assemble, pieces, verify
from stages.speech.takes import side_texts

RATE = 24000


def _said(seconds: float = 0.6, level: float = 0.1, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(int(seconds * RATE)) * level).astype(np.float32)


def _pieces(text: str) -> list[Piece]:
    return pieces(parse(text, "test"))


def test_a_pause_cuts_the_words_and_lasts_as_long_as_it_says() -> None:
    found = _pieces("Let us eat [pause 0.7] grandma.")
    assert [(one.text, one.gap_s, one.pause) for one in found] == [("Let us eat", 0.7, True), ("grandma.", 0.0, False)]
    joined, marks = assemble([(one, _said(seed=number)) for number, one in enumerate(found)], RATE)
    assert len(joined) == round((0.6 + 0.7 + 0.6) * RATE)
    assert [(mark.kind, mark.start_s, mark.end_s, mark.ok) for mark in marks] == [("pause", 0.6, 1.3, True)]
    assert side_texts(tuple(found)) == ["Let us eat", "grandma."]


def test_a_pause_without_a_length_takes_the_voices_own() -> None:
    assert _pieces("Stop [pause] now")[0].gap_s == 0.5


def test_stressed_words_are_louder_than_the_rest_by_the_gain() -> None:
    found = _pieces("I *never* said that.")
    assert [(one.text, one.stressed) for one in found] == [("I", False), ("never", True), ("said that.", False)]
    _, marks = assemble([(one, _said(level=level, seed=3)) for one, level in zip(found, (0.1, 0.02, 0.1), strict=True)], RATE)
    assert [mark.kind for mark in marks] == ["stress"]
    assert marks[0].ok
    assert abs(float(marks[0].measured.split()[0]) - STRESS_GAIN_DB) < 0.6


def test_a_stutter_is_heard_as_often_as_it_says() -> None:
    found = _pieces("I [stutter w 3] want that.")
    assert [(one.text, one.repeats) for one in found] == [("I", 0), ("want that.", 3)]
    joined, marks = assemble([(one, _said(seed=number)) for number, one in enumerate(found)], RATE)
    assert (marks[0].kind, marks[0].measured, marks[0].ok) == ("stutter", "3 bursts", True)
    assert len(joined) > round(1.2 * RATE) + 3 * round(0.16 * RATE)


def test_an_edit_that_is_not_in_the_audio_is_told() -> None:
    noise = _said(2.0)
    spans = [(Piece("a", gap_s=0.6, pause=True), 0, 0, RATE // 2), (Piece("b", stressed=True), RATE, RATE, 2 * RATE)]
    told = {mark.kind: mark for mark in verify(noise, spans, RATE)}
    assert not told["pause"].ok
    assert not told["stress"].ok


def test_an_unmarked_query_is_one_piece_and_tone_cuts_nothing() -> None:
    assert [one.text for one in _pieces("What time is it?")] == ["What time is it?"]
    assert [one.text for one in _pieces("[tone sarcastic] Oh, great.")] == ["Oh, great."]
    assert _pieces("[pause 1]") == []
