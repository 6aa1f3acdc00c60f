"""One hundred repetitions in shuffled order, with different hash seeds and numbers of workers, give one result."""

from __future__ import annotations

import os
import subprocess
import sys

from stages.core.paths import ROOT


def test_scores_are_the_same_in_any_order_process_and_number_of_workers() -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.evaluate.repeated", "25", str(workers), str(seed)],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed, workers in ((0, 1), (1, 1), (2, 2), (3, 3))
    ]
    seen = {line for run in runs for line in run.communicate()[0].splitlines()}
    assert [run.returncode for run in runs] == [0, 0, 0, 0]
    assert len(seen) == 1
