"""Clips in noise: what is drawn, what is kept, the same bytes with any number of workers, and nothing lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.core.settings import load
from stages.core.shards import write_shards
from stages.core.stage import Context
from stages.languages import load as load_language
from stages.speech import audio
from stages.speech.noise import Library, read
from stages.wildspeech import perturb
from stages.wildspeech.perturb import PerturbSettings, Tools

RATE = 24000
CONDITIONS = {"clean": 0.2, "human_noise": 0.4, "natural_noise": 0.4}


def _speech(seed: int) -> bytes:
    draw = np.random.default_rng(seed)
    loud = np.repeat(np.array([1, 1, 1, 0, 1, 1, 0.3, 1, 1, 0], np.float32), RATE // 5)
    return audio.encode_flac((draw.standard_normal(len(loud)) * loud * 0.1).astype(np.float32), RATE)


@pytest.fixture
def noises(tmp_path: Path) -> Path:
    folder = tmp_path / "noise"
    folder.mkdir()
    lines = [["file", "family", "kind", "source", "author", "licence"]]
    for number, family in enumerate(["animals", "natural", "human", "interior", "exterior", "speech"]):
        for take, seconds in enumerate((0.7, 9.0)):  # shorter and longer than the speech
            samples = np.random.default_rng(number * 10 + take).standard_normal((int(16000 * seconds), 2 if take else 1)) * 0.2
            soundfile.write(folder / f"{family}{take}.wav", samples, 16000 if take else 44100)
            lines.append([f"{family}{take}.wav", family, f"{family}_{take}", "test", "somebody", "CC0-1.0"])
    with (folder / "noise.csv").open("w", newline="") as out:
        csv.writer(out).writerows(lines)
    return folder


def _settings(noises: Path, **change: Any) -> PerturbSettings:
    values = {
        "language": "en", "seed": 1, "conditions": CONDITIONS, "noise": [{"folder": str(noises)}], "recognizer": {"kind": "whisper"}, "max_cer": 0.3,
        "snr_db": {"human_noise": [5.0, 10.0], "natural_noise": [0.0, 5.0]},
    }  # fmt: skip
    return load(PerturbSettings, {**values, **change}, "wildspeech.x.perturb")


class Listener:
    """Hears what was said in every clip, but for those it is told to miss."""

    def __init__(self, missed: set[int]) -> None:
        self.missed = missed

    def hear(self, hearings: list[Any], pool: Any, task: Any) -> list[str]:
        return ["something else entirely" if n in self.missed else "hello there" for n in range(len(hearings))]


def _run(tmp_path: Path, settings: PerturbSettings, n: int = 12, missed: tuple[int, ...] = (), verdicts: dict[str, Any] | None = None) -> Any:
    rows = [{"id": f"wildspeech-{number:07d}", "said": "hello there", "cer": 0.0} for number in range(n)]
    write_shards(tmp_path / "speak", [(row["id"], _speech(number)) for number, row in enumerate(rows)])
    library = Library(read(settings.noise, tmp_path), RATE)
    tools = Tools(load_language("en"), library, tmp_path / "speak", "wildspeech", verdicts or {}, Listener(set(missed)), None, Progress("test"))  # type: ignore[arg-type]
    return perturb.run(rows, settings, tools)


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(tmp_path: Path, noises: Path) -> None:
    first = dict(_run(tmp_path, _settings(noises, workers=1)).audio)
    for workers in (2, 5):
        assert dict(_run(tmp_path, _settings(noises, workers=workers)).audio) == first
    assert dict(_run(tmp_path, _settings(noises, seed=2)).audio) != first


def test_an_items_noise_does_not_depend_on_the_other_items(tmp_path: Path, noises: Path) -> None:
    few, many = dict(_run(tmp_path, _settings(noises), n=3).audio), dict(_run(tmp_path, _settings(noises), n=9).audio)
    assert all(many[id] == clip for id, clip in few.items())


def test_each_row_says_what_was_done_and_the_ratio_holds(tmp_path: Path, noises: Path) -> None:
    outcome = _run(tmp_path, _settings(noises), n=40)
    clips = dict(outcome.audio)
    assert {row["condition"] for row in outcome.kept} == {"clean", "human_noise", "natural_noise"}
    for row in outcome.kept:
        samples, _ = audio.decode(clips[row["id"]])
        assert np.abs(samples).max() <= 10 ** (-1 / 20) + 1e-4
        if row["condition"] == "clean":
            assert row["noise_file"] is None
            assert row["perturbed_sha256"]
            continue
        assert (row["noise_family"] == "speech") == (row["condition"] == "human_noise")
        assert row["noise_licence"] == "CC0-1.0"
        assert row["noise_source"] == "test"
        assert abs(row["snr_measured_db"] - row["snr_db"]) <= 0.2
    assert outcome.report["max_snr_error_db"] <= 0.2
    added = schemas.columns("Perturbed").keys() - schemas.columns("Spoken").keys()
    assert all(added <= row.keys() for row in outcome.kept)


def test_clean_clips_keep_their_very_bytes(tmp_path: Path, noises: Path) -> None:
    settings = _settings(noises, conditions={"clean": 1.0})
    outcome = _run(tmp_path, settings, n=3)
    assert [clip for _, clip in outcome.audio] == [_speech(number) for number in range(3)]


def test_what_is_not_understood_goes_no_further_and_is_told(tmp_path: Path, noises: Path) -> None:
    outcome = _run(tmp_path, _settings(noises), n=6, missed=(2,))
    assert len(outcome.kept) == 5
    assert [(one.row["id"], one.reason, one.rule_id) for one in outcome.rejected] == [("wildspeech-0000002", "inaudible", "max_cer")]
    assert "something else entirely" in outcome.rejected[0].detail


def test_a_room_changes_the_clip_and_is_told(tmp_path: Path, noises: Path) -> None:
    room = {"rt60_s": 0.4, "direct_to_reverberant_db": 3.0}
    outcome = _run(tmp_path, _settings(noises, conditions={"clean": 1.0}, room=room), n=1)
    assert json.loads(outcome.kept[0]["room"]) == room
    assert dict(outcome.audio)["wildspeech-0000000"] != _speech(0)


def test_a_condition_without_clips_stops_before_anything_is_done(tmp_path: Path, noises: Path) -> None:
    table = noises / "noise.csv"
    table.write_text("".join(line for line in table.read_text().splitlines(keepends=True) if ",speech," not in line))
    with (
        pytest.raises(UserError, match="No noise clip is of the family 'speech'"),
        perturb.open_tools(_settings(noises), Context("wildspeech", tmp_path, Progress("test"))),
    ):
        pass


def test_a_clip_without_speech_is_rejected_and_the_others_go_on(tmp_path: Path, noises: Path) -> None:
    rows = [{"id": f"wildspeech-{number:07d}", "said": "hello there", "cer": 0.0} for number in range(3)]
    silent = audio.encode_flac(np.zeros(RATE, np.float32), RATE)
    write_shards(tmp_path / "speak", [(row["id"], silent if number == 1 else _speech(number)) for number, row in enumerate(rows)])
    settings = _settings(noises, conditions={"human_noise": 1})
    library = Library(read(settings.noise, tmp_path), RATE)
    tools = Tools(load_language("en"), library, tmp_path / "speak", "wildspeech", {}, Listener(set()), None, Progress("test"))  # type: ignore[arg-type]
    outcome = perturb.run(rows, settings, tools)
    assert [row["id"] for row in outcome.kept] == ["wildspeech-0000000", "wildspeech-0000002"] == [id for id, _ in outcome.audio]
    (rejected,) = outcome.rejected
    assert (rejected.row["id"], rejected.reason) == ("wildspeech-0000001", "unmixable")
    assert "The speech is silent" in rejected.detail
    assert outcome.report["unmixable"] == 1
    assert outcome.report["conditions"] == {"human_noise": 2}


@pytest.mark.parametrize("ratio", [float("nan"), float("inf"), -400.0, 300.0])
def test_a_ratio_that_no_clip_of_sixteen_bits_can_have_is_refused(noises: Path, ratio: float) -> None:
    with pytest.raises(UserError, match=r"snr_db\.human_noise\.0 has the value"):
        _settings(noises, snr_db={"human_noise": [ratio], "natural_noise": [0.0]})


def test_a_ratio_that_is_lost_in_the_rounding_is_told(tmp_path: Path, noises: Path) -> None:
    settings = _settings(noises, conditions={"human_noise": 1}, snr_db={"human_noise": [45.0], "natural_noise": [0.0]})
    faint = audio.encode_flac((audio.decode(_speech(0))[0] * 0.01).astype(np.float32), RATE)
    library = Library(read(settings.noise, tmp_path), RATE)
    with pytest.raises(perturb.Unmixable, match=r"45 dB were declared and \d+\.\d\d dB measured"):
        perturb.perturbed("x", faint, perturb.drawn("x", settings, library), settings, library)
