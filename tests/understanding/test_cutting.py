"""Cutting: in the quietest place that is allowed, at the recording's own rate, sample for sample, whatever the container."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from stages.core.errors import UserError
from stages.understanding import cutting

RATE = 16000


def talk(rate: int = RATE) -> np.ndarray:
    """Half a second of silence, a second of tone, 0.4 s of hiss with a silent tenth in it, a second of tone, silence."""
    tone = (np.sin(np.arange(rate) * 0.2) * 8000).astype(np.int16)
    hiss = np.random.default_rng(1).normal(0, 300, round(0.4 * rate)).astype(np.int16)
    hiss[round(0.2 * rate) : round(0.3 * rate)] = 0
    silence = np.zeros(rate // 2, np.int16)
    return np.concatenate([silence, tone, hiss, tone, silence])


def written(path: Path, samples: np.ndarray, rate: int = RATE, subtype: str = "PCM_16") -> Path:
    soundfile.write(path, samples, rate, subtype=subtype)
    return path


def test_a_cut_falls_into_the_silence_that_is_allowed(tmp_path: Path) -> None:
    with cutting.open_recording(written(tmp_path / "a.wav", talk())) as file:
        piece = cutting.cut(file, 0.3, 0.5, 1.5, 1.9)
    assert piece.start_s == pytest.approx(0.3)
    assert 1.7 <= piece.end_s <= 1.8
    assert piece.in_silence(20.0)
    assert piece.complete


def test_a_cut_in_sound_is_told(tmp_path: Path) -> None:
    with cutting.open_recording(written(tmp_path / "a.wav", talk())) as file:
        piece = cutting.cut(file, 0.9, 1.0, 1.2, 1.3)
    assert not piece.in_silence(20.0)


def test_the_ends_of_a_recording_are_silence_enough(tmp_path: Path) -> None:
    tone = talk()[RATE // 2 : RATE]
    with cutting.open_recording(written(tmp_path / "a.wav", tone)) as file:
        piece = cutting.cut(file, 0.0, 0.0, 0.5, 0.5)
    assert (piece.first, piece.last) == (0, len(tone))
    assert piece.in_silence(20.0)


@pytest.mark.parametrize(
    ("name", "subtype"), [("a.wav", "PCM_16"), ("a.flac", "PCM_16"), ("a.wav", "PCM_24"), ("a.wav", "FLOAT"), ("a.flac", "PCM_24")]
)
@pytest.mark.parametrize("rate", [8000, 22050, 44100])
def test_a_segment_has_the_recordings_samples_whatever_the_container(name: str, subtype: str, rate: int, tmp_path: Path) -> None:
    samples = talk(rate)
    stored = samples / 32768 if subtype == "FLOAT" else samples
    with cutting.open_recording(written(tmp_path / name, stored, rate, subtype)) as file:
        piece = cutting.cut(file, 0.4, 0.4, 2.0, 2.0)
        data, digest = cutting.encode(file, piece.first, piece.last)
    found, found_rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert found_rate == rate
    assert np.array_equal(found, samples[round(0.4 * rate) : round(2.0 * rate)])
    assert digest == piece.sha256 == hashlib.sha256(found.astype("<i2").tobytes()).hexdigest()


def test_channels_are_averaged(tmp_path: Path) -> None:
    left = talk()
    with cutting.open_recording(written(tmp_path / "a.wav", np.stack([left, np.zeros_like(left)], axis=1))) as file:
        data, _ = cutting.encode(file, 0, len(left))
    found, _ = soundfile.read(io.BytesIO(data), dtype="int16")
    assert np.abs(found.astype(int) - left.astype(int) / 2).max() <= 1


def test_the_same_piece_gives_the_same_bytes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.flac", talk())
    found = []
    for _ in range(2):
        with cutting.open_recording(path) as file:
            cutting.encode(file, 4000, 9000)
            found.append(cutting.encode(file, 1000, 30000))
    assert found[0] == found[1]


def test_a_recording_that_ends_too_early_is_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "a.flac", np.random.default_rng(0).normal(0, 3000, 10 * RATE).astype(np.int16))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with cutting.open_recording(path) as file:
        assert not cutting.cut(file, 6.0, 6.0, 9.0, 9.0).complete


def test_a_recording_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.wav cannot be read as audio any more"):
        cutting.open_recording(tmp_path / "gone.wav")


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_ends_the_sound(broken: float, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    samples = np.zeros(4 * RATE, np.float32)
    samples[3 * RATE] = broken
    with cutting.open_recording(written(tmp_path / "a.wav", samples, subtype="FLOAT")) as file:
        assert cutting.cut(file, 1.0, 1.0, 2.5, 2.5).complete
        assert not cutting.cut(file, 1.0, 1.0, 3.5, 3.5).complete
    assert not recwarn.list
