"""The bundled corpora, and the stand-ins beside the project, read and cut once for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stages import compose
from stages.core import files, runner
from stages.core.paths import ROOT
from stages.ingest.corpus import STAGE as CORPUS
from stages.understanding.segments import STAGE as SEGMENTS

CORPORA = ("kss", "kmsav", "seoul_corpus")


@pytest.fixture(scope="session")
def mirror(shared: Path) -> Path:
    return shared / "mirror"


@pytest.fixture(scope="session")
def mirror_build(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with data/config.json of the profile kmmau_mirror, and data/corpus and data/segments of every corpus."""
    return build(tmp_path_factory.mktemp("mirror"), "kmmau_mirror", mirror)


@pytest.fixture(scope="session")
def sample_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of the bundled corpora."""
    return build(tmp_path_factory.mktemp("sample"), "sample", ROOT / "data/sample/raw")


def build(root: Path, profile: str, raw: Path) -> Path:
    (root / "conf").symlink_to(ROOT / "conf")
    (root / "rulebooks").symlink_to(ROOT / "rulebooks")
    shutil.copy(ROOT / f"conf/params/{profile}.yaml", root / "params.yaml")
    config = compose.resolve(compose.composed([*compose.knobs(root), f"raw={raw}"]))
    files.write_json(root / "data/config.json", config)
    for corpus in CORPORA:
        runner.run_stage(CORPUS, corpus, config["corpora"][corpus]["corpus"], root)
        runner.run_stage(SEGMENTS, corpus, config["corpora"][corpus]["segments"], root)
    return root
