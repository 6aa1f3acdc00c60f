"""The answer is not asked for in the source's language, unless a constraint says so."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.format != "ifeval" or any(one.kwargs.get("language") == "en" for one in pair.instructions):
        return
    if demand := found(words.lexicon.source_language_demand, pair.prompt):
        yield f"the question asks for an answer in English: {demand!r}"
