"""Whether an answer says yes or no: verdict words before statements, and the last of them. The words are each language's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """One place where an answer says yes or no."""

    at: int
    yes: bool
    explicit: bool
    """A verdict word or `the answer is ...`; otherwise a statement that answers the question by its content."""


def decide(said: Iterable[Said], corrections: Iterable[re.Match[str]]) -> bool | None:
    """The verdict. What follows a correction counts before what precedes it; explicit before implied; the last one before others."""
    found = sorted(said, key=lambda one: (one.at, one.explicit))
    for start in [*sorted((match.end() for match in corrections), reverse=True), 0]:
        later = [one for one in found if one.at >= start]
        explicit = [one for one in later if one.explicit]
        if later:
            return (explicit or later)[-1].yes
    return None
