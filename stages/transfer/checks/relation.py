"""A bound is worded as the constraint has it: `less than N` never as N or fewer, `at least N` never as more than N."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import spoken_patterns
from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    bounds = [(one.id, n, one.kwargs.get("relation") or one.kwargs.get("let_relation")) for one in pair.instructions for n in _numbers(one.kwargs)]
    for id, number, relation in bounds:
        if relation is None or len({other for _, same, other in bounds if same == number}) > 1:
            continue  # a number with both bounds: its wording cannot be told apart
        for pattern in words.lexicon.relations.wrong.get(relation, []):
            if said := _said(pattern, number, pair, words):
                yield f"{id} is {relation} {number}, but the question says {said!r}"
                break


def _numbers(kwargs: dict[str, object]) -> list[int]:
    names = ("num_words", "num_sentences", "frequency", "let_frequency")
    return [value for name in names if isinstance(value := kwargs.get(name), int)]


def _said(pattern: str, number: int, pair: Pair, words: Words) -> str | None:
    for form in (rf"(?<![\d,.]){number}(?![\d,.]*\d)", *spoken_patterns(number, words)):
        if hit := re.search(pattern.replace("{n}", form), pair.prompt):
            return hit[0]
    return None
