"""Cases of our own, the acceptance table and corpora beside the project, the shell filter."""

import re
import subprocess
import sys
import unicodedata

import pytest

from stages.core.paths import ROOT
from tests.languages.ko.conftest import applied

CASES = [
    ("그는 3번을 3번 읽고 3번 문제를 풀었다.", "그는 세 번을 세 번 읽고 삼 번 문제를 풀었다."),
    ("1권 3장 12쪽", "일 권 세 장 십이 쪽"),
    ("6월에 6개월, 10월에 10개월", "유월에 육 개월, 시월에 십 개월"),
    ("20살과 20세", "스무 살과 이십 세"),
    ("3은 2보다 크고 8로 나눌 수 없다.", "삼은 이보다 크고 팔로 나눌 수 없다."),
    ("정답은(는) 3은(는) 아니다.", "정답은(는) 삼은 아니다."),
    ("CEO가 VIP을 만났다.", "씨이오가 브이아이피를 만났다."),
    ("5kg를 10km으로", "오 킬로그램을 십 킬로미터로"),
    ("오전 9:00~오후 6:30", "오전 아홉 시에서 오후 여섯 시 삼십 분"),
    ("x = 3일 때 y > 2이면", "엑스는 삼일 때 와이가 이보다 크면"),
    ("농도는 3 g/100mL이다.", "농도는 삼 그램 퍼 백 밀리리터이다."),
    ("비율 3:2, 시각 3:20", "비율 삼 대 이, 시각 세 시 이십 분"),
    ("질문 1\n질문 2", "질문 일\n질문 이"),
    ("답변에 ***를 넣고 **굵게** 쓰세요.", "답변에 별표 세 개를 넣고 굵게 쓰세요."),
    ("ㄱ. 3개\nㄴ. 4개", "기역, 세 개\n니은, 네 개"),
]


@pytest.mark.parametrize(("written", "spoken"), CASES)
def test_own_cases(ko, written, spoken):
    assert ko.read(written).text == spoken


def test_changes_name_span_rule_before_and_after(ko):
    reading = ko.read("총 3명이 PDF를 읽었다.")
    assert [(change.start, change.end, change.rule_id, change.before, change.after) for change in reading.changes] == [
        (2, 3, "counter.native.people", "3", "세 "),
        (6, 9, "acronym.letters", "PDF", "피디에프"),
    ]


def test_names_that_are_kept_are_reported(ko):
    assert ko.read("Alice가 Bob에게 3번 말했다.").kept == ("Alice", "Bob")


def test_a_default_taken_without_context_is_marked_unsure(ko):
    assert ko.read("3번").unsure
    assert not ko.read("3번 문제").unsure


def test_invisible_characters_keep_the_spans_of_the_given_text(ko):
    text = "총\u200b 3\u200b개 ７명"
    reading = ko.read(text)
    assert reading.text == "총 세 개 일곱 명"
    assert applied(text, reading.changes) == reading.text


def test_bad_input_has_defined_results(ko):
    assert ko.read("").text == ""
    assert ko.read("\ud800 3개").text == " 세 개"
    assert ko.read("?!...").text == "?!..."
    assert ko.read(unicodedata.normalize("NFD", "한글 3개")).text == "한글 세 개"
    assert ko.read("\u0000\u00073개").text == "세 개"


def test_a_megabyte_in_one_line_is_read_to_its_end(ko):
    count = 1_000_000 // len("사과 3개와 ".encode())
    assert ko.read("사과 3개와 " * count).text.split() == ["사과", "세", "개와"] * count


@pytest.mark.parametrize("piece", ["3", "((((", "*", "a", "1/2+", "~", "1,", "<<", "http://a.b/", "日", "x^", "1:", "-", "$1"])
def test_repetition_does_not_blow_up(ko, piece):
    """A pattern that backtracks without bound would never come back from this."""
    assert isinstance(ko.read(piece * (16_000 // len(piece))).text, str)


def _key(text):
    return re.sub(r"[\s.,!?;:…·'\"()\[\]《》〈〉「」『』“”‘’–—-]", "", unicodedata.normalize("NFC", text))


def test_the_open_table_passes(ko, shared):
    rows = [line.split("\t") for line in (shared / "cases/normalization_ko_open.tsv").read_text("utf-8").splitlines()[1:]]
    assert len(rows) >= 80
    misses = [row[1] for row in rows if _key(ko.read(row[1].replace("\\n", "\n")).text) not in {_key(spoken) for spoken in row[2].split(" || ")}]
    assert len(misses) <= 0.03 * len(rows), misses


def test_speakable_sentences_of_a_corpus_are_unchanged(ko, shared):
    lines = (shared / "mirror/kss_text_only/transcript.v.1.4.txt").read_text("utf-8").splitlines()
    assert len(lines) > 3000
    for line in lines:
        text = unicodedata.normalize("NFC", line.split("|")[1])
        assert ko.read(text).text == text


_FRAMES = """\
버스가 {}분 뒤에 도착한대.|회원 {}명 가운데 {}%가 찬성했다.|{}년 {}월에 시작했다.|사과 {}개와 배 {}개를 샀다.|키가 {}cm나 된다.|표는 {:,}원입니다.
{}번 버스를 {}번 탔다.|우리는 {}:{}로 졌다.|인구의 {}/{}이 떠났다.|기온은 -{}°C였다.|{}~{}개월 걸린다.|제{}회 대회|{}kg과 {}km/h|x = {} + {}
NaOH {} g/L|{}층 {}호|A{} 용지 {}장|{}학년 {}반 {}번|{}살 아이와 {}세 노인|$ {}와 €{}""".replace("\n", "|").split("|")


def test_thousands_of_sentences_keep_no_digit_and_are_stable(ko):
    """Every frame with 830 numbers: no digit, fit for a voice, a fixpoint, explained by its changes."""
    count = 0
    for number in [*range(1, 600), *range(600, 24_000, 101)]:
        for frame in _FRAMES:
            text = frame.format(number, number % 97 + 1, number % 29 + 1)
            reading = ko.read(text)
            assert not ko.check_spoken(reading.text, reading.kept), text
            assert ko.read(reading.text).text == reading.text, text
            assert applied(text, reading.changes) == reading.text, text
            count += 1
    assert count > 16_000


def test_digits_of_a_corpus_are_read_as_its_own_expanded_script(ko, shared):
    """Blanks apart: the corpus writes 천구백구십팔 년, we write years together as dates are written."""
    found = 0
    for line in (shared / "mirror/kss/transcript.v.1.4.txt").read_text("utf-8").splitlines():
        written, expanded = line.split("|")[1:3]
        if re.search(r"\d", written):
            found += 1
            assert ko.read(written).text.replace(" ", "") == expanded.replace(" ", "")
    assert found >= 5


def _filter(data: bytes) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "stages.languages.ko.read"], input=data, capture_output=True, cwd=ROOT, check=False)


def test_the_filter_answers_line_by_line():
    done = _filter("3개\n\n5:4로 졌다.\\n1번\n".encode())
    assert done.returncode == 0
    assert done.stdout.decode() == "세 개\n\n오 대 사로 졌다.\\n한 번\n"


def test_the_filter_takes_bytes_that_are_no_text_and_a_last_line_without_end():
    done = _filter(b"\xff3" + "개".encode())
    assert (done.returncode, done.stdout.decode()) == (0, "세 개\n")


def test_the_filter_answers_before_its_input_ends():
    process = subprocess.Popen([sys.executable, "-m", "stages.languages.ko.read"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    try:
        process.stdin.write("3개\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().decode() == "세 개\n"
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def test_starting_is_light():
    heavy = {"yaml", "pydantic", "kiwipiepy", "numpy", "orjson"}
    code = f"import sys, stages.languages.ko.read, stages.languages.ko.reader; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "[]"


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("2 HBr(g) → H2(g) + Br2(l)", "이 에이치비알 기체 화살표 에이치투 기체 더하기 비알투 액체"),
        ("2Na(s)+2H2O(l)→2NaOH(aq)+H2(g)", "이 엔에이 고체 더하기 이 에이치투오 액체 화살표 이 엔에이오에이치 수용액 더하기 에이치투 기체"),
        ("CH3COOH ⇌ CH3COO− + H+", "씨에이치쓰리씨오오에이치 양쪽 화살표 씨에이치쓰리씨오오 마이너스 더하기 에이치 플러스"),
        ("H2O2와 Ca2+ 이온", "에이치투오투와 씨에이 투 플러스 이온"),
        ("1/2 O2(g)와 PO43-", "이분의 일 오투 기체와 피오포 쓰리 마이너스"),
        ("[H+] = 10^-7", "[에이치 플러스]는 십의 마이너스 칠제곱"),
        ("F = ma이고 C = O + N이다.", "에프는 엠에이이고 씨는 오 더하기 엔이다."),
        ("KBS- MBC와 CO-브랜딩", "케이비에스 엠비씨와 씨오 브랜딩"),
        ("O+형과 A+ 학점", "오 플러스형과 에이 플러스 학점"),
    ],
)
def test_chemistry_keeps_states_charges_and_the_arrow(ko, written, spoken):
    reading = ko.read(written)
    assert reading.text == spoken
    assert not ko.check_spoken(reading.text)


PARTICLES = [
    ("을", "를"), ("은", "는"), ("이", "가"), ("과", "와"), ("으로", "로"), ("으로는", "로는"), ("이라는", "라는"), ("이라고", "라고"),
    ("이나", "나"), ("의", "의"), ("에", "에"), ("에는", "에는"), ("에서", "에서"), ("부터", "부터"),
    ("까지", "까지"), ("만", "만"), ("도", "도"), ("처럼", "처럼"),
    ("보다", "보다"), ("마다", "마다"), ("까지의", "까지의"),
]  # fmt: skip


@pytest.mark.parametrize("particle", PARTICLES, ids=lambda pair: pair[1])
@pytest.mark.parametrize("written", range(2))
def test_a_particle_attaches_to_a_named_sign_in_the_form_that_fits(ko, particle, written):
    """Every sign name here ends in a vowel."""
    form, fits = particle[written], particle[1]
    for sign, name in {"***": "별표 세 개", "<<제목>>": "이중 꺾쇠괄호 열고 제목 이중 꺾쇠괄호 닫고", "&": "앤드", "'***'": "'별표 세 개'"}.items():
        assert ko.read(f"답을 {sign}{form} 쓰세요.").text == f"답을 {name}{fits} 쓰세요."


def test_bold_text_that_begins_like_a_particle_is_no_mention(ko):
    assert ko.read("**이 책**을 *가 나*와 함께").text == "이 책을 가 나와 함께"
