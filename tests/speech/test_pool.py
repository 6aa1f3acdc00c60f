"""A pool finishes what can be finished, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.core.paths import ROOT
from stages.speech.pool import Pool
from tests.speech import workers

Task = tuple[str, str]


def _run(tasks: list[Task], threads: bool = False, count: int = 2) -> tuple[dict[Task, str], dict[Task, str]]:
    results: dict[Task, str] = {}

    def then(task: Task, result: str) -> None:
        assert task not in results
        results[task] = result

    with Pool(workers.build, count, threads) as pool:
        failures = pool.run(tasks, then)
    return results, {failure.task: failure.why for failure in failures}


@pytest.mark.parametrize("threads", [False, True])
def test_every_task_is_done_once_and_may_bring_another(threads: bool) -> None:
    done: list[Task] = []

    def then(task: Task, result: str) -> Task | None:
        done.append(task)
        return ("square", result) if int(result) < 100 else None

    with Pool(workers.build, 2, threads) as pool:
        assert pool.run([("square", "2"), ("square", "3"), ("square", "20")], then) == []
    assert sorted(int(value) for _, value in done) == [2, 3, 4, 9, 16, 20, 81]


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    tasks = [("square", str(n)) for n in range(6)]
    tasks.insert(2, ("die-once", str(tmp_path / "died")))
    results, failures = _run(tasks)
    assert failures == {}
    assert results.keys() == set(tasks)


def test_a_worker_killed_while_idle_is_replaced() -> None:
    with Pool(workers.build, 2) as pool:
        assert pool.run([("square", "1"), ("square", "2")], lambda task, result: None) == []
        for process in list(pool._executor._processes.values()):  # type: ignore[union-attr]
            process.kill()
            process.join()
        seen: list[str] = []
        assert pool.run([("square", "3")], lambda task, result: seen.append(result)) == []
    assert seen == ["9"]


def test_a_task_that_kills_its_worker_is_found_and_the_others_go_on() -> None:
    tasks = [("square", "1"), ("die", ""), *(("square", str(n)) for n in range(2, 8))]
    results, failures = _run(tasks)
    assert failures.keys() == {("die", "")}
    assert "died" in failures["die", ""]
    assert len(results) == 7


@pytest.mark.parametrize("threads", [False, True])
def test_a_refused_task_is_reported_and_the_others_go_on(threads: bool) -> None:
    results, failures = _run([("refuse", "one"), ("square", "5")], threads)
    assert failures == {("refuse", "one"): "one cannot be done."}
    assert results == {("square", "5"): "25"}


def test_nothing_new_is_tried_after_many_failures_in_a_row() -> None:
    results, failures = _run([*(("refuse", str(n)) for n in range(20)), ("square", "5")], threads=True, count=1)
    assert results == {}
    assert len(failures) == 21
    assert sum("cannot be done" in why for why in failures.values()) == 8


def test_a_worker_that_cannot_be_built_is_a_sentence() -> None:
    with Pool(workers.build_badly, 1) as pool:
        (failure,) = pool.run([("square", "1")], lambda task, result: None)
    assert failure.why == "The model is not there; install it."


def test_a_bug_in_a_worker_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        _run([("crash", "")])


def test_workers_leave_when_their_parent_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "from stages.speech.pool import Pool; from tests.speech import workers\n"
        f"if __name__ == '__main__':\n    Pool(workers.build, 1).run([('sleep', {str(note)!r})], lambda task, result: None)"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    parent = subprocess.Popen([sys.executable, str(script)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    worker = _wait_for(lambda: int(note.read_text() or 0) if note.exists() else 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _wait_for(lambda: not Path(f"/proc/{worker}").exists() or " Z " in Path(f"/proc/{worker}/stat").read_text())


def _wait_for(what, seconds: float = 15.0):  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")
