from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from stages.core.errors import UserError
from stages.ingest.audio import Clip, SourceAudio, checked, known_format
from tests.ingest.conftest import SourceFolder, wav


@pytest.mark.parametrize(("format", "name"), [("WAV", "wav"), ("FLAC", "flac"), ("OGG", "ogg"), ("MP3", "mp3"), ("AIFF", "aiff")])
def test_encoded_audio_is_known_by_its_first_bytes(format: str, name: str) -> None:
    out = io.BytesIO()
    soundfile.write(out, np.zeros(8000, dtype=np.float32), 16000, format=format)
    assert known_format(out.getvalue()) == name


@pytest.mark.parametrize(
    "data",
    [b"not audio at all", "a text file".encode("utf-16"), b"<!DOCTYPE html>", b"PK\x03\x04zip", b"\xff\xfb", b"RIFF\0\0\0\0AVI LIST"],
    ids=["text", "utf-16", "html", "zip", "cut short", "video"],
)
def test_what_is_no_audio_is_not_taken_for_it(data: bytes) -> None:
    assert known_format(data) is None
    with pytest.raises(UserError, match=r"clip\.mp3 of file row 3 begins with .*no known audio format"):
        checked(data, "clip.mp3", "file row 3")


def test_empty_audio_and_large_file_pointers_are_named_as_such() -> None:
    with pytest.raises(UserError, match=r"clip\.mp3 of file row 3 has 0 bytes"):
        checked(b"", "clip.mp3", "file row 3")
    with pytest.raises(UserError, match="Git LFS pointer"):
        checked(b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "clip.mp3", "file row 3")


def test_audio_streams_in_order_from_chosen_rows_of_several_row_groups(folder: SourceFolder) -> None:
    clips = [wav(0.01 * (n + 1)) for n in range(200)]
    rows = [{"prompt": f"Question {n}?", "audio": {"bytes": clip, "path": f"{n}.wav"}} for n, clip in enumerate(clips)]
    folder.parquet("commoneval/test-00000-of-00001", rows, row_group_size=70)
    outcome = folder.ingest("commoneval", "open", sample={"n": 20})
    assert outcome.audio is not None
    streamed = list(outcome.audio)
    assert [id for id, _ in streamed] == [row["id"] for row in outcome.kept]
    assert [data for _, data in streamed] == [clips[row["source_index"]] for row in outcome.kept]
    assert list(outcome.audio) == streamed, "it can be read twice"


def test_audio_that_changes_while_being_read_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp3"
    path.write_bytes(b"ID3 another")
    with pytest.raises(UserError, match=r"item trivia_qa-00000 in .*clip\.mp3 changed"):
        list(SourceAudio([("trivia_qa-00000", Clip("0" * 64, path))]))
