"""The length is plausible: nothing was cut off, nothing added. Characters without spaces, against the source's.

Careful Korean has 0.36 to 0.97 of the source's characters (117 pairs); the bounds leave room on both sides, more above for a context
that Korean must say.
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_SHORTEST, _LONGEST, _SLACK = 0.22, 1.05, 30
_FROM = 40
"""Shorter sources are not judged: their ratio says nothing."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    before, after = len("".join(pair.item.prompt.split())), len("".join(pair.prompt.split()))
    if pair.replaced or before < _FROM or not after:
        return
    if after < before * _SHORTEST:
        yield f"the question has {after} characters for {before} of the source; something seems to be missing"
    if after > before * _LONGEST + _SLACK:
        yield f"the question has {after} characters for {before} of the source; something seems to be added"
