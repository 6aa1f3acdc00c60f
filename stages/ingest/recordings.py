"""Recordings of a speech corpus: length, rate and hash of each file, read in pieces, never as a whole."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from stages.ingest.listing import Found

_BLOCK = 1 << 20
MOST_S = 1e7
"""No recording is so long."""


class Damaged(Exception):
    """A file that is no audio; the message says what it is."""


@dataclass(frozen=True)
class Recording:
    """An audio file that can be decoded. Length and rate are those of the file, whatever a transcript says."""

    found: Found
    length_s: float
    sample_rate_hz: int
    sha256: str

    def columns(self) -> dict[str, object]:
        return {
            "audio_path": self.found.name,
            "audio_in": self.found.place,
            "audio_sha256": self.sha256,
            "recording_s": round(self.length_s, 6),
            "sample_rate_hz": self.sample_rate_hz,
        }


NO_AUDIO: dict[str, object] = dict.fromkeys(["audio_path", "audio_in", "audio_sha256", "recording_s", "sample_rate_hz"])


def of_transcript(audio: list[tuple[str, Found]] | None, expected: str, required: bool) -> tuple[Recording | None, tuple[str, str] | None]:
    """The recording beside a transcript, from the first of `audio` (relative name, file), and what refuses what rests on it: rule and detail."""
    if not audio:
        return None, ("no_audio", f"no {expected}") if required else None
    try:
        return probe(audio[0][1]), None
    except Damaged as why:
        return None, ("damaged_audio", f"{audio[0][0]} {why}")


def probe(found: Found) -> Recording:
    """Raises Damaged for a file that libsndfile cannot open or that holds no sound."""
    import soundfile

    digest = hashlib.sha256()
    try:
        with found.path.open("rb") as data:
            while block := data.read(_BLOCK):
                digest.update(block)
        info = soundfile.info(str(found.path))
    except OSError as error:
        raise Damaged(f"cannot be read ({error.strerror})") from None
    except soundfile.LibsndfileError as error:
        raise Damaged(f"is no audio that can be decoded ({error.error_string.rstrip('.')})") from None
    if info.frames > MOST_S * max(info.samplerate, 1):
        # A FLAC stream that was never finished says nothing of its length, and libsndfile then reports the largest number it has.
        raise Damaged("does not say how long it is; encode it again")
    if info.frames <= 0 or info.samplerate <= 0:
        raise Damaged("holds no sound")
    return Recording(found, info.frames / info.samplerate, int(info.samplerate), digest.hexdigest())
