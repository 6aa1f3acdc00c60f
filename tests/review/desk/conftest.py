from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.core.paths import ROOT
from tests.review.desk import builds


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return builds.build(tmp_path / "build")


class Server:
    """The desk as a process of its own, which can be killed and started again on the same port."""

    def __init__(self, root: Path, *keys: str, env: dict[str, str] | None = None) -> None:
        self.root, self.keys, self.env, self.port = root, keys, env or {}, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "stages.review.desk", f"root={self.root}", f"port={self.port}", *self.keys]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, **self.env})
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        found = re.search(r"http://[^ ]*?:(\d+)/", self.line)
        assert found, f"the desk did not start: {self.line!r}"
        self.port = int(found[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=10)


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    running = Server(root, "poll_s=0.3")
    yield running
    running.stop()


@pytest.fixture
def started() -> Iterator[Any]:
    """Starts desks with other settings: started(root, "host=0.0.0.0")."""
    running: list[Server] = []

    def start(root: Path, *keys: str, env: dict[str, str] | None = None) -> Server:
        running.append(Server(root, *keys, env=env))
        return running[-1]

    yield start
    for one in running:
        one.stop()
