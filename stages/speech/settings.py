"""What a config can say about a voice or a recognizer: one class a kind, chosen by `kind`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from stages.core.errors import UserError, nearest
from stages.core.settings import Settings, load


class Weights(Settings):
    """Where a model's files come from: the pinned packages of the lock, a local folder, or a Hub repository at a revision."""

    origin: Literal["package", "folder", "hub"] = "package"
    folder: str | None = None
    """For `folder`: a path, relative to the project or absolute."""
    repo_id: str | None = None
    revision: str | None = Field(default=None, pattern="^[0-9a-f]{40}$")
    """For `hub`: the full commit hash, since a branch or a tag can move."""

    @model_validator(mode="after")
    def _complete(self) -> Weights:
        needed = {"package": [], "folder": ["folder"], "hub": ["repo_id", "revision"]}[self.origin]
        for name in needed:
            if getattr(self, name) is None:
                raise ValueError(f"origin: {self.origin} needs {name}")
        return self


class Voice(Settings):
    """A reference voice: a name that the synthesizer knows, or a recording and its transcript for one that clones."""

    name: str
    ref_audio: str | None = None
    """Path of a recording of some seconds, relative to the project or absolute."""
    ref_text: str | None = None
    """Path of a text file with what is said in it."""
    profile: str | None = None
    """Name under which the rows show it, where `name` is a recipe."""
    age: str | None = None
    """Age group that the voice stands for, of a voice profile."""
    age_basis: str | None = None
    """What that age rests on: `recorded` for a speaker of known age; else what was done to the voice, such as `pitch and pace`."""
    pace: float = Field(default=1.0, gt=0.5, lt=2)
    """Tempo beside the variation's; only for synthesizers that can be told (kokoro)."""
    shift_semitones: float = Field(default=0.0, ge=-6, le=6)
    """Pitch and resonances moved together, as a longer or shorter vocal tract would; tempo stays (kokoro)."""


class Voices(Settings):
    female: list[Voice] = Field(min_length=1)
    male: list[Voice] = Field(min_length=1)


def _unchanged(voices: Voices) -> Voices:
    changed = [voice.name for voice in [*voices.female, *voices.male] if voice.pace != 1 or voice.shift_semitones]
    if changed:
        raise ValueError(f"the voice {changed[0]!r} has a pace or shift_semitones, which this kind of synthesizer cannot follow")
    return voices


AsTheyAre = Annotated[Voices, AfterValidator(_unchanged)]
"""Voices of a synthesizer that takes neither a pace nor a shift."""


class Variation(Settings):
    """Base of what may differ from one attempt to the next. There are as many attempts as variations, at most `max_attempts`."""


class KokoroVariation(Variation):
    speed: float = Field(default=1.0, gt=0.3, lt=3)
    linking: Literal["utterance", "word"] = "utterance"
    """Whether sounds change across word boundaries, as in fluent speech, or only inside words, as in careful speech."""
    words_per_phrase: int | None = Field(default=None, ge=1)
    """A breath after so many words; null follows the punctuation."""


class KokoroSettings(Settings):
    kind: Literal["kokoro"]
    weights: Weights = Weights()
    phonemes: str = "ko"
    """The language whose `stages.languages.<code>.phonemes` turns text into the model's signs."""
    model_file: str = "model.onnx"
    voices_file: str = "voices.npz"
    """An .npz of style vectors, or a folder of .bin files."""
    vocab_file: str = "vocab.json"
    voices: Voices
    variations: list[KokoroVariation] = Field(default=[KokoroVariation()], min_length=1)
    max_phonemes: int = Field(default=250, ge=20, le=500)
    """Longer sentences are said in pieces, cut at a pause where there is one. The model takes 500, but its memory
    grows with them: 0.7 GB for 250, 1.0 GB for 500."""
    phrase_pause_s: float = Field(default=0.15, ge=0)
    """Silence between such pieces."""


class EspeakVariation(Variation):
    words_per_minute: int = Field(default=160, ge=80, le=450)
    pitch: int = Field(default=50, ge=0, le=99)


class EspeakSettings(Settings):
    kind: Literal["espeak"]
    binary: str = "espeak-ng"
    voices: AsTheyAre
    variations: list[EspeakVariation] = Field(default=[EspeakVariation()], min_length=1)


class Endpoint(Settings):
    """One model behind one or several servers that speak the OpenAI audio API."""

    model: str
    revision: str
    """The served model's revision, which the server cannot be asked for; part of what the speech is remembered under."""
    base_urls: list[str] = Field(min_length=1)
    """Such as http://127.0.0.1:8091/v1. Requests are spread over them; one that fails is passed over."""
    api_key_env: str | None = None
    """The environment variable that holds the key; null for a server that needs none."""
    timeout_s: float = Field(default=120.0, gt=0)
    max_tries: int = Field(default=4, ge=1)


class OpenAIVariation(Variation):
    speed: float | None = None
    extra_body: dict[str, Any] = Field(default={})
    """Further fields of the request, such as a seed or a temperature."""


class OpenAISpeechSettings(Endpoint):
    kind: Literal["openai_speech"]
    voices: AsTheyAre
    variations: list[OpenAIVariation] = Field(default=[OpenAIVariation()], min_length=1)
    extra_body: dict[str, Any] = Field(default={})
    """Fields of every request beyond OpenAI's own, such as `language` and `task_type`."""


class WhisperSettings(Settings):
    kind: Literal["whisper"]
    weights: Weights = Weights()
    name: str = "whisper-base"
    device: str = "cpu"
    compute_type: str = "int8"
    beam_size: int = Field(default=5, ge=1)
    tail_s: float | None = Field(default=6.0, ge=0)
    """Silence put behind the speech before it is encoded; null fills Whisper's window of 30 s, at three times the cost."""
    max_tokens_per_s: float = Field(default=12.0, gt=0)
    """Bound of the transcript's length, which stops a recognizer that repeats itself."""


class OpenAITranscriptionSettings(Endpoint):
    kind: Literal["openai_transcription"]
    extra_body: dict[str, Any] = Field(default={})


_SYNTHESIZERS: dict[str, type[Settings]] = {"kokoro": KokoroSettings, "espeak": EspeakSettings, "openai_speech": OpenAISpeechSettings}
_RECOGNIZERS: dict[str, type[Settings]] = {"whisper": WhisperSettings, "openai_transcription": OpenAITranscriptionSettings}


def _by_kind(kinds: dict[str, type[Settings]], where: str) -> Callable[[Any], Any]:
    """A validator that picks the class by `kind`, so that an error names the key in conf/ and not a union's branch."""

    def pick(values: Any) -> Any:
        if isinstance(values, Settings):
            return values
        if not isinstance(values, Mapping):
            raise UserError(f"Config key {where} must be a mapping with a kind, one of {', '.join(sorted(kinds))}; see conf/{where}/.")
        kind = str(values.get("kind"))
        if kind not in kinds:
            raise UserError(f"Config key {where}.kind is {kind!r}.{nearest(kind, kinds)} Known kinds: {', '.join(sorted(kinds))}.")
        return load(kinds[kind], values, where)

    return pick


SynthesizerSettings = Annotated[KokoroSettings | EspeakSettings | OpenAISpeechSettings, BeforeValidator(_by_kind(_SYNTHESIZERS, "tts"))]
RecognizerSettings = Annotated[WhisperSettings | OpenAITranscriptionSettings, BeforeValidator(_by_kind(_RECOGNIZERS, "asr"))]
