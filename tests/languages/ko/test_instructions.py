"""Each constraint on Korean answers with its right value, the doubtful cases first of all."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from stages.core.errors import UserError
from stages.languages.ko.instructions import CHECKS, check
from stages.languages.ko.instructions.lengths import sentences, words
from stages.languages.ko.instructions.letters import count as letter_count

Case = tuple[str, dict[str, Any], str, bool]


def letter(letter: str, bound: int, relation: str = "at least") -> dict[str, Any]:
    return {"letter": letter, "let_frequency": bound, "let_relation": relation}


CASES: list[Case] = [
    # a letter is one of the 40 of the dictionary
    ("keywords:letter_frequency", letter("ㄹ", 2), "물이 흐른다", True),
    ("keywords:letter_frequency", letter("ㄹ", 3), "물이 흐른다", False),
    ("keywords:letter_frequency", letter("ㄱ", 1), "까치", False),
    ("keywords:letter_frequency", letter("ㄲ", 1), "까치", True),
    ("keywords:letter_frequency", letter("ㅅ", 1), "있다", False),
    ("keywords:letter_frequency", letter("ㄹ", 1), "닭", True),
    ("keywords:letter_frequency", letter("ㄱ", 1), "닭", True),
    ("keywords:letter_frequency", letter("ㄺ", 1), "닭", True),
    ("keywords:letter_frequency", letter("ㄺ", 1), "달걀", False),
    ("keywords:letter_frequency", letter("ㅏ", 1), "새와 배", False),
    ("keywords:letter_frequency", letter("ㅋ", 3), "ㅋㅋㅋ", True),
    ("keywords:letter_frequency", letter("ㅇ", 2, "less than"), "안녕", False),
    ("keywords:letter_frequency", letter("ㅇ", 4, "less than"), "안녕", True),
    ("keywords:letter_frequency", letter("가", 2), "가방을 가져가", True),
    ("keywords:letter_frequency", letter("가", 2), "각과 간", False),
    ("keywords:letter_frequency", letter("n", 2), "Nein", True),
    ("keywords:letter_frequency", letter("!", 2), "좋아요!!", True),
    ("keywords:letter_frequency", letter("#", 1, "less than"), "#가을", False),
    ("keywords:letter_frequency", letter("ㅎ", 0, "less than"), "나", False),
    ("keywords:letter_frequency", letter("ㅎ", 0), "나", True),
    # a word with its particle, but not in another noun
    ("keywords:existence", {"keywords": ["사과"]}, "사과를 먹었다", True),
    ("keywords:existence", {"keywords": ["사과"]}, "빨간 사과", True),
    ("keywords:existence", {"keywords": ["사과"]}, "사과들에서도 보인다", True),
    ("keywords:existence", {"keywords": ["사과"]}, "그것은 사과였습니다", True),
    ("keywords:existence", {"keywords": ["사과"]}, "이것은 사과다.", True),
    ("keywords:existence", {"keywords": ["사과"]}, "친구에게 사과했다", True),
    ("keywords:existence", {"keywords": ["사과"]}, "사과문을 읽었다", False),
    ("keywords:existence", {"keywords": ["사과"]}, "사과나무 아래", False),
    ("keywords:existence", {"keywords": ["사과"]}, "풋사과를 샀다", False),
    ("keywords:existence", {"keywords": ["사과", "배"]}, "사과와 배", True),
    ("keywords:existence", {"keywords": ["사과", "배"]}, "사과만 있다", False),
    ("keywords:existence", {"keywords": ["인공 지능"]}, "인공지능이 발전했다", True),
    ("keywords:existence", {"keywords": ["ham"]}, "The shampoo is empty.", False),
    ("keywords:existence", {"keywords": ["AI"]}, "AI가 답한다", True),
    ("keywords:existence", {"keywords": ["C++"]}, "C++를 배운다", True),
    ("keywords:existence", {"keywords": ["3.5"]}, "345", False),
    ("keywords:existence", {"keywords": ["mare"]}, "Il mare è blu.", True),
    ("keywords:existence", {"keywords": ["น้ำ"]}, "ดื่มน้ำเย็น", True),
    ("keywords:frequency", {"keyword": "일", "frequency": 1, "relation": "at least"}, "내일은 일요일이다", False),
    ("keywords:frequency", {"keyword": "농장", "frequency": 3, "relation": "at least"}, "농장에서 농장으로, 농장까지", True),
    ("keywords:frequency", {"keyword": "농장", "frequency": 3, "relation": "at least"}, "농장에서 농장으로", False),
    ("keywords:frequency", {"keyword": "농장", "frequency": 2, "relation": "less than"}, "농장과 농장주", True),
    ("keywords:frequency", {"keyword": "농장", "frequency": 2, "relation": "less than"}, "농장과 농장", False),
    ("keywords:forbidden_words", {"forbidden_words": ["학교"]}, "학교에 갔다.", False),
    ("keywords:forbidden_words", {"forbidden_words": ["학교"]}, "집에 갔다.", True),
    ("keywords:forbidden_words", {"forbidden_words": ["학교"]}, "초등학교가 아니다", True),
    ("keywords:forbidden_words", {"forbidden_words": ["일"]}, "내일 보자", True),
    ("keywords:forbidden_words", {"forbidden_words": ["100%"]}, "100% 확실하다", False),
    ("keywords:forbidden_words", {"forbidden_words": ["bonjour"]}, "Bonjour!", False),
    # lengths
    ("length_constraints:number_words", {"num_words": 3, "relation": "at least"}, "할 수 있다", True),
    ("length_constraints:number_words", {"num_words": 2, "relation": "at least"}, "할수있다", False),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "- 밥 *** 국", True),
    ("length_constraints:number_words", {"num_words": 2, "relation": "at least"}, "서울(Seoul)에서", False),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": "at least"},
        "오늘은 날씨가 좋아요 그래서 산책을 갔어요 정말 즐거웠어요",
        True,
    ),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "less than"}, "3.1절은 공휴일이다.", True),
    ("length_constraints:number_sentences", {"num_sentences": 3, "relation": "less than"}, "하나다. 둘이다. 셋이다.", False),
    ("length_constraints:number_sentences", {"num_sentences": 4, "relation": "less than"}, "하나다. 둘이다. 셋이다.", True),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "less than"}, "<<가을의 바다>>\n* 밤\n* 감\n단풍이 든다.", True),
    ("length_constraints:number_sentences", {"num_sentences": 3, "relation": "at least"}, "Das ist gut. Ist es so? Ja!", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "앞\n***\n뒤", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "***\n앞\n***\n뒤\n***", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "앞\n\n뒤", False),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "앞\n***\n***\n뒤", False),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 1}, "앞\n******\n뒤", True),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "어제는"},
        "어제는 비가 왔다.\n\n오늘은 맑다.",
        True,
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "사과"},
        "배가 있다.\n\n\n사과는 없다.",
        True,
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "사과"},
        "배가 있다.\n\n사과문을 쓴다.",
        False,
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 3, "nth_paragraph": 1, "first_word": "어제는"},
        "어제는 비가 왔다.\n\n오늘은 맑다.",
        False,
    ),
    ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "어제는"}, "그는 어제는 왔다.", False),
    ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "주말"}, "“주말에는 쉽니다.”", True),
    # marks
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[이름] 님께 [날짜]에", True),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[이름] [ ]", False),
    ("detectable_content:number_placeholders", {"num_placeholders": 1}, "［주소］", True),
    ("detectable_content:postscript", {"postscript_marker": "추신"}, "잘 지내.\n추신: 또 쓸게.", True),
    ("detectable_content:postscript", {"postscript_marker": "추신"}, "잘 지내. 추신 또 쓸게.", True),
    ("detectable_content:postscript", {"postscript_marker": "추신"}, "잘 지내.\n추추신: 또 쓸게.", False),
    ("detectable_content:postscript", {"postscript_marker": "추추신"}, "잘 지내.\n**추추신**: 또 쓸게.", True),
    ("detectable_content:postscript", {"postscript_marker": "추신"}, "편지에 추신 하나를 붙였다.", False),
    ("detectable_content:postscript", {"postscript_marker": "추신"}, "잘 지내.\n추신:", False),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* 밤\n* 감", True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* 밤\n* 감\n* 배", False),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "- 밤\n-감", True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "* 밤\n-----", True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "* 밤\n*중요한 말*을 썼다\n-5도였다", True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "• 밤\n• 감", True),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*이 말*과 **저 말**", True),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "3 * 4 * 5", False),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "* 밤\n* 감", False),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "****", False),
    ("detectable_format:multiple_sections", {"section_spliter": "섹션", "num_sections": 2}, "섹션 1\n밤\n섹션 2\n감", True),
    ("detectable_format:multiple_sections", {"section_spliter": "섹션", "num_sections": 2}, "섹션 1. 섹션 1에서 말한다", False),
    ("detectable_format:multiple_sections", {"section_spliter": "장", "num_sections": 1}, "시장 1", False),
    ("detectable_format:title", {}, "<<가을>>\n단풍", True),
    ("detectable_format:title", {}, "<< >>", False),
    ("detectable_format:title", {}, "《가을》", False),
    ("detectable_format:title", {}, "<가을>", False),
    ("punctuation:no_comma", {}, "밤 감 배.", True),
    ("punctuation:no_comma", {}, "밤, 감", False),
    ("punctuation:no_comma", {}, "밤、 감", False),
    ("punctuation:no_comma", {}, "밤，감", False),
    ("punctuation:no_comma", {}, "1,000원", False),
    ("punctuation:no_comma", {}, "밤·감", True),
    ("startend:quotation", {}, "“안녕.”", True),
    ("startend:quotation", {}, '"안녕."', True),
    ("startend:quotation", {}, ' "안녕."\n', True),
    ("startend:quotation", {}, "'안녕.'", False),
    ("startend:quotation", {}, "“안녕.” 끝", False),
    ("startend:quotation", {}, "“”", False),
    # wholes
    ("detectable_format:json_format", {}, '{"이름": "밤"}', True),
    ("detectable_format:json_format", {}, "```json\n[1, 2]\n```", True),
    ("detectable_format:json_format", {}, '{"이름": "밤"', False),
    ("detectable_format:json_format", {}, "3", False),
    ("detectable_format:json_format", {}, "네, 여기 있어요: {}", False),
    ("detectable_format:constrained_response", {"options": ["내 대답은 예입니다.", "내 대답은 아니요입니다."]}, "음, 내 대답은 예입니다.", True),
    (
        "detectable_format:constrained_response",
        {"options": ["내 대답은 예입니다.", "내 대답은 아니요입니다."]},
        "내 대답은 예입니다. 내 대답은 아니요입니다.",
        False,
    ),
    ("detectable_format:constrained_response", {"options": ["내 대답은 예입니다.", "내 대답은 아니요입니다."]}, "예.", False),
    ("combination:two_responses", {}, "밤\n******\n감", True),
    ("combination:two_responses", {}, "밤\n******\n밤", False),
    ("combination:two_responses", {}, "밤\n***\n감", False),
    ("combination:two_responses", {}, "밤\n*******\n감", False),
    ("combination:two_responses", {}, "******\n밤\n******\n감\n******", True),
    ("combination:two_responses", {}, "밤\n******\n감\n******\n배", False),
    ("combination:repeat_prompt", {"prompt_to_repeat": "염소는 헤엄치나요?"}, "염소는 헤엄치나요? 네.", True),
    ("combination:repeat_prompt", {"prompt_to_repeat": "염소는 헤엄치나요?"}, "질문: 염소는 헤엄치나요? 네.", False),
    ("startend:end_checker", {"end_phrase": "여기까지입니다."}, "밤과 감. 여기까지입니다.\n", True),
    ("startend:end_checker", {"end_phrase": "여기까지입니다."}, "“여기까지입니다.”", True),
    ("startend:end_checker", {"end_phrase": "여기까지입니다."}, "여기까지입니다. 감사합니다.", False),
    # languages
    ("language:response_language", {"language": "ko"}, "안녕하세요.", True),
    ("language:response_language", {"language": "ko"}, "API는 REST 방식의 endpoint를 제공합니다", True),
    ("language:response_language", {"language": "ko"}, "Hello, how are you? 안녕하세요", False),
    ("language:response_language", {"language": "ko"}, "12345", False),
    ("language:response_language", {"language": "en"}, "Nice to meet you.", True),
    ("language:response_language", {"language": "en"}, "Das ist ein schöner Tag und nicht kalt.", False),
    ("language:response_language", {"language": "hi"}, "यह एक अच्छा दिन है और मैं घर जाता हूँ।", True),
    ("language:response_language", {"language": "mr"}, "यह एक अच्छा दिन है और मैं घर जाता हूँ।", False),
    ("language:response_language", {"language": "mr"}, "हे एक चांगले घर आहे आणि मी तिथे राहतो.", True),
    ("language:response_language", {"language": "bg"}, "Това е хубав ден и ние ще отидем у дома.", True),
    ("language:response_language", {"language": "ru"}, "Това е хубав ден и ние ще отидем у дома.", False),
    ("language:response_language", {"language": "ur"}, "یہ ایک اچھا دن ہے اور ہم گھر جاتے ہیں۔", True),
    ("language:response_language", {"language": "fa"}, "هذا يوم جميل في المدينة", False),
    ("language:response_language", {"language": "ja"}, "今日はいい天気です。", True),
    ("language:response_language", {"language": "zh"}, "今日はいい天気です。", False),
    ("language:response_language", {"language": "th"}, "วันนี้อากาศดีมาก", True),
]


@pytest.mark.parametrize(("id", "kwargs", "answer", "right"), CASES, ids=[f"{case[0].partition(':')[2]}-{place}" for place, case in enumerate(CASES)])
def test_an_answer_is_judged(id: str, kwargs: dict[str, Any], answer: str, right: bool) -> None:
    assert check(id, kwargs, answer, "") is right


@pytest.mark.parametrize(("id", "kwargs", "answer", "right"), CASES[::5])
def test_the_form_of_unicode_does_not_matter(id: str, kwargs: dict[str, Any], answer: str, right: bool) -> None:
    assert check(id, kwargs, unicodedata.normalize("NFD", answer), "") is right


def test_every_kept_id_has_cases_of_both_values() -> None:
    assert {id for id, _, _, right in CASES if right} == set(CHECKS) == {id for id, _, _, right in CASES if not right}


@pytest.mark.parametrize("id", CHECKS)
def test_an_empty_answer_keeps_nothing(id: str) -> None:
    kwargs = next(kwargs for known, kwargs, _, _ in CASES if known == id)
    assert check(id, kwargs, " \n", "") is False


@pytest.mark.parametrize("relation", ["이상", "미만", "at most", "", None])
def test_only_the_two_relations_are_known(relation: Any) -> None:
    with pytest.raises(UserError, match="relation"):
        check("length_constraints:number_words", {"num_words": 3, "relation": relation}, "하나 둘 셋")


@pytest.mark.parametrize("id", ["change_case:english_capital", "keywords:existance"])
def test_an_id_without_a_checker_is_an_error(id: str) -> None:
    with pytest.raises(UserError, match=id):
        check(id, {}, "밤")


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(UserError, match=r"lacks the keyword argument 'keywords'"):
        check("keywords:existence", {"keywords": None}, "밤")
    with pytest.raises(UserError, match=r"names the language 'xx'"):
        check("language:response_language", {"language": "xx"}, "밤")


def test_counts_are_the_same_for_conjoining_letters_and_syllables() -> None:
    text = "닭과 까치가 물가에 앉았다 ㅋㅋ"
    for one in "ㄱㄲㄴㄷㄹㅁㅂㅅㅆㅇㅈㅊㅋㅌㅍㅎㅏㅐㅑㅓㅔㅕㅗㅛㅜㅠㅡㅣ":
        assert letter_count(one, text) == letter_count(one, unicodedata.normalize("NFD", text))


def test_units_of_length() -> None:
    assert words("가을이 오면, 산에 갑니다!") == 4
    assert sentences('그는 "안녕. 잘 가."라고 말했다.') == 1
    assert sentences("1. 밤을 삶는다.\n2. 감을 깎는다.") == 2
    assert sentences("좋다. " * 1500) == 1500
