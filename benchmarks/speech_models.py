"""What a second of speech costs with the embedded voice and recognizer, in CPU seconds (wall time depends on the neighbours).

    python -m benchmarks.speech_models

Prints: loading, synthesis and recognition in CPU-s per second of audio, pooled CER, and peak memory of one worker.
On two cores the build of a sample of 48 items, 360 s of audio, needs about 0.8 CPU-s a second, plus what is said twice.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any, TypeVar

import yaml

from stages.core.paths import ROOT
from stages.core.settings import load
from stages.languages import load as load_language
from stages.speech.kokoro import Kokoro
from stages.speech.scoring import NONE, compare
from stages.speech.settings import KokoroSettings, Voice, WhisperSettings
from stages.speech.whisper import Whisper

R = TypeVar("R")

SENTENCES = [
    "다음 중 식물이 광합성을 할 때 흡수하는 기체는 무엇입니까?",
    "미국의 초대 대통령은 누구입니까?",
    "상자에 빨간 공이 일곱 개, 파란 공이 열두 개 들어 있습니다.",
    "답은 세 문장 이상으로 쓰고, 쉼표는 쓰지 마세요.",
]


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(action: Callable[[], R]) -> tuple[R, float]:
    before = cpu_s()
    result = action()
    return result, cpu_s() - before


def conf(name: str) -> Any:
    return yaml.safe_load((ROOT / f"conf/{name}.yaml").read_text(encoding="utf-8"))


def main() -> None:
    voice = Kokoro(load(KokoroSettings, conf("tts/kokoro_ko"), "tts"), ROOT)
    ear = Whisper(load(WhisperSettings, conf("asr/whisper_base"), "asr"), ROOT)
    full = Whisper(load(WhisperSettings, {**conf("asr/whisper_base"), "tail_s": None}, "asr"), ROOT)
    language = load_language("ko")
    _, assemble = timed(lambda: (voice.prepare(), ear.prepare()))
    _, load_voice = timed(voice._load)
    _, load_ear = timed(ear._load)
    full._load()
    print(f"verify weights {assemble:.2f} CPU-s, load voice {load_voice:.2f}, load recognizer {load_ear:.2f}")
    variation = voice._settings.variations[0]
    audio_s = said = heard = heard_full = 0.0
    errors, errors_full = NONE, NONE
    started = time.monotonic()
    for sentence in SENTENCES:
        for name in ("jf_nezumi", "jm_kumo"):
            (samples, rate), seconds = timed(lambda s=sentence, n=name: voice.synthesize(s, Voice(name=n), variation))  # type: ignore[misc]
            said += seconds
            audio_s += len(samples) / rate
            text, seconds = timed(lambda a=samples, r=rate: ear.transcribe(a, r, "ko"))  # type: ignore[misc]
            heard += seconds
            errors += compare(sentence, text, language)
            text, seconds = timed(lambda a=samples, r=rate: full.transcribe(a, r, "ko"))  # type: ignore[misc]
            heard_full += seconds
            errors_full += compare(sentence, text, language)
    print(f"{audio_s:.0f} s of audio in {time.monotonic() - started:.0f} s of wall time")
    print(f"synthesis   {said / audio_s:.2f} CPU-s a second of audio")
    print(f"recognition {heard / audio_s:.2f} CPU-s a second of audio, CER {errors.cer:.3f}")
    print(f"recognition {heard_full / audio_s:.2f} CPU-s a second of audio, CER {errors_full.cer:.3f}, with the full window of 30 s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB (with a second recognizer)")


if __name__ == "__main__":
    main()
