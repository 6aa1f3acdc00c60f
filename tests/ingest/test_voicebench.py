from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest

from tests.ingest.conftest import AUDIO, SourceFolder, wav

CLOSING = "\nSelect one of the following: A or B."
KWARGS = pa.list_(pa.struct([("frequency", pa.int64()), ("keyword", pa.string()), ("keywords", pa.list_(pa.string())), ("letter", pa.string())]))


def test_a_row_without_audio_bytes_is_a_text_row(folder: SourceFolder) -> None:
    sound = wav()
    folder.parquet("commoneval/test-00000-of-00001", [{"prompt": "Spoken?", "audio": {"bytes": sound, "path": "a.wav"}}, {"prompt": "Written?"}])
    outcome = folder.ingest("commoneval", "open")
    assert [row["has_source_audio"] for row in outcome.kept] == [True, False]
    assert [row["source_audio_path"] for row in outcome.kept] == ["a.wav", "clip.wav"]
    assert list(outcome.audio or []) == [("commoneval-test-00000", sound)]
    assert (outcome.report["with_audio"], outcome.report["text_only"]) == (1, 1)


def test_a_null_audio_cell_is_a_text_row(folder: SourceFolder) -> None:
    folder.parquet("commoneval/test-00000-of-00001", [{"prompt": "Written?", "audio": None}])
    row = folder.ingest("commoneval", "open").kept[0]
    assert (row["has_source_audio"], row["source_audio_path"]) == (False, None)


def test_every_column_but_the_audio_is_kept_as_it_came(folder: SourceFolder) -> None:
    folder.parquet(
        "mmsu/law-00000-of-00001", [{"question_id": 7, "prompt": f"Q?\nA. x\nB. y{CLOSING}", "reference": "B", "src": None, "weight": 0.5}]
    )
    row = folder.ingest("mmsu", "multiple_choice", task_from="split").kept[0]
    kept = json.loads(row["source_columns"])
    assert kept == {"question_id": 7, "prompt": f"Q?\nA. x\nB. y{CLOSING}", "reference": "B", "src": None, "weight": 0.5}
    assert (row["source_id"], row["task"], row["source_split"]) == ("7", "law", "law")


def test_domains_are_numbered_in_the_order_of_their_names(folder: SourceFolder) -> None:
    for domain, count in (("physics", 1), ("biology", 2)):
        rows = [{"prompt": f"{domain} {n}?\nA. x\nB. y{CLOSING}", "reference": "A"} for n in range(count)]
        folder.parquet(f"mmsu/{domain}-00000-of-00001", rows)
    kept = folder.ingest("mmsu", "multiple_choice", task_from="split", released_config="mmsu").kept
    assert [(row["id"], row["task"]) for row in kept] == [("mmsu-00000", "biology"), ("mmsu-00001", "biology"), ("mmsu-00002", "physics")]


def test_one_region_is_taken_of_many(folder: SourceFolder) -> None:
    for region in ("aus", "usa"):
        folder.parquet(f"sd-qa/{region}-00000-of-00001", [{"prompt": f"Where, {region}?", "reference": "here"}])
    kept = folder.ingest("sd-qa", "short_answer", splits=["usa"], task_from="split").kept
    assert [(row["prompt"], row["task"], row["source_index"], row["references"]) for row in kept] == [("Where, usa?", "usa", 0, ["here"])]


def test_shards_are_read_in_order_and_numbered_through(folder: SourceFolder) -> None:
    for shard in (2, 0, 1):
        folder.parquet(f"wildvoice/test-{shard:05d}-of-00003", [{"prompt": f"Shard {shard}?"}])
    assert [row["prompt"] for row in folder.ingest("wildvoice", "open").kept] == ["Shard 0?", "Shard 1?", "Shard 2?"]


def test_only_null_arguments_of_an_instruction_are_dropped(folder: SourceFolder) -> None:
    kwargs = [
        {"frequency": 0, "keyword": "", "keywords": None, "letter": None},
        {"frequency": None, "keyword": None, "keywords": [], "letter": "m"},
        {"frequency": None, "keyword": None, "keywords": None, "letter": None},
    ]
    ids = ["keywords:frequency", "keywords:letter_frequency", "punctuation:no_comma"]
    folder.parquet("ifeval/test-00000-of-00001", [{"key": 5, "prompt": "Write.", "instruction_id_list": ids, "kwargs": kwargs}], {"kwargs": KWARGS})
    found = folder.ingest("ifeval", "ifeval").kept[0]["instructions"]
    assert [one["id"] for one in found] == ids
    assert [json.loads(one["kwargs"]) for one in found] == [{"frequency": 0, "keyword": ""}, {"keywords": [], "letter": "m"}, {}]


def test_bbh_answers_take_one_form_and_hyperbaton_has_options(folder: SourceFolder) -> None:
    rows = [
        {"id": "navigate_3", "prompt": "Do you return?", "reference": "Yes"},
        {"id": "hyperbaton-9", "prompt": "Which order: (a) big red bus (b) red big bus?", "reference": "(A)"},
    ]
    folder.parquet("bbh/test-00000-of-00001", rows)
    kept = folder.ingest("bbh", "bbh", task_from="id").kept
    assert [(row["task"], row["reference"], len(row["options"])) for row in kept] == [("navigate", "yes", 0), ("hyperbaton", "(a)", 2)]


def test_text_is_nfc_from_the_first_touch(folder: SourceFolder) -> None:
    folder.parquet(
        "sd-qa/usa-00000-of-00001", [{"prompt": unicodedata.normalize("NFD", "Où est né José?"), "reference": unicodedata.normalize("NFD", "Málaga")}]
    )
    row = folder.ingest("sd-qa", "short_answer").kept[0]
    assert (row["prompt"], row["reference"]) == ("Où est né José?", "Málaga")
    assert unicodedata.is_normalized("NFC", row["source_columns"])


def test_gaps_of_upstream_are_rejected_with_a_reason(folder: SourceFolder) -> None:
    rows = [
        {"prompt": "Kept?\nA. x\nB. y" + CLOSING, "reference": "A"},
        {"prompt": "  ", "reference": "A"},
        {"prompt": "No answer?\nA. x\nB. y" + CLOSING, "reference": None},
        {"prompt": "No options?", "reference": "A"},
    ]
    folder.parquet("openbookqa/test-00000-of-00001", rows)
    outcome = folder.ingest("openbookqa", "multiple_choice")
    assert [row["id"] for row in outcome.kept] == ["openbookqa-test-00000"]
    assert [(r.row["id"][-5:], r.reason, r.rule_id) for r in outcome.rejected] == [
        ("00001", "no_prompt", "ingest.prompt"),
        ("00002", "no_reference", "ingest.reference"),
        ("00003", "options_unreadable", "ingest.options"),
    ]


def test_text_rows_can_be_refused(folder: SourceFolder) -> None:
    folder.parquet("advbench/test-00000-of-00001", [{"prompt": "Refuse.", "audio": {"bytes": wav(), "path": "a.wav"}}, {"prompt": "Refuse too."}])
    outcome = folder.ingest("advbench", "refusal", text_rows="reject")
    assert [r.reason for r in outcome.rejected] == ["no_source_audio"]
    assert len(outcome.kept) == 1


def test_a_missing_column_is_named_with_the_nearest_one(folder: SourceFolder) -> None:
    path = folder.parquet("sd-qa/usa-00000-of-00001", [{"prompt": "Where?", "refrence": "here"}])
    sentence = folder.refusal("sd-qa", "short_answer")
    assert sentence.startswith(f"{path} has no column 'reference'")
    assert "Did you mean 'refrence'?" in sentence


@pytest.mark.parametrize(
    ("subset", "format", "row", "schema", "column"),
    [
        ("sd-qa", "short_answer", {"prompt": "Where?", "reference": 4}, {}, "reference"),
        ("ifeval", "ifeval", {"key": "a", "prompt": "W.", "instruction_id_list": ["x"], "kwargs": [{"a": 1}]}, {}, "key"),
        ("ifeval", "ifeval", {"key": 1, "prompt": "W.", "instruction_id_list": "x", "kwargs": [{"a": 1}]}, {}, "instruction_id_list"),
        ("ifeval", "ifeval", {"key": 1, "prompt": "W.", "instruction_id_list": ["x"], "kwargs": ["{}"]}, {}, "kwargs"),
        ("advbench", "refusal", {"prompt": "R.", "audio": "a.wav"}, {"audio": pa.string()}, "audio"),
    ],
)
def test_a_column_of_the_wrong_type_is_named(folder: SourceFolder, subset: str, format: str, row: dict, schema: dict, column: str) -> None:
    path = folder.parquet(f"{subset}/test-00000-of-00001", [row], schema)
    sentence = folder.refusal(subset, format)
    assert sentence.startswith(f"{path} has the type ")
    assert f"in column {column!r}" in sentence


def test_an_unknown_reference_letter_is_named_with_its_item(folder: SourceFolder) -> None:
    path = folder.parquet("mmsu/law-00000-of-00001", [{"question_id": 31, "prompt": f"Q?\nA. x\nB. y{CLOSING}", "reference": "E"}])
    assert f"{path} row 0 (31) has the reference 'E', which is not one of A, B" in folder.refusal("mmsu", "multiple_choice")


@pytest.mark.parametrize(("id", "reference"), [("navigate_1", "(a)"), ("web_of_lies_1", "maybe")])
def test_an_unknown_bbh_answer_is_named_with_its_item(folder: SourceFolder, id: str, reference: str) -> None:
    folder.parquet("bbh/test-00000-of-00001", [{"id": id, "prompt": "Is it?", "reference": reference}])
    assert f"({id}) has the reference {reference!r}, which is not one of yes, no" in folder.refusal("bbh", "bbh", task_from="id")


def test_a_bbh_id_without_a_task_is_refused(folder: SourceFolder) -> None:
    folder.parquet("bbh/test-00000-of-00001", [{"id": "date_understanding_1", "prompt": "Is it?", "reference": "yes"}])
    assert "names none of the tasks hyperbaton, navigate" in folder.refusal("bbh", "bbh", task_from="id")


def test_two_rows_with_one_id_are_both_named(folder: SourceFolder) -> None:
    rows = [{"id": f"navigate_{n}", "prompt": "Do you return?", "reference": "no"} for n in (1, 2, 1)]
    path = folder.parquet("bbh/test-00000-of-00001", rows)
    sentence = folder.refusal("bbh", "bbh", task_from="id")
    assert "Two rows have the id 'test/navigate_1'" in sentence
    assert f"{path} row 0" in sentence
    assert f"{path} row 2" in sentence


def test_instructions_and_arguments_of_different_number_are_refused(folder: SourceFolder) -> None:
    row = {"key": 77, "prompt": "Write.", "instruction_id_list": ["a:b", "c:d"], "kwargs": [{"letter": "m"}]}
    folder.parquet("ifeval/test-00000-of-00001", [row])
    assert "row 0 (77) has 2 instruction ids but 1 kwargs" in folder.refusal("ifeval", "ifeval")


@pytest.mark.parametrize("keep", [0, 3, 200, -1], ids=["empty", "magic only", "half", "one byte short"])
def test_a_truncated_parquet_file_is_named(folder: SourceFolder, keep: int) -> None:
    path = folder.parquet("advbench/test-00000-of-00001", [{"prompt": f"Refuse {n}."} for n in range(50)])
    path.write_bytes(path.read_bytes()[:keep])
    assert folder.refusal("advbench", "refusal").startswith(f"{path} is not a whole parquet file")


def test_damage_in_the_middle_of_a_parquet_file_is_noticed(folder: SourceFolder) -> None:
    path = folder.parquet("advbench/test-00000-of-00001", [{"prompt": f"Refuse {n}."} for n in range(500)], compression="zstd")
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)
    assert folder.refusal("advbench", "refusal").startswith(f"{path} is not a whole parquet file")


def test_a_large_file_pointer_is_named_as_such(folder: SourceFolder) -> None:
    path = folder.parquet("advbench/test-00000-of-00001", [{"prompt": "Refuse."}])
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", encoding="utf-8")
    assert "is a Git LFS pointer" in folder.refusal("advbench", "refusal")


@pytest.mark.parametrize("data", [b"", b"this is only text"], ids=["0 bytes", "text"])
def test_audio_that_is_none_is_named_with_file_and_item(folder: SourceFolder, data: bytes) -> None:
    row = {"id": "navigate_4", "prompt": "Do you return?", "reference": "no", "audio": {"bytes": data, "path": "bbh_00004.mp3"}}
    path = folder.parquet("bbh/test-00000-of-00001", [row])
    assert f"The audio 'bbh_00004.mp3' of {path} row 0 (navigate_4) " in folder.refusal("bbh", "bbh", task_from="id")


def test_a_missing_shard_folder_or_split_is_named(folder: SourceFolder, tmp_path: Path) -> None:
    assert "holds no parquet file" in folder.refusal("wildvoice", "open")
    folder.parquet("wildvoice/test-00001-of-00002", [{"prompt": "Second?"}])
    assert "test-00000-of-00002.parquet is missing" in folder.refusal("wildvoice", "open")
    folder.parquet("wildvoice/test-00000-of-00002", [{"prompt": "First?"}])
    assert "has no split 'tset'; it has test. Did you mean 'test'?" in folder.refusal("wildvoice", "open", splits=["tset"])
    folder.parquet("wildvoice/test-00000-of-00010", [{"prompt": "Again?"}])
    assert "another division of the split 'test'" in folder.refusal("wildvoice", "open")


def test_a_file_with_another_name_is_not_passed_over(folder: SourceFolder) -> None:
    folder.parquet("advbench/test-00000-of-00001", [{"prompt": "Refuse."}])
    path = folder.parquet("advbench/extra", [{"prompt": "More."}])
    assert folder.refusal("advbench", "refusal").startswith(f"{path} is not named as upstream names its files")


def test_an_empty_shard_is_no_defect(folder: SourceFolder) -> None:
    folder.parquet("wildvoice/test-00000-of-00002", [{"prompt": "First?"}])
    path = folder.parquet("wildvoice/test-00001-of-00002", [{"prompt": "Gone?"}])
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"prompt": pa.array([], pa.string()), "audio": pa.array([], AUDIO)}), path)
    assert len(folder.ingest("wildvoice", "open").kept) == 1
