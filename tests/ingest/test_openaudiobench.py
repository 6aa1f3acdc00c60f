from __future__ import annotations

import json
import os
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stages.core.errors import UserError
from stages.ingest.openaudiobench import literal, once_quoted
from tests.ingest.conftest import SourceFolder, wav


def test_list_cells_become_answers_in_order_and_without_repeats(folder: SourceFolder) -> None:
    folder.trivia(("Which metal?", """['iron', "smith's iron", ' iron ', '']"""), ("Which gas?", "['neon']"))
    kept = folder.ingest("trivia_qa", "short_answer").kept
    assert [row["references"] for row in kept] == [["iron", "smith's iron"], ["neon"]]
    assert [row["reference"] for row in kept] == [None, "neon"]
    assert json.loads(kept[0]["source_columns"])["answer_normalized_aliases"] == """['iron', "smith's iron", ' iron ', '']"""


def test_a_plain_cell_is_one_answer_and_the_prompt_loses_its_outer_spaces(folder: SourceFolder) -> None:
    folder.csv("llama_questions", ["Questions", "Answer", "audio_filename"], [[" Which sea? ", "Red Sea", "llama_questions_0.mp3"]])
    row = folder.ingest("llama_questions", "short_answer", released_config="llamaqa").kept[0]
    assert (row["id"], row["prompt"], row["references"], row["source_id"]) == ("llamaqa-00000", "Which sea?", ["Red Sea"], "llama_questions_0")
    assert json.loads(row["source_columns"])["Questions"] == " Which sea? "


def test_a_sample_reply_is_no_answer(folder: SourceFolder) -> None:
    folder.csv("alpaca_eval", ["instruction", "output", "audio_filename"], [["Say hello.", "Hello,\nhow are you?", "alpaca_eval_0.mp3"]])
    row = folder.ingest("alpaca_eval", "open").kept[0]
    assert (row["references"], json.loads(row["source_columns"])["output"]) == ([], "Hello,\nhow are you?")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"Who sang ""Hello"" first?"', 'Who sang "Hello" first?'),
        ('"Who is there?"', '"Who is there?"'),
        ('"Yes" or "no"', '"Yes" or "no"'),
        ('"a ""b" c"', '"a ""b" c"'),
        ('"', '"'),
        ("", ""),
    ],
)
def test_only_a_second_layer_of_quoting_is_undone(written: str, meant: str) -> None:
    assert once_quoted(written) == meant


def test_audio_files_are_found_hashed_and_passed_untouched(folder: SourceFolder) -> None:
    sound = wav()
    folder.trivia(("Spoken?", "['a']"), ("Written?", "['b']"), sounds={"trivia_qa_0.mp3": sound})
    outcome = folder.ingest("trivia_qa", "short_answer")
    assert [row["has_source_audio"] for row in outcome.kept] == [True, False]
    assert list(outcome.audio or []) == [("trivia_qa-test-00000", sound)]


def test_a_decomposed_file_name_is_found(folder: SourceFolder) -> None:
    name = "café.mp3"
    path = folder.csv("llama_questions", ["Questions", "Answer", "audio_filename"], [["Where?", "here", unicodedata.normalize("NFD", name)]])
    (path.parent / "audios").mkdir()
    (path.parent / "audios" / unicodedata.normalize("NFD", name)).write_bytes(wav())
    row = folder.ingest("llama_questions", "short_answer").kept[0]
    assert (row["has_source_audio"], row["source_audio_path"]) == (True, name)


@pytest.mark.parametrize("cell", ["['iron', 'neon'", "iron", "", "['iron', 5]", "'iron'", "{'iron'}", "None", "[" * 5000, "['\\ud800']"])
def test_a_broken_literal_is_named_with_file_row_and_column(folder: SourceFolder, cell: str) -> None:
    path = folder.trivia(("Which gas?", "['neon']"), ("Which metal?", cell))
    sentence = folder.refusal("trivia_qa", "short_answer")
    assert sentence.startswith(f"{path} row 1 (line 3) column 'answer_normalized_aliases' has ")
    assert len(sentence) < 400


def test_a_cell_is_never_evaluated(folder: SourceFolder) -> None:
    trap = folder.root / "trap"
    folder.trivia(("Which metal?", f"[__import__('pathlib').Path({str(trap)!r}).touch() or 'iron']"))
    assert "is not a list of strings" in folder.refusal("trivia_qa", "short_answer")
    assert not trap.exists()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_list_of_strings_that_is_spelled_out_is_read_back(values: list[str]) -> None:
    assert literal(repr(values), "cell") == values


@given(st.text())
def test_any_other_cell_is_refused_in_a_sentence(cell: str) -> None:
    assume(not cell.strip().startswith("["))
    with pytest.raises(UserError, match=r"^file row 1 column 'answers' has "):
        literal(cell, "file row 1 column 'answers'")


@pytest.mark.parametrize("name", ["../../secret.mp3", "/etc/hostname", "..\\secret.mp3", "C:\\secret.mp3", "a/../../secret.mp3", "", "a\0.mp3"])
def test_a_file_name_that_leaves_its_folder_is_refused_with_its_row(folder: SourceFolder, name: str) -> None:
    rows = [["Where?", "here", "llama_questions_0.mp3"], ["Out?", "there", name]]
    path = folder.csv("llama_questions", ["Questions", "Answer", "audio_filename"], rows)
    sentence = folder.refusal("llama_questions", "short_answer")
    assert sentence.startswith(f"{path} row 1 (line 3) ")
    assert "leads out of" in sentence


def test_a_link_that_leaves_the_folder_is_refused(folder: SourceFolder) -> None:
    path = folder.trivia(("Where?", "['here']"), sounds={"other.mp3": wav()})
    outside = folder.root / "outside.mp3"
    outside.write_bytes(wav())
    os.symlink(outside, path.parent / "audios" / "trivia_qa_0.mp3")
    assert "through a link" in folder.refusal("trivia_qa", "short_answer")


@pytest.mark.parametrize("data", [b"", b"a text file"], ids=["0 bytes", "text"])
def test_audio_that_is_none_is_named_with_file_and_item(folder: SourceFolder, data: bytes) -> None:
    path = folder.trivia(("Where?", "['here']"), sounds={"trivia_qa_0.mp3": data})
    assert f"The audio trivia_qa_0.mp3 of {path} row 0 (line 2) " in folder.refusal("trivia_qa", "short_answer")


def test_two_rows_with_one_file_name_are_refused(folder: SourceFolder) -> None:
    folder.csv("llama_questions", ["Questions", "Answer", "audio_filename"], [["One?", "a", "x.mp3"], ["Two?", "b", "x.mp3"]])
    assert "Two rows have the id 'x.mp3'" in folder.refusal("llama_questions", "short_answer")


def test_a_missing_column_is_named(folder: SourceFolder) -> None:
    path = folder.csv("web_questions", ["question", "answer", "audio_filename"], [["who?", "['i']", "web_questions_0.mp3"]])
    assert folder.refusal("web_questions", "short_answer").startswith(f"{path} has no column 'answers'")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"question,answers,audio_filename\nwho?,['i'],a.mp3,extra\n", "row 0 (line 2) has 4 cells, the header has 3"),
        (b"question,answers,audio_filename\nwho?,['i'],a.mp3\n\"who,['i'],b.mp3\n", "cannot be read as UTF-8 CSV after row 0 (line 2)"),
        (b"question,answers,audio_filename\nwh\xff?,['i'],a.mp3\n", "cannot be read as UTF-8 CSV after header"),
        (b"", "has no column 'question'; its columns are none"),
    ],
    ids=["cells", "quotation mark", "encoding", "empty"],
)
def test_a_damaged_csv_file_is_named(folder: SourceFolder, data: bytes, what: str) -> None:
    path = folder.csv("web_questions", ["question"], [])
    path.write_bytes(data)
    sentence = folder.refusal("web_questions", "short_answer")
    assert sentence.startswith(str(path))
    assert what in sentence


def test_a_byte_order_mark_is_no_part_of_the_header(folder: SourceFolder) -> None:
    path = folder.csv("web_questions", ["question"], [])
    path.write_bytes(b"\xef\xbb\xbfquestion,answers,audio_filename\r\nwho?,['i'],a.mp3\r\n")
    assert folder.ingest("web_questions", "short_answer").kept[0]["references"] == ["i"]


def test_a_missing_file_and_an_unknown_subset_are_named(folder: SourceFolder) -> None:
    assert "trivia_qa.csv does not exist" in folder.refusal("trivia_qa", "short_answer")
    sentence = folder.refusal("trivia_qa", "short_answer", path="openaudiobench/eval_datas/trivia")
    assert "Did you mean 'trivia_qa'?" in sentence


def test_an_empty_list_is_rejected_with_a_reason(folder: SourceFolder) -> None:
    folder.trivia(("Which metal?", "[]"))
    assert [r.reason for r in folder.ingest("trivia_qa", "short_answer").rejected] == ["no_reference"]
