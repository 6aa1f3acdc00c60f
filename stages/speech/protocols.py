"""What the build asks of a voice and of a recognizer. Building one is cheap; models are loaded at first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stages.speech.settings import Variation, Voice

    Audio = NDArray[np.float32]
    """Mono samples in [-1, 1], shape (n,)."""


class Synthesizer(Protocol):
    name: str
    origin: str
    """Where the model comes from, for the report."""
    remote: bool
    """Whether the work is done elsewhere, so that a thread and not a process waits for it."""

    @property
    def revision(self) -> str:
        """Changes whenever the same request could sound different: weights, front end, version of a program."""

    def prepare(self) -> None:
        """Find and verify what is needed, once, before workers start. Raises UserError naming what is missing."""

    def request(self, voice: Voice, variation: Variation) -> dict[str, Any]:
        """Everything beside the text, name and revision that decides how a sentence sounds, as plain JSON."""

    def synthesize(self, text: str, voice: Voice, variation: Variation) -> tuple[Audio, int]:
        """`text` as audio and its sample rate in Hz."""

    def unspoken(self, text: str, variation: Variation) -> str:
        """The characters of `text` that it passes over in silence, as far as it knows."""


class Recognizer(Protocol):
    name: str
    revision: str
    origin: str
    remote: bool

    def prepare(self) -> None: ...

    def request(self) -> dict[str, Any]:
        """Everything beside the audio, language, name and revision that decides what is heard."""

    def transcribe(self, audio: Audio, sample_rate_hz: int, language: str) -> str:
        """What is said in `audio`; the empty string where nothing is heard."""
