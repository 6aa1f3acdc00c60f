from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from stages.llm import ClientSettings, Request, Role
from tests.llm.server import Server, Verdict


@pytest.fixture(autouse=True)
def store_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the test's own."""
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "replies.sqlite"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def role(server: Server) -> Role:
    return Role(name="reviewer", model="test-model", base_url=server.url, temperature=0, concurrency=8, timeout_s=5, max_attempts=4)


@pytest.fixture
def live() -> ClientSettings:
    return ClientSettings(mode="live", backoff_s=0.01, backoff_cap_s=0.05)


@pytest.fixture
def replay() -> ClientSettings:
    return ClientSettings(mode="replay")


@pytest.fixture
def requests(role: Role) -> Callable[..., list[Request]]:
    def make(count: int, schema: type[BaseModel] | None = Verdict, role: Role = role) -> list[Request]:
        return [
            Request(f"sd-qa-{n:05d}", role, ({"role": "system", "content": "Judge."}, {"role": "user", "content": f"question {n}"}), schema)
            for n in range(count)
        ]

    return make
