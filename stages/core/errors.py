"""The errors that a user meets: one clear sentence, no traceback.

A sentence says what is wrong, where (file, item id or config key) and what to do. `stages.core.app` prints it and exits
with 1. Anything else that escapes is a bug of ours and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something that the user can put right. The message is one sentence, ready to be shown."""


def nearest(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` for the known name closest to `name`, or the empty string when none is close."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {found[0]!r}?" if found else ""
