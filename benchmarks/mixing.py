"""How many eight-second clips a second are mixed with noise that is in memory, and whether workers change a byte.

    python -m benchmarks.mixing [--rate 24000] [--clips 6000]

Speech-like signals (noise in bursts with pauses) of eight seconds against preloaded noise, one process a core, each with one thread.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import time

import numpy as np

from stages.speech.mixing import fitted, mix

_SPEECH: list[np.ndarray] = []
_NOISE: list[np.ndarray] = []
_RATE = 24000


def prepare(rate: int) -> None:
    global _RATE
    _RATE = rate
    draw = np.random.default_rng(0)
    envelope = np.repeat(draw.random(8 * 10) ** 2, rate // 10).astype(np.float32)
    _SPEECH[:] = [(draw.standard_normal(8 * rate).astype(np.float32) * 0.1 * np.roll(envelope, k * rate)) for k in range(8)]
    _NOISE[:] = [draw.standard_normal(30 * rate).astype(np.float32) * np.float32(0.05) for _ in range(20)]


def one(index: int) -> bytes:
    speech, noise = _SPEECH[index % len(_SPEECH)], _NOISE[index % len(_NOISE)]
    part = fitted(noise, len(speech), _RATE, start=(index * 7919) % (len(noise) - len(speech)))
    mixed = mix(speech, part, 5.0 + index % 10, _RATE)
    return hashlib.sha256(mixed.samples.tobytes()).digest() if index < 64 else b""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=24000)
    parser.add_argument("--clips", type=int, default=6000)
    chosen = parser.parse_args()
    hashes = {}
    for workers in sorted({1, os.cpu_count() or 1}):
        with multiprocessing.get_context("fork").Pool(workers, initializer=prepare, initargs=(chosen.rate,)) as pool:
            pool.map(one, range(200), chunksize=25)
            started = time.perf_counter()
            digests = pool.map(one, range(chosen.clips), chunksize=100)
            seconds = time.perf_counter() - started
        hashes[workers] = hashlib.sha256(b"".join(digests)).hexdigest()
        print(f"{workers} worker(s), {chosen.rate} Hz: {chosen.clips / seconds:,.0f} clips of 8 s a second")
    assert len(set(hashes.values())) == 1, "the number of workers changed a byte"
    print(f"the same bytes with 1 and {max(hashes)} workers; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
