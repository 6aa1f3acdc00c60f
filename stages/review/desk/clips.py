"""Audio of an entry, from the shards, with the media type and the byte ranges that browsers ask for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from stages.core import shards
from stages.core.errors import UserError
from stages.review.queue import Clip

_TYPES = ((b"fLaC", 0, "audio/flac"), (b"RIFF", 0, "audio/wav"), (b"OggS", 0, "audio/ogg"), (b"ID3", 0, "audio/mpeg"), (b"ftyp", 4, "audio/mp4"))


class Clips:
    """Reads clips and keeps the last ones; safe to use from several threads."""

    def __init__(self, root: Path, limit_bytes: int) -> None:
        self._root, self._limit = root, limit_bytes
        self._kept: OrderedDict[tuple[str, str, str, int], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, clip: Clip) -> bytes:
        """The encoded audio, as it lies in the shard. Raises UserError where there is none.

        The stage is one of two names (queue.Clip), the subset must be a folder that is there, and of the row's id only its
        number chooses the file, so that nothing in a queue can name a path.
        """
        base = self._root / "data" / clip.stage
        subsets = {folder.name for folder in base.iterdir() if folder.is_dir()} if base.is_dir() else set()
        if clip.subset not in subsets:
            raise UserError(f"The audio of {clip.id} is not here: data/{clip.stage} has no subset {clip.subset!r}; run `dvc repro`.")
        folder = base / clip.subset
        shard = folder / shards.shard_name(clip.id)
        key = (clip.stage, clip.subset, clip.id, shard.stat().st_mtime_ns if shard.exists() else 0)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        audio = shards.read_audio(folder, clip.id)
        with self._lock:
            self._kept[key] = audio
            while len(self._kept) > 1 and sum(map(len, self._kept.values())) > self._limit:
                self._kept.popitem(last=False)
        return audio


def media_type(audio: bytes) -> str:
    for magic, offset, name in _TYPES:
        if audio[offset : offset + len(magic)] == magic:
            return name
    if len(audio) > 1 and audio[0] == 0xFF and audio[1] & 0xE0 == 0xE0:
        return "audio/mpeg"
    return "application/octet-stream"


def part(audio: bytes, start: int | None, stop: int | None) -> tuple[int, int] | None:
    """The span [first, end) that a Range header's slice means (a negative start counts from the end); None: not satisfiable."""
    size = len(audio)
    first = 0 if start is None else max(0, size + start) if start < 0 else start
    end = size if stop is None else min(stop, size)
    return (first, end) if first < end else None
