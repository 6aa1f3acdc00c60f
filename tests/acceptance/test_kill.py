"""kill -9, Ctrl-C and a full disk in the middle of a stage that asks a model: nothing paid for is lost.

The same for synthesize is in tests/transfer/test_synthesize.py, and for the client under load in tests/llm/test_crash.py.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import time

import pytest

from tests.acceptance.oracle import answer, ask_live, counted
from tests.acceptance.project import STAGES, Project, Result
from tests.llm.server import Server

IN_FLIGHT = 2
ROWS = "data/hypertranslate/bbh/rows.jsonl"


@pytest.fixture
def calm(project: Project) -> bytes:
    """The rows of an undisturbed run; `project` has neither them nor the replies to them any more."""
    rows = project.path(ROWS).read_bytes()
    project.path(ROWS).unlink()
    with sqlite3.connect(project.cache / "replies.sqlite") as db:
        db.execute("DELETE FROM replies WHERE role = 'translator'")
    db.close()
    return rows


def stored(project: Project) -> int:
    db = sqlite3.connect(f"file:{project.cache / 'replies.sqlite'}?mode=ro", uri=True)
    try:
        return int(db.execute("SELECT count(*) FROM replies WHERE role = 'translator'").fetchone()[0])
    finally:
        db.close()


def stopped(project: Project, after: int, sign: signal.Signals) -> Result:
    """What a run says that gets `sign`, as from a terminal, once `after` replies are stored."""
    process = project.start(STAGES["hypertranslate"], "bbh")
    until = time.monotonic() + 60
    while stored(project) < after and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(process.pid, sign)
    out, err = process.communicate(timeout=30)
    assert stored(project) >= after
    return Result(process.returncode, out, err)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_stage_goes_on_where_it_was(project: Project, calm: bytes, sign: signal.Signals) -> None:
    with Server(answer=answer, latency_s=0.4) as server:
        ask_live(project, server.url, concurrency=IN_FLIGHT)
        result = stopped(project, IN_FLIGHT, sign)
        if sign == signal.SIGINT:
            assert (result.code, result.err.count("\n")) == (130, 1)
            assert result.err.startswith("stopped; ")
        else:
            assert result.code == -signal.SIGKILL
        assert not project.path(ROWS).exists()
        before = stored(project)
        server.latency_s = 0.0
        project.build("bbh", "hypertranslate")
        calls = counted(server.requests)
        assert before < stored(project) == len(calls), "it was stopped in the middle"
    assert project.path(ROWS).read_bytes() == calm
    assert sum(calls.values()) - len(calls) <= IN_FLIGHT
    assert max(calls.values()) <= 2


def test_a_disk_that_fills_up_keeps_what_was_stored(project: Project, calm: bytes) -> None:
    full = 36 << 10
    with Server(answer=answer) as server:
        ask_live(project, server.url, concurrency=1)
        limited = project.run(STAGES["hypertranslate"], "bbh", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (full, full)))
        assert limited.code == 1
        assert limited.err.startswith("error: The reply store ")
        assert limited.err.count("\n") == 1
        before = stored(project)
        project.build("bbh", "hypertranslate")
        calls = counted(server.requests)
    assert 0 < before < len(calls)
    assert sum(calls.values()) - len(calls) <= 1, "one request was in flight when the disk was full"
    assert project.path(ROWS).read_bytes() == calm
