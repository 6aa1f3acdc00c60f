"""Noise clips: layouts, licences, rates and channels, and draws that depend on the seed alone."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile

from stages.core import settings
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.speech import noise
from stages.speech.noise import Families, Library, NoiseFolder

HEAD = ["file", "family", "kind", "source", "author", "licence"]


def _table(folder: Path, *lines: list[str]) -> Path:
    with (folder / "noise.csv").open("w", newline="") as out:
        csv.writer(out).writerows([HEAD, *lines])
    return folder


def _clip(path: Path, rate: int = 16000, channels: int = 1, level: float = 0.2, seconds: float = 1.0) -> Path:
    samples = np.random.default_rng(0).standard_normal((int(rate * seconds), channels)) * level
    soundfile.write(path, samples, rate)
    return path


def _read(folder: Path, **more: str) -> list[noise.Clip]:
    return noise.read([NoiseFolder(folder=str(folder), **more)], ROOT)


def test_other_rates_and_stereo_are_brought_to_one_mono_rate(tmp_path: Path) -> None:
    _clip(tmp_path / "a.wav", 44100, 2)
    _clip(tmp_path / "b.flac", 8000, 1)
    clips = _read(_table(tmp_path, ["a.wav", "natural", "rain", "s", "x", "CC0-1.0"], ["b.flac", "exterior", "engine", "s", "x", "CC-BY-4.0"]))
    library = Library(clips, 24000)
    loaded = [library.load(clip) for clip in clips]
    assert [one.samples.ndim for one in loaded] == [1, 1]
    assert [len(one.samples) for one in loaded] == pytest.approx([24000, 24000], abs=3)
    assert [clip.licence for clip in clips] == ["CC0-1.0", "CC-BY-4.0"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["a.wav", "natural", "rain", "s", "x", ""], r"noise.csv line 2 \(a.wav\) names no licence"),
        (["a.wav", "natral", "rain", "s", "x", "CC0-1.0"], "has the family 'natral'. Did you mean 'natural'"),
        (["../a.wav", "natural", "rain", "s", "x", "CC0-1.0"], "lies outside"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: list[str], told: str) -> None:
    with pytest.raises(UserError, match=told):
        _read(_table(tmp_path, line))


def test_a_folders_licence_is_taken_where_a_line_has_none(tmp_path: Path) -> None:
    clips = _read(_table(tmp_path, ["a.wav", "natural", "rain", "", "", ""]), licence="CC-BY-NC-3.0", source="ESC-50")
    assert (clips[0].licence, clips[0].source) == ("CC-BY-NC-3.0", "ESC-50")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: soundfile.write(path, np.zeros(16000), 16000), "is silent"),
        (lambda path: soundfile.write(path, np.zeros(0), 16000), "is silent"),
        (lambda path: soundfile.write(path, np.random.default_rng(0).standard_normal(16000) * 3e-4, 16000), "is silent"),
        (lambda path: soundfile.write(path, np.outer(np.sin(np.arange(16000)), [0.5, -0.5]), 16000), "is silent"),
        (lambda path: soundfile.write(path, np.full(16000, np.nan), 16000, subtype="FLOAT"), "the file is damaged"),
        (lambda path: path.write_bytes(b"no sound"), "not a sound file"),
        (lambda path: None, "cannot be read"),
    ],
)
def test_silent_and_damaged_clips_are_told_by_name(tmp_path: Path, make: object, told: str) -> None:
    make(tmp_path / "a.wav")  # type: ignore[operator]
    clips = _read(_table(tmp_path, ["a.wav", "natural", "rain", "s", "x", "CC0-1.0"]))
    with pytest.raises(UserError, match=told) as error:
        Library(clips, 16000).load(clips[0])
    assert "a.wav" in str(error.value)


def test_a_table_without_a_column_is_told(tmp_path: Path) -> None:
    (tmp_path / "noise.csv").write_text("file,family\na.wav,rain\n")
    with pytest.raises(UserError, match="has no column 'kind'"):
        _read(tmp_path)


def test_a_family_without_clips_is_told() -> None:
    with pytest.raises(UserError, match="No noise clip is of the family 'speech'"):
        Library([], 16000).require("speech")
    with pytest.raises(UserError, match="every family has the weight 0"):
        settings.load(Families, dict.fromkeys(noise.FAMILIES, 0.0), "perturb.families")


def test_draws_follow_the_weights_and_the_seed_alone() -> None:
    weights = {"animals": 0.1, "natural": 0.2, "human": 0.0, "interior": 0.3, "exterior": 0.4}
    drawn = [noise.weighted(weights, noise.drawer("perturb", 7, f"x-{number:05d}")) for number in range(4000)]
    counts = Counter(drawn)
    for family, weight in weights.items():
        assert counts[family] / 4000 == pytest.approx(weight, abs=0.03)
    assert drawn == [noise.weighted(weights, noise.drawer("perturb", 7, f"x-{number:05d}")) for number in range(4000)]
    assert drawn != [noise.weighted(weights, noise.drawer("perturb", 8, f"x-{number:05d}")) for number in range(4000)]


def test_the_layout_of_esc50_is_read_with_licences_of_its_own(shared: Path) -> None:
    folder = shared / "mirror/noise/esc50_layout"
    clips = noise.read([NoiseFolder(folder=str(folder), layout="esc50", licence="CC0-1.0")], ROOT)
    assert Counter(clip.family for clip in clips) == {"animals": 2, "natural": 3, "human": 2, "interior": 1, "exterior": 2}
    assert {clip.kind for clip in clips} >= {"dog", "rain", "crying_baby", "clock_tick", "helicopter"}
    with pytest.raises(UserError, match="names no licence"):
        noise.read([NoiseFolder(folder=str(folder), layout="esc50")], ROOT)
    own = noise.read([NoiseFolder(folder=str(folder), layout="esc50", licences=str(shared / "mirror/noise/sources.csv"))], ROOT)
    assert {clip.licence for clip in own} == {"CC0"}
    assert all("freesound" in clip.author or clip.author for clip in own)


def test_the_bundled_noise_has_every_family_and_a_licence() -> None:
    clips = noise.read([NoiseFolder(folder="data/sample/raw/noise")], ROOT)
    assert {clip.family for clip in clips} == {*noise.FAMILIES, noise.SPEECH}
    assert {clip.licence for clip in clips} == {"CC0-1.0"}
    library = Library(clips, 16000)
    assert all(len(library.load(clip).samples) > 16000 for clip in clips)
