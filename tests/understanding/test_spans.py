"""Which utterances make a segment: by their speakers, pauses, tags and lengths; what is left out has its reason."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.files import Row
from stages.understanding import spans
from stages.understanding.spans import CutSettings

HIDES: dict[str, spans.Hidden] = {"f": "filler", "u": "words", "n": "nothing"}


def rows(*stretches: tuple[Any, ...]) -> list[Row]:
    """(start, end, speaker or a kind in angles, tags): `<private>` is a stretch of that kind."""
    made = []
    for number, (start, end, who, *tags) in enumerate(stretches):
        kind = who.strip("<>") if who.startswith("<") else "speech"
        row: Row = {"id": f"c-{number:05d}", "start_s": float(start), "end_s": float(end), "kind": kind, "speaker": who, "tags": tags}
        made.append({**row, "recording_s": 100.0, "overlaps": False})
    for one in made:
        speech = [other for other in made if other["kind"] == "speech" and other is not one]
        one["overlaps"] = any(o["start_s"] < one["end_s"] and one["start_s"] < o["end_s"] for o in speech)
    return made


def found(given_rows: list[Row], kind: str, max_s: float = 20.0, **more: Any) -> tuple[list[str], dict[str, str]]:
    """Segments as the numbers of their rows, and the reason of each row left out."""
    result = spans.find(given_rows, CutSettings(kind=kind, **more), HIDES, 0.5, max_s, 0.0)  # type: ignore[arg-type]
    return ["".join(str(int(row["id"][2:])) for row in span.rows) for span in result.spans], {str(int(r["id"][2:])): why for r, why, _ in result.left}


def test_an_utterance_is_alone_and_nobody_talks_over_it() -> None:
    talk = rows((0, 2, "A"), (3, 5, "B"), (4.5, 6, "A"), (7, 8, "A"))
    assert found(talk, "utterance") == (["0", "3"], {"1": "overlapped", "2": "overlapped"})


def test_lengths_and_hidden_words_bar_an_utterance() -> None:
    talk = rows((0, 0.2, "A"), (1, 3, "A", "f"), (4, 6, "A", "u"), (7, 9, "A", "n"), (10, 40, "A"), (41, 43, "<unintelligible>"))
    expected = {"0": "too_short", "1": "inexact", "2": "inexact", "4": "too_long", "5": "unintelligible"}
    assert found(talk, "utterance", hidden="nothing") == (["3"], expected)
    assert found(talk, "utterance", hidden="filler")[0] == ["1", "3"]


def test_a_speaker_goes_on_over_pauses_and_noise_until_another_voice_or_a_long_silence() -> None:
    talk = rows((0, 2, "A"), (2.2, 2.8, "<noise>"), (3, 5, "A"), (6, 7, "<other_speaker>"), (8, 10, "A"), (11, 12, "B"), (13, 14, "A"), (20, 21, "A"))
    assert found(talk, "speaker", max_pause_s=1.5) == (["02", "4", "5", "6", "7"], {})


def test_a_speaker_who_goes_on_too_long_is_cut_between_utterances() -> None:
    talk = rows((0, 4, "A"), (5, 9, "A"), (10, 14, "A"), (15, 19, "A"))
    assert found(talk, "speaker", max_s=10.0)[0] == ["01", "23"]


@pytest.mark.parametrize("kind", ["utterance", "speaker", "dialogue"])
def test_what_is_private_is_in_no_segment_and_ends_one(kind: str) -> None:
    talk = rows((0, 2, "A"), (2.2, 3, "<private>"), (3.2, 5, "A"), (5.5, 7, "<private>"), (6.5, 8, "A"))
    segments, left = found(talk, kind, max_pause_s=5.0)
    assert segments == ["0", "2"]
    assert left == {"4": "overlapped"}


def test_a_dialogue_takes_whole_utterances_of_everybody() -> None:
    talk = rows((0, 2, "A"), (1.5, 3, "B"), (3.5, 5, "C"), (6, 7, "A", "u"), (8, 9, "<unintelligible>"), (30, 32, "A"))
    assert found(talk, "dialogue", max_pause_s=5.0) == (["01234", "5"], {})


def test_a_dialogue_is_cut_only_where_everybody_pauses() -> None:
    talk = rows((0, 5, "A"), (4, 9, "B"), (8.95, 12, "A"), (12.05, 13, "B"), (14, 20, "A"))
    assert found(talk, "dialogue", max_s=14.0)[0] == ["0123", "4"]
    assert found(talk, "dialogue", max_s=10.0) == (["4"], dict.fromkeys("0123", "too_long"))


def test_an_interviewer_ends_a_dialogue_unless_he_may_be_heard() -> None:
    talk = rows((0, 2, "A"), (2.5, 4, "<other_speaker>"), (4.5, 6, "A"), (6.5, 8, "<other_speaker>"))
    assert found(talk, "dialogue", max_pause_s=5.0) == (["0", "2"], {})
    result = spans.find(talk, CutSettings(kind="dialogue", max_pause_s=5.0, interviewer=True), HIDES, 1.0, 20.0, 0.0)
    (span,) = result.spans
    assert ([row["id"] for row in span.rows], span.interviewer, span.end_s) == (["c-00000", "c-00001", "c-00002"], True, 6.0)


def test_margins_reach_into_silence_and_never_to_another_sound() -> None:
    talk = rows((0, 1, "B"), (1.1, 3, "A"), (3.5, 3.7, "<noise>"), (3.7, 5, "<silence>"), (5, 6, "A"))
    result = spans.find(talk, CutSettings(kind="utterance"), HIDES, 0.5, 20.0, 0.2)
    assert [(round(span.earliest_s, 3), round(span.latest_s, 3)) for span in result.spans] == [(0.0, 1.1), (1.0, 3.2), (4.8, 6.2)]


_TALK = st.lists(
    st.tuples(
        st.floats(0.0, 1.5), st.floats(0.1, 6.0), st.sampled_from(["A", "B", "<private>", "<other_speaker>", "<noise>", "<silence>"]),
    ),
    max_size=30,
)  # fmt: skip


@given(_TALK, st.sampled_from(["utterance", "speaker", "dialogue"]), st.booleans())
def test_every_utterance_is_used_or_left_out_and_no_segment_touches_what_it_may_not(
    talk: list[tuple[float, float, str]], kind: str, overlapping: bool
) -> None:
    now, stretches = 0.0, []
    for gap, length, who in talk:
        start = max(now + gap - (1.0 if overlapping else 0.0), 0.0)
        stretches.append((start, start + length, who))
        now = start + length
    made = rows(*stretches)
    result = spans.find(made, CutSettings(kind=kind), HIDES, 1.0, 12.0, 0.2)  # type: ignore[arg-type]
    used = [row["id"] for span in result.spans for row in span.rows]
    left = [row["id"] for row, _, _ in result.left]
    assert sorted(used + left) == sorted(row["id"] for row in made if row["kind"] == "speech")
    ordered = sorted(result.spans, key=lambda span: span.start_s)
    for span in ordered:
        assert span.earliest_s <= span.start_s < span.end_s <= span.latest_s
        assert span.latest_s - span.earliest_s <= 12.0 + 1e-9
        for row in made:
            if row["kind"] in ("private", "other_speaker"):
                assert row["end_s"] <= span.earliest_s + 1e-9 or row["start_s"] >= span.latest_s - 1e-9
        if kind != "dialogue":
            assert len({row["speaker"] for row in span.rows}) == 1
    for one, other in pairwise(ordered):
        assert one.end_s <= other.start_s


@pytest.mark.parametrize("kind", ["utterance", "speaker", "dialogue"])
def test_what_a_reader_refused_lies_in_no_segment(kind: str) -> None:
    talk = rows((0, 2, "A"), (2.5, 3, "<refused>"), (4, 6, "A"), (7, 9, "A"), (8, 8.5, "<refused>"))
    assert found(talk, kind, interviewer=True, max_pause_s=5.0) == (["0", "2"], {"3": "overlapped"})


def test_what_a_refused_stretch_only_follows_is_not_lost() -> None:
    talk = rows((0, 2, "A"), (2.05, 3, "<refused>"), (3.05, 5, "B"))
    assert found(talk, "dialogue") == (["0", "2"], {})
