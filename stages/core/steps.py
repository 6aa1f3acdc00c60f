"""What each step of a filtering stage got, removed and left: the funnel that its report shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from stages.core.stage import Rejection


@dataclass
class Steps:
    """Counts by step, in the order in which steps are first counted. `report` is the stage's report, complete when the rows have passed."""

    report: dict[str, Any] = field(default_factory=lambda: {"steps": []})
    _lines: dict[str, dict[str, Any]] = field(default_factory=dict)

    def count(self, step: str, before: int, removed: int) -> None:
        """Add `before` rows that came to `step`, of which it removed `removed`."""
        if (line := self._lines.get(step)) is None:
            line = self._lines[step] = {"step": step, "before": 0, "removed": 0, "left": 0}
            self.report["steps"].append(line)
        line["before"] += before
        line["removed"] += removed
        line["left"] += before - removed

    def removing(self, step: str, before: int, rejections: Iterable[Rejection]) -> Iterator[Rejection]:
        """Pass the rejections of `step` on, and count them."""
        self.count(step, before, 0)
        for rejection in rejections:
            line = self._lines[step]
            line["removed"] += 1
            line["left"] -= 1
            yield rejection
