"""The length is plausible: nothing was cut off, nothing added. Characters without spaces, against the source's."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_SHORTEST, _LONGEST = 0.15, 1.3
_FROM = 40
"""Shorter sources are not judged: their ratio says nothing."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    before, after = len("".join(pair.item.prompt.split())), len("".join(pair.prompt.split()))
    if pair.replaced or before < _FROM or not after:
        return
    if after < before * _SHORTEST:
        yield f"the question has {after} characters for {before} of the source; something seems to be missing"
    if after > before * _LONGEST + 40:
        yield f"the question has {after} characters for {before} of the source; something seems to be added"
