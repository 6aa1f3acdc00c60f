"""What keeps a release from being published: collected first, then told all at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stages.core.errors import UserError

_MOST = 10


@dataclass(frozen=True, order=True)
class Problem:
    check: str
    where: str
    """A row id, a file of the release, or a config key."""
    what: str


def refuse(name: str, problems: Iterable[Problem]) -> None:
    """Raise UserError with every problem, one line for each check and complaint with the places that it concerns; none, no error."""
    groups: dict[tuple[str, str], list[str]] = {}
    for problem in sorted(set(problems)):
        groups.setdefault((problem.check, problem.what), []).append(problem.where)
    if groups:
        lines = [f"\n  {check}: {_some(places)}: {what}" for (check, what), places in groups.items()]
        count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
        raise UserError(f"{name} cannot be released ({count}); nothing was sent or replaced:{''.join(lines)}")


def _some(places: list[str]) -> str:
    return ", ".join(places[:_MOST]) + (f" and {len(places) - _MOST} more" if len(places) > _MOST else "")
