"""Checks of checklists: what a good point is, and every way in which one is not."""

from __future__ import annotations

import pytest

from stages.wildspeech.points import PointSettings, problems
from tests.wildspeech.conftest import queried

EN = PointSettings(words="rulebooks/en/checklist.yaml")
KO = PointSettings(words="rulebooks/ko/checklist.yaml")
GOOD = [
    "The answer names at least one step that can be done before the dough rises.",
    "The answer says how to tell by touch or sound that the bread is done.",
    "The answer mentions an oven temperature or says that it depends on the oven.",
]


def checks(points: list[str], settings: PointSettings = EN, **row: object) -> list[str]:
    return [problem.partition(":")[0] for problem in problems(points, queried(**row), settings)]  # type: ignore[arg-type]


def test_good_points_pass() -> None:
    assert checks(GOOD) == []


@pytest.mark.parametrize(
    ("point", "check"),
    [
        ("The answer is helpful.", "vague"),
        ("The answer sounds natural and warm to the listener.", "vague"),
        ("The answer is clearly well structured from start to end.", "vague"),
        ("The answer uses tools appropriately where appropriate for bread.", "vague"),
        ("The answer is factually correct.", "general"),
        ("The answer avoids unnecessary repetition of the same step.", "general"),
        ("The answer follows the user's instructions.", "general"),
        ("The answer addresses the question directly.", "general"),
        ("The correct answer is a hot oven with steam.", "answer_key"),
        ("The answer says to bake for 45 minutes in the oven.", "answer_key"),
        ("The answer says that bread was first baked in Egypt long ago.", "answer_key"),
        ('The answer uses the words "strong white flour" for the dough.', "answer_key"),
        ("Does the answer say how long the bread bakes?", "question"),
        ("The answer names a flour. The answer names a pan.", "several"),
        ("The answer names a flour; the answer names a pan.", "several"),
        ("Names flour.", "length"),
        ("The answer " + "very " * 30 + "long.", "length"),
    ],
)
def test_a_flaw_is_named(point: str, check: str) -> None:
    assert check in checks([*GOOD[:2], point])


def test_numbers_and_names_of_the_query_are_no_key() -> None:
    points = ["The answer gives an idea for each of the 3 days.", "The answer stays within the city of Lisbon.", *GOOD[:1]]
    assert checks(points, query="Plan 3 days in Lisbon for me, please.") == []


def test_too_few_too_many_and_repeated_points() -> None:
    assert checks(GOOD[:2]) == ["count"]
    assert "count" in checks([*GOOD, *[f"The answer says something of its own about part {word} of it." for word in ("one", "two", "six", "ten")]])
    assert checks([*GOOD, "The answer says how to tell by touch or by sound that the bread is done."]) == ["repeated"]


def test_a_paralinguistic_item_needs_a_point_on_what_was_heard() -> None:
    row = {"kind": "tone", "meant": "The speaker is annoyed.", "must_notice": "The reply notices the annoyance.", "other": "Glad.", "contrast": ""}
    assert checks(GOOD, **row) == ["unnoticed"]
    assert checks([*GOOD, "The answer shows that the annoyance of the speaker was heard."], **row) == []


def test_korean_words_are_the_same_in_content_whatever_their_particles() -> None:
    row = {"kind": "homophone", "query": "개가 밥을 안 먹는데 병원에 가야 할까?", "meant": "기르는 개가 먹지 않는다.", "other": "게가 굶는다."}
    row |= {"must_notice": "개의 식욕과 동물병원에 관해 답한다.", "contrast": "게가 밥을 안 먹는데 병원에 가야 할까?", "language": "ko"}
    points = ["답변은 기르는 개의 이야기로 알아듣고 말한다.", "답변은 집에서 먼저 살펴볼 것을 말한다.", "답변은 서두를 증상을 한 가지 든다."]
    assert checks(points, KO, **row) == []
    assert checks([*points[1:], "답변은 여섯 문장 안에서 끝난다."], KO, **row) == ["unnoticed"]


def test_korean_points_are_checked_by_korean_patterns() -> None:
    good = [
        "반죽을 부풀리기 전에 할 일을 하나 이상 말한다.",
        "빵이 다 익었는지 알아보는 방법을 말한다.",
        "오븐 온도나 굽는 시간을 정하는 기준을 말한다.",
    ]
    row = {"query": "집에서 빵은 어떻게 구워?", "language": "ko"}
    assert checks(good, KO, **row) == []
    assert "vague" in checks([*good[:2], "사용자에게 유용한 답변을 준다."], KO, **row)
    for form in ("빵 굽는 이야기를 자연스럽게 이어 간다.", "굽는 법을 알리는 말투가 자연스럽다.", "첫 문장이 자연스러워야 한다."):
        assert "vague" in checks([*good[:2], form], KO, **row), form
    assert checks([*good[:2], "굽는 온도, 즉, 오븐의 세기를 정하는 기준을 말한다."], KO, **row) == []
    assert "general" in checks([*good[:2], "말하는 내용이 사실과 맞아야 한다."], KO, **row)
    assert "answer_key" in checks([*good[:2], "정답은 이백 도에서 굽는 것이라고 말한다."], KO, **row)
    assert "answer_key" in checks([*good[:2], "오븐을 220 도로 맞추라고 말한다."], KO, **row)
