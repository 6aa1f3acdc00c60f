"""Speed and memory of segment cutting: a Seoul Corpus of ten-minute recordings, read and cut into every kind of segment.

    python -m benchmarks.segments [--recordings 6] [--format flac] [--rate 22050]

Three cuts of the same speech (utterances, one speaker, dialogue) are made, so three times the speech is decoded, hashed and
written as FLAC. Told: seconds of recordings, and of segments, per second of CPU, and the largest memory of the process. The
aim is 200 times real time a core and less than 1 GiB. The part of a stage that only starts Python is not counted.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import yaml

from stages.core import files, runner
from stages.core.paths import ROOT
from stages.ingest.corpus import STAGE as CORPUS
from stages.understanding.segments import STAGE as SEGMENTS

SECONDS = 600
TIERS = ["phoneme", "pWord.prono.", "pWord.prono.", "utt.prono.", "pWord.ortho.", "pWord.ortho.", "utt.ortho."]


def write(folder: Path, count: int, form: str, rate: int) -> None:
    (folder / "label").mkdir(parents=True)
    (folder / "sound").mkdir()
    random = np.random.default_rng(0)
    time_s = np.arange(3 * rate) / rate
    utterance = sum(np.sin(2 * np.pi * 110 * k * time_s + k) * np.exp(-k / 4) for k in range(1, 12)) * 0.1
    for number in range(count):
        name = f"s{number + 1:02d}{'mf'[number % 2]}{(16, 25, 34, 45)[number % 4]}m1"
        noise = random.normal(size=SECONDS * rate) * 0.001
        stretches = []
        for start in range(0, SECONDS, 4):
            noise[start * rate : (start + 3) * rate] += utterance * random.uniform(0.5, 1)
            tag = "<IVER>" if start % 60 == 56 else f"말 {start} 을 합니다"
            stretches += [(start, start + 3, tag), (start + 3, start + 4, "<SIL>")]
        soundfile.write(folder / "sound" / f"{name}.{form}", noise.astype("float32"), rate, subtype="PCM_16")
        lines = ['"ooTextFile"', '"TextGrid"', "0", f"{SECONDS}", "<exists>", f"{len(TIERS)}"]
        for tier in TIERS:
            lines += ['"IntervalTier"', f'"{tier}"', "0", f"{SECONDS}", f"{len(stretches)}"]
            lines += [f'{start} {end} "{text}"' for start, end, text in stretches]
        (folder / "label" / f"{name}.TextGrid").write_bytes("\r\n".join(lines).encode("utf-16"))


def settings(folder: Path) -> dict[str, Any]:
    conf = yaml.safe_load((ROOT / "conf/corpus/seoul_corpus.yaml").read_text(encoding="utf-8"))
    place = {"root": str(folder.parent), "path": folder.name}
    capabilities = {name: {**use, "min_s": 2.0} for name, use in conf["segments"]["capabilities"].items()}
    tags = conf["corpus"]["tags"]
    return {
        "corpus": {**conf["corpus"], **place, "source": "benchmark", "revision": "1", "licence": "CC0-1.0"},
        "segments": {"original_dataset": "Benchmark", **place, "tags": tags, "cuts": conf["segments"]["cuts"], "capabilities": capabilities},
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", type=int, default=6)
    parser.add_argument("--format", choices=["flac", "wav"], default="flac")
    parser.add_argument("--rate", type=int, default=22050)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        write(root / "seoul_corpus", chosen.recordings, chosen.format, chosen.rate)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        values = settings(root / "seoul_corpus")
        for stage in (CORPUS, SEGMENTS):
            wall, cpu = time.monotonic(), time.process_time()
            report = runner.run_stage(stage, "seoul_corpus", values[stage.name], root)
            wall, cpu = time.monotonic() - wall, time.process_time() - cpu
            recorded = chosen.recordings * SECONDS
            speed = f"{recorded / cpu:.0f} s of recordings per CPU second"
            if stage is SEGMENTS:
                speed += f", {report['seconds_of_segments'] / cpu:.0f} s of segments"
            print(f"{stage.name}: {report['n_kept']} rows in {wall:.2f} s ({cpu:.2f} s CPU), {speed}")
        size = sum(path.stat().st_size for path in (root / "data/segments/seoul_corpus").glob("*.parquet"))
        longest = max(row["duration_s"] for row in files.read_jsonl(root / "data/segments/seoul_corpus/rows.jsonl"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"longest segment {longest:.0f} s, {size / 1e6:.0f} MB of FLAC; memory {peak / 1024:.0f} MiB at most, {before / 1024:.0f} MiB before")


if __name__ == "__main__":
    main()
