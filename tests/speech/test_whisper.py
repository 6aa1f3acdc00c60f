"""The embedded recognizer on audio that is not a short sentence."""

from __future__ import annotations

import numpy as np

from stages.speech.audio import join
from stages.speech.kokoro import Kokoro
from stages.speech.settings import KokoroVariation, Voice
from stages.speech.whisper import Whisper


def test_noise_gives_a_bounded_text(whisper: Whisper) -> None:
    noise = (0.1 * np.random.default_rng(0).standard_normal(2 * 16000)).astype(np.float32)
    assert len(whisper.transcribe(noise, 16000, "ko")) < 100


def test_audio_beyond_the_window_is_heard_to_its_end(kokoro: Kokoro, whisper: Whisper) -> None:
    sentences = ["이 문제의 정답은 세 번째 보기입니다.", "미국의 초대 대통령은 누구입니까?"]
    said = [kokoro.synthesize(sentence, Voice(name="jf_nezumi"), KokoroVariation())[0] for sentence in sentences]
    long = join(said * 6, 24000, 0.4)
    assert len(long) > 35 * 24000
    heard = whisper.transcribe(long, 24000, "ko")
    assert (heard.count("정답은"), heard.count("대통령은")) == (6, 6)
