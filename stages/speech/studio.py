"""One candidate of one sentence: said, measured, heard, and every step remembered."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stages.core.errors import UserError
from stages.speech import audio
from stages.speech.protocols import Recognizer, Synthesizer
from stages.speech.settings import (
    EspeakSettings,
    KokoroSettings,
    OpenAISpeechSettings,
    RecognizerSettings,
    SynthesizerSettings,
    Variation,
    Voice,
    WhisperSettings,
)
from stages.speech.store import Speech, Store, Transcript, key_of

SILENT_DBFS = -50.0
"""Quieter audio is silence: there is nothing to recognize in it."""


@dataclass(frozen=True)
class Order:
    """A sentence to be said in a voice, in one variation."""

    text: str
    voice: Voice
    variation: Variation


@dataclass(frozen=True)
class Candidate:
    speech_key: str
    audio_sha256: str
    measures: audio.Measures
    unspoken: str
    """Characters of the sentence that the synthesizer passed over in silence."""
    transcript: str
    seconds: float
    """What synthesis and recognition took when they were done, in wall time."""


class Studio:
    """A synthesizer, a recognizer and the store. Picklable parts only until the first order: models are loaded then."""

    def __init__(self, synthesizer: Synthesizer, recognizer: Recognizer, language: str, store: Store) -> None:
        self.synthesizer, self.recognizer, self.language, self.store = synthesizer, recognizer, language, store

    def stored(self, order: Order) -> Candidate | None:
        """The candidate, if the store has all of it."""
        key = key_of(self._speech_request(order))
        speech = self.store.speech(key)
        if speech is None:
            return None
        measures = audio.Measures(**speech.measures)
        if measures.rms_dbfs < SILENT_DBFS:
            return Candidate(key, speech.sha256, measures, speech.unspoken, "", speech.seconds)
        transcript = self.store.transcript(key_of(self._transcript_request(speech.sha256)))
        if transcript is None:
            return None
        return Candidate(key, speech.sha256, measures, speech.unspoken, transcript.text, round(speech.seconds + transcript.seconds, 2))

    def make(self, order: Order) -> Candidate:
        """The candidate; what the store lacks is done and stored."""
        key, speech = self.say(order)
        if audio.Measures(**speech.measures).rms_dbfs >= SILENT_DBFS:
            self.hear(speech.sha256, lambda: self.store.flac(key))
        candidate = self.stored(order)
        assert candidate is not None
        return candidate

    def say(self, order: Order) -> tuple[str, Speech]:
        """The stored speech of an order and its key; said now where the store lacks it."""
        request = self._speech_request(order)
        key = key_of(request)
        speech = self.store.speech(key)
        if speech is None:
            started = time.monotonic()
            samples, rate = self.synthesizer.synthesize(order.text, order.voice, order.variation)
            seconds = time.monotonic() - started
            unspoken = self.synthesizer.unspoken(order.text, order.variation)
            speech = self.store.put_speech(request, audio.encode_flac(samples, rate), asdict(audio.measure(samples, rate)), unspoken, seconds)
        return key, speech

    def hear(self, audio_sha256: str, encoded: Callable[[], bytes]) -> Transcript:
        """What the recognizer hears in encoded audio, from the store or now."""
        request = self._transcript_request(audio_sha256)
        transcript = self.store.transcript(key_of(request))
        if transcript is None:
            samples, rate = audio.decode(encoded())
            started = time.monotonic()
            text = self.recognizer.transcribe(samples, rate, self.language)
            transcript = self.store.put_transcript(request, text, time.monotonic() - started)
        return transcript

    def _speech_request(self, order: Order) -> dict[str, Any]:
        synthesizer = self.synthesizer
        return {
            "text": order.text,
            "synthesizer": synthesizer.name,
            "revision": synthesizer.revision,
            "settings": synthesizer.request(order.voice, order.variation),
        }

    def _transcript_request(self, audio_sha256: str) -> dict[str, Any]:
        recognizer = self.recognizer
        return {
            "audio_sha256": audio_sha256,
            "language": self.language,
            "recognizer": recognizer.name,
            "revision": recognizer.revision,
            "settings": recognizer.request(),
        }


@dataclass(frozen=True)
class StudioPlan:
    """What a worker needs to open its own studio; picklable."""

    synthesizer: Any
    recognizer: Any
    language: str
    root: Path
    store: Path

    def open(self) -> Studio:
        return Studio(open_synthesizer(self.synthesizer, self.root), open_recognizer(self.recognizer, self.root), self.language, Store(self.store))

    def worker(self) -> _Worker:
        return _Worker(self.open())


class _Worker:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def __call__(self, task: tuple[Any, Order]) -> Candidate:
        return self._studio.make(task[1])


def open_synthesizer(settings: SynthesizerSettings, root: Path) -> Synthesizer:
    if isinstance(settings, KokoroSettings):
        from stages.speech.kokoro import Kokoro

        return Kokoro(settings, root)
    if isinstance(settings, EspeakSettings):
        from stages.speech.espeak import Espeak

        return Espeak(settings, root)
    if isinstance(settings, OpenAISpeechSettings):
        from stages.speech.openai_speech import OpenAISpeech

        return OpenAISpeech(settings, root)
    raise UserError(f"There is no synthesizer for {type(settings).__name__}.")


def open_recognizer(settings: RecognizerSettings, root: Path) -> Recognizer:
    if isinstance(settings, WhisperSettings):
        from stages.speech.whisper import Whisper

        return Whisper(settings, root)
    from stages.speech.openai_speech import OpenAITranscription

    return OpenAITranscription(settings, root)
