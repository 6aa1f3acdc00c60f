"""What several rooms' tests share. `shared` is the optional folder of acceptance tables and mirrors beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.core.paths import ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (acceptance tables and mirrors), which is not here")
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No test reads or writes the checkout's stores. Weights stay shared: they are verified and slow to assemble."""
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "cache"))
