"""Voices and recognizers behind HTTP, with a server that misbehaves."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.core.settings import load
from stages.speech import audio, openai_speech
from stages.speech.openai_speech import OpenAISpeech, OpenAITranscription
from stages.speech.settings import OpenAISpeechSettings, OpenAITranscriptionSettings, OpenAIVariation, Voice
from tests.speech.server import Server, serving

KEY = "sk-secret-of-the-test"
TONE = (0.3 * np.sin(np.arange(16000) / 10)).astype(np.float32)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(openai_speech, "_MAX_WAIT_S", 0.01)
    with serving() as one:
        yield one


def _voice(server: Server, root: Path, **change: Any) -> OpenAISpeech:
    voices = {"female": [{"name": "f"}], "male": [{"name": "m"}]}
    values = {"kind": "openai_speech", "model": "tts", "revision": "r1", "base_urls": [server.url], "voices": voices}
    return OpenAISpeech(load(OpenAISpeechSettings, {**values, **change}, "tts"), root)


def _ear(server: Server, root: Path, **change: Any) -> OpenAITranscription:
    values = {"kind": "openai_transcription", "model": "asr", "revision": "r1", "base_urls": [server.url]}
    return OpenAITranscription(load(OpenAITranscriptionSettings, {**values, **change}, "asr"), root)


def test_speech_is_asked_for_with_the_variation_and_decoded(server: Server, tmp_path: Path) -> None:
    voice = _voice(server, tmp_path, extra_body={"language": "Korean", "seed": 0})
    samples, rate = voice.synthesize("안녕하세요", Voice(name="f"), OpenAIVariation(speed=0.9, extra_body={"seed": 7}))
    assert (rate, len(samples) / rate) == (24000, pytest.approx(1.0, abs=0.05))
    (request,) = server.requests
    assert request == {"model": "tts", "voice": "f", "input": "안녕하세요", "response_format": "wav", "speed": 0.9, "language": "Korean", "seed": 7}


def test_a_reference_recording_is_sent_and_is_part_of_what_speech_is_remembered_under(server: Server, tmp_path: Path) -> None:
    (tmp_path / "f.wav").write_bytes(audio.encode_flac(TONE, 16000))
    (tmp_path / "f.txt").write_text("기준 문장입니다.\n", encoding="utf-8")
    cloned = Voice(name="f", ref_audio="f.wav", ref_text="f.txt")
    voices = {"female": [cloned.model_dump()], "male": [{"name": "m"}]}
    voice = _voice(server, tmp_path, voices=voices)
    voice.prepare()
    voice.synthesize("안녕", cloned, OpenAIVariation())
    assert base64.b64decode(server.requests[0]["ref_audio"].partition(",")[2]) == (tmp_path / "f.wav").read_bytes()
    assert server.requests[0]["ref_text"] == "기준 문장입니다."
    before = voice.request(cloned, OpenAIVariation())
    (tmp_path / "f.wav").write_bytes(audio.encode_flac(TONE / 2, 16000))
    assert _voice(server, tmp_path, voices=voices).request(cloned, OpenAIVariation()) != before


def test_an_absent_reference_is_a_sentence(server: Server, tmp_path: Path) -> None:
    voice = _voice(server, tmp_path, voices={"female": [{"name": "f", "ref_audio": "none.wav"}], "male": [{"name": "m"}]})
    with pytest.raises(UserError, match="voice 'f' cannot be read"):
        voice.prepare()


@pytest.mark.parametrize("trouble", ["429", "500", "503", "html", "cut"])
def test_passing_trouble_is_tried_again(server: Server, tmp_path: Path, trouble: str) -> None:
    server.plan = [trouble, trouble]
    samples, _ = _voice(server, tmp_path).synthesize("안녕", Voice(name="f"), OpenAIVariation())
    assert len(samples)
    assert len(server.requests) == 3


def test_a_server_that_is_down_is_passed_over(server: Server, tmp_path: Path) -> None:
    ear = _ear(server, tmp_path, base_urls=["http://127.0.0.1:9/v1", server.url])
    assert [ear.transcribe(TONE, 16000, "ko") for _ in range(4)] == ["안녕하세요"] * 4


def test_lasting_trouble_ends_in_a_sentence_without_the_key(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPEECH_KEY", KEY)
    server.plan = ["503"] * 9
    with pytest.raises(UserError, match=r"failed 4 times, at last because .* answered 503") as raised:
        _ear(server, tmp_path, api_key_env="SPEECH_KEY").transcribe(TONE, 16000, "ko")
    assert KEY not in str(raised.value)
    assert server.keys == [f"Bearer {KEY}"] * 4


def test_a_refused_request_is_not_repeated(server: Server, tmp_path: Path) -> None:
    server.plan = ["400"]
    with pytest.raises(UserError, match="was refused"):
        _voice(server, tmp_path).synthesize("안녕", Voice(name="f"), OpenAIVariation())
    assert len(server.requests) == 1


def test_a_missing_key_is_named_before_anything_is_asked(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPEECH_KEY", raising=False)
    with pytest.raises(UserError, match="SPEECH_KEY is not set"):
        _voice(server, tmp_path, api_key_env="SPEECH_KEY").prepare()
    assert server.requests == []


def test_audio_is_sent_as_flac_and_the_transcript_comes_back_in_nfc(server: Server, tmp_path: Path) -> None:
    import unicodedata

    server.transcript = unicodedata.normalize("NFD", "한글")
    assert _ear(server, tmp_path).transcribe(TONE, 16000, "ko") == "한글"
    (request,) = server.requests
    assert request["path"] == "/v1/audio/transcriptions"
    assert b"fLaC" in request["bytes"]
    assert b'name="language"\r\n\r\nko' in request["bytes"]
