"""Whisper in process, by CTranslate2: the embedded recognizer.

Whisper always encodes 30 s. A question's sentence lasts some 4 s, so most of that work is spent on silence; encoding the
speech and `tail_s` of silence instead costs 0.31 instead of 1.08 CPU-s a sentence, for a pooled CER of 0.147 instead of
0.144 (28 clips, Whisper base, beam 5). Below 3 s of silence it degrades (0.383 at 1 s). Longer audio than fits the window
goes through faster-whisper's own sequential decoding. Temperature is 0 everywhere: the same audio gives the same text.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.speech import audio as audio_tools
from stages.speech import weights
from stages.speech.settings import WhisperSettings

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

SAMPLE_RATE_HZ = 16000
WINDOW_S = 30.0


class Whisper:
    remote = False

    def __init__(self, settings: WhisperSettings, root: Path) -> None:
        self._settings, self._root = settings, root
        self.name = settings.name
        self.revision = weights.revision(settings.weights, weights.WHISPER_BASE, root)
        self.origin = weights.describe(settings.weights, weights.WHISPER_BASE)
        self._model: Any = None

    def prepare(self) -> None:
        weights.locate(self._settings.weights, weights.WHISPER_BASE, self._root)

    def request(self) -> dict[str, Any]:
        chosen = self._settings
        return {
            "beam_size": chosen.beam_size,
            "compute_type": chosen.compute_type,
            "tail_s": chosen.tail_s,
            "max_tokens_per_s": chosen.max_tokens_per_s,
        }

    def transcribe(self, audio: Audio, sample_rate_hz: int, language: str) -> str:
        self._load()
        samples = audio_tools.resample(audio, sample_rate_hz, SAMPLE_RATE_HZ)
        duration_s = len(samples) / SAMPLE_RATE_HZ
        max_tokens = int(duration_s * self._settings.max_tokens_per_s) + 8
        tail_s = self._settings.tail_s
        if tail_s is not None and duration_s + tail_s < WINDOW_S:
            text = self._short(samples, tail_s, language, max_tokens)
        else:
            text = self._long(samples, language, max_tokens)
        return unicodedata.normalize("NFC", text.strip())

    def _short(self, samples: Audio, tail_s: float, language: str, max_tokens: int) -> str:
        import ctranslate2
        import numpy as np
        from faster_whisper.tokenizer import Tokenizer

        padded = np.pad(samples, (0, int(tail_s * SAMPLE_RATE_HZ)))
        features = self._model.feature_extractor(padded, padding=0)
        frames = features.shape[-1] // 2 * 2  # the encoder halves them
        view = ctranslate2.StorageView.from_array(np.ascontiguousarray(features[None, :, :frames], np.float32))
        tokenizer = Tokenizer(self._model.hf_tokenizer, self._model.model.is_multilingual, task="transcribe", language=language)
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        result = self._model.model.generate(
            self._model.model.encode(view), [prompt], beam_size=self._settings.beam_size, max_length=min(len(prompt) + max_tokens, 448)
        )[0]
        return str(tokenizer.decode([token for token in result.sequences_ids[0] if token < tokenizer.eot]))

    def _long(self, samples: Audio, language: str, max_tokens: int) -> str:
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            beam_size=self._settings.beam_size,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=len(samples) <= WINDOW_S * SAMPLE_RATE_HZ,
            max_new_tokens=min(max_tokens, 400),
        )
        return "".join(segment.text for segment in segments)

    def _load(self) -> None:
        if self._model is not None:
            return
        from faster_whisper import WhisperModel

        folder = weights.locate(self._settings.weights, weights.WHISPER_BASE, self._root)
        self._model = WhisperModel(
            str(folder), device=self._settings.device, compute_type=self._settings.compute_type, cpu_threads=1, num_workers=1, local_files_only=True
        )
