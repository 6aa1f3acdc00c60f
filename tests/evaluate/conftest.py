from __future__ import annotations

from pathlib import Path

import pytest

from stages.core import files, shards
from tests.evaluate import world
from tests.evaluate.clips import TONES, tone


@pytest.fixture(autouse=True)
def _own_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small world: a few rows of every subset."""
    return world.build(tmp_path, share=0.02)


@pytest.fixture
def spoken(root: Path) -> Path:
    """The Korean bbh questions of the world, three of them, with a clip each."""
    path = root / "data/validate/bbh/rows.jsonl"
    files.write_jsonl(path, [row for row in files.read_jsonl(path) if row["id"] in TONES])
    shards.write_shards(root / "data/synthesize/bbh", [(id, tone(pitch)) for id, pitch in TONES.items()])
    return root
