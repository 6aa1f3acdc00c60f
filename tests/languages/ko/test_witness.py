"""Answers by program: they keep what they must keep, and miss just what they must miss."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.languages import Unsatisfiable, load
from stages.languages.ko.instructions import CHECKS, check, near_miss, stand_in, witness

KWARGS: dict[str, dict[str, Any]] = {
    "keywords:existence": {"keywords": ["수확", "농장"]},
    "keywords:frequency": {"keyword": "농장", "frequency": 3, "relation": "at least"},
    "keywords:forbidden_words": {"forbidden_words": ["나무", "하늘"]},
    "keywords:letter_frequency": {"letter": "ㅋ", "let_frequency": 6, "let_relation": "at least"},
    "language:response_language": {"language": "ko"},
    "length_constraints:number_words": {"num_words": 30, "relation": "at least"},
    "length_constraints:number_sentences": {"num_sentences": 6, "relation": "less than"},
    "length_constraints:number_paragraphs": {"num_paragraphs": 3},
    "length_constraints:nth_paragraph_first_word": {"num_paragraphs": 3, "nth_paragraph": 2, "first_word": "어제는"},
    "detectable_content:number_placeholders": {"num_placeholders": 3},
    "detectable_content:postscript": {"postscript_marker": "추신"},
    "detectable_format:number_bullet_lists": {"num_bullets": 4},
    "detectable_format:number_highlighted_sections": {"num_highlights": 2},
    "detectable_format:multiple_sections": {"section_spliter": "섹션", "num_sections": 2},
    "detectable_format:title": {},
    "punctuation:no_comma": {},
    "startend:quotation": {},
    "detectable_format:json_format": {},
    "detectable_format:constrained_response": {"options": ["내 대답은 예입니다.", "내 대답은 아니요입니다."]},
    "combination:two_responses": {},
    "combination:repeat_prompt": {"prompt_to_repeat": "염소는 헤엄칠 수 있나요?"},
    "startend:end_checker": {"end_phrase": "여기까지입니다."},
}
LANGUAGES = ["hi", "mr", "ne", "ru", "bg", "fa", "ur", "ar", "vi", "it", "sw", "th", "kn", "pa", "gu", "ta", "de", "en", "ja"]
NO_NIEUN = ("keywords:letter_frequency", {"letter": "ㄴ", "let_frequency": 1, "let_relation": "less than"})
FREE = ["keywords:existence", "keywords:letter_frequency", "length_constraints:number_words", "detectable_format:number_bullet_lists",
        "detectable_format:title", "punctuation:no_comma", "detectable_content:postscript", "detectable_format:number_highlighted_sections",
        "startend:quotation", "length_constraints:number_paragraphs"]  # fmt: skip
"""Constraints that do not get into each other's way."""


def test_every_checker_is_tried_here() -> None:
    assert set(KWARGS) == set(CHECKS)


@pytest.mark.parametrize("id", KWARGS)
def test_one_constraint_has_a_witness_and_a_near_miss(id: str) -> None:
    one = [(id, KWARGS[id])]
    assert check(id, KWARGS[id], witness(one))
    assert not check(id, KWARGS[id], near_miss(one, 0))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(FREE), unique=True, min_size=2), st.data())
def test_constraints_together_are_kept_and_missed_one_at_a_time(ids: list[str], data: st.DataObject) -> None:
    instructions = [(id, KWARGS[id]) for id in ids]
    answer = witness(instructions)
    assert all(check(id, kwargs, answer) for id, kwargs in instructions)
    at = data.draw(st.integers(0, len(ids) - 1))
    missed = near_miss(instructions, at)
    assert [check(id, kwargs, missed) for id, kwargs in instructions] == [place != at for place in range(len(ids))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_have_witnesses(language: str) -> None:
    instructions = [("language:response_language", {"language": language}), ("combination:two_responses", {}), ("punctuation:no_comma", {})]
    assert check("language:response_language", {"language": language}, witness(instructions))
    assert not check("language:response_language", {"language": language}, near_miss(instructions, 0))


@pytest.mark.parametrize(
    "instructions",
    [
        [("keywords:existence", {"keywords": ["농장"]}), ("keywords:forbidden_words", {"forbidden_words": ["농장"]})],
        [("combination:repeat_prompt", {"prompt_to_repeat": "밤, 감"}), ("punctuation:no_comma", {})],
        [("length_constraints:number_words", {"num_words": 9, "relation": relation}) for relation in ("at least", "less than")],
        [("keywords:frequency", {"keyword": "농장", "frequency": 0, "relation": "less than"})],
        [("detectable_format:json_format", {}), ("startend:quotation", {})],
        [("detectable_format:json_format", {}), ("detectable_format:number_bullet_lists", {"num_bullets": 2})],
        [NO_NIEUN, ("keywords:existence", {"keywords": ["눈"]})],
    ],
)  # fmt: skip
def test_what_contradicts_itself_has_no_witness(instructions: list[tuple[str, dict[str, Any]]]) -> None:
    with pytest.raises(Unsatisfiable):
        witness(instructions)


@pytest.mark.parametrize(("low", "high", "letter"), [(250, 400, "ㅎ"), (900, 1000, "ㅏ"), (100, 101, "ㄱ")])
def test_long_answers_without_a_letter(low: int, high: int, letter: str) -> None:
    instructions = [
        ("length_constraints:number_words", {"num_words": low, "relation": "at least"}),
        ("length_constraints:number_words", {"num_words": high, "relation": "less than"}),
        ("keywords:letter_frequency", {"letter": letter, "let_frequency": 1, "let_relation": "less than"}),
        ("length_constraints:number_sentences", {"num_sentences": 4, "relation": "less than"}),
    ]
    answer = witness(instructions)
    assert letter not in load("ko").decompose(answer)


def test_stand_ins_are_korean_and_keep_words_apart() -> None:
    one, other = stand_in("keywords", ["sleep", "cook"])
    assert one != other
    assert stand_in("keyword", "sleep") == one
    assert stand_in("keyword", "Sleep") == one
    assert stand_in("first_word", "yesterday") == "어제는"
