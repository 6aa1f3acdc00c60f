"""What holds for every number, counter, date and time, and for any text at all."""

import calendar
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.languages.ko import numerals, rulebook
from stages.languages.ko.language import Korean
from tests.languages.ko.conftest import applied

KO = Korean()
BOOK = rulebook.load()
_PLACES = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
_SMALL = {"십": 10, "백": 100, "천": 1000}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16}


def value_of(spoken: str) -> int:
    """An independent reading back of a Sino-Korean numeral."""
    if spoken == "영":
        return 0
    total = group = digit = 0
    for char in spoken.replace(" ", ""):
        if char in _PLACES:
            digit = _PLACES[char]
        elif char in _SMALL:
            group += (digit or 1) * _SMALL[char]
            digit = 0
        else:
            total += (group + digit or 1) * _LARGE[char]
            group = digit = 0
    return total + group + digit


@given(st.integers(0, 10**16))
@settings(max_examples=500, deadline=None)
def test_a_number_can_be_read_back(number):
    assert _is_name(str(number)) or value_of(KO.read(str(number)).text) == number


@given(st.integers(0, 10**16))
@settings(max_examples=300, deadline=None)
def test_thousands_separators_change_nothing(number):
    written = f"{number:,}"
    assert value_of(KO.read(f"값은 {written}이다.").text.removeprefix("값은 ").removesuffix("이다.")) == number or _is_name(str(number))


def _is_name(text):
    return text in BOOK["lexical"] or bool(re.fullmatch(r"01[016789]\d{7,8}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", text))


@given(st.decimals(0, 10**6, places=3))
@settings(max_examples=200, deadline=None)
def test_decimals_are_said_digit_by_digit_after_the_point(number):
    whole, fraction = f"{number:.3f}".split(".")
    assert KO.read(f"{whole}.{fraction}").text == f"{numerals.sino(whole)} 점 {numerals.digits(fraction, zero='영')}"


@pytest.mark.parametrize("word", sorted(word for word, entry in BOOK["counters"].items() if entry[1] in ("native", "sino") and word != "조"))
def test_every_counter_takes_its_numerals(word):
    rule_id, numeral, up_to, joined = BOOK["counters"][word]
    for number in (1, 2, 3, 4, 5, 10, 11, 19, 20, 21, 31, 55, 99, 100, 101, 120):
        spoken = KO.read(f"{number}{word}").text
        if numeral == "native" and number <= up_to:
            said = "첫" if (word, number) == ("번째", 1) else numerals.native(number)
        elif word[0] == "월" and number in (6, 10):
            said = {6: "유", 10: "시"}[number]
        else:
            said = numerals.sino(number)
        assert spoken == f"{said}{'' if joined else ' '}{word}", (rule_id, number)


_TAILS = """
은 는 이 가 을 를 의 에 에서 로 으로 와 과 도 만 나 이나 씩 쯤 정도 이상 짜리 당 중 까지 부터
마다 뿐 밖에 라도 이다 이고 이며 이지만 이라서 입니다 입니까 이에요 예요 였다 이었다 인데 인지 일까
래요 라고 이라는 죠 지 네요 군요 더라 던데 거든 든지 만에 만큼 보다 처럼 조차 하고 랑 에게 한테 께
들 이서 였습니다 라면 이라면 면 다 인가요 란 씩만 까지만 부터는 에는 에서도 이었는데
"""


@pytest.mark.parametrize("word", ["개", "명", "살", "권", "잔", "병", "곡", "줄", "마리", "가지", "사람", "시간", "그루", "곳", "송이"])
def test_particles_and_endings_do_not_hide_the_counter(word):
    for tail in _TAILS.split():
        assert KO.read(f"그것은 3{word}{tail}").text.startswith(f"그것은 세 {word}"), tail


@pytest.mark.parametrize("month", range(1, 13))
def test_every_day_of_a_leap_year(month):
    names = {6: "유월", 10: "시월"}
    for day in range(1, calendar.monthrange(2024, month)[1] + 1):
        expected = f"이천이십사년 {names.get(month, numerals.sino(month) + '월')} {numerals.sino(day)}일"
        for written in (
            f"2024-{month:02}-{day:02}",
            f"2024.{month}.{day}",
            f"2024. {month}. {day}.",
            f"2024/{month}/{day}",
            f"2024년 {month}월 {day}일",
        ):
            assert KO.read(written).text == expected, written


def test_every_clock_time():
    for hour in range(24):
        said = numerals.native(hour) if 1 <= hour <= 12 else numerals.sino(hour)
        for minute in range(60):
            expected = f"{said} 시" + (f" {numerals.sino(minute)} 분" if minute else "")
            assert KO.read(f"{hour}:{minute:02}").text == expected
            assert KO.read(f"{hour:02}:{minute:02}에").text == expected + "에"
            if minute:
                assert KO.read(f"{hour}시 {minute}분").text == expected


_TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("가나다라은는이가을를번분대권장개명시월일 년만억조ㄱㄴㅏ0123456789.,:/-~%()[]<>*#&@+=×÷²√°℃₩$\"'ABCxyzaeios日本①Ⅲ½→\n\t"),
        st.characters(codec="utf-8"),
    ),
    max_size=40,
)


@given(_TEXTS)
@settings(max_examples=1500, deadline=None)
def test_any_text_is_read_to_a_fixpoint_whose_changes_explain_it(text):
    reading = KO.read(text)
    assert applied(unicodedata.normalize("NFC", text), reading.changes) == reading.text
    assert KO.read(reading.text).text == reading.text
    assert not re.search(r"[0-9]", reading.text)


@given(st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=60))
@settings(deadline=None)
def test_hangul_is_never_touched(text):
    reading = KO.read(text)
    assert reading.text == text
    assert not reading.changes


@given(
    st.lists(
        st.sampled_from(["3", "개", "번", " ", "은", "1,000", "kg", "~", "2", "/", ":", "원", "%", "월", ".", "-", "A", "제", "$", "(", ")"]),
        max_size=8,
    ).map("".join)
)
@settings(max_examples=1500, deadline=None)
def test_pieces_of_quantities_in_any_order(text):
    reading = KO.read(text)
    assert KO.read(reading.text).text == reading.text
    assert not re.search(r"[0-9%$/~]", reading.text)
    assert applied(text, reading.changes) == reading.text
