"""Speed and memory of audio in parquet: shards written and read, and a release packed with its Hub schema.

    python -m benchmarks.parquet [--clips 12345] [--cdc]

Each clip lasts 8 s at 24 kHz, 16 bit FLAC. Peers on two cores: datasets' embedding 337 clips/s, plain pyarrow 823 clips/s;
the aim is 800 clips/s with memory under 1 GiB. `--cdc` turns content-defined chunking on, to show what it costs.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from stages.core import shards
from stages.publish import hub_parquet
from stages.publish.release import ReleaseSettings

RATE_HZ, SECONDS = 24_000, 8
RELEASE = ReleaseSettings.model_validate(
    {
        "name": "KVoiceBench", "title": "", "description": "", "language": "ko", "licence": "apache-2.0", "rulebooks": [],
        "subsets": {"mmsu": {"config": "mmsu", "capability": "knowledge"}},
    }
)  # fmt: skip


def clips(count: int = 32) -> list[bytes]:
    """Harmonic, amplitude-modulated, slightly noisy: FLAC makes of it about what it makes of speech."""
    random = np.random.default_rng(0)
    time_s = np.arange(SECONDS * RATE_HZ) / RATE_HZ
    made = []
    for n in range(count):
        voice = sum(np.sin(2 * np.pi * (110 + n) * k * time_s + k) * np.exp(-k / 4) for k in range(1, 12))
        signal = 0.1 * voice * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * time_s)) + random.normal(size=time_s.size) * 0.002
        out = io.BytesIO()
        soundfile.write(out, signal.astype("float32"), RATE_HZ, format="FLAC")
        made.append(out.getvalue())
    return made


def new_share(folder: Path) -> float:
    """Which share of a shard's bytes a store of content-defined chunks (about 64 KiB) lacks when it has the shard with one clip more."""
    random = np.random.default_rng(1)
    items = [(f"mmsu-{n:05d}", random.bytes(int(random.integers(100_000, 300_000)))) for n in range(300)]
    [path] = shards.write_shards(folder, items)
    before = _chunks(path.read_bytes())
    [path] = shards.write_shards(folder, items[:10] + items[11:])
    after = _chunks(path.read_bytes())
    return sum(size for key, size in after.items() if key not in before) / path.stat().st_size


def _chunks(content: bytes) -> dict[bytes, int]:
    """sha256 to size of the pieces between places where a rolling hash of 32 bytes ends in 16 zero bits."""
    values = np.frombuffer(content, np.uint8).astype(np.uint64)
    rolling = np.zeros(len(values) - 31, np.uint64)
    for k in range(32):
        rolling = rolling * np.uint64(1_099_511_628_211) + values[k : k + len(rolling)]
    cuts = [0, *np.flatnonzero((rolling >> np.uint64(40)) & np.uint64(0xFFFF) == 0).tolist(), len(content)]
    return {hashlib.sha256(content[start:end]).digest(): end - start for start, end in pairwise(cuts)}


def timed(what: str, count: int, work: Callable[[], Any]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    os.sync()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:28} {count / wall:8.0f} clips/s  {count / cpu:8.0f} clips/CPU-s  peak {peak:5.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clips", type=int, default=12_345)
    parser.add_argument("--cdc", action="store_true")
    chosen = parser.parse_args()
    if chosen.cdc:
        shards.PARQUET_OPTIONS["use_content_defined_chunking"] = True
    sounds = clips()
    ids = [f"mmsu-{n:05d}" for n in range(chosen.clips)]
    print(f"{chosen.clips} clips of {sum(map(len, sounds)) / len(sounds) / 1000:.0f} kB")

    def released(folder: Path) -> Iterator[dict[str, Any]]:
        for id, audio in shards.iter_audio(folder, ids):
            yield {"id": id, "audio": {"bytes": audio, "path": f"{id}.flac"}, "transcription": "말", "answer": "ㄱ", "capability": "knowledge"}

    with tempfile.TemporaryDirectory(dir=".") as temporary:
        folder = Path(temporary)
        timed("shards written", chosen.clips, lambda: shards.write_shards(folder, ((id, sounds[n % len(sounds)]) for n, id in enumerate(ids))))
        timed("shards read and verified", chosen.clips, lambda: sum(1 for _ in shards.iter_audio(folder, ids)))
        timed("release from shards", chosen.clips, lambda: hub_parquet.write(folder / "release", released(folder), RELEASE))
        started = time.perf_counter()
        shards.read_audio(folder, ids[len(ids) // 2])
        print(f"one clip by id: {(time.perf_counter() - started) * 1000:.0f} ms")
        print(f"new to a store after one of 300 clips was removed: {new_share(folder / 'dedupe'):.1%}")


if __name__ == "__main__":
    main()
