"""The rules of rulebooks/ko/understanding/transcript.yaml, on their own examples and against what is easily mistaken."""

from __future__ import annotations

import pytest

from stages import languages
from stages.languages.ko import words

LEXICON = languages.load("ko").lexicon


def _examples(section: str, rule: str) -> list[tuple[str, list[str]]]:
    rules = {entry["id"]: entry for entry in words.rules()[section]}
    found = []
    for example in rules[rule]["examples"]:
        before, _, after = example.partition(" → ")
        found.append((before, [part.strip() for part in after.split("|")]))
    return found


@pytest.mark.parametrize(("text", "expected"), _examples("eojeol", "eojeol.spaces"))
def test_an_eojeol_stands_between_spaces_without_punctuation(text: str, expected: list[str]) -> None:
    assert [word.text for word in words.analyse([text])[0]] == expected


@pytest.mark.parametrize(("text", "expected"), _examples("eojeol", "eojeol.open_space"))
def test_where_a_space_is_a_matter_of_habit_is_marked(text: str, expected: list[str]) -> None:
    """The first such place is what counts: no word from there on is asked for by its place."""
    marked = [word.text if word.firm else f"?{word.text}" for word in words.analyse([text])[0]]
    until = next((place + 1 for place, word in enumerate(marked) if word.startswith("?")), len(marked))
    assert marked[:until] == expected[:until]


@pytest.mark.parametrize(
    "text",
    [
        "먹어 볼게요", "지역관광협회가 왔다", "하는게 좋다", "공부 했어요", "김현우 씨는 갔다", "중견 기업이 컸다", "열 살이다", "그러면 안 됐어",
        "이제 못 하겠어", "장사가 잘 돼요",
        "어른이 될때까지 기다렸다", "안좋은 일이 있었다", "더 이상은 싫다", "지난 해에 왔다", "밥을 먹은 후에 갔다",
    ],
)
def test_other_open_spaces_are_found(text: str) -> None:
    assert not all(word.firm for word in words.analyse([text])[0])


@pytest.mark.parametrize("text", ["고기를 안 먹어요", "물이 다 나왔다", "노래를 더 듣고 갔다"])
def test_other_adverbs_stand_apart_for_certain(text: str) -> None:
    assert all(word.firm for word in words.analyse([text])[0])


@pytest.mark.parametrize(("text", "expected"), _examples("words", "word.noun") + _examples("words", "word.form"))
def test_a_noun_is_what_stays_without_its_particles(text: str, expected: list[str]) -> None:
    assert [word.stem or "-" for word in words.analyse([text])[0]] == expected


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("나라를 지켰다", ["나라", ""]),
        ("마을에서부터 걸었다", ["마을", ""]),
        ("오이와 고추를 샀다", ["오이", "고추", ""]),
        ("서울로 갔다", ["서울", ""]),
        ("학교예요", [""]),  # the copula makes it a sentence, not a form of the noun
        ("사람들이 왔다", ["", ""]),  # with a suffix it is another word
        ("예뻤다", [""]),
    ],
)
def test_particles_are_cut_only_where_they_are_particles(text: str, stems: list[str]) -> None:
    assert [word.stem for word in words.analyse([text])[0]] == stems


@pytest.mark.parametrize(
    ("rest", "before", "fits"),
    [("을", "다", False), ("를", "다", True), ("으로", "울", False), ("로", "울", True), ("에서부터", "을", True), ("이가", "바", False)],
)
def test_a_particle_must_fit_the_sound_before_it(rest: str, before: str, fits: bool) -> None:
    assert words._cut(rest, before) is fits


def test_letters_that_sound_alike_are_one() -> None:
    assert LEXICON.same_sound("내가") == LEXICON.same_sound("네가")
    assert LEXICON.same_sound("왜") == LEXICON.same_sound("외")
    assert LEXICON.same_sound("바다") != LEXICON.same_sound("파도")
    assert LEXICON.same_sound("바 다!") == LEXICON.same_sound("바다")


def test_places_and_counts_are_said_in_native_numerals() -> None:
    said = {1: "첫 번째", 2: "두 번째", 3: "세 번째", 10: "열 번째", 20: "스무 번째", 21: "스물한 번째"}
    assert {number: LEXICON.ordinal(number) for number in said} == said
    assert [LEXICON.times(n) for n in (1, 2, 5)] == ["한 번", "두 번", "다섯 번"]
    with pytest.raises(ValueError, match="no native numeral"):
        LEXICON.times(0)


def test_analysing_together_gives_what_analysing_alone_gives() -> None:
    texts = ["오늘은 날씨가 참 맑네요.", "", "우유 한 잔 마실게요"]
    assert words.analyse(texts) == [words.analyse([text])[0] for text in texts]
