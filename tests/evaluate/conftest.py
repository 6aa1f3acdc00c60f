from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluate import world


@pytest.fixture(autouse=True)
def _own_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small world: a few rows of every subset."""
    return world.build(tmp_path, share=0.02)
