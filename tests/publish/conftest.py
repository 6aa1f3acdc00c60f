from __future__ import annotations

from pathlib import Path

import pytest

from stages.core import files
from tests.publish.builds import small


@pytest.fixture
def root(tmp_path: Path) -> Path:
    small(tmp_path)
    files.write_text(tmp_path / "rulebooks/ko/one.yaml", "version: 3\nrules: [{id: a, do: 세다}]\n")
    files.write_text(tmp_path / "conf/prompt/p.txt", "prompt\n")
    return tmp_path
