"""Workers for the pool's tests: importable, because a spawned process must find them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from stages.core.errors import UserError


def build() -> Callable[[tuple[str, str]], str]:
    return work


def build_badly() -> Callable[[tuple[str, str]], str]:
    raise UserError("The model is not there; install it.")


def work(task: tuple[str, str]) -> str:
    """`square N`, `die-once PATH`, `die`, `refuse`, `crash`, `sleep SECONDS`."""
    kind, value = task
    if kind == "square":
        return str(int(value) ** 2)
    if kind == "die" or (kind == "die-once" and not Path(value).exists()):
        if kind == "die-once":
            Path(value).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "refuse":
        raise UserError(f"{value} cannot be done.")
    if kind == "crash":
        raise ZeroDivisionError
    if kind == "sleep":
        Path(value).write_text(str(os.getpid()))
        time.sleep(60)
    return kind
