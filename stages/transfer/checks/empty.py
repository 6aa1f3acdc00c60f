"""A kept item has a question in the target language."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.prompt:
        yield "the question is empty"
    elif not words.in_script(pair.prompt):
        yield "the question has no word in the target language"
