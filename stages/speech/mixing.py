"""Noise added to speech at a declared signal-to-noise ratio, and a room around it. Mono float32 arrays of shape (n,).

The ratio is that of mean powers over the parts where somebody speaks: pauses would make a talker with long ones seem quieter.
A part is active when its frame of 20 ms lies at most 25 dB below the loud frames (95th percentile), which is where a speech
level meter with a margin of 15.9 dB below the active level (ITU-T P.56) puts most speech too. Both signals are measured over
the same frames. Where the sum would pass the ceiling, all of it is turned down: the ratio stays and nothing is clipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

FRAME_S = 0.02
ACTIVE_DB = 25.0
_SILENT_POWER = 1e-8
"""-80 dBFS: nobody speaks."""
_CROSSFADE_S = 0.05


@dataclass(frozen=True)
class Mixed:
    samples: Audio
    snr_db: float
    """Measured over the active parts, from the very samples that were added."""
    gain_db: float
    """What the whole was turned down by to stay below the ceiling; 0 or negative."""
    active_share: float
    """Share of the frames in which somebody speaks."""


def frame_powers(samples: Audio, sample_rate_hz: int) -> Audio:
    """Mean power of every whole frame of 20 ms; of the one short frame where there is no whole one."""
    import numpy as np

    frame = round(FRAME_S * sample_rate_hz)
    whole = len(samples) // frame
    if not whole:
        return np.array([float(np.dot(samples, samples)) / max(len(samples), 1)], np.float32)
    frames = samples[: whole * frame].reshape(whole, frame)
    powers: Audio = np.einsum("ij,ij->i", frames, frames)
    powers /= np.float32(frame)
    return powers


def active(powers: Audio) -> Any:
    """Which frames are speech: a boolean array. Raises UserError where there is no speech at all."""
    import numpy as np

    loud = float(np.partition(powers, int(0.95 * (len(powers) - 1)))[int(0.95 * (len(powers) - 1))])
    if loud < _SILENT_POWER:
        loud = float(powers.max())
    if loud < _SILENT_POWER:
        raise UserError("The speech is silent, so that no noise can be added at a ratio to it; say the item again.")
    return powers >= loud * 10 ** (-ACTIVE_DB / 10)


def mix(speech: Audio, noise: Audio, snr_db: float, sample_rate_hz: int, ceiling_dbfs: float = -1.0) -> Mixed:
    """`speech` with `noise` (of the same length and rate) `snr_db` below it.

    Raises UserError where the speech is silent, or the noise is while somebody speaks.
    """
    import numpy as np

    if len(speech) != len(noise):
        raise ValueError(f"speech has {len(speech)} samples and noise {len(noise)}")
    powers = frame_powers(speech, sample_rate_hz)
    speaking = active(powers)
    noise_powers = frame_powers(noise, sample_rate_hz)
    speech_power = float(powers[speaking].mean(dtype=np.float64))
    noise_power = float(noise_powers[speaking].mean(dtype=np.float64))
    if noise_power < _SILENT_POWER * 1e-4:
        raise UserError("The noise is silent where somebody speaks; take another clip, or another part of it.")
    gain = np.float32(math.sqrt(speech_power / noise_power / 10 ** (snr_db / 10)))
    mixed = noise * gain
    measured = 10 * math.log10(speech_power / (noise_power * float(gain) ** 2))
    mixed += speech
    peak = max(float(mixed.max()), -float(mixed.min()))
    ceiling = 10 ** (ceiling_dbfs / 20)
    turned = 1.0
    if peak > ceiling:
        turned = ceiling / peak
        mixed *= np.float32(turned)
    return Mixed(mixed, measured, 20 * math.log10(turned), float(speaking.mean()))


def fitted(noise: Audio, length: int, sample_rate_hz: int, start: int = 0) -> Audio:
    """`length` samples of `noise` from `start` on; a shorter clip is repeated, its ends faded into each other over 50 ms."""
    import numpy as np

    if not len(noise):
        raise UserError("A noise clip has no samples; take it out of the noise folder.")
    start %= len(noise)
    if start + length <= len(noise):
        return noise[start : start + length]
    fade = min(round(_CROSSFADE_S * sample_rate_hz), len(noise) // 4)
    if fade < 2:
        return np.resize(np.roll(noise, -start), length).astype(np.float32)
    # One period of the loop: the clip without its last `fade` samples, whose sound is faded into the first ones at equal power.
    period = noise[: len(noise) - fade].copy()
    ramp = np.linspace(0, math.pi / 2, fade, dtype=np.float32)
    period[:fade] = period[:fade] * np.sin(ramp) + noise[-fade:] * np.cos(ramp)
    return np.resize(np.roll(period, -(start % len(period))), length).astype(np.float32)


def room(samples: Audio, sample_rate_hz: int, rt60_s: float, direct_to_reverberant_db: float, seed: int) -> Audio:
    """`samples` as heard some way off in a room: the direct sound and an exponentially fading tail of noise (Polack's model).

    `rt60_s` is the time in which the tail falls by 60 dB. Length and the power of the direct sound stay as they are.
    """
    import numpy as np
    from scipy.signal import fftconvolve

    draw = np.random.Generator(np.random.PCG64(seed))
    taps = max(int(rt60_s * sample_rate_hz), 2)
    tail = draw.standard_normal(taps) * 10 ** (-3 * np.arange(taps) / taps)
    delay = round(0.003 * sample_rate_hz)
    tail[:delay] = 0
    tail *= math.sqrt(10 ** (-direct_to_reverberant_db / 10) / float(np.square(tail).sum()))
    tail[0] = 1.0
    heard: Audio = fftconvolve(samples, tail)[: len(samples)].astype(np.float32)
    return heard


def mix_somewhere(speech: Audio, noise: Audio, snr_db: float, sample_rate_hz: int, ceiling_dbfs: float, start: int) -> tuple[Mixed, int]:
    """`mix` with `noise` from `start` on, or from the first of some other places where it is not silent while somebody speaks.

    A clip such as a door's knock is silent for most of its length: a part of it that is more than 30 dB below the clip's own level
    over the speech would have to be blown up to reach the ratio. Raises UserError where no place will do.
    """
    import numpy as np

    speaking = active(frame_powers(speech, sample_rate_hz))
    own = float(np.mean(np.square(noise, dtype=np.float64)))
    tries = 12
    for attempt in range(tries):
        place = (start + attempt * len(noise) // tries) % max(len(noise), 1)
        part = fitted(noise, len(speech), sample_rate_hz, place)
        power = float(frame_powers(part, sample_rate_hz)[speaking].mean(dtype=np.float64))
        if power > max(own * 1e-3, _SILENT_POWER * 1e-4):
            return mix(speech, part, snr_db, sample_rate_hz, ceiling_dbfs), place
    raise UserError("The noise is silent where somebody speaks, wherever it begins; take another clip.")


def below(samples: Audio, ceiling_dbfs: float) -> tuple[Audio, float]:
    """`samples` turned down, where needed, so that no one passes the ceiling, and the gain in dB."""
    import numpy as np

    peak = float(np.abs(samples).max(initial=0.0))
    ceiling = 10 ** (ceiling_dbfs / 20)
    if peak <= ceiling:
        return samples, 0.0
    return (samples * np.float32(ceiling / peak)).astype(np.float32), 20 * math.log10(ceiling / peak)


def measured_snr(speech: Audio, mixed: Audio, gain: float, sample_rate_hz: int) -> float:
    """The ratio in dB of `speech` to what else is in `mixed` (which has `speech` times `gain` in it), over the active parts."""
    import numpy as np

    said = speech * np.float32(gain)
    speaking = active(frame_powers(speech, sample_rate_hz))
    signal = frame_powers(said, sample_rate_hz)[speaking].mean(dtype=np.float64)
    rest = frame_powers(mixed - said, sample_rate_hz)[speaking].mean(dtype=np.float64)
    return 10 * math.log10(float(signal) / max(float(rest), 1e-20))
