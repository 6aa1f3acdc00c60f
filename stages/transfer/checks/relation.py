"""A bound is worded as the constraint has it: `less than N` never as N or fewer, `at least N` never as more than N."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stages.transfer.checks.bounds import spoken_patterns
from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    bounds = [(one.id, n, relation) for one in pair.instructions for n, relation in _bounds(one.kwargs)]
    for id, number, relation in bounds:
        if relation is None or len({other for _, same, other in bounds if same == number}) > 1:
            continue  # a number with both bounds: its wording cannot be told apart
        for pattern in words.lexicon.relations.wrong.get(relation, []):
            if said := _said(pattern, number, pair, words):
                yield f"{id} is {relation} {number}, but the question says {said!r}"
                break


def _bounds(kwargs: dict[str, Any]) -> Iterator[tuple[int, str | None]]:
    """Numbers with their relation; what is counted without one must be there at least so often."""
    for name in ("num_words", "num_sentences", "frequency", "let_frequency"):
        if isinstance(value := kwargs.get(name), int):
            yield value, kwargs.get("relation") or kwargs.get("let_relation")
    for name in ("num_highlights", "num_placeholders"):
        if isinstance(value := kwargs.get(name), int):
            yield value, "at least"


def _said(pattern: str, number: int, pair: Pair, words: Words) -> str | None:
    for form in (rf"(?<![\d,.]){number}(?![\d,.]*\d)", *spoken_patterns(number, words)):
        if hit := re.search(pattern.replace("{n}", form), pair.prompt):
            return hit[0]
    return None
