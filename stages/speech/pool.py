"""Workers that do slow tasks side by side and survive being killed.

A pool has N processes (spawned, so that no thread or lock is inherited) or, for work that is done elsewhere, N threads.
Each builds its own worker once. When a process dies (out of memory, kill -9, a crash in native code) all of them are
replaced and what was in flight is done again, from then on one task at a time, so that a task that kills its worker is
found: after `_MAX_DEATHS` lonely deaths it is given up and reported, and the other tasks go on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
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
_GIVEN_UP = "nothing was tried any more after so many failures in a row."
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
        """What was in flight when a process died; done again one at a time."""
        deaths: Counter[int] = Counter()
        running: dict[Future[R], T] = {}
        failures: list[Failure[T]] = []
        in_a_row = 0
        try:
            while running or ((suspects or waiting) and in_a_row < _MAX_FAILURES_IN_A_ROW):
                room = (1 if suspects else self._workers) - len(running)
                for _ in range(room if in_a_row < _MAX_FAILURES_IN_A_ROW else 0):
                    if suspects or waiting:
                        task = suspects[0] if suspects else waiting.popleft()
                        try:
                            running[self._submit(task)] = task
                        except BrokenProcessPool:  # a worker was killed a moment ago
                            waiting.extendleft([] if suspects else [task])
                            if not running:
                                self.close()
                            break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                dead: list[T] = []
                for future in done:
                    task = running.pop(future)
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        dead.append(task)
                        continue
                    except UserError as error:
                        in_a_row += 1
                        failures.append(Failure(task, str(error)))
                    else:
                        in_a_row = 0
                        further = then(task, result)
                        if further is not None:
                            waiting.appendleft(further)
                    if suspects and suspects[0] is task:
                        suspects.popleft()
                if dead:
                    dead += running.values()
                    running.clear()
                    self.close()
                    if not suspects:
                        suspects.extend(dead)
                    else:
                        deaths[id(suspects[0])] += 1
                        if deaths[id(suspects[0])] >= _MAX_DEATHS:
                            in_a_row += 1
                            failures.append(Failure(suspects.popleft(), _DIED))
        except BaseException:
            self.close(now=True)
            raise
        return failures + [Failure(task, _GIVEN_UP) for task in [*suspects, *waiting]]

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

    def _submit(self, task: T) -> Future[R]:
        executor = self._started()
        return executor.submit(self._work_in_thread, task) if self._threads else executor.submit(_work, task)

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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: Any) -> None:
    """A worker whose parent was killed would wait for its queue for ever."""
    parent.join()
    os._exit(1)


def _work(task: Any) -> Any:
    global _worker
    if _worker is None:
        assert _build is not None
        _worker = _build()
    return _worker(task)
