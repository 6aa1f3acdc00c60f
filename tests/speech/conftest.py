"""The embedded models, loaded once for all tests of the room, with weights from the checkout's cache."""

from __future__ import annotations

import pytest
import yaml

from stages.core.paths import ROOT
from stages.core.settings import load
from stages.speech.kokoro import Kokoro
from stages.speech.settings import KokoroSettings, WhisperSettings
from stages.speech.whisper import Whisper


@pytest.fixture(scope="session")
def kokoro() -> Kokoro:
    voice = Kokoro(load(KokoroSettings, yaml.safe_load((ROOT / "conf/tts/kokoro_ko.yaml").read_text()), "tts"), ROOT)
    voice.prepare()
    voice._load()
    return voice


@pytest.fixture(scope="session")
def whisper() -> Whisper:
    ear = Whisper(load(WhisperSettings, yaml.safe_load((ROOT / "conf/asr/whisper_base.yaml").read_text()), "asr"), ROOT)
    ear.prepare()
    ear._load()
    return ear
