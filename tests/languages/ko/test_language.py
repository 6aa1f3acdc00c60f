"""What the stages ask of Korean."""

import pytest

from stages import languages
from stages.core.errors import UserError
from stages.languages.ko import jamo, numerals, particles


def test_an_unknown_language_is_named_with_the_nearest():
    with pytest.raises(UserError, match="'ko'"):
        languages.load("kor")


def test_it_has_what_the_protocol_asks_for(ko):
    assert ko.code == "ko"
    assert ko.option_labels[:4] == ["ㄱ", "ㄴ", "ㄷ", "ㄹ"]
    assert ko.yes[0] == "예"
    assert ko.no[0] == "아니요"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2시간 걸렸다.", "두 시간 걸렸다"),
        ("회원은 3,456명", "회원은 삼천사백오십육 명"),
        ("NASA가", "나사가"),
        ("5km/h", "오 킬로미터 퍼 아워"),
        ("Alice!", "alice"),
    ],
)
def test_comparable_is_the_same_for_what_sounds_the_same(ko, one, other):
    assert ko.comparable(one) == ko.comparable(other)


def test_comparable_differs_for_what_sounds_different(ko):
    assert ko.comparable("두 시간") != ko.comparable("이 시간")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("서울 특별시", "서울특별시"),
        ("네덜란드입니다.", "네덜란드"),
        ("이순신을", "이순신"),
        ("2차 세계대전", "이차 세계 대전"),
        ("《토지》", "토지"),
        ("세종대왕이다", "세종대왕"),
        ("커피는", "커피"),
    ],
)
def test_spellings_of_one_answer_have_one_key(ko, one, other):
    assert ko.alias_key(one) == ko.alias_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("가을", "가"), ("마을", "마"), ("노을", "노"), ("제주도", "제주"), ("소설가", "소설"), ("네덜란드", "홀란드")]
)
def test_words_that_only_look_like_particles_keep_them(ko, one, other):
    assert ko.alias_key(one) != ko.alias_key(other)


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("3개", "digit"),
        ("세 개 & 네 개", "symbol"),
        ("ㄱ이 답", "letter"),
        ("すし", "script"),
        ("?!", "empty"),
        ("", "empty"),
        ("③", "digit"),
        ("漢字는", "script"),
        ("½컵", "digit"),
    ],
)
def test_what_a_voice_cannot_say_is_found(ko, text, check):
    assert [failure.partition(":")[0] for failure in ko.check_spoken(text)] == [check]


def test_a_lost_name_is_found(ko):
    assert ko.check_spoken("앨리스가 왔다.", ["Alice"]) == ["name: 'Alice' is not in the spoken text"]
    assert ko.check_spoken("Alice가 왔다.", ["Alice"]) == []


def test_sentences_are_split_without_being_lost(ko):
    text = "값은 삼 점 일사이다. 그는 “안녕하세요?”라고 말했다! 비가 온다\n두 번째 줄입니다"
    sentences = ko.split_sentences(text)
    assert len(sentences) >= 4
    assert all(sentences)
    assert "".join(sentences).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_splitting_nothing_gives_nothing(ko):
    assert ko.split_sentences("") == ko.split_sentences(" \n ") == ko.split_sentences("...") == []


def test_letters_of_a_syllable():
    assert jamo.decompose("닭이 A") == "ㄷㅏㄺㅇㅣ A"


@pytest.mark.parametrize(
    ("number", "spoken"),
    [
        (0, "영"),
        (10, "십"),
        (11, "십일"),
        (110, "백십"),
        (10000, "만"),
        (11000, "만 천"),
        (10010, "만 십"),
        (10**8, "일억"),
        (100010000, "일억 일만"),
        (10**12, "일조"),
        (10**16, "일경"),
        (20_000_000_000, "이백억"),
    ],
)
def test_sino_korean_numerals(number, spoken):
    assert numerals.sino(number) == spoken


def test_native_numerals():
    assert [numerals.native(n) for n in (1, 4, 20, 21, 99)] == ["한", "네", "스무", "스물한", "아흔아홉"]
    assert numerals.native(20, before_counter=False) == "스물"
    with pytest.raises(ValueError, match="100"):
        numerals.native(100)


def test_roman_numerals():
    assert [numerals.roman(text) for text in ("III", "IV", "IX", "XIV", "XL", "MCMXCIX")] == [3, 4, 9, 14, 40, 1999]


@pytest.mark.parametrize(
    ("text", "before", "form"),
    [
        ("를 보다", "삼", "을"),
        ("을 보다", "이", "를"),
        ("로 간다", "칠", None),
        ("으로", "칠", "로"),
        ("로", "삼", "으로"),
        ("이다", "이", None),
        ("가격", "삼", None),
        ("은(는)", "구", "는"),
        ("(으)로", "팔", "로"),
        ("와의", "삼", "과의"),
    ],
)
def test_particles(text, before, form):
    found = particles.repair(text, 0, before)
    assert (found[2] if found else None) == form
