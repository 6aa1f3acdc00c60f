from __future__ import annotations

from pathlib import Path

import pytest

from stages.core import files
from stages.core.errors import UserError
from stages.evaluate import benchmarks
from stages.evaluate.score import score
from tests.evaluate import world
from tests.evaluate.suite import suite


def _edit(root: Path, path: str, **columns: object) -> str:
    """Change the first row of a file; returns its id."""
    rows = files.read_jsonl(root / path / "rows.jsonl")
    rows[0] |= columns
    files.write_jsonl(root / path / "rows.jsonl", rows)
    return str(rows[0]["id"])


def test_an_item_of_two_benchmarks_comes_once_and_counts_in_both(root: Path) -> None:
    found = benchmarks.questions(suite(), root)
    shared = [question for question in found if question.subset == "alpacaeval_full" and question.language == "ko"]
    assert {question.benchmarks for question in shared} == {("KVoiceBench", "KOpenAudioBench")}
    assert len({question.id for question in found}) == len(found)
    assert [question.id for question in found] == sorted(question.id for question in found)


def test_both_languages_share_the_ids_that_pair_them(root: Path) -> None:
    found = benchmarks.questions(suite(), root)
    english = {question.item.id for question in found if question.language == "en"}
    korean = {question.item.id for question in found if question.language == "ko" and question.family not in ("acoustic", "contextual")}
    assert korean
    assert korean <= english


def test_a_corrected_key_stands_beside_the_upstream_one(root: Path) -> None:
    id = _edit(root, "data/validate/sd-qa", correction="corrected", corrected_reference="tin", corrected_references=["tin", "stannum"])
    question = next(one for one in benchmarks.questions(suite(), root) if one.id == f"en/{id}")
    assert question.item.reference != "tin"
    assert question.corrected is not None
    assert (question.corrected.reference, question.corrected.references) == ("tin", ("tin", "stannum"))


def test_a_subset_that_is_not_built_is_left_out(root: Path) -> None:
    chosen = suite().model_copy(update={"built": ["bbh"], "understanding": []})
    assert {question.subset for question in benchmarks.questions(chosen, root)} == {"bbh"}


@pytest.mark.parametrize(
    ("path", "columns", "sentence"),
    [
        ("data/ingest/mmsu", {"reference": "E"}, "has the key 'E', which is not among its options"),
        ("data/validate/mmsu", {"target_answer": "A"}, "has the key 'A', which is not among its options"),
        ("data/validate/openbookqa", {"target_options": []}, "is multiple choice without options"),
        (
            "data/ingest/openbookqa",
            {"options": [{"label": "A", "text": "a  Trout"}, {"label": "B", "text": "a trout"}]},
            "has two options with the text 'a  Trout'",
        ),
        ("data/ingest/mmsu", {"options": [{"label": "A", "text": "x"}, {"label": "A", "text": "y"}]}, "has two options with the label 'A'"),
        ("data/assemble/kmmau/gender", {"choices": ["남성", "남성"], "answer": "남성"}, "has two options with the text '남성'"),
        ("data/assemble/kmmau/gender", {"answer": "아이"}, "has the key '아이', which is not among its options"),
    ],
)
def test_an_item_whose_key_cannot_be_right_is_named(root: Path, path: str, columns: dict[str, object], sentence: str) -> None:
    id = _edit(root, path, **columns)
    with pytest.raises(UserError) as error:
        benchmarks.questions(suite(), root)
    assert f"Item {id} of " in str(error.value)
    assert sentence in str(error.value)


def test_an_id_that_comes_twice_is_named(root: Path) -> None:
    path = root / "data/validate/bbh/rows.jsonl"
    rows = files.read_jsonl(path)
    files.write_jsonl(path, [*rows, rows[0]])
    with pytest.raises(UserError, match=f"{rows[0]['id']} comes twice in KVoiceBench"):
        benchmarks.questions(suite(), root)


def test_the_published_files_of_mmau_are_read(root: Path) -> None:
    row = {"id": "aa-1", "audio_id": "./x.wav", "question": "What plays?", "choices": ["a flute", "a drum"], "answer": "a flute"}
    files.write_json(root / "mmau.json", [{**row, "task": "music", "difficulty": "easy", "category": ["Reasoning"]}])
    about = {"layout": "mmau", "protocol": "mmau", "language": "en", "script": "LATIN", "kind": "audio_understanding", "path": "mmau.json"}
    chosen = suite().model_copy(update={"benchmarks": {"MMAU": benchmarks.Benchmark.model_validate(about)}})
    (one,) = benchmarks.questions(chosen, root)
    assert (one.item.protocol, one.item.reference, one.subset) == ("option_text", "a flute", "music")
    assert one.item.options == (("", "a flute"), ("", "a drum"))
    files.write_json(root / "mmau.json", [{"id": "aa-1"}])
    with pytest.raises(UserError, match=r"Question 0 of .*mmau.json lacks 'question'"):
        benchmarks.questions(chosen, root)


def test_an_option_of_a_recording_s_question_is_named_by_the_label_that_is_shown(root: Path) -> None:
    shown = "누구의 목소리입니까?\nㄱ. 남성\nㄴ. 여성"
    _edit(root, "data/assemble/kmmau/gender", choices=["남성", "여성"], answer="여성", shown=shown)
    item = next(question.item for question in benchmarks.questions(suite("KMMAU"), root) if question.subset == "gender")
    assert item.options == (("ㄱ", "남성"), ("ㄴ", "여성"))
    assert [score(item, answer, (), "fixed").value for answer in ("ㄴ", "여성", "정답은 니은입니다.", "ㄱ", "남성")] == [100, 100, 100, 0, 0]


def test_the_world_has_the_sizes_of_the_paper() -> None:
    shared = world.ENGLISH["alpacaeval_full"]
    assert sum(world.ENGLISH.values()) + shared == 10_719
    assert sum(world.KOREAN.values()) + world.KOREAN["alpacaeval_full"] + sum(world.KMMAU.values()) == 12_345
