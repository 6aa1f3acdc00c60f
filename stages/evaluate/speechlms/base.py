"""What is asked of a model under test, what it answers, and the settings of every kind of model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, ValidationInfo, field_validator

from stages.core.settings import Settings
from stages.llm import Role
from stages.speech.settings import RecognizerSettings

Modality = Literal["audio", "text"]


class Decoding(Settings):
    """The paper's settings (appendix E), the same for every model."""

    max_tokens: int = Field(default=4096, ge=1)
    temperature: float = Field(default=0.7, ge=0)
    top_p: float = Field(default=0.95, gt=0, le=1)
    seed: int | None = None


class Chat(Settings):
    """A server that takes chat completions, with `input_audio` parts where the modality is audio (vLLM, SGLang, the paid services)."""

    kind: Literal["chat"]
    model: str
    base_url: str
    api_key_env: str | None = None
    system: str | None = None
    audio_format: Literal["wav", "flac"] = "wav"
    sample_rate_hz: int = Field(default=16000, ge=8000)
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Sent as it is, such as {modalities: [text, audio], audio: {voice: alloy, format: wav}} for spoken answers."""
    concurrency: int = Field(default=32, ge=1)
    timeout_s: float = Field(default=300.0, gt=0)
    max_attempts: int = Field(default=6, ge=1)
    usd_per_million_input: float | None = Field(default=None, ge=0)
    usd_per_million_output: float | None = Field(default=None, ge=0)
    usd_per_million_audio_input: float | None = Field(default=None, ge=0)
    usd_per_million_audio_output: float | None = Field(default=None, ge=0)
    """Null means the price of text."""
    max_cost_usd: float | None = Field(default=None, ge=0)
    """The most that all answers of the model under this name may have cost together, over all runs."""

    @field_validator("max_cost_usd")
    @classmethod
    def _priced(cls, most: float | None, info: ValidationInfo) -> float | None:
        """A budget without prices would never stop anything."""
        prices = ("usd_per_million_input", "usd_per_million_output")
        if most is not None and any(info.data.get(price) is None for price in prices):
            raise ValueError(f"a budget needs {' and '.join(prices)} (0 for a server of your own)")
        return most


class Local(Settings):
    """A model of the transformers library in this process (extra `torch`)."""

    kind: Literal["transformers"]
    model: str
    """Hub repository or local folder."""
    revision: str | None = None
    model_class: str
    """Its class in transformers, such as Qwen2AudioForConditionalGeneration."""
    device: str = "auto"
    dtype: str = "auto"
    system: str | None = None
    trust_remote_code: bool = False


class Cascade(Settings):
    """A recognizer, and a text model that answers what it heard: the baseline that a SpeechLM has to beat."""

    kind: Literal["cascade"]
    recognizer: RecognizerSettings
    llm: Role
    system: str | None = None


class Predictions(Settings):
    """Answers that were made elsewhere."""

    kind: Literal["predictions"]
    path: str
    """JSONL, relative to the project's root; {language}, {benchmark}, {config} and {subset} stand for those of a question."""
    model: str = ""
    """The model that made them, for the report."""
    any_language: bool = False
    """Score the file even if it looks like the run in another language."""


Model = Annotated[Chat | Local | Cascade | Predictions, Field(discriminator="kind")]


@dataclass(frozen=True)
class Asked:
    """A question as one model is asked it."""

    id: str
    language: str
    text: str | None
    """What is written beside the audio, or the whole question in the text modality."""
    audio: bytes | None
    """Encoded as in the shard; None in the text modality."""


BROKEN = "broken_audio"
"""Finish reason of an answer whose audio cannot be decoded; its text is kept."""


@dataclass(frozen=True)
class Answer:
    text: str
    audio: bytes | None = None
    """The spoken answer as the model encodes it."""
    heard: str | None = None
    """What a cascade's recognizer made of the question."""
    finish_reason: str = ""
    """As the endpoint names it, or BROKEN."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0
    """What it cost when it came; 0 for one out of the store, whose cost is in the sum."""


@dataclass(frozen=True)
class Failure:
    """No answer, and why, as a clause."""

    reason: str


@dataclass
class Account:
    """What asking took, for the report."""

    asked: int = 0
    from_store: int = 0
    failed: int = 0
    retries: int = 0
    """Further tries at questions that had no answer at once, those in vain included; those in this run alone."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    broken_audio: int = 0
    """Answers, stored ones included, whose audio cannot be decoded."""
    usd: float = 0.0
    """Of this run's calls."""


class SpeechLM(Protocol):
    """A model that is asked, in contrast to predictions, which are read."""

    name: str

    @property
    def retries(self) -> int:
        """Further tries that the questions asked so far took."""

    def fingerprint(self) -> dict[str, Any]:
        """Everything beside the question that decides the answer, as plain JSON; where the model runs is no part of it."""

    def prepare(self) -> None:
        """Find and verify what is needed before the first question. Raises UserError naming what is missing."""

    def answers(self, asked: Iterator[Asked], took: Callable[[Asked, Answer | Failure], None]) -> None:
        """Ask what `asked` yields, drawing from it no faster than it is answered, and hand each answer over the moment it arrives."""


def open_model(settings: Chat | Local | Cascade, name: str, decoding: Decoding, root: Path, spent_usd: float = 0.0) -> SpeechLM:
    """`spent_usd` is what the model's answers have cost so far."""
    if isinstance(settings, Chat):
        from stages.evaluate.speechlms.chat import ChatModel

        return ChatModel(settings, name, decoding, spent_usd)
    if isinstance(settings, Cascade):
        from stages.evaluate.speechlms.cascade import CascadeModel

        return CascadeModel(settings, name, decoding, root)
    from stages.evaluate.speechlms.local import LocalModel

    return LocalModel(settings, name, decoding)
