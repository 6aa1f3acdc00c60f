"""Clips whose content can be told: tones."""

from __future__ import annotations

import io

TONES = {"bbh-test-00000": 220, "bbh-test-00001": 330, "bbh-test-00002": 440}
"""Item of the fixture `spoken` to the pitch of its clip, in Hz."""


def tone(pitch_hz: int, seconds: float = 0.4, rate: int = 24000) -> bytes:
    import numpy as np
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, 0.2 * np.sin(2 * np.pi * pitch_hz * np.arange(int(seconds * rate)) / rate), rate, format="FLAC", subtype="PCM_16")
    return out.getvalue()
