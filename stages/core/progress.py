"""Progress of long work: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LOG_EVERY_S = 15.0


class Progress:
    """Counts of one piece of work. `note` is shown beside the count: cost, cache hits, what is being done."""

    def __init__(self, label: str) -> None:
        self.label = label

    @contextmanager
    def task(self, what: str, total: int) -> Iterator[Task]:
        task = Task(f"{self.label} {what}".strip(), total)
        try:
            yield task
        finally:
            task.close()


class Task:
    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.note = what, total, 0, ""
        self._shown_at = time.monotonic()
        self._bar = None
        if sys.stderr.isatty() and total > 1:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._id = self._bar.add_task(what, total=total, note="")

    def advance(self, count: int = 1, note: str | None = None) -> None:
        self.done += count
        if note is not None:
            self.note = note
        if self._bar is not None:
            self._bar.update(self._id, completed=self.done, note=self.note)
        elif time.monotonic() - self._shown_at >= _LOG_EVERY_S:
            self._shown_at = time.monotonic()
            print(f"{self.what}: {self.done}/{self.total} {self.note}".rstrip(), file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
