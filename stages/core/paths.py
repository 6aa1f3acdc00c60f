"""Where things lie. Inside a queued DVC experiment the working folder is a copy; the caches stay with the main checkout."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def cache_dir() -> Path:
    """The folder of everything that cost something (replies, speech, assembled weights): `.cache` of the main checkout.

    `BENCHFERRY_CACHE` overrides it. DVC sets `DVC_ROOT` to the main checkout inside queued experiments, so that an
    experiment never pays again for what the main checkout already has.
    """
    chosen = os.environ.get("BENCHFERRY_CACHE")
    base = Path(chosen) if chosen else Path(os.environ.get("DVC_ROOT") or ROOT) / ".cache"
    return base.resolve()
