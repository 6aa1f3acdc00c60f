"""Age, gender and number of speakers: the answers are derived again from the raw corpus files, without the project's readers."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner, schemas
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.understanding import metadata
from stages.understanding.metadata import STAGE, Labelled, MetadataSettings, Speakers, Tools, Unfit
from tests.understanding.rows import segment

RULES = metadata.read_rules(ROOT / "rulebooks/ko/understanding/metadata.yaml")
SPEAKERS = Speakers(target=None, counts=[1, 2, 3, 4])


def made(root: Path) -> list[Row]:
    config = files.read_json(root / "data/config.json")["understanding"]
    values = config["kmmau"]["questions_metadata"] if config else {**SETTINGS, "corpora": ["kss", "kmsav", "seoul_corpus"]}
    runner.run_stage(STAGE, "kmmau", values, root)
    return files.read_jsonl(root / "data/questions_metadata/kmmau/rows.jsonl")


SETTINGS: dict[str, Any] = {
    "corpora": ["seoul_corpus"],
    "seed": 0,
    "rulebook": "rulebooks/ko/understanding/metadata.yaml",
    "age": {"target": 276},
    "gender": {"target": 270},
    "number_of_speakers": {"target": 100, "counts": [1, 2, 3, 4]},
}


@pytest.fixture(scope="module", params=["sample", "mirror"])
def built(request: pytest.FixtureRequest) -> tuple[Path, list[Row]]:
    root = request.getfixturevalue(f"{request.param}_build")
    return root, made(root)


def _raw(root: Path, corpus: str) -> Path:
    place = files.read_json(root / "data/config.json")["corpora"][corpus]["corpus"]
    return Path(place["root"]) / place["path"]


def test_age_and_gender_are_what_the_name_of_the_recording_says(built: tuple[Path, list[Row]]) -> None:
    """By reading the letters of the name one by one."""
    root, rows = built
    rows = [row for row in rows if row["capability"] in ("age", "gender")]
    assert rows
    for row in rows:
        name = row["original_sample_id"]
        assert list(_raw(root, "seoul_corpus").rglob(f"{name}.TextGrid"))
        if row["capability"] == "gender":
            assert row["answer"] == {"m": "남성", "f": "여성"}[name[3]]
        else:
            decade = int(name[4])
            assert row["answer"] == {1: "청소년층 (10대)", 2: "청년층 (20~30대)", 3: "청년층 (20~30대)", 4: "중년층 (40대)"}[decade]


def test_only_the_speaker_is_heard_in_a_clip_about_age_or_gender(built: tuple[Path, list[Row]]) -> None:
    """By lines of the TextGrid, read as text: in the clip's time there are words, silence, laughter and noises of the speaker."""
    root, rows = built
    for row in rows:
        if row["capability"] not in ("age", "gender"):
            continue
        (path,) = _raw(root, "seoul_corpus").rglob(f"{row['original_sample_id']}.TextGrid")
        lines = [line.strip() for line in unicodedata.normalize("NFC", path.read_bytes().decode("utf-16")).splitlines()]
        last_tier = len(lines) - 1 - lines[::-1].index('name = "utt.ortho."')
        heard = []
        for at in range(last_tier, len(lines) - 2):
            if lines[at].startswith("xmin") and lines[at + 2].startswith("text"):
                start, end = float(lines[at].split()[-1]), float(lines[at + 1].split()[-1])
                if start < row["end_s"] - 1e-6 and end > row["start_s"] + 1e-6:
                    until = next(place for place in range(at + 2, len(lines)) if lines[place].endswith('"'))
                    heard.append(" ".join(lines[at + 2 : until + 1]))
        assert heard
        assert not any(tag in text for text in heard for tag in ("<IVER", "<PRIVATE", "<UNKNOWN", "<XXX"))
        words = [word for text in heard for word in re.findall("[가-힣]+", text)]
        assert Counter(re.findall("[가-힣]+", row["transcript"])) <= Counter(words)


def test_the_number_of_speakers_is_that_of_the_ids_in_the_json_file(built: tuple[Path, list[Row]]) -> None:
    root, rows = built
    rows = [row for row in rows if row["capability"] == "number_of_speakers"]
    assert rows
    listed = {}
    for line in (_raw(root, "kmsav") / "data" / "list.txt").read_text(encoding="utf-8").splitlines()[1:]:
        listed[line.split()[0]] = int(line.split()[2])
    for row in rows:
        (path,) = _raw(root, "kmsav").rglob(f"{row['original_sample_id']}.json")
        talk = json.loads(path.read_bytes().decode("utf-8-sig"))
        heard = {one["speaker_id"] for one in talk if one["start_time"] < row["end_s"] and one["end_time"] > row["start_s"]}
        assert row["answer"] == f"{len(heard)}명"
        assert len({one["speaker_id"] for one in talk}) == listed[path.stem], "the list and the transcript agree"


def test_nothing_is_told_by_the_question_alone(built: tuple[Path, list[Row]]) -> None:
    """The same options each time, every one right equally often and at each place equally often."""
    _, rows = built
    for capability in ("age", "gender", "number_of_speakers"):
        of_it = [row for row in rows if row["capability"] == capability]
        assert len({(row["question"], *sorted(row["choices"])) for row in of_it}) == 1
        answers, places = Counter(row["answer"] for row in of_it), Counter(row["answer_index"] for row in of_it)
        n = len(of_it[0]["choices"])
        assert max(answers.values()) - min(answers[text] for text in of_it[0]["choices"]) <= 1
        assert max(places.values()) - min(places[place] for place in range(n)) <= 1
        assert all(row["choices"][row["answer_index"]] == row["answer"] for row in of_it)
        assert [row["id"] for row in of_it] == [f"{capability}-{number:04d}" for number in range(len(of_it))]
        assert len({row["segment"] for row in of_it}) == len({row["content_sha256"] for row in of_it}) == len(of_it)


def test_every_segment_is_asked_about_or_has_its_reason(built: tuple[Path, list[Row]]) -> None:
    root, rows = built
    rejected = files.read_jsonl(root / "data/questions_metadata/kmmau/rejected.jsonl")
    for capability in ("age", "gender", "number_of_speakers"):
        usable = [
            row["id"]
            for corpus in ("kss", "kmsav", "seoul_corpus")
            for row in files.read_jsonl(root / "data/segments" / corpus / "rows.jsonl")
            if capability in row["uses"]
        ]
        asked = [row["segment"] for row in rows if row["capability"] == capability]
        left = [row["id"].partition("/")[2] for row in rejected if row["id"].startswith(f"{capability}/")]
        assert sorted(asked + left) == sorted(usable)
    schemas.check(rows, "Question", "rows")


def test_a_second_run_gives_the_same_bytes(sample_build: Path) -> None:
    made(sample_build)
    before = (sample_build / "data/questions_metadata/kmmau/rows.jsonl").read_bytes()
    made(sample_build)
    assert (sample_build / "data/questions_metadata/kmmau/rows.jsonl").read_bytes() == before


def person(number: int, text: str = "비가 와요", **more: Any) -> Row:
    own = {"gender": "male" if number % 2 else "female", "age_years": (15, 25, 35, 45)[number // 2 % 4], "speakers": [f"s{number % 24:02d}"]}
    return segment(number, text, ["age", "gender"], **{**own, **more})


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("저는 올해 열여덟 살이에요", "age.stated"),
        ("고등학교 이학년이에요", "age.school"),
        ("군대를 다녀왔어요", "age.life"),
        ("제 나이는 비밀이에요", "age.stated"),
        ("회사에 가요", "age.life"),
    ],
)
def test_who_says_how_old_he_is_makes_no_question_of_age(text: str, rule: str) -> None:
    found = metadata.age(person(1, text), RULES["age"])
    assert isinstance(found, Unfit)
    assert (found.reason, found.rule_id) == ("told_in_words", rule)


@pytest.mark.parametrize("text", ["오빠가 줬어요", "우리 누나는 멀리 살아요", "형이 왔어요", "남편하고 왔어요", "예비군 훈련이 있어요"])
def test_who_says_of_which_gender_she_is_makes_no_question_of_gender(text: str) -> None:
    assert isinstance(metadata.gender(person(1, text), RULES["gender"]), Unfit)


@pytest.mark.parametrize("text", ["형광펜을 샀어요", "인형을 샀어요", "원형 탁자예요", "산에 살아요", "살림을 해요", "비가 오면 쉬어요"])
def test_words_that_only_look_like_it_tell_nothing(text: str) -> None:
    assert isinstance(metadata.gender(person(1, text), RULES["gender"]), Labelled)
    assert isinstance(metadata.age(person(1, text), RULES["age"]), Labelled)


@pytest.mark.parametrize(("years", "band"), [(10, 0), (19, 0), (20, 1), (39, 1), (40, 2), (49, 2), (9, None), (50, None), (None, None)])
def test_an_age_belongs_to_its_band_or_to_none(years: int | None, band: int | None) -> None:
    found = metadata.age(person(1, age_years=years), RULES["age"])
    assert (found.answer if isinstance(found, Labelled) else None) == (None if band is None else RULES["age"]["options"][band]["text"])


def _talk(*seconds: float, **more: Any) -> Row:
    turns = [{"speaker": f"r:{number}", "start_s": 0.0, "end_s": length, "text": "네"} for number, length in enumerate(seconds)]
    return segment(0, "네", ["number_of_speakers"], turns=turns, speakers=[turn["speaker"] for turn in turns], participants=len(turns), **more)


def test_who_is_hardly_heard_makes_the_number_uncertain() -> None:
    counted = metadata.number(_talk(3.0, 2.0, 1.0), RULES["number_of_speakers"], SPEAKERS)
    assert isinstance(counted, Labelled)
    assert counted.answer == "3명"
    faint = metadata.number(_talk(3.0, 2.0, 0.4), RULES["number_of_speakers"], SPEAKERS)
    assert isinstance(faint, Unfit)
    assert (faint.reason, faint.detail) == ("hardly_heard", "r:2 0.4 s")


def test_the_last_option_may_stand_for_more() -> None:
    many = _talk(*[2.0] * 7)
    assert isinstance(metadata.number(many, RULES["number_of_speakers"], SPEAKERS), Unfit)
    open_ended = Speakers(target=None, counts=[2, 3, 4, 5], last_is_more=True)
    found = metadata.number(many, RULES["number_of_speakers"], open_ended)
    assert isinstance(found, Labelled)
    assert found.answer == "5명 이상"


def _run(segments: list[Row], target: int | None = None) -> list[Row]:
    settings = MetadataSettings.model_validate({**SETTINGS, "age": {"target": target}, "gender": {"target": target}})
    return metadata.run([], settings, Tools(segments, RULES)).kept


def test_the_order_of_the_segments_does_not_matter_and_a_larger_target_adds_to_the_end() -> None:
    people = [person(number) for number in range(90)]
    shuffled = random.Random(1).sample(people, len(people))
    assert _run(people) == _run(shuffled)
    few, many = _run(people, 9), _run(people, 24)
    for capability in ("age", "gender"):
        segments = [[row["segment"] for row in rows if row["capability"] == capability] for rows in (few, many)]
        assert segments[1][: len(segments[0])] == segments[0]
        assert (len(segments[0]), len(segments[1])) == (9, 24)


def test_speakers_and_genders_take_turns_within_an_age() -> None:
    people = [person(number) for number in range(180)]
    rows = [row for row in _run(people, 36) if row["capability"] == "age"]
    by_id = {row["id"]: row for row in people}
    told = Counter((row["answer"], by_id[row["segment"]]["gender"]) for row in rows)
    assert max(told.values()) - min(told.values()) <= 1
    speakers = Counter(by_id[row["segment"]]["speakers"][0] for row in rows)
    assert len(speakers) == 24
    assert max(speakers.values()) <= 2


def test_a_class_without_anybody_leaves_no_question_that_could_be_guessed() -> None:
    assert [row for row in _run([person(1), person(3), person(5)]) if row["capability"] == "gender"] == []


def test_a_rulebook_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "metadata.yaml").write_text("age: {question: x}")
    with pytest.raises(UserError, match="is no rulebook for questions from metadata"):
        metadata.read_rules(tmp_path / "metadata.yaml")
