"""Word order and word frequency: right by another route, certain to be heard, balanced, the same every time."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stages import languages
from stages.core import files, runner, schemas
from stages.core.files import Row
from stages.understanding import transcript
from stages.understanding.transcript import Tools, TranscriptSettings, counted_words, placed_words
from tests.understanding.rows import segment

KOREAN = languages.load("ko")
BOTH = ["word_order", "word_frequency_counting"]


def _settings(**changed: Any) -> TranscriptSettings:
    each = {"target": None, "most": 8, "tolerance": 2, **changed}
    return TranscriptSettings(language="ko", corpora=["kmsav"], seed=0, capabilities=dict.fromkeys(BOTH, each))  # type: ignore[arg-type]


def _run(texts: list[str], **changed: Any) -> Any:
    rows = [segment(number, text, BOTH) for number, text in enumerate(texts)]
    return transcript.run([], _settings(**changed), Tools(rows, KOREAN))


def _heard(text: str) -> transcript.Heard:
    found = transcript._heard([segment(0, text, BOTH)], KOREAN)["kmsav-dialogue-00000"]
    assert isinstance(found, transcript.Heard), found
    return found


def _placed(text: str) -> dict[str, int]:
    return {target.text: target.value for target in placed_words(_heard(text), 8, KOREAN.lexicon)}


def _counted(text: str) -> dict[str, int]:
    return {target.text: target.value for target in counted_words(_heard(text), 8, KOREAN.lexicon)}


def test_a_word_has_its_place_whatever_particle_it_carries() -> None:
    assert _placed("오늘은 바다에서 조개를 주웠다.") == {"오늘": 1, "바다": 2, "조개": 3}


def test_no_place_is_asked_for_behind_a_space_that_may_not_be_one() -> None:
    """우유 한 잔 or 우유 한잔: from 잔 on, nobody knows how many words there were."""
    assert _placed("어머니가 우유를 한 잔 따뜻하게 데웠다") == {"어머니": 1, "우유": 2}
    assert _placed("제가 할 수 있어요 정말로요") == {"제가": 1}


@pytest.mark.parametrize(
    ("text", "absent", "why"),
    [
        ("바다를 보고 바다로 갔다가 돌아왔다", "바다", "it occurs twice"),
        ("나무를 심고 소나무를 베었다고 했다", "나무", "it is inside another word"),
        ("내가 그것을 네가 했다고 말했다", "내가", "something sounds like it"),
        ("그리고 바다에서 조개를 주웠다", "그리고", "a conjunction comes first anyhow"),
        ("오늘은 바다에서 조개를 주웠다", "주웠다", "the last word is known by its ending"),
        ("그는 꽃을 꺾어 버렸다고 했다", "꽃", "a single syllable is a part of too many words"),
    ],
)
def test_a_word_that_is_not_certain_to_be_heard_is_not_asked_for(text: str, absent: str, why: str) -> None:
    assert absent not in _placed(text), why


def test_words_are_counted_with_their_particles_and_forms_letter_by_letter() -> None:
    counts = _counted("바다를 봤다\n저 바다는 넓다\n바다에서 자랐다\n정말 넓다\n정말 그렇다")
    assert counts["바다"] == 3
    assert counts["정말"] == 2
    assert counts["넓다"] == 2
    assert "자라" not in counts


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("사람이 왔다\n사람들이 갔다", "사람"),  # once as a word, once inside another
        ("바다가 좋다\n지금은 겨울바다를 본다", "바다"),
        ("그때가 좋았다\n그대가 왔다\n그대는 갔다", "없음"),
        ("세대가 다르다\n새대가 다르다", "세대"),  # sounds alike, written differently
    ],
)
def test_a_count_that_a_listener_may_doubt_is_not_asked_for(text: str, absent: str) -> None:
    assert absent not in _counted(text)


def test_numbers_are_said_in_words_and_what_has_no_certain_reading_bars_the_segment() -> None:
    placed = _placed("우유는 하루에 300 개 정도 나갔다고 한다")
    assert placed == {"우유": 1, "하루": 2}
    outcome = _run(["그는 1동에 살면서 크게 웃었다", "그는 Alice를 만나서 밥을 먹었다"])
    barred = {one.row["id"] for one in outcome.rejected if one.reason == "unsure_reading"}
    assert barred == {f"{name}/kmsav-dialogue-{number:05d}" for name in BOTH for number in (0, 1)}


def test_a_segment_with_speech_that_is_not_transcribed_is_not_counted() -> None:
    rows = [segment(0, "바다를 보고 바다로 갔다", BOTH, tags=["u"])]
    settings = _settings(unheard_tags=["u"])
    outcome = transcript.run([], settings, Tools(rows, KOREAN))
    assert {one.reason for one in outcome.rejected} == {"unsure_words"}


def test_every_segment_is_accounted_for_once_in_each_capability() -> None:
    texts = ["바다가 좋다", "오늘은 바다에서 조개를 주웠다", "어제도 산에서 나물을 캤다", "한 잔"] * 5
    outcome = _run(texts, target=3)
    assert max(Counter(row["capability"] for row in outcome.kept).values()) <= 3
    for name in BOTH:
        kept = [row["segment"] for row in outcome.kept if row["capability"] == name]
        out = [one.row["id"].partition("/")[2] for one in outcome.rejected if one.row["id"].startswith(f"{name}/")]
        assert sorted([*kept, *out]) == sorted(f"kmsav-dialogue-{n:05d}" for n in range(len(texts)))
        assert len(set(kept)) == len(kept)


def test_the_same_segments_in_another_order_give_the_same_bytes() -> None:
    texts = ["오늘은 바다에서 조개를 주웠다", "아침에 산에서 나물을 캤다", "저녁에는 밭에서 감자를 심었다"]
    rows = [segment(n, text, BOTH) for n, text in enumerate(texts * 8)]
    one = transcript.run([], _settings(target=8), Tools(rows, KOREAN)).kept
    two = transcript.run([], _settings(target=8), Tools(rows[::-1], KOREAN)).kept
    assert json.dumps(one, ensure_ascii=False) == json.dumps(two, ensure_ascii=False)
    schemas.check(one, "Question", "test")


# The same answers by another route: from the raw files of the stand-in corpora, with patterns instead of an analyser.

_NATIVE = ["", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟"]
_PLACE = {("첫" if n == 1 else _NATIVE[n]) + " 번째": n for n in range(1, 9)}
_TIMES = {_NATIVE[n] + " 번": n for n in range(1, 9)}
_LISTED = """이 가 을 를 의 에 에서 에게 께 께서 한테 으로 로 과 와 이랑 랑 하고 보다 처럼 같이 만큼 은 는 도 만 까지 마저 조차 부터 마다 이나 나
이라도 라도 밖에 뿐 요 대로 이란 란 씩 에는 에도 에서는 에서도 에서만 으로는 로는 까지는 에게는"""
_PARTICLES = set(re.findall(r"\S+", _LISTED))


def _raw_kss(mirror: Path) -> dict[str, list[tuple[float, float, str]]]:
    text = unicodedata.normalize("NFC", (mirror / "kss/transcript.v.1.4.txt").read_text(encoding="utf-8-sig"))
    return {f"kss/{line.split('|')[0].removesuffix('.wav')}": [(0.0, 1e9, line.split("|")[2])] for line in text.splitlines() if line.count("|") >= 5}


def _raw_kmsav(mirror: Path) -> dict[str, list[tuple[float, float, str]]]:
    found = {}
    needed = {"start_time", "end_time", "text"}
    for path in (mirror / "kmsav/trans").glob("*.json"):
        items = json.loads(unicodedata.normalize("NFC", path.read_text(encoding="utf-8-sig")))
        lines = sorted((float(one["start_time"]), float(one["end_time"]), str(one["text"])) for one in items if needed <= one.keys())
        # b/ and n/ words are said; fillers, laughter and what nobody understood are no words
        found[f"kmsav/{path.stem}"] = [(a, b, re.sub(r"\b[ful]/\S*", " ", re.sub(r"\b[bn]/", "", text))) for a, b, text in lines]
    return found


def _raw_seoul(mirror: Path) -> dict[str, list[tuple[float, float, str]]]:
    found = {}
    for path in (mirror / "seoul_corpus/label").glob("*.TextGrid"):
        try:
            text = unicodedata.normalize("NFC", path.read_bytes().decode("utf-16"))
        except UnicodeError:
            continue
        tier = text.rpartition('name = "utt.ortho."')[2]
        spans = re.findall(r'xmin = ([\d.]+)\s+xmax = ([\d.]+)\s+text = "((?:[^"]|"")*)"', tier)
        found[f"seoul_corpus/{path.stem}"] = [(float(a), float(b), re.sub(r"<LAUGH-([^>]*)>", r"\1", words)) for a, b, words in spans]
    return found


def _between(spans: list[tuple[float, float, str]], start: float, end: float) -> list[str]:
    """The bare words that lie in the middle of their span within the stretch."""
    said = " ".join(text for a, b, text in spans if start - 0.3 <= a and (b <= end + 0.3 or b > 1e8))
    return [bare for word in re.sub(r"<[^>]*>", " ", said).split() if (bare := re.sub(r"[^\w]", "", word))]


def _fits(word: str, target: str, rule: str) -> bool:
    return word == target or (rule == "word" and word.startswith(target) and word[len(target) :] in _PARTICLES)


@pytest.fixture(scope="module")
def questions(mirror_build: Path) -> list[Row]:
    values = files.read_json(mirror_build / "data/config.json")["understanding"]["kmmau"]["questions_transcript"]
    runner.run_stage(transcript.STAGE, "kmmau", values, mirror_build)
    return files.read_jsonl(mirror_build / "data/questions_transcript/kmmau/rows.jsonl")


def test_every_answer_is_derived_again_from_the_raw_files(questions: list[Row], mirror: Path) -> None:
    raw = {**_raw_kss(mirror), **_raw_kmsav(mirror), **_raw_seoul(mirror)}
    seen: Counter[str] = Counter()
    for row in questions:
        name = f"{row['corpus']}/{row['recording']}"
        spans = raw.get(name) or raw[f"{row['corpus']}/{row['original_sample_id']}"]
        words = _between(spans, row["start_s"], row["end_s"]) if row["corpus"] != "kss" else _between(spans, 0.0, 1e9)
        told = json.loads(row["evidence"])
        target = re.search(r"‘(.+)’$", row["question"])
        assert target is not None
        assert target[1] == told["target"]
        places = [place for place, word in enumerate(words, 1) if _fits(word, told["target"], told["rule"])]
        if row["capability"] == "word_order":
            assert places == [_PLACE[row["answer"]]], (row["id"], words)
        else:
            assert len(places) == _TIMES[row["answer"]], (row["id"], words)
        wrong = [choice for choice in row["choices"] if choice != row["answer"]]
        space = _PLACE if row["capability"] == "word_order" else _TIMES
        assert len({space[choice] for choice in [*wrong, row["answer"]]}) == 4, row["id"]
        seen[f"{row['corpus']} {row['capability']}"] += 1
    assert {name.partition(" ")[0] for name in seen} == {"kss", "kmsav", "seoul_corpus"}
    assert sum(seen.values()) > 100


def test_on_the_stand_ins_the_options_are_balanced(questions: list[Row]) -> None:
    for name in BOTH:
        rows = [row for row in questions if row["capability"] == name]
        places = Counter(row["answer_index"] for row in rows)
        assert max(places.values()) - min(places.values()) <= 1
        by_set: dict[tuple[str, ...], Counter[str]] = {}
        for row in rows:
            by_set.setdefault(tuple(sorted(row["choices"])), Counter())[row["answer"]] += 1
        for options, right in by_set.items():
            assert max(right.values()) - min(right[option] for option in options) <= 1
        assert len({row["segment"] for row in rows}) == len(rows)
