"""Audio as float32 mono arrays of shape (n,) in [-1, 1]: FLAC, resampling, trimming, joining, measures, loudness."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stages.speech.protocols import Audio

_FRAME_S = 0.02
_FULL_SCALE = 0.999
"""Samples at or above it count as clipped when at least `_CLIP_RUN` of them touch."""
_CLIP_RUN = 3
_METER_BLOCK_S = 0.4


@dataclass(frozen=True)
class Measures:
    """What is looked at before a clip is accepted."""

    duration_s: float
    peak: float
    """Largest magnitude, 1 is full scale."""
    rms_dbfs: float
    clipped_share: float
    """Share of samples in runs at full scale."""
    longest_silence_s: float
    """Longest stretch, inside or at the ends, more than 40 dB below the clip's loudest frame."""


def encode_flac(samples: Audio, sample_rate_hz: int) -> bytes:
    """16-bit FLAC. The same samples give the same bytes."""
    import soundfile

    buffer = io.BytesIO()
    soundfile.write(buffer, samples, sample_rate_hz, format="FLAC", subtype="PCM_16")
    return buffer.getvalue()


def decode(data: bytes) -> tuple[Audio, int]:
    """Any format of libsndfile as mono and its sample rate in Hz. Raises UserError for bytes that are not audio, and for damaged samples."""
    import numpy as np
    import soundfile

    try:
        samples, rate = soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)
    except soundfile.LibsndfileError:
        raise UserError(f"{len(data)} bytes that should be audio are not a sound file that libsndfile knows.") from None
    if not np.isfinite(samples).all():
        raise UserError(f"{len(data)} bytes of audio hold samples that are no finite numbers; the file is damaged.")
    return np.ascontiguousarray(samples.mean(axis=1)), int(rate)


def resample(samples: Audio, from_hz: int, to_hz: int) -> Audio:
    """Band-limited resampling."""
    if from_hz == to_hz:
        return samples
    import soxr

    resampled: Audio = soxr.resample(samples, from_hz, to_hz, quality="HQ")
    return resampled


def trim(samples: Audio, sample_rate_hz: int, below_db: float = 40.0, keep_s: float = 0.05) -> Audio:
    """`samples` without the silence at both ends, but for `keep_s`; a clip that is all silence comes back empty.

    Silence is what lies more than `below_db` below the loudest frame of 20 ms.
    """
    levels, frame = _levels(samples, sample_rate_hz)
    loud = _loud(levels, below_db)
    if not loud.any():
        return samples[:0]
    keep = int(keep_s * sample_rate_hz)
    start = max(int(loud.argmax()) * frame - keep, 0)
    end = min((len(loud) - int(loud[::-1].argmax())) * frame + keep, len(samples))
    return samples[start:end]


def join(pieces: Sequence[Audio], sample_rate_hz: int, pause_s: float) -> Audio:
    """The pieces with `pause_s` of silence between them."""
    import numpy as np

    pause = np.zeros(round(pause_s * sample_rate_hz), np.float32)
    parts = [part for piece in pieces for part in (pause, piece)]
    return np.concatenate(parts[1:]).astype(np.float32, copy=False) if parts else pause[:0]


def measure(samples: Audio, sample_rate_hz: int) -> Measures:
    """Rounded, so that they are the same wherever they are read."""
    import numpy as np

    if not len(samples):
        return Measures(0.0, 0.0, -120.0, 0.0, 0.0)
    magnitude = np.abs(samples)
    quiet = ~_loud(_levels(samples, sample_rate_hz)[0], 40.0)
    return Measures(
        duration_s=round(len(samples) / sample_rate_hz, 3),
        peak=round(float(magnitude.max()), 4),
        rms_dbfs=round(decibels(float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))), 2),
        clipped_share=round(_in_runs(magnitude >= _FULL_SCALE, _CLIP_RUN) / len(samples), 6),
        longest_silence_s=round(_longest_run(quiet) * _FRAME_S, 2),
    )


def loudness(samples: Audio, sample_rate_hz: int) -> float:
    """Integrated loudness in LUFS (ITU-R BS.1770-4); -inf for silence. A clip shorter than a block is repeated to fill one."""
    import numpy as np
    import pyloudnorm

    if not len(samples):
        return -math.inf
    block = math.ceil(_METER_BLOCK_S * sample_rate_hz) + 1
    measured = np.resize(samples, block) if len(samples) < block else samples
    return float(pyloudnorm.Meter(sample_rate_hz, block_size=_METER_BLOCK_S).integrated_loudness(measured.astype(np.float64)))


def true_peak(samples: Audio) -> float:
    """Largest magnitude between the samples too, by four times oversampling (ITU-R BS.1770-4, annex 2)."""
    import numpy as np
    import soxr

    if not len(samples):
        return 0.0
    padded = np.pad(samples, 64)
    return float(max(np.abs(samples).max(), np.abs(soxr.resample(padded, 1, 4, quality="VHQ")).max()))


def normalize(samples: Audio, sample_rate_hz: int, target_lufs: float, ceiling_dbtp: float) -> tuple[Audio, float]:
    """`samples` at `target_lufs`, or quieter where the true peak would pass `ceiling_dbtp`, and the loudness reached.

    Only a gain is applied: nothing is compressed or clipped. Silence comes back as it is, with -inf.
    """
    import numpy as np

    now = loudness(samples, sample_rate_hz)
    peak = true_peak(samples)
    if not math.isfinite(now) or peak == 0:
        return samples, -math.inf
    gain_db = min(target_lufs - now, ceiling_dbtp - decibels(peak))
    return (samples * np.float32(10 ** (gain_db / 20))).astype(np.float32), now + gain_db


def decibels(amplitude: float) -> float:
    return 20 * math.log10(amplitude) if amplitude > 1e-6 else -120.0


def _levels(samples: Audio, sample_rate_hz: int) -> tuple[Audio, int]:
    """Root mean square of frames of 20 ms, the last one padded, and the frame's length in samples."""
    import numpy as np

    frame = max(round(_FRAME_S * sample_rate_hz), 1)
    padded = np.pad(samples, (0, -len(samples) % frame))
    return np.sqrt(np.mean(np.square(padded.reshape(-1, frame), dtype=np.float64), axis=1)).astype(np.float32), frame


def _loud(levels: Audio, below_db: float):  # type: ignore[no-untyped-def]
    """Which frames are not silence; below -60 dBFS everything is."""
    import numpy as np

    if not len(levels):
        return np.zeros(0, bool)
    return levels > max(float(levels.max()) * 10 ** (-below_db / 20), 1e-3)


def _runs(flags):  # type: ignore[no-untyped-def]
    """Lengths of the runs of True."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return edges[1::2] - edges[::2]


def _in_runs(flags, at_least: int) -> int:  # type: ignore[no-untyped-def]
    lengths = _runs(flags)
    return int(lengths[lengths >= at_least].sum())


def _longest_run(flags) -> int:  # type: ignore[no-untyped-def]
    return int(_runs(flags).max(initial=0))
