"""Speed of word order and word frequency questions: `python -m benchmarks.understanding [KSS_FOLDER] [--questions N]`.

Reads a folder in the layout of KSS without its audio (by default ../shared/mirror/kss_text_only), makes segments by reference and asks until
there are N questions: three about each segment and without balancing counts, since most words of a sentence occur once; the
release takes one about each segment and balances. The aim is 10,000 questions in under 5 s, Python and the analyser started and all read and written.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

STARTED = time.perf_counter()
ROOT = Path(__file__).resolve().parents[1]

from stages.core import files, runner  # noqa: E402
from stages.ingest.corpus import STAGE as CORPUS  # noqa: E402
from stages.understanding.segments import STAGE as SEGMENTS  # noqa: E402
from stages.understanding.transcript import STAGE as QUESTIONS  # noqa: E402

LENGTHS = {"cut": "utterance", "min_s": 0.5, "max_s": 60.0}
CAPABILITIES = {
    "word_order": {"target": 2_300, "most": 8, "per_segment": 3},
    "word_frequency_counting": {"target": 7_700, "most": 6, "per_segment": 3, "tolerance": 10**6},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT.parent / "shared/mirror/kss_text_only")
    parser.add_argument("--questions", type=int, default=10_000)
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        sys.exit(f"error: {arguments.folder} is not here; give a folder in the layout of KSS.")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        seconds = {"start": time.perf_counter() - STARTED}
        where = {"root": str(arguments.folder.parent.resolve()), "path": arguments.folder.name}
        corpus = {"reader": "kss", **where, "source": "KSS", "revision": "local", "licence": "CC-BY-NC-SA-4.0", "audio": "optional"}
        _timed(seconds, "corpus", CORPUS, corpus, root)
        cuts = {"utterance": {"kind": "utterance"}}
        segments = {"original_dataset": "KSS", **where, "cuts": cuts, "capabilities": dict.fromkeys(CAPABILITIES, LENGTHS)}
        _timed(seconds, "segments", SEGMENTS, segments, root)
        _timed(seconds, "questions", QUESTIONS, {"language": "ko", "corpora": ["kss"], "seed": 0, "capabilities": CAPABILITIES}, root, "kmmau")
        rows = files.read_jsonl(root / "data/questions_transcript/kmmau/rows.jsonl")
    counts = Counter(row["capability"] for row in rows)
    total = time.perf_counter() - STARTED
    rate = len(rows) / (seconds["questions"])
    print(json.dumps({name: round(value, 2) for name, value in {**seconds, "total": total}.items()}))
    print(f"{len(rows)} questions ({', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}), {rate:.0f} a second")
    print(f"{arguments.questions} questions take {arguments.questions / rate:.2f} s from segments, {total:.2f} s with everything before")
    if len(rows) < arguments.questions:
        sys.exit(f"error: {arguments.folder} gives only {len(rows)} questions")


def _timed(seconds: dict[str, float], name: str, stage: Any, values: dict[str, Any], root: Path, unit: str = "kss") -> None:
    began = time.perf_counter()
    runner.run_stage(stage, unit, values, root)
    seconds[name] = time.perf_counter() - began


if __name__ == "__main__":
    main()
