"""Queries said in many voices: who says what, which takes are kept, marks that must be heard, recordings of people."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import yaml

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.settings import load
from stages.languages import load as load_language
from stages.speech import audio
from stages.speech.casting import choose_voice
from stages.speech.delivery import Heard
from stages.speech.settings import KokoroSettings
from stages.speech.store import Store
from stages.speech.takes import Recorded, Take
from stages.wildspeech import recordings, speak
from stages.wildspeech.again import recast
from stages.wildspeech.speak import SpeakSettings, Tools

RATE = 24000
MEASURES = audio.Measures(2.0, 0.3, -22.0, 0.0, 0.1)


def _voices(name: str = "kokoro_en_16") -> dict[str, Any]:
    base = yaml.safe_load((ROOT / "conf/tts/_sixteen_voices.yaml").read_text(encoding="utf-8"))
    own = yaml.safe_load((ROOT / f"conf/tts/{name}.yaml").read_text(encoding="utf-8"))
    own.pop("defaults")
    return {**base, **own}


def _settings(**change: Any) -> SpeakSettings:
    values = {"language": "en", "synthesizer": _voices(), "recognizer": {"kind": "whisper"}, "max_cer": 0.3, "max_attempts": 2}
    return load(SpeakSettings, {**values, **change}, "wildspeech.x.speak")


def _row(number: int, delivery: str, **more: Any) -> dict[str, Any]:
    return {"id": f"wildspeech-{number:07d}", "delivery": delivery, "language": "en", "kind": None, "needs_recording": False, **more}


class Model:
    name, revision, origin, remote = "model", "x", "here", False

    def prepare(self) -> None: ...


class Studio:
    synthesizer = recognizer = Model()

    def __init__(self, store: Store) -> None:
        self.store = store

    def hear(self, sha256: str, encoded: Any) -> Any:
        return type("Heard", (), {"text": "please call me back", "seconds": 0.1})()


class Pool:
    """Records every take as it is told to: transcripts by attempt, marks that were heard or not."""

    def __init__(self, heard: list[str] | None = None, ok: bool = True) -> None:
        self.heard, self.ok, self.takes = heard, ok, []  # type: ignore[var-annotated]

    def run(self, tasks: list[tuple[int, Take]], then: Any) -> list[Any]:
        todo = list(tasks)
        counts: Counter[int] = Counter()
        while todo:
            number, take = todo.pop(0)
            self.takes.append(take)
            text = " ".join(piece.text for piece in take.pieces)
            said = self.heard[min(counts[number], len(self.heard) - 1)] if self.heard else text
            counts[number] += 1
            marks = tuple(Heard("pause", 1.0, 1.6, "0.6 s", "0.6 s", self.ok) for piece in take.pieces if piece.pause)
            recorded = Recorded(f"key{number}", "0" * 64, 2.0, -23.0, MEASURES, "", marks, said, (), 1.0)
            further = then((number, take), recorded)
            if further is not None:
                todo.append(further)
        return []


def _run(rows: list[dict[str, Any]], settings: SpeakSettings, tmp_path: Path, pool: Pool | None = None, found: Any = None) -> Any:
    with closing(Store(tmp_path / "speech.sqlite")) as store:
        tools = Tools(load_language("en"), Studio(store), pool or Pool(), found or {}, Progress("test"))  # type: ignore[arg-type]
        return speak.run(rows, settings, tools)


def test_sixteen_profiles_two_genders_four_ages_with_honest_labels() -> None:
    for name in ("kokoro_en_16", "kokoro_ko_16"):
        voices = load(KokoroSettings, _voices(name), "tts").voices
        ages = Counter((gender, voice.age) for gender in ("female", "male") for voice in getattr(voices, gender))
        assert ages == {(gender, age): 2 for gender in ("female", "male") for age in ("child", "young", "middle", "senior")}
        every = [*voices.female, *voices.male]
        assert len({voice.profile for voice in every}) == len({(v.name, v.shift_semitones, v.pace) for v in every}) == 16
        assert all(voice.age_basis and "recorded" not in voice.age_basis for voice in every)


def test_many_items_are_spread_over_all_profiles_by_their_ids_alone() -> None:
    voices = _settings().synthesizer.voices
    counts = Counter(choose_voice(f"wildspeech-{n:07d}", voices)[1].profile for n in range(1600))
    assert len(counts) == 16
    assert min(counts.values()) > 60


def test_a_query_that_is_misheard_is_said_again_differently(tmp_path: Path) -> None:
    pool = Pool(heard=["nothing alike", "what time is it"])
    outcome = _run([_row(1, "What time is it?")], _settings(), tmp_path, pool)
    assert [take.variation.speed for take in pool.takes] == [1.0, 0.9]  # type: ignore[attr-defined]
    assert outcome.kept[0]["n_takes"] == 2
    assert outcome.kept[0]["cer"] == 0
    assert outcome.kept[0]["voice_age_basis"]
    added = schemas.columns("Spoken").keys() - schemas.columns("Checklisted").keys()
    assert added <= outcome.kept[0].keys()


def test_what_is_never_understood_is_rejected_with_what_was_heard(tmp_path: Path) -> None:
    outcome = _run([_row(1, "What time is it?")], _settings(), tmp_path, Pool(heard=["blah blah"]))
    assert [(one.reason, one.rule_id) for one in outcome.rejected] == [("unintelligible", "max_cer")]
    assert "blah blah" in outcome.rejected[0].detail


def test_a_mark_that_is_not_in_the_audio_rejects_the_item(tmp_path: Path) -> None:
    row = _row(1, "Let us eat [pause 0.6] grandma.", kind="pause")
    assert _run([row], _settings(), tmp_path).kept
    outcome = _run([row], _settings(), tmp_path, Pool(ok=False))
    assert [(one.reason, one.rule_id) for one in outcome.rejected] == [("mark_not_heard", "mark_pause")]


def test_what_needs_a_person_waits_for_a_recording(tmp_path: Path) -> None:
    row = _row(1, "[tone sarcastic] Oh great.", kind="tone", needs_recording=True)
    assert [one.reason for one in _run([row], _settings(), tmp_path).rejected] == ["needs_recording"]
    spoken = _run([row], _settings(unrecorded="speak"), tmp_path).kept
    assert spoken[0]["speech_flags"] == ["tone: 'sarcastic' is not in the audio, the voice cannot be told it"]
    assert [one.rule_id for one in _run([row], _settings(unrecorded="speak", untold_tone="reject"), tmp_path).rejected] == ["untold_tone"]


def test_a_query_without_words_is_rejected_and_a_wrong_language_is_told(tmp_path: Path) -> None:
    assert [one.reason for one in _run([_row(1, "…")], _settings(), tmp_path).rejected] == ["unspeakable"]
    with pytest.raises(UserError, match=r"is in 'ko', but speak\.language is 'en'"):
        _run([_row(1, "Hi there", language="ko")], _settings(), tmp_path)


def _recording(folder: Path, licence: str = "CC-BY-4.0", id: str = "wildspeech-0000001", samples: Any = None) -> Path:
    folder.mkdir(exist_ok=True)
    sound = np.random.default_rng(0).standard_normal((44100 * 2, 2)) * 0.1 if samples is None else samples
    soundfile.write(folder / "a.wav", sound, 44100)
    (folder / "recordings.csv").write_text(f"id,file,speaker,gender,age,licence\n{id},a.wav,Ann,female,67,{licence}\n")
    return folder


def test_a_persons_recording_is_taken_in_levelled_and_checked_by_the_same_ear(tmp_path: Path) -> None:
    found = recordings.load(_recording(tmp_path / "rec"))
    row = _row(1, "[tone sarcastic] Please call me back.", kind="tone", needs_recording=True)
    outcome = _run([row], _settings(), tmp_path, found=found)
    told = outcome.kept[0]
    assert (told["speech_origin"], told["voice"], told["voice_age"], told["voice_age_basis"]) == ("recorded", "Ann", "67", "recorded")
    assert (told["speech_licence"], told["sample_rate_hz"], told["cer"]) == ("CC-BY-4.0", RATE, 0.0)
    assert told["loudness_lufs"] == pytest.approx(-23.0, abs=0.1)
    other = replace(found["wildspeech-0000001"], id="wildspeech-0000001")
    wrong = _run([_row(1, "Something else")], _settings(), tmp_path, found={"wildspeech-0000001": other})
    assert [one.reason for one in wrong.rejected] == ["unintelligible"]


@pytest.mark.parametrize(
    ("change", "told"),
    [({"licence": ""}, "names no licence"), ({"samples": np.zeros(44100)}, "is silent")],
)
def test_a_bad_recording_is_told_by_name(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told) as error:
        _run([_row(1, "Please call me back")], _settings(), tmp_path, found=recordings.load(_recording(tmp_path / "rec", **change)))
    assert "a.wav" in str(error.value)


def test_a_recording_of_no_item_is_told(tmp_path: Path) -> None:
    found = recordings.load(_recording(tmp_path / "rec", id="wildspeech-0000009"))
    with pytest.raises(UserError, match="a recording of wildspeech-0000009, which is no item here"):
        _run([_row(1, "Hi")], _settings(recordings="data/handwritten/rec"), tmp_path, found=found)


def test_a_variant_of_what_is_not_finished_is_told(tmp_path: Path) -> None:
    from stages.core.stage import Context

    settings = load(recast.RecastSettings, {"subset": "sd-qa"}, "variants.sd-qa-street.recast")
    with (
        pytest.raises(UserError, match="'sd-qa', which is not finished"),
        recast.open_tools(settings, Context("sd-qa-street", tmp_path, Progress("t"))),
    ):
        pass
