from __future__ import annotations

import subprocess
import sys

from stages.core.paths import ROOT


def test_a_stage_that_replays_loads_no_network_code() -> None:
    heavy = ["asyncio", "aiohttp", "openai", "polars"]
    code = f"import sys, stages.llm, stages.llm.plan, stages.llm.exchange; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.stdout == "[]\n", done.stderr
