"""Source audio: recognized by its first bytes, hashed, never decoded and never changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from stages.core.errors import UserError
from stages.ingest import parquet


@dataclass(frozen=True)
class Clip:
    """Where the audio of a row lies, and what it was when it was first read."""

    sha256: str
    path: Path
    row: int | None = None
    """Row in the parquet file at `path`; None when `path` is the audio itself."""


def known_format(data: bytes) -> str | None:
    """The container that the first bytes name (wav, flac, ogg, aiff, mp4, mp3), or None."""
    if data[:4] in (b"RIFF", b"RF64") and data[8:12] == b"WAVE":
        return "wav"
    if data[:4] == b"fLaC":
        return "flac"
    if data[:4] == b"OggS":
        return "ogg"
    if data[:4] == b"FORM" and data[8:12] in (b"AIFF", b"AIFC"):
        return "aiff"
    if data[4:8] == b"ftyp":
        return "mp4"
    if data[:3] == b"ID3" or _mpeg_frame(data):
        return "mp3"
    return None


def _mpeg_frame(data: bytes) -> bool:
    """Whether an MPEG audio frame header comes first. Layer I is left out: its sync bytes FF FE also begin UTF-16 text."""
    if len(data) < 4 or data[0] != 0xFF or data[1] & 0xE0 != 0xE0:
        return False
    version, layer = data[1] >> 3 & 3, data[1] >> 1 & 3
    bitrate, sample_rate = data[2] >> 4, data[2] >> 2 & 3
    return version != 1 and layer in (1, 2) and bitrate not in (0, 15) and sample_rate != 3


def checked(data: bytes, name: str, where: str) -> str:
    """The sha256 of `data`. Raises UserError, naming the file and the item, for bytes that cannot be audio."""
    if not data:
        raise UserError(f"The audio {name} of {where} has 0 bytes; fetch the source again, or remove the file to make the item a text row.")
    if data.startswith(parquet.LFS_POINTER):
        raise UserError(f"The audio {name} of {where} is a Git LFS pointer, not audio; fetch the source with its large files.")
    if known_format(data) is None:
        raise UserError(f"The audio {name} of {where} begins with {data[:12]!r}, which is no known audio format; put the real file in its place.")
    return hashlib.sha256(data).hexdigest()


class SourceAudio:
    """(row id, bytes as upstream has them) for the kept rows, read from the source again while iterating.

    Not a sequence on purpose: the shard writer streams what is not one, so a source of many gigabytes passes in small
    batches. Rows must come in the order of the source.
    """

    def __init__(self, clips: list[tuple[str, Clip]]) -> None:
        self._clips = clips

    def __len__(self) -> int:
        return len(self._clips)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for path, group in groupby(self._clips, key=lambda item: item[1].path):
            clips = list(group)
            rows = [clip.row for _, clip in clips if clip.row is not None]
            bytes_of = parquet.audio_of(path, rows) if rows else iter([path.read_bytes()])
            for (id, clip), data in zip(clips, bytes_of, strict=True):
                if hashlib.sha256(data).hexdigest() != clip.sha256:
                    raise UserError(f"The audio of item {id} in {path} changed while it was being read; let nothing write there and run again.")
                yield id, data
