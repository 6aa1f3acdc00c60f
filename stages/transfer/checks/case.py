"""Nothing is said about upper or lower case, unless the language has it."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.format not in ("ifeval", "open"):
        return
    if word := found(words.lexicon.case_words, pair.prompt):
        yield f"the question still speaks of letter case: {word!r}"
