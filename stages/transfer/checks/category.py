"""The category is one that every triggered rule allows."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    for rule in words.triggered(pair):
        if rule.categories and pair.category not in rule.categories:
            yield f"{pair.category} is not allowed by rule {rule.id}, which asks for {' or '.join(rule.categories)}"
