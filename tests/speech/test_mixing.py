"""Noise at a declared ratio: measured over the speech, never clipped, the same bytes whoever mixes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.speech import audio, mixing

RATE = 16000
CEILING = 10 ** (-1 / 20)


def _speech(seconds: float = 3.0, seed: int = 0, level: float = 0.1) -> np.ndarray:
    """Bursts of noise with pauses between, as a talker's level goes."""
    draw = np.random.default_rng(seed)
    loud = np.repeat((np.arange(int(seconds * 10)) % 10 < 6).astype(np.float32), RATE // 10)
    return (draw.standard_normal(len(loud)).astype(np.float32) * loud * level).astype(np.float32)


def _independent_snr(speech: np.ndarray, mixed: np.ndarray, gain: float) -> float:
    """Another way to the same number: sample by sample, where the speech's envelope is loud."""
    envelope = np.convolve(speech.astype(np.float64) ** 2, np.ones(320) / 320, "same")
    speaking = envelope > envelope.max() * 10 ** (-25 / 10)
    signal = gain * speech.astype(np.float64)
    return 10 * math.log10(np.mean(signal[speaking] ** 2) / np.mean((mixed.astype(np.float64) - signal)[speaking] ** 2))


@pytest.mark.parametrize("snr_db", [-5.0, 0.0, 7.5, 20.0])
def test_the_ratio_over_the_speech_is_the_declared_one(snr_db: float) -> None:
    speech = _speech()
    noise = np.random.default_rng(1).standard_normal(len(speech)).astype(np.float32) * 0.3
    mixed = mixing.mix(speech, noise, snr_db, RATE)
    assert mixed.snr_db == pytest.approx(snr_db, abs=1e-3)
    assert _independent_snr(speech, mixed.samples, 10 ** (mixed.gain_db / 20)) == pytest.approx(snr_db, abs=0.2)
    assert 0.5 < mixed.active_share < 0.75  # 60 % of the clip is speech; the pauses do not count


def test_pauses_do_not_change_the_ratio() -> None:
    speech, noise = _speech(), np.random.default_rng(1).standard_normal(RATE * 6).astype(np.float32)
    longer = np.concatenate([speech, np.zeros(RATE * 3, np.float32)])
    first = mixing.mix(speech, noise[: len(speech)], 5.0, RATE)
    second = mixing.mix(longer, noise[: len(longer)], 5.0, RATE)
    added = [float(np.std((one.samples / 10 ** (one.gain_db / 20))[: len(speech)] - speech)) for one in (first, second)]
    assert added[0] == pytest.approx(added[1], rel=0.02)


def test_loud_mixtures_are_turned_down_and_keep_their_ratio() -> None:
    speech = _speech(level=0.4)
    noise = np.random.default_rng(2).standard_normal(len(speech)).astype(np.float32)
    mixed = mixing.mix(speech, noise, -3.0, RATE)
    assert mixed.gain_db < 0
    assert np.abs(mixed.samples).max() <= CEILING + 1e-6
    gain = 10 ** (mixed.gain_db / 20)
    assert mixing.measured_snr(speech, mixed.samples, gain, RATE) == pytest.approx(-3.0, abs=0.05)


def test_the_ratio_holds_on_what_is_kept_as_sixteen_bits() -> None:
    speech = _speech(level=0.01)
    noise = np.random.default_rng(3).standard_normal(len(speech)).astype(np.float32)
    mixed = mixing.mix(speech, noise, 15.0, RATE)
    decoded, _ = audio.decode(audio.encode_flac(mixed.samples, RATE))
    assert mixing.measured_snr(speech, decoded, 1.0, RATE) == pytest.approx(15.0, abs=0.2)


def test_a_noise_clip_shorter_than_the_speech_is_repeated_without_a_click() -> None:
    tone = np.sin(2 * np.pi * 100 * np.arange(RATE) / RATE + 1.0).astype(np.float32)
    longer = mixing.fitted(tone, int(3.7 * RATE), RATE, start=4321)
    assert len(longer) == int(3.7 * RATE)
    assert np.abs(np.diff(longer)).max() < 2.5 * np.abs(np.diff(tone)).max()
    power = mixing.frame_powers(longer, RATE)
    assert power.min() > 0.3 * power.max()


def test_a_longer_clip_is_cut_where_it_begins() -> None:
    noise = np.arange(RATE * 4, dtype=np.float32)
    assert mixing.fitted(noise, RATE, RATE, start=RATE).tolist() == noise[RATE : 2 * RATE].tolist()


@pytest.mark.parametrize(
    ("speech", "noise", "told"),
    [
        (np.zeros(RATE, np.float32), np.ones(RATE, np.float32), "The speech is silent"),
        (_speech(1.0), np.zeros(10 * (RATE // 10), np.float32), "The noise is silent where somebody speaks"),
    ],
)
def test_silence_cannot_be_mixed(speech: np.ndarray, noise: np.ndarray, told: str) -> None:
    with pytest.raises(UserError, match=told):
        mixing.mix(speech, noise[: len(speech)], 5.0, RATE)


def test_a_place_with_sound_is_looked_for_in_a_clip_that_is_mostly_silent() -> None:
    knock = np.zeros(RATE * 8, np.float32)
    knock[5 * RATE : 6 * RATE] = np.random.default_rng(4).standard_normal(RATE) * 0.5
    speech = _speech(1.0)
    mixed, start = mixing.mix_somewhere(speech, knock, 5.0, RATE, -1.0, 0)
    assert start > 0
    assert mixed.snr_db == pytest.approx(5.0, abs=1e-3)
    with pytest.raises(UserError, match="wherever it begins"):
        mixing.mix_somewhere(speech, np.zeros(RATE * 4, np.float32), 5.0, RATE, -1.0, 0)


def test_a_room_keeps_length_and_direct_sound_and_adds_a_tail() -> None:
    click = np.zeros(RATE, np.float32)
    click[100] = 0.5
    heard = mixing.room(click, RATE, 0.3, 6.0, seed=5)
    assert len(heard) == len(click)
    assert heard[100] == pytest.approx(0.5, abs=1e-3)
    tail = float(np.square(heard[148:]).sum())
    assert 10 * math.log10(0.25 / tail) == pytest.approx(6.0, abs=0.1)
    assert np.square(heard[148 : 148 + RATE // 10]).sum() > 10 * np.square(heard[148 + RATE // 10 : 148 + RATE // 5]).sum()
    assert (mixing.room(click, RATE, 0.3, 6.0, seed=5) == heard).all()


def test_the_ratio_is_within_two_tenths_of_a_decibel_on_real_speech(shared: Path) -> None:
    """Real recordings against real noise, measured another way, on the 16-bit result."""
    speech_files = sorted((shared / "mirror/noise/human_speech_en").glob("*.wav"))
    noise_files = sorted((shared / "mirror/noise/esc50_layout/audio").glob("*.wav")) + sorted((shared / "mirror/noise/ambience").glob("*.wav"))
    assert len(speech_files) >= 6
    assert len(noise_files) >= 20
    worst = 0.0
    for number, path in enumerate(speech_files):
        speech, rate = audio.decode(path.read_bytes())
        speech = audio.resample(speech, rate, RATE)
        for other, noise_path in enumerate(noise_files):
            noise, noise_rate = audio.decode(noise_path.read_bytes())
            noise = audio.trim(audio.resample(noise, noise_rate, RATE), RATE, 50.0, 0.0)
            snr = [0.0, 5.0, 10.0][(number + other) % 3]
            mixed, _ = mixing.mix_somewhere(speech, noise, snr, RATE, -1.0, 777)
            decoded, _ = audio.decode(audio.encode_flac(mixed.samples, RATE))
            assert np.abs(decoded).max() <= CEILING + 1e-4
            worst = max(worst, abs(mixing.measured_snr(speech, decoded, 10 ** (mixed.gain_db / 20), RATE) - snr))
    assert worst <= 0.2
