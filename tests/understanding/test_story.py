"""Where a question comes from, and what became of everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages import explain
from stages.core import files
from stages.core.errors import UserError
from stages.understanding import story
from tests.understanding.test_metadata import made


@pytest.fixture(scope="module")
def built(sample_build: Path) -> Path:
    made(sample_build)
    return sample_build


def _told(root: Path, id: str) -> str:
    chapters = story.chapters(root, id)
    assert chapters is not None
    return "\n".join(f"{title}\n" + "\n".join(lines) for title, lines in chapters)


def test_a_question_is_told_from_its_utterances_on(built: Path) -> None:
    row = next(row for row in files.read_jsonl(built / "data/questions_metadata/kmmau/rows.jsonl") if row["id"] == "gender-0000")
    told = _told(built, "gender-0000")
    assert told.startswith("utterance seoul_corpus-")
    assert f"segment {row['segment']}" in told
    assert f"* {row['answer']}" in told
    assert row["transcript"].split()[0] in told


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        ("kmsav/Sg7gone_z07", "no_transcript (kmsav.no_transcript): Sg7gone_z07.json is not there"),
        ("kmsav/예고편_조각", "not_in_list"),
        ("kmsav-000050006", "past_the_end (kmsav.past_the_end)"),
        ("kmsav-000000003", "not in a utterance: overlapped (segments.overlapped)"),
        ("seoul_corpus-0310003", "in seoul_corpus-speaker-0310003"),
        ("seoul_corpus-speaker-0310003", "may be used for age, gender"),
        ("seoul_corpus/s39f47m4", "broken_textgrid"),
        ("kss-20001", "no_audio"),
    ],
)
def test_what_became_of_a_piece_of_a_corpus_is_told(id: str, sentence: str, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sentence in _told(built, id)
    explain.main([id], built)
    assert sentence in capsys.readouterr().out


def test_totals_are_those_of_the_files(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = story.totals(built)
    assert found["capabilities"]["number_of_speakers"]["made"] == {"kmsav": 4}
    assert found["corpora"]["kss"]["made"] == {"stretches": 7, "segments": 6}
    assert found["corpora"]["kss"]["refused"] == {"corpus: fields": 1, "corpus: name_pattern": 1, "corpus: no_audio": 1, "segments: unused": 1}
    story.main([], built)
    assert "number_of_speakers" in capsys.readouterr().out


def test_an_id_that_is_none_and_a_build_without_corpora_are_one_sentence(built: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has the id 'age-9999'; ids look like"):
        story.main(["age-9999"], built)
    with pytest.raises(UserError, match="No speech corpus has been read yet"):
        story.main([], tmp_path)
