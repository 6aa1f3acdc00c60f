"""A comparison in the source's question is one in the target's, too."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format not in ("multiple_choice", "short_answer"):
        return
    for comparison, wordings in words.lexicon.comparisons.items():
        if (seen := found([comparison], stem_of(pair))) and not found(wordings, target_stem_of(pair)):
            yield f"the source says {seen!r}, the question compares nothing"
