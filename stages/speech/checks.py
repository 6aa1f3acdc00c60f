"""What is wrong with a clip, whatever the recognizer heard: silence, level, clipping, gaps, pace, letters passed over."""

from __future__ import annotations

from pydantic import Field

from stages.core.settings import Settings
from stages.speech.scoring import Errors
from stages.speech.studio import SILENT_DBFS, Candidate


class AudioChecks(Settings):
    """What makes a clip bad whatever the recognizer heard."""

    min_rms_dbfs: float = -40.0
    max_rms_dbfs: float = -8.0
    max_clipped_share: float = Field(default=1e-4, ge=0, le=1)
    max_silence_s: float = Field(default=1.5, gt=0)
    min_chars_per_s: float = Field(default=1.0, ge=0)
    max_chars_per_s: float = Field(default=12.0, gt=0)
    """Pace in letters or syllables of the spoken form, spaces and punctuation left out."""


def problems(candidate: Candidate, errors: Errors, checks: AudioChecks) -> list[str]:
    """What is wrong with a clip, as `check: value`; empty for a sound one."""
    seen = candidate.measures
    if seen.rms_dbfs < SILENT_DBFS:
        return [f"silent: {seen.rms_dbfs} dBFS"]
    pace = errors.chars / seen.duration_s
    found = {
        "quiet": (seen.rms_dbfs < checks.min_rms_dbfs, f"{seen.rms_dbfs} dBFS"),
        "loud": (seen.rms_dbfs > checks.max_rms_dbfs, f"{seen.rms_dbfs} dBFS"),
        "clipped": (seen.clipped_share > checks.max_clipped_share, f"{seen.clipped_share} of the samples"),
        "gap": (seen.longest_silence_s > checks.max_silence_s, f"{seen.longest_silence_s} s of silence"),
        "slow": (pace < checks.min_chars_per_s, f"{pace:.1f} characters/s"),
        "fast": (pace > checks.max_chars_per_s, f"{pace:.1f} characters/s"),
        "unspoken": (bool(candidate.unspoken), candidate.unspoken),
    }
    return [f"{name}: {value}" for name, (wrong, value) in found.items() if wrong]
