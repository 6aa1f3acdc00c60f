"""Marks of delivery."""

from __future__ import annotations

import pytest

from stages.core.delivery import Mark, parse
from stages.core.errors import UserError


def test_marks_come_out_of_the_text_with_their_places() -> None:
    found = parse("[tone dry] I saw [pause 0.6] her *duck* and [stutter w 3] want it.", "x")
    assert found.text == "I saw her duck and want it."
    assert found.marks == [
        Mark("tone", 0, 0, "dry"),
        Mark("pause", 6, 6, "", 0.6),
        Mark("stress", 10, 14),
        Mark("stutter", 19, 19, "w", 3.0),
    ]
    assert found.text[10:14] == "duck"
    assert found.text[19:].startswith("want")


def test_a_text_without_marks_is_itself() -> None:
    assert parse("Why is the sky blue?", "x") == ("Why is the sky blue?", [])


def test_a_pause_at_the_end_leaves_no_space() -> None:
    assert parse("Wait [pause]", "x").text == "Wait"


@pytest.mark.parametrize("text", ["a [paus] b", "2 * 3", "a [pause 9] b", "a [tone] b", "a ] b", "*open"])
def test_what_is_no_mark_is_named(text: str) -> None:
    with pytest.raises(UserError, match="item 7 has "):
        parse(text, "item 7")
