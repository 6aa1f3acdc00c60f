"""Audio functions, on signals whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.speech import audio

RATE = 24000


def _tone(seconds: float, amplitude: float = 0.5, hz: float = 440.0) -> np.ndarray:
    return (amplitude * np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE)) / RATE)).astype(np.float32)


def _silence(seconds: float) -> np.ndarray:
    return np.zeros(int(seconds * RATE), np.float32)


def test_flac_keeps_16_bits_and_is_the_same_every_time() -> None:
    tone = _tone(0.5)
    data = audio.encode_flac(tone, RATE)
    decoded, rate = audio.decode(data)
    assert data[:4] == b"fLaC"
    assert rate == RATE
    assert np.abs(decoded - tone).max() <= 2**-15
    assert audio.encode_flac(tone, RATE) == data
    assert audio.encode_flac(decoded, RATE) == data


@pytest.mark.parametrize("data", [b"", b"<html>not audio</html>", audio.encode_flac(_tone(0.1), RATE)[:20]])
def test_what_is_not_audio_is_said_in_a_sentence(data: bytes) -> None:
    with pytest.raises(UserError, match="not a sound file"):
        audio.decode(data)


def test_resampling_keeps_duration_and_tone() -> None:
    down = audio.resample(_tone(1.0), RATE, 16000)
    assert len(down) == 16000
    assert int(np.abs(np.fft.rfft(down)).argmax()) == 440
    assert audio.resample(down, 16000, 16000) is down


def test_trim_leaves_the_speech_and_a_breath() -> None:
    trimmed = audio.trim(np.concatenate([_silence(0.7), _tone(1.0), _silence(0.5)]), RATE, keep_s=0.05)
    assert len(trimmed) / RATE == pytest.approx(1.1, abs=0.03)
    assert len(audio.trim(_silence(1.0), RATE)) == 0
    assert len(audio.trim(_silence(0), RATE)) == 0


def test_join_puts_the_declared_pause_between() -> None:
    joined = audio.join([_tone(0.5), _tone(0.25), _tone(0.25)], RATE, pause_s=0.4)
    assert len(joined) == round(1.8 * RATE)
    assert not joined[int(0.5 * RATE) : int(0.9 * RATE)].any()
    assert len(audio.join([], RATE, 0.4)) == 0


def test_measures_of_a_tone_with_a_hole() -> None:
    seen = audio.measure(np.concatenate([_tone(0.5), _silence(1.0), _tone(0.5)]), RATE)
    assert seen.duration_s == 2.0
    assert seen.peak == pytest.approx(0.5, abs=1e-3)
    assert seen.rms_dbfs == pytest.approx(20 * math.log10(0.5 / 2), abs=0.1)
    assert seen.longest_silence_s == pytest.approx(1.0, abs=0.04)
    assert seen.clipped_share == 0


def test_clipping_is_seen_and_a_lone_full_sample_is_not() -> None:
    assert audio.measure(np.clip(_tone(1.0, 2.0), -1, 1), RATE).clipped_share > 0.3
    lone = _tone(1.0)
    lone[100] = 1.0
    assert audio.measure(lone, RATE).clipped_share == 0


def test_silence_has_measures_too() -> None:
    assert audio.measure(_silence(1.0), RATE).rms_dbfs == -120
    assert audio.measure(_silence(0), RATE).duration_s == 0


def test_loudness_of_the_reference_tone() -> None:
    """BS.1770: a sine of 997 Hz at 0 dBFS in one channel has -3.01 LUFS."""
    assert audio.loudness(_tone(3.0, 1.0, 997.0), RATE) == pytest.approx(-3.01, abs=0.1)
    assert audio.loudness(_tone(0.2, 1.0, 997.0), RATE) == pytest.approx(-3.01, abs=0.3)


def test_normalizing_reaches_the_target() -> None:
    louder, reached = audio.normalize(_tone(2.0, 0.01), RATE, -23.0, -1.0)
    assert reached == pytest.approx(-23.0)
    assert audio.loudness(louder, RATE) == pytest.approx(-23.0, abs=0.05)


def test_the_ceiling_holds_between_the_samples_and_wins_over_loudness() -> None:
    # Samples of this sine miss its peaks: the largest sample is 0.71, the true peak 1.
    hidden = np.sin(np.pi / 2 * np.arange(2 * RATE) + np.pi / 4).astype(np.float32)
    assert np.abs(hidden).max() == pytest.approx(0.7071, abs=1e-3)
    assert audio.true_peak(hidden[1000:-1000] * np.hanning(len(hidden) - 2000).astype(np.float32)) == pytest.approx(1.0, abs=0.02)
    click = _silence(2.0)
    click += _tone(2.0, 0.001)
    click[RATE : RATE + 20] = 0.9
    quieter, reached = audio.normalize(click, RATE, -14.0, -1.0)
    assert 20 * math.log10(audio.true_peak(quieter)) == pytest.approx(-1.0, abs=0.05)
    assert reached < -14.0
    assert reached == pytest.approx(audio.loudness(quieter, RATE), abs=0.05)


def test_silence_is_not_amplified() -> None:
    same, reached = audio.normalize(_silence(1.0), RATE, -23.0, -1.0)
    assert not same.any()
    assert reached == -math.inf
