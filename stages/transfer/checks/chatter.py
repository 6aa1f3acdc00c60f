"""The target is the item alone: no remark on the translation, no heading before it."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if (said := found(words.lexicon.chatter, pair.prompt)) and "translat" not in pair.item.prompt.casefold():
        yield f"the text speaks of the translation: {said.strip()!r}"
