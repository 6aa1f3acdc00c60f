"""KSS: every line becomes a row or a rejection, and what disagrees is noted."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from stages.core.errors import UserError
from tests.ingest.corpora import kss_line, read, reasons, write_audio, write_kss


def test_a_line_is_an_utterance_as_long_as_its_clip(tmp_path: Path) -> None:
    line = "1/1_0003.wav|표는 8,000원입니다. |표는 팔천 원입니다.|표는 팔천 원입니다.|1.0|Tickets are 8,000 won."
    outcome = read("kss", write_kss(tmp_path / "kss", [unicodedata.normalize("NFD", line)], ["1/1_0003.wav"]), tmp_path)
    (row,) = outcome.kept
    assert (row["id"], row["recording"], row["start_s"], row["end_s"]) == ("kss-10003", "1/1_0003", 0.0, 1.0)
    assert (row["text"], row["words"], row["translation"]) == ("표는 8,000원입니다.", "표는 팔천 원입니다.", "Tickets are 8,000 won.")
    assert (row["audio_path"], row["audio_in"], row["sample_rate_hz"], row["notes"]) == ("1/1_0003.wav", "source", 8000, [])
    assert outcome.rejected == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1/1_0000.wav|셋|뿐인|줄", "fields"),
        (kss_line("1/2_0000.wav"), "name_pattern"),
        (kss_line("../1/1_0000.wav"), "name_pattern"),
        (kss_line("1/1_0000.wav", ""), "no_text"),
        (kss_line("1/1_0000.wav"), "no_audio"),
    ],
)
def test_a_line_that_cannot_be_used_is_told_and_the_others_go_on(line: str, reason: str, tmp_path: Path) -> None:
    outcome = read("kss", write_kss(tmp_path / "kss", [kss_line("2/2_0000.wav"), line], ["2/2_0000.wav"]), tmp_path)
    assert [row["id"] for row in outcome.kept] == ["kss-20000"]
    assert list(reasons(outcome).values()) == [reason]
    assert outcome.rejected[0].detail


def test_a_path_that_comes_twice_counts_once_when_the_texts_agree(tmp_path: Path) -> None:
    lines = [kss_line("1/1_0000.wav"), kss_line("1/1_0000.wav")]
    outcome = read("kss", write_kss(tmp_path / "kss", lines, ["1/1_0000.wav"]), tmp_path)
    assert ([row["id"] for row in outcome.kept], reasons(outcome)) == (["kss-10000"], {"kss-10000": "duplicate"})


def test_a_path_with_two_texts_is_trusted_in_neither(tmp_path: Path) -> None:
    lines = [kss_line("1/1_0000.wav", "눈이 온다."), kss_line("1/1_0000.wav")]
    outcome = read("kss", write_kss(tmp_path / "kss", lines, ["1/1_0000.wav"]), tmp_path)
    assert (outcome.kept, [one.reason for one in outcome.rejected]) == ([], ["conflict", "conflict"])


def test_a_clip_with_two_files_is_believed_in_neither(tmp_path: Path) -> None:
    lines = [kss_line("1/1_0000.wav"), kss_line("1/1_0001.wav")]
    outcome = read("kss", write_kss(tmp_path / "kss", lines, ["1/1_0000.wav", "1/1_0000.flac", "1/1_0001.wav"]), tmp_path)
    assert ([row["id"] for row in outcome.kept], reasons(outcome)) == (["kss-10001"], {"kss-10000": "file_twice"})
    assert outcome.rejected[0].detail == "1/1_0000.flac, 1/1_0000.wav"


def test_a_length_that_disagrees_is_noted_and_the_clip_decides(tmp_path: Path) -> None:
    outcome = read("kss", write_kss(tmp_path / "kss", [kss_line("1/1_0000.wav", seconds=3.0)], ["1/1_0000.wav"]), tmp_path)
    assert outcome.kept[0]["end_s"] == 1.0
    assert outcome.kept[0]["notes"] == ["length: the transcript says 3.0 s, the clip has 1.000 s"]


def test_a_clip_that_is_no_audio_is_rejected_by_name(tmp_path: Path) -> None:
    folder = write_kss(tmp_path / "kss", [kss_line("1/1_0000.wav")], ["1/1_0000.wav"])
    (folder / "1" / "1_0000.wav").write_bytes(b"RIFF")
    outcome = read("kss", folder, tmp_path)
    assert reasons(outcome) == {"kss-10000": "damaged_audio"}
    assert "1/1_0000.wav is no audio" in outcome.rejected[0].detail


def test_without_audio_the_transcript_gives_rows_by_reference(tmp_path: Path) -> None:
    lines = [kss_line("1/1_0000.wav", seconds=2.5), kss_line("1/1_0001.wav", seconds="?")]
    outcome = read("kss", write_kss(tmp_path / "kss", lines), tmp_path, audio="optional")
    (row,) = outcome.kept
    assert (row["end_s"], row["audio_path"], row["audio_sha256"]) == (2.5, None, None)
    assert reasons(outcome) == {"kss-10001": "bad_length"}


@pytest.mark.parametrize(
    ("suffix", "rate", "channels", "subtype"), [("flac", 44100, 1, None), ("wav", 11025, 2, "FLOAT"), ("wav", 48000, 1, "PCM_24")]
)
def test_clips_may_be_flac_or_wav_at_any_rate(suffix: str, rate: int, channels: int, subtype: str | None, tmp_path: Path) -> None:
    folder = write_kss(tmp_path / "kss", [kss_line("1/1_0000.wav")])
    write_audio(folder / f"1/1_0000.{suffix}", 1.0, rate, channels, subtype)
    (row,) = read("kss", folder, tmp_path).kept
    assert (row["sample_rate_hz"], row["end_s"]) == (rate, 1.0)


@pytest.mark.parametrize("encoding", ["cp949", "utf-8-sig", "utf-16"])
def test_a_transcript_in_another_encoding_is_read_and_told(encoding: str, tmp_path: Path) -> None:
    folder = write_kss(tmp_path / "kss", [], ["1/1_0000.wav"])
    (folder / "transcript.v.1.4.txt").write_bytes(kss_line("1/1_0000.wav").encode(encoding))
    outcome = read("kss", folder, tmp_path)
    assert outcome.kept[0]["words"] == "비가 온다."
    assert ("transcript" in outcome.report) == (encoding != "utf-16")


def test_a_folder_without_a_transcript_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "kss").mkdir()
    with pytest.raises(UserError, match=r"has no transcript\.v\.1\.4\.txt; put the KSS corpus there"):
        read("kss", tmp_path / "kss", tmp_path)


def test_an_empty_transcript_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"transcript\.v\.1\.4\.txt is empty; restore it"):
        read("kss", write_kss(tmp_path / "kss", ["", " "], ["1/1_0000.wav"]), tmp_path)
