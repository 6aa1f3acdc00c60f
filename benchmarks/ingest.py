"""How long the whole mirror takes to ingest, and how much memory: rows, shards and reports written as in a build.

    python -m benchmarks.ingest ../shared/mirror

The bar: 6,023 rows (3,524 of VoiceBench, 2,499 of OpenAudioBench) under 10 s and 1 GiB.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from stages.core import runner
from stages.ingest.stage import STAGE

SUBSETS = {
    "voicebench/alpacaeval_full": ("open", {}),
    "voicebench/bbh": ("bbh", {"task_from": "id"}),
    "voicebench/ifeval": ("ifeval", {}),
    "voicebench/openbookqa": ("multiple_choice", {}),
    "voicebench/mmsu": ("multiple_choice", {"task_from": "split"}),
    "voicebench/sd-qa": ("short_answer", {"splits": ["usa"], "task_from": "split"}),
    "openaudiobench/eval_datas/llama_questions": ("short_answer", {}),
    "openaudiobench/eval_datas/trivia_qa": ("short_answer", {}),
    "openaudiobench/eval_datas/web_questions": ("short_answer", {}),
    "openaudiobench/eval_datas/alpaca_eval": ("open", {}),
}


def main(mirror: Path) -> None:
    kept: dict[str, int] = {"voicebench": 0, "openaudiobench": 0}
    options = 0
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        for path, (format, special) in SUBSETS.items():
            source, name = path.split("/")[0], path.split("/")[-1]
            values = {"source": source, "root": str(mirror), "path": path, "repo_id": "mirror", "revision": "local", "licence": "see mirror",
                      "released_config": name, "format": format, **special}  # fmt: skip
            begun = time.perf_counter()
            report = runner.run_stage(STAGE, name, values, Path(out))
            kept[source] += report["n_kept"]
            options += report["n_kept"] if format == "multiple_choice" else report["tasks"].get("hyperbaton", 0)
            print(f"{name:16} {report['n_kept']:5} kept {report['n_rejected']:3} rejected {time.perf_counter() - begun:6.2f} s")
    seconds = time.perf_counter() - started
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{kept['voicebench']} + {kept['openaudiobench']} rows, options read in {options}: {seconds:.2f} s, peak {peak_mib:.0f} MiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
