"""Spoken replies: no audio, silence, loops in both languages, readings until three are sound; nothing is lost."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.core.settings import load
from stages.evaluate import spoken_replies, transcribe
from stages.evaluate.spoken_replies import Replies, Reply
from stages.evaluate.transcribe import Ear, Heard, Tools, TranscribeSettings
from stages.languages import load as load_language
from stages.speech import audio, quality
from stages.speech.listening import Hearing
from stages.speech.pool import Failure

RATE = 16000
READINGS = [{"lead_s": lead, "tempo": 1.0} for lead in (0.0, 0.3, 0.6, 0.9, 1.2)]
QUERY = {
    "id": "wildspeech-0000001",
    "query": "Why is the sky blue?", "language": "en", "category": "II", "topic": "Science", "kind": None,
    "condition": "clean", "noise_family": None, "snr_db": None, "voice_gender": "female", "voice_age": "young", "must_notice": None,
    "checklist": ["It names scattering."],
}  # fmt: skip


def _settings(**change: Any) -> TranscribeSettings:
    values = {
        "benchmark": "wildspeech", "language": "en", "replies": {"kind": "folder", "path": "x"}, "readings": READINGS, "workers": 1,
        "recognizer": {"kind": "whisper"},
    }  # fmt: skip
    return load(TranscribeSettings, {**values, **change}, "talkers.x.transcribe")


def _clip(seconds: float = 1.0, level: float = 0.1) -> bytes:
    return audio.encode_flac((np.random.default_rng(0).standard_normal(int(seconds * RATE)) * level).astype(np.float32), RATE)


class Pool:
    """Hears what it is told to."""

    def __init__(self, heard: dict[str, Heard]) -> None:
        self.heard = heard

    def run(self, tasks: list[tuple[str, bytes]], then: Any) -> list[Any]:
        for task in tasks:
            then(task, self.heard[task[0]])
        return []


def _run(replies: dict[str, Reply], heard: dict[str, Heard]) -> list[dict[str, Any]]:
    queries = [{**QUERY, "id": id} for id in sorted({"wildspeech-0000001", *replies})]
    tools = Tools(queries, replies, "model", Pool(heard), "whisper@x", None, Progress("test"))  # type: ignore[arg-type]
    return transcribe.run([], _settings(), tools).kept


def _heard(text: str, speech_s: float = 1.0, verdict: str = "kept") -> Heard:
    return Heard(1.0, speech_s, [{"lead_s": 0.0, "tempo": 1.0, "text": text, "verdict": verdict}])


def test_every_query_is_a_row_whatever_became_of_its_reply() -> None:
    ids = [f"wildspeech-000000{n}" for n in range(1, 6)]
    replies = {ids[0]: Reply(b"a", "own words"), ids[1]: Reply(None, "words without a clip"), ids[3]: Reply(b"c", None), ids[4]: Reply(b"d", None)}
    heard = {ids[0]: _heard("Because of scattering."), ids[3]: Heard(2.0, 0.0), ids[4]: _heard("Thanks for watching!", verdict="silence")}
    queries = [{**QUERY, "id": id} for id in ids]
    tools = Tools(queries, replies, "model", Pool(heard), "whisper@x", None, Progress("test"))  # type: ignore[arg-type]
    outcome = transcribe.run([], _settings(), tools)
    assert {row["id"]: row["reply"] for row in outcome.kept} == {
        ids[0]: "spoken", ids[1]: "missing", ids[2]: "missing", ids[3]: "silent", ids[4]: "unheard",
    }  # fmt: skip
    assert outcome.report["replies"] == {"missing": 2, "silent": 1, "spoken": 1, "unheard": 1}
    assert outcome.kept[1]["reply_text"] == "words without a clip"
    assert outcome.kept[4]["transcripts"] == []
    from stages.core import schemas

    schemas.check(outcome.kept, "Transcribed", "test")


@pytest.mark.parametrize(
    ("language", "text", "verdict"),
    [
        ("en", "See you soon. See you soon. See you soon.", "loop"),
        ("en", "See you soon. See you soon.", "kept"),
        ("en", "Thanks for watching!", "silence"),
        ("en", "", "silence"),
        ("en", "[Music]", "silence"),
        ("en", "(upbeat music)", "silence"),
        ("en", "♪♪", "silence"),
        ("en", "(In short) it rains.", "kept"),
        ("en", "the " * 20, "loop"),
        ("en", "a" * 40, "loop"),
        ("en", "No, no, no, no.", "kept"),
        ("ko", "네 " * 20, "loop"),
        ("ko", "아" * 40, "loop"),
        ("ko", "네, 네, 네", "kept"),
        ("ko", "[음악]", "silence"),
        ("ko", "한글자막 by 아무개", "silence"),
        ("ko", "자막을 켜려면 설정을 누르세요.", "kept"),
        ("ko", "지금까지 제가 본 최고의 영화였습니다.", "kept"),
        ("en", "The sky is blue because air scatters blue light.", "kept"),
        ("ko", "감사합니다 감사합니다 감사합니다 감사합니다", "loop"),
        ("ko", "그러니까 그러니까 그러니까", "loop"),
        ("ko", "시청해 주셔서 감사합니다.", "silence"),
        ("ko", "하늘이 파란 것은 공기가 파란 빛을 흩뜨리기 때문입니다.", "kept"),
    ],
)
def test_loops_and_phrases_of_silence_are_refused(language: str, text: str, verdict: str) -> None:
    assert transcribe.verdict(text, load_language(language).answers) == verdict


class _Recognizer:
    def __init__(self, texts: list[str]) -> None:
        self.texts, self.asked = texts, 0

    def __call__(self, task: tuple[int, Hearing]) -> str:
        self.asked += 1
        return self.texts[self.asked - 1]


def _ear(texts: list[str], monkeypatch: pytest.MonkeyPatch, language: str = "en", speech_s: float = 1.0) -> tuple[Ear, _Recognizer]:
    ear = Ear.__new__(Ear)
    heard = _Recognizer(texts)
    ear._settings, ear._ear, ear._answers, ear._predictor = _settings(language=language), heard, load_language(language).answers, None  # type: ignore[assignment]
    monkeypatch.setattr(quality, "speech_s", lambda samples, rate: speech_s)
    return ear, heard


def test_readings_go_on_until_three_are_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = "The end. The end. The end."
    ear, heard = _ear(["It is blue.", stuck, "It is blue.", "It is blue!", "never asked"], monkeypatch)
    result = ear(("x", _clip()))
    assert result.transcripts(3) == ["It is blue.", "It is blue.", "It is blue!"]
    assert not result.stuck
    assert [one["verdict"] for one in result.readings] == ["kept", "loop", "kept", "kept"]
    assert heard.asked == 4


def test_a_reply_that_is_heard_as_a_loop_every_time_is_judged_as_it_is_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model may repeat itself: 정말 정말 정말 is no reason to give it the lowest mark unread."""
    said = "정말 정말 정말 맛있어요"
    ear, heard = _ear([said] * 4 + ["시청해 주셔서 감사합니다."], monkeypatch, language="ko")
    result = ear(("x", _clip()))
    assert result.transcripts(3) == [said] * 3
    assert result.stuck
    assert len(result.readings) == heard.asked == 5


def test_phrases_of_silence_alone_leave_no_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    ear, _ = _ear(["시청해 주셔서 감사합니다."] * 5, monkeypatch, language="ko")
    assert ear(("x", _clip())).transcripts(3) == []


def test_nothing_is_recognized_where_nobody_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    ear, heard = _ear(["Thank you."], monkeypatch, speech_s=0.0)
    assert ear(("x", _clip())).readings == []
    assert heard.asked == 0


def test_voice_activity_knows_noise_from_nothing() -> None:
    assert quality.speech_s(np.zeros(RATE, np.float32), RATE) == 0.0
    assert quality.speech_s((np.random.default_rng(0).standard_normal(RATE) * 0.05).astype(np.float32), RATE) < 0.3


def test_a_folder_of_replies(tmp_path: Path) -> None:
    (tmp_path / "a.flac").write_bytes(b"clip")
    lines = [{"id": "q1", "file": "a.flac", "text": "own"}, {"id": "q2", "text": "only words"}]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = spoken_replies.read(Replies(kind="folder", path="."), {"q1", "q2", "q3"}, "en", tmp_path)
    assert found == {"q1": Reply(b"clip", "own"), "q2": Reply(None, "only words")}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": ["q1"], "file": "a.flac"}, r"has the id \['q1'\]; it must be text"),
        ({"id": "q1", "file": 5}, "line 1 has the file 5; it must be text"),
        ({"id": "q1", "file": "a\0b"}, "no name of a file"),
        ({"id": "q1", "text": 5}, "line 1 has the text 5; it must be text"),
        ({"id": "nobody", "file": "a.flac"}, "'nobody', which no query has"),
        ({"id": "q1", "file": "../../etc/passwd"}, "lies outside"),
        ({"id": "q1", "file": "b.flac"}, "the clip b.flac cannot be read"),
    ],
)
def test_a_bad_reply_is_told_with_its_line(tmp_path: Path, line: dict[str, Any], told: str) -> None:
    (tmp_path / "replies.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(UserError, match=told) as error:
        spoken_replies.read(Replies(kind="folder", path="."), {"q1"}, "en", tmp_path)
    assert "line 1" in str(error.value)


def test_dnsmos_prefers_a_clean_voice_to_a_noisy_one() -> None:
    tone = np.sin(2 * np.pi * 150 * np.arange(RATE * 3) / RATE) * (np.sin(2 * np.pi * 3 * np.arange(RATE * 3) / RATE) > 0) * 0.2
    noisy = tone + np.random.default_rng(1).standard_normal(len(tone)) * 0.1
    predictor = quality.open_predictor(quality.DnsmosSettings(), "ko")
    clean, worse = (predictor.measure(one.astype(np.float32), RATE) for one in (tone, noisy))
    assert set(clean) == {"signal", "background", "overall"}
    assert clean["background"] > worse["background"] + 0.5
    assert 1 <= worse["overall"] <= 5


def test_utmos_is_refused_for_another_language() -> None:
    with pytest.raises(UserError, match="learned from English and is asked about 'ko'"):
        quality.open_predictor(quality.UtmosSettings(kind="utmos"), "ko")


@pytest.mark.parametrize("sample", [np.nan, np.inf])
def test_a_damaged_clip_is_no_silence(monkeypatch: pytest.MonkeyPatch, sample: float) -> None:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.append(np.full(RATE, 0.1), sample), RATE, format="WAV", subtype="FLOAT")
    ear, _ = _ear([], monkeypatch)
    with pytest.raises(UserError, match="the file is damaged"):
        ear(("x", buffer.getvalue()))


def test_a_reply_that_cannot_be_heard_is_named_with_what_to_do() -> None:
    class Deaf:
        def run(self, tasks: list[tuple[str, bytes]], then: Any) -> list[Any]:
            return [Failure(tasks[0], "9 bytes that should be audio are not a sound file that libsndfile knows.")]

    tools = Tools([QUERY], {QUERY["id"]: Reply(b"not audio", None)}, "model", Deaf(), "whisper@x", None, Progress("test"))  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"1 replies could not be heard \(wildspeech-0000001\).*leave its `file` out for no reply"):
        transcribe.run([], _settings(), tools)
