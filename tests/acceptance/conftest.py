from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.acceptance import live
from tests.acceptance.live import LiveBuild
from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of four subsets, of which bbh and sd-qa are hypertranslated. Copy it, do not change it."""
    project = Project.make(tmp_path_factory.mktemp("base") / "project")
    project.only("bbh", "openbookqa", "sd-qa", "trivia_qa")
    assert project.run("stages.compose").code == 0
    with ThreadPoolExecutor(os.cpu_count()) as together:
        list(together.map(lambda subset: project.build(subset, "ingest", "correct", "hypertranslate"), ("bbh", "sd-qa")))
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    """A copy of `base` for one test."""
    return base.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def pool() -> Iterator[ThreadPoolExecutor]:
    """As many commands at a time as there are processors; each is a process of its own."""
    with ThreadPoolExecutor(os.cpu_count()) as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def live_builds(pool: ThreadPoolExecutor, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[Future[LiveBuild]]:
    """The live build, begun before the first test because it takes longest; empty when no chosen test wants it."""
    if not any("live_build" in getattr(item, "fixturenames", ()) for item in request.session.items):
        return []
    return [pool.submit(live.build, Project.make(tmp_path_factory.mktemp("live") / "project"))]


@pytest.fixture
def live_build(live_builds: list[Future[LiveBuild]]) -> LiveBuild:
    return live_builds[0].result()
