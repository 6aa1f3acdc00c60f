"""What a Hub does wrong when a test orders it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass
class Fault:
    """Happens to the next `times` requests whose "METHOD path" matches."""

    match: str
    """A regular expression, searched in such as "PUT /lfs/abc...", "POST /api/datasets/a/b/commit/main"."""
    status: int = 0
    """Answer with this status without doing anything. 0: see the others."""
    times: int = 1
    retry_after_s: int | None = None
    message: str = ""
    cut_after_bytes: int | None = None
    """Close the connection after so many bytes of the request's body."""
    flip: bool = False
    """Take the body with one bit changed, as a broken line would."""
    lose_answer: bool = False
    """Do what is asked, then answer `status` (504) all the same."""
    hang_s: float = 0.0
    """Take so long before anything is read: time for a test to kill the client in mid-upload."""
    skip: int = 0
    """Let so many matching requests pass first."""

    def strikes(self, request: str) -> bool:
        if not self.times or not re.search(self.match, request):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True
