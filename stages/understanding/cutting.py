"""Cutting audio: where there is silence, in pieces of a second, at the recording's own rate.

A recording is opened once for all its segments and never held as a whole; a segment is held only as the FLAC that it
becomes. Samples are mono 16-bit: channels are averaged, floats rounded.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError

if TYPE_CHECKING:
    import soundfile

FRAME_S = 0.01
_PIECE_S = 1.0
_FLOOR = 1e-4
"""-80 dBFS: what is quieter is silence, however quiet the segment is."""


@dataclass(frozen=True)
class Cut:
    """A piece of a recording in samples, and what it sounds like."""

    first: int
    last: int
    """Not included."""
    rate: int
    sha256: str
    """Of the samples as little-endian 16-bit mono."""
    loudest: float
    """Root mean square of the loudest frame of 10 ms; 1 is full scale."""
    at_cuts: float
    """The same of the louder of the two frames at the cuts, 0 where the cut is an end of the recording."""
    complete: bool
    """False when the file ended too early."""

    @property
    def start_s(self) -> float:
        return self.first / self.rate

    @property
    def end_s(self) -> float:
        return self.last / self.rate

    def in_silence(self, below_db: float) -> bool:
        """Whether both cuts are at least `below_db` quieter than the loudest frame."""
        return self.at_cuts <= max(self.loudest * 10 ** (-below_db / 20), _FLOOR)


def open_recording(path: Path) -> soundfile.SoundFile:
    """Raises UserError when the file is gone or was replaced by something else."""
    import soundfile

    try:
        return soundfile.SoundFile(str(path))
    except (soundfile.LibsndfileError, OSError):
        raise UserError(f"{path} cannot be read as audio any more; restore it and run the stage corpus again.") from None


def cut(file: soundfile.SoundFile, earliest_s: float, start_s: float, end_s: float, latest_s: float) -> Cut:
    """The piece from the quietest place in [earliest_s, start_s] to the quietest in [end_s, latest_s], measured."""
    rate, frames = file.samplerate, file.frames
    first, at_first = _quietest(file, round(earliest_s * rate), round(start_s * rate), outwards=-1)
    last, at_last = _quietest(file, round(end_s * rate), round(latest_s * rate), outwards=1)
    first, last = min(first, frames), min(last, frames)
    digest = hashlib.sha256()
    loudest, read = 0.0, 0
    for piece in _pieces(file, first, last):
        digest.update(piece.tobytes())
        read += len(piece)
        loudest = max(loudest, float(_levels(piece, rate).max(initial=0.0)))
    cuts = [0.0 if first == 0 else at_first, 0.0 if last == frames else at_last]
    return Cut(first, last, rate, digest.hexdigest(), loudest, max(cuts), complete=read == last - first and read > 0)


def encode(file: soundfile.SoundFile, first: int, last: int) -> tuple[bytes, str]:
    """Samples [first, last) as FLAC, and the sha256 of the samples. The same samples give the same bytes."""
    import soundfile

    buffer = io.BytesIO()
    digest = hashlib.sha256()
    with soundfile.SoundFile(buffer, "w", file.samplerate, 1, "PCM_16", format="FLAC") as out:
        for piece in _pieces(file, first, last):
            digest.update(piece.tobytes())
            out.write(piece)
    return buffer.getvalue(), digest.hexdigest()


def _pieces(file: soundfile.SoundFile, first: int, last: int) -> Iterator[Any]:
    """int16 arrays of at most a second; fewer than asked for where the file cannot be read any further, or samples are no numbers."""
    import numpy as np
    import soundfile

    step = max(round(_PIECE_S * file.samplerate), 1)
    as_they_are = file.subtype == "PCM_16" and file.channels == 1
    while first < last:
        try:
            if file.tell() != first:
                file.seek(first)
            samples = file.read(min(step, last - first), dtype="int16" if as_they_are else "float32", always_2d=True)
        except soundfile.LibsndfileError:
            return
        if not len(samples):
            return
        first += len(samples)
        if as_they_are:
            yield samples[:, 0].astype("<i2", copy=False)
        else:
            level = samples.mean(axis=1, dtype=np.float32)
            if not np.isfinite(level).all():  # a damaged sample is no silence
                return
            yield np.clip(np.rint(level * 32768.0), -32768, 32767).astype("<i2")


def _levels(piece: Any, rate: int) -> Any:
    """Root mean square of each frame of 10 ms."""
    import numpy as np

    frame = max(round(FRAME_S * rate), 1)
    samples = piece[: len(piece) // frame * frame] if len(piece) >= frame else np.pad(piece, (0, frame - len(piece)))
    return np.sqrt(np.mean(np.square(samples.reshape(-1, frame).astype(np.float32) / 32768.0), axis=1))


def _quietest(file: soundfile.SoundFile, low: int, high: int, *, outwards: int) -> tuple[int, float]:
    """The place in [low, high] whose frame is quietest, and how loud it is; of equals the outermost, so that a breath of silence stays."""
    import numpy as np

    low, high = max(min(low, file.frames), 0), min(max(high, low), file.frames)
    frame = max(round(FRAME_S * file.samplerate), 2)
    begin = max(low - frame // 2, 0)
    samples = list(_pieces(file, begin, min(high + frame - frame // 2, file.frames)))
    if not samples:
        return low, 0.0
    power = np.concatenate(([0.0], np.cumsum(np.square(np.concatenate(samples).astype(np.float64) / 32768.0))))
    places = np.unique(np.append(np.arange(low, high + 1, max(frame // 2, 1)), high))
    starts = np.clip(places - frame // 2 - begin, 0, len(power) - 1)
    ends = np.clip(places + frame - frame // 2 - begin, 0, len(power) - 1)
    levels = np.sqrt((power[ends] - power[starts]).clip(0) / frame)
    order = np.lexsort((places * outwards * -1, np.round(levels, 6)))
    return int(places[order[0]]), float(levels[order[0]])
