"""Workers that do slow tasks side by side and survive being killed.

A pool has N processes (spawned, so that no thread or lock is inherited) or, for work that is done elsewhere, N threads.
Each builds its own worker once. When a process dies (out of memory, kill -9, a crash in native code) all of them are
replaced and what was in flight is done again, from then on one task at a time, so that a task that kills its worker is
found: after `_MAX_DEATHS` lonely deaths it is given up and reported, and the other tasks go on.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from stages.core.errors import UserError

T = TypeVar("T")
R = TypeVar("R")

_MAX_DEATHS = 2
_DIED = f"its worker died {_MAX_DEATHS} times (out of memory, or a crash in a model's native code)."
_MAX_FAILURES_IN_A_ROW = 8
"""So many failed tasks in a row are not bad luck: a server is down, a disk full."""


@dataclass(frozen=True)
class Failure(Generic[T]):
    """A task that could not be done, and why."""

    task: T
    why: str


class Pool(Generic[T, R]):
    """`build()` makes a worker, `worker(task)` does a task; both must be picklable for processes. Started at first use."""

    def __init__(self, build: Callable[[], Callable[[T], R]], workers: int, threads: bool = False) -> None:
        self._build, self._workers, self._threads = build, workers, threads
        self._executor: Executor | None = None

    def run(self, tasks: Iterable[T], then: Callable[[T, R], T | None]) -> list[Failure[T]]:
        """Do every task; `then(task, result)` is called here as results arrive and may return a further task.

        Returns the tasks that failed with a UserError or killed their worker. After several failures in a row nothing
        new is started.
        """
        waiting = deque(tasks)
        suspects: deque[T] = deque()
        deaths: dict[int, int] = {}
        running: dict[Future[R], T] = {}
        failures: list[Failure[T]] = []
        in_a_row = 0
        try:
            while running or ((waiting or suspects) and in_a_row < _MAX_FAILURES_IN_A_ROW):
                while len(running) < (1 if suspects else self._workers) and (waiting or suspects) and in_a_row < _MAX_FAILURES_IN_A_ROW:
                    if suspects and running:
                        break
                    task = suspects[0] if suspects else waiting.popleft()
                    running[self._started().submit(_work, task) if not self._threads else self._started().submit(self._work_in_thread, task)] = task
                    if suspects:
                        break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                broken: list[T] = []
                for future in done:
                    task = running.pop(future)
                    alone = bool(suspects) and suspects[0] is task
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        broken.append(task)
                        continue
                    except UserError as error:
                        in_a_row += 1
                        failures.append(Failure(task, str(error)))
                        if alone:
                            suspects.popleft()
                        continue
                    in_a_row = 0
                    if alone:
                        suspects.popleft()
                    further = then(task, result)
                    if further is not None:
                        waiting.appendleft(further)
                if broken:
                    broken += running.values()
                    running.clear()
                    self._restart()
                    if suspects:
                        (task,) = broken
                        deaths[id(task)] = deaths.get(id(task), 0) + 1
                        if deaths[id(task)] >= _MAX_DEATHS:
                            suspects.popleft()
                            in_a_row += 1
                            failures.append(Failure(task, _DIED))
                    else:
                        suspects.extend(broken)
        except BaseException:
            self.close(now=True)
            raise
        failures += [Failure(task, "nothing was tried any more after so many failures in a row.") for task in [*suspects, *waiting]]
        return failures

    def close(self, now: bool = False) -> None:
        """Stop the workers; `now` does not wait for what they are doing."""
        if self._executor is None:
            return
        executor, self._executor = self._executor, None
        if now and isinstance(executor, ProcessPoolExecutor):
            for process in list((executor._processes or {}).values()):
                process.kill()
        executor.shutdown(wait=not now, cancel_futures=True)

    def __enter__(self) -> Pool[T, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _restart(self) -> None:
        self.close()

    def _started(self) -> Executor:
        if self._executor is None:
            if self._threads:
                self._local = threading.local()
                self._executor = ThreadPoolExecutor(self._workers, thread_name_prefix="speech")
            else:
                context = multiprocessing.get_context("spawn")
                self._executor = ProcessPoolExecutor(self._workers, mp_context=context, initializer=_start, initargs=(self._build,))
        return self._executor

    def _work_in_thread(self, task: T) -> R:
        if not hasattr(self._local, "worker"):
            self._local.worker = self._build()
        result: R = self._local.worker(task)
        return result


_build: Callable[[], Callable[[Any], Any]] | None = None
_worker: Callable[[Any], Any] | None = None


def _start(build: Callable[[], Callable[[Any], Any]]) -> None:
    """In each new process. The worker itself is built with the first task, where an error can be reported."""
    global _build
    _build = build
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: Any) -> None:
    """A worker whose parent was killed would wait for its queue for ever."""
    import os

    parent.join()
    os._exit(1)


def _work(task: Any) -> Any:
    global _worker
    if _worker is None:
        assert _build is not None
        _worker = _build()
    return _worker(task)
