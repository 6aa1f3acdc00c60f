"""The control voice: espeak-ng speaks, and its absence is a sentence."""

from __future__ import annotations

import shutil

import pytest
import yaml

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.settings import load
from stages.languages import load as load_language
from stages.speech.espeak import Espeak
from stages.speech.scoring import compare
from stages.speech.settings import EspeakSettings, EspeakVariation, Voice
from stages.speech.whisper import Whisper

VALUES = yaml.safe_load((ROOT / "conf/tts/espeak.yaml").read_text(encoding="utf-8"))


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs the program espeak-ng")
def test_its_speech_does_not_pass_the_check(whisper: Whisper) -> None:
    espeak = Espeak(load(EspeakSettings, VALUES, "tts"), ROOT)
    espeak.prepare()
    sentence = "다음 중 식물이 광합성을 할 때 흡수하는 기체는 무엇입니까?"
    samples, rate = espeak.synthesize(sentence, Voice(name="ko+f2"), EspeakVariation())
    assert len(samples) > 2 * rate
    assert espeak.revision[0].isdigit()
    assert compare(sentence, whisper.transcribe(samples, rate, "ko"), load_language("ko")).cer > 0.3


def test_an_absent_program_is_a_sentence() -> None:
    espeak = Espeak(load(EspeakSettings, {**VALUES, "binary": "no-such-espeak"}, "tts"), ROOT)
    with pytest.raises(UserError, match="The program no-such-espeak is not installed"):
        espeak.prepare()
