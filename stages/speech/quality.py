"""How good speech sounds, predicted without a reference: DNSMOS on the CPU by default, UTMOS where torch and the Hub are at hand.

DNSMOS P.835 (Reddy et al. 2022; speechmos, MIT) gives signal, background and overall quality on 1 to 5 from windows of 9.01 s at 16 kHz.
Its weights are read as bytes from the package and verified; the front end is ours. A shorter clip is repeated to one window. UTMOS
(Saeki et al. 2022, SpeechMOS v1.2.0) is what WildSpeech-Bench reports; it learned from English, so it is refused for other languages unless
that is asked for, and its scores are never comparable between languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator

from stages.core.errors import UserError, nearest
from stages.core.settings import Settings, load
from stages.speech import audio, weights
from stages.speech.weights import Asset, Component, Part

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

DNSMOS = Component(
    name="dnsmos",
    licence="MIT",
    upstream="Microsoft DNSMOS P.835",
    assets=(
        Asset(
            "sig_bak_ovr.onnx",
            "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd",
            (Part("speechmos", "speechmos", "dnsmos_models/sig_bak_ovr.onnx"),),
        ),
    ),
)  # fmt: skip
_RATE = 16000
_WINDOW = int(9.01 * _RATE)
# Upstream's calibration of the raw outputs, highest power first.
_SIGNAL = (-0.08397278, 1.22083953, 0.0052439)
_BACKGROUND = (-0.13166888, 1.60915514, -0.39604546)
_OVERALL = (-0.06766283, 1.11546468, 0.04602535)


class DnsmosSettings(Settings):
    kind: Literal["dnsmos"] = "dnsmos"


class UtmosSettings(Settings):
    kind: Literal["utmos"]
    repo: str = "tarepan/SpeechMOS:v1.2.0"
    model: str = "utmos22_strong"
    any_language: bool = False
    """Score other languages than English too, for what it is worth."""


_KINDS: dict[str, type[Settings]] = {"dnsmos": DnsmosSettings, "utmos": UtmosSettings}


def _pick(values: Any) -> Any:
    if values is None or isinstance(values, Settings):
        return values
    kind = str(values.get("kind")) if isinstance(values, Mapping) else str(values)
    if kind not in _KINDS:
        raise UserError(f"Config key quality.kind is {kind!r}.{nearest(kind, _KINDS)} Known kinds: {', '.join(_KINDS)}.")
    return load(_KINDS[kind], values, "quality")


QualitySettings = Annotated[DnsmosSettings | UtmosSettings | None, BeforeValidator(_pick)]


class Predictor(Protocol):
    name: str
    revision: str

    def measure(self, samples: Audio, sample_rate_hz: int) -> dict[str, float]:
        """Scores by name, 1 to 5, rounded; `overall` is among them."""


class Dnsmos:
    name = "dnsmos"
    revision = DNSMOS.sha256[:12]

    def __init__(self) -> None:
        self._model: Any = None

    def measure(self, samples: Audio, sample_rate_hz: int) -> dict[str, float]:
        import numpy as np

        self._load()
        samples = audio.resample(samples, sample_rate_hz, _RATE)
        if not len(samples):
            return {}
        samples = np.resize(samples, _WINDOW) if len(samples) < _WINDOW else samples
        starts = range(0, len(samples) - _WINDOW + 1, _RATE)
        raw = np.array([self._model.run(None, {"input_1": samples[None, start : start + _WINDOW].astype(np.float32)})[0][0] for start in starts])
        signal, background, overall = (float(np.polyval(curve, raw[:, at]).mean()) for at, curve in enumerate((_SIGNAL, _BACKGROUND, _OVERALL)))
        return {"signal": round(signal, 3), "background": round(background, 3), "overall": round(overall, 3)}

    def _load(self) -> None:
        if self._model is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            path: Path = weights.assemble(DNSMOS) / "sig_bak_ovr.onnx"
            self._model = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Utmos:
    name = "utmos"

    def __init__(self, settings: UtmosSettings) -> None:
        self._settings = settings
        self.revision = f"{settings.repo}/{settings.model}"
        self._model: Any = None

    def measure(self, samples: Audio, sample_rate_hz: int) -> dict[str, float]:
        try:
            import torch
        except ImportError:
            raise UserError("UTMOS needs torch; install the extra `torch`, or set quality.kind to dnsmos.") from None
        if self._model is None:
            try:
                self._model = torch.hub.load(self._settings.repo, self._settings.model, trust_repo=True)
            except Exception as error:
                raise UserError(f"UTMOS cannot be loaded from {self._settings.repo} ({type(error).__name__}); set quality.kind to dnsmos.") from error
        with torch.no_grad():
            return {"overall": round(float(self._model(torch.from_numpy(samples)[None], sample_rate_hz)[0]), 3)}


def open_predictor(settings: DnsmosSettings | UtmosSettings, language: str) -> Predictor:
    """Raises UserError for UTMOS in a language that it never heard."""
    if isinstance(settings, DnsmosSettings):
        return Dnsmos()
    if language != "en" and not settings.any_language:
        raise UserError(f"UTMOS learned from English and is asked about {language!r}; set quality.kind to dnsmos, or any_language to true.")
    return Utmos(settings)


def speech_s(samples: Audio, sample_rate_hz: int) -> float:
    """Seconds in which somebody speaks, by Silero's voice activity detection (which faster-whisper carries)."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    bounds = VadOptions(speech_pad_ms=0, min_silence_duration_ms=300)
    resampled = audio.resample(samples, sample_rate_hz, _RATE)
    return round(sum(span["end"] - span["start"] for span in get_speech_timestamps(resampled, bounds)) / _RATE, 2)
