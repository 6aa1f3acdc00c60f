"""The category is one that the triggered rules allow; where two disagree, the one of higher priority."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import allowed


def check(pair: Pair, words: Words) -> Iterator[str]:
    categories, rule = allowed(words.triggered(pair))
    if categories and pair.category not in categories:
        yield f"{pair.category} is not allowed by rule {rule}, which asks for {' or '.join(categories)}"
