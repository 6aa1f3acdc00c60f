"""Kokoro-82M as an ONNX model on the CPU, fed with another language's phonemes: the embedded voice.

Source: hexgrad/Kokoro-82M. Input: phoneme tokens between two zeros (510 at most), a style vector of 256 numbers that
belongs to the number of tokens, and a speed. Output: 24 kHz mono. The model draws no random numbers: the same request
gives the same samples. One thread a process is fastest; scale by processes.
"""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError, nearest
from stages.speech import audio, weights
from stages.speech.settings import KokoroSettings, KokoroVariation, Variation, Voice

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

SAMPLE_RATE_HZ = 24000
_GAIN = 0.5
"""The model's samples reach 1.3, which a file of 16 bits would clip."""


class Kokoro:
    remote = False

    def __init__(self, settings: KokoroSettings, root: Path) -> None:
        self._settings, self._root = settings, root
        self._front_end: Any = importlib.import_module(f"stages.languages.{settings.phonemes}.phonemes")
        self.name = weights.KOKORO.name if settings.weights.origin == "package" else "kokoro"
        self.revision = f"{weights.revision(settings.weights, weights.KOKORO, root)}+{self._front_end.version()}"
        self.origin = weights.describe(settings.weights, weights.KOKORO)
        self._model: Any = None

    def prepare(self) -> None:
        folder = weights.locate(self._settings.weights, weights.KOKORO, self._root)
        voices = _load_voices(folder / self._settings.voices_file)
        for voice in [*self._settings.voices.female, *self._settings.voices.male]:
            _style(voice.name, voices)

    def request(self, voice: Voice, variation: Variation) -> dict[str, Any]:
        pieces = {"max_phonemes": self._settings.max_phonemes, "phrase_pause_s": self._settings.phrase_pause_s}
        profile = {name: value for name, value in (("pace", voice.pace), ("shift_semitones", voice.shift_semitones)) if value not in (0, 1)}
        return {"voice": voice.name, **variation.model_dump(), **pieces, **profile}

    def unspoken(self, text: str, variation: Variation) -> str:
        assert isinstance(variation, KokoroVariation)
        silent: str = self._front_end.phonemes(text, variation.linking)[1]
        return silent

    def synthesize(self, text: str, voice: Voice, variation: Variation) -> tuple[Audio, int]:
        """Raises UserError for text without a single sound. Characters without a sound are left out."""
        assert isinstance(variation, KokoroVariation)
        self._load()
        signs, _ = self._front_end.phonemes(_with_breaths(text, variation.words_per_phrase), variation.linking)
        factor = 2 ** (voice.shift_semitones / 12)
        pieces = [self._run(piece, voice, variation.speed * voice.pace / factor) for piece in split_phonemes(signs, self._settings.max_phonemes)]
        if not pieces:
            code = self._settings.phonemes
            raise UserError(f"The sentence {text!r} has no sound in {code!r}; its spoken form must be made of that language's letters.")
        said = audio.join(pieces, SAMPLE_RATE_HZ, self._settings.phrase_pause_s)
        # Played faster than it was said: higher, smaller, and as long as without the shift.
        return (said if factor == 1 else audio.resample(said, round(SAMPLE_RATE_HZ * factor), SAMPLE_RATE_HZ)), SAMPLE_RATE_HZ

    def _run(self, signs: str, voice: Voice, speed: float) -> Audio:
        import numpy as np

        tokens = [self._vocab[sign] for sign in signs if sign in self._vocab]
        styles = _style(voice.name, self._voices)
        inputs = {
            self._token_input: np.array([[0, *tokens, 0]], np.int64),
            "style": styles[min(len(tokens), len(styles) - 1)].reshape(1, 256).astype(np.float32),
            "speed": np.array([speed], np.float32),
        }
        samples: Audio = self._model.run(None, inputs)[0].ravel() * np.float32(_GAIN)
        return audio.trim(samples, SAMPLE_RATE_HZ)

    def _load(self) -> None:
        if self._model is not None:
            return
        import onnxruntime

        folder = weights.locate(self._settings.weights, weights.KOKORO, self._root)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            vocab = json.loads((folder / self._settings.vocab_file).read_text(encoding="utf-8"))
            self._model = onnxruntime.InferenceSession(str(folder / self._settings.model_file), options, providers=["CPUExecutionProvider"])
        except FileNotFoundError as error:
            raise UserError(f"{error.filename} is missing; correct vocab_file or weights of tts in conf/.") from None
        self._vocab: dict[str, int] = vocab.get("vocab") or vocab["model"]["vocab"]
        self._voices = _load_voices(folder / self._settings.voices_file)
        # The name of the token input differs between the exports of the model.
        self._token_input = next(one.name for one in self._model.get_inputs() if one.name not in ("style", "speed"))


def split_phonemes(signs: str, limit: int) -> list[str]:
    """`signs` in pieces of at most `limit`, cut behind a comma or stop where one is, else at a space, else anywhere."""
    pieces = []
    rest = signs.strip()
    while len(rest) > limit:
        window = rest[: limit + 1]
        stops = [match.end() for match in re.finditer(r"[.,?!](?= )", window)]
        spaces = [match.start() for match in re.finditer(" ", window)]
        cut = next((places[-1] for places in (stops, spaces) if places and places[-1] > limit // 4), limit)
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [piece for piece in [*pieces, rest] if re.search(r"\w", piece)]


def _with_breaths(text: str, words_per_phrase: int | None) -> str:
    """A comma behind every so many words that are not already followed by punctuation."""
    if words_per_phrase is None:
        return text
    words = text.split()
    said, since = [], 0
    for word in words[:-1]:
        since += 1
        ends = not word[-1].isalnum()
        if ends or since >= words_per_phrase:
            since = 0
            word = word if ends else word + ","
        said.append(word)
    return " ".join([*said, *words[-1:]])


def _load_voices(path: Path) -> dict[str, Any]:
    import numpy as np

    if path.is_dir():
        return {file.stem: np.fromfile(file, np.float32).reshape(-1, 256) for file in sorted(path.glob("*.bin"))}
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name].reshape(-1, 256) for name in stored.files}
    except FileNotFoundError:
        raise UserError(f"{path} is missing; correct voices_file or weights of tts in conf/.") from None


def _style(name: str, voices: dict[str, Any]) -> Any:
    """Style vectors of a voice, or of a mixture such as `jm_kumo*0.6+jf_alpha*0.4`, shape (510, 256)."""
    total: Any = 0
    for term in name.split("+"):
        voice, _, share = term.strip().partition("*")
        if voice not in voices:
            known = ", ".join(sorted(voices))
            raise UserError(f"Kokoro has no voice {voice!r} (tts.voices in conf/).{nearest(voice, voices)} Known voices: {known}.")
        try:
            total = total + voices[voice] * float(share or 1)
        except ValueError:
            raise UserError(f"The share {share!r} in the voice {name!r} is not a number (tts.voices in conf/).") from None
    return total
