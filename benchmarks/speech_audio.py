"""Rates of what happens to audio around the models: FLAC, measures, loudness, the store, and reading it back into shards.

    python -m benchmarks.speech_audio [--clips 400]

Clips of 8 s at 24 kHz. Peers on two cores: audio parquet by datasets 337 clips/s, by pyarrow 823 clips/s.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from stages.core import shards
from stages.speech import audio
from stages.speech.store import Store, StoredAudio, key_of

RATE_HZ, SECONDS = 24_000, 8


def clip(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    time_s = np.arange(SECONDS * RATE_HZ) / RATE_HZ
    voice = sum(np.sin(2 * np.pi * (110 + seed % 50) * k * time_s + k) * np.exp(-k / 4) for k in range(1, 12))
    signal = 0.1 * voice * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * time_s)) + random.normal(size=time_s.size) * 0.002
    return np.asarray(signal, np.float32)


def rate(name: str, count: int, action: Callable[[int], object]) -> None:
    action(0)
    started = time.process_time()
    for n in range(count):
        action(n)
    seconds = time.process_time() - started
    print(f"{name:<36} {count / seconds:8.0f} clips/CPU-s")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clips", type=int, default=400)
    count = arguments.parse_args().clips
    samples = [clip(n) for n in range(16)]
    flac = [audio.encode_flac(one, RATE_HZ) for one in samples]
    rate("FLAC encode", 100, lambda n: audio.encode_flac(samples[n % 16], RATE_HZ))
    rate("FLAC decode", 100, lambda n: audio.decode(flac[n % 16]))
    rate("resample to 16 kHz", 100, lambda n: audio.resample(samples[n % 16], RATE_HZ, 16000))
    rate("measures", 100, lambda n: audio.measure(samples[n % 16], RATE_HZ))
    rate("loudness and ceiling", 50, lambda n: audio.normalize(samples[n % 16], RATE_HZ, -23.0, -1.0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.sqlite"
        with Store(path) as store:
            rate("store", count, lambda n: store.put_joined({"n": n}, flac[n % 16], 8.0, -23.0))
            rate("look up", count, lambda n: store.joined(key_of({"n": n})))
        items = tuple((f"mmsu-{n:05d}", key_of({"n": n})) for n in range(count))
        started = time.process_time()
        shards.write_shards(Path(folder) / "out", iter(StoredAudio(path, items)))
        print(f"{'store to parquet shards':<36} {count / (time.process_time() - started):8.0f} clips/CPU-s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
