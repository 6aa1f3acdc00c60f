"""espeak-ng as a subprocess: a voice that a speech check must refuse (CER 0.65 and more by Whisper base), and nothing else."""

from __future__ import annotations

import functools
import io
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError
from stages.speech import audio
from stages.speech.settings import EspeakSettings, EspeakVariation, Variation, Voice

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

_TIMEOUT_S = 60


class Espeak:
    name = "espeak-ng"
    remote = False

    def __init__(self, settings: EspeakSettings, root: Path) -> None:
        self._settings = settings
        self.origin = f"program {settings.binary}"

    @functools.cached_property
    def revision(self) -> str:
        spoken = subprocess.run([self._binary(), "--version"], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True).stdout
        return spoken.split("Data at")[0].rpartition(":")[2].strip()

    def prepare(self) -> None:
        self._binary()

    def request(self, voice: Voice, variation: Variation) -> dict[str, Any]:
        return {"voice": voice.name, **variation.model_dump()}

    def unspoken(self, text: str, variation: Variation) -> str:
        return ""

    def synthesize(self, text: str, voice: Voice, variation: Variation) -> tuple[Audio, int]:
        assert isinstance(variation, EspeakVariation)
        command = [self._binary(), "-v", voice.name, "-s", str(variation.words_per_minute), "-p", str(variation.pitch), "--stdin", "--stdout"]
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False)
        if done.returncode or not done.stdout:
            said = done.stderr.decode(errors="replace").strip()
            raise UserError(f"{self._settings.binary} failed on the voice {voice.name!r} ({said[:200]}); correct tts.voices in conf/.")
        samples, rate = audio.decode(io.BytesIO(done.stdout).getvalue())
        return audio.trim(samples, rate), rate

    def _binary(self) -> str:
        found = shutil.which(self._settings.binary)
        if not found:
            raise UserError(
                f"The program {self._settings.binary} is not installed; install espeak-ng with the system's package manager, "
                "or choose another voice (tts in params.yaml)."
            )
        return found
