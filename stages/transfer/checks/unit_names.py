"""Units and currencies of the source survive: nothing is measured in another unit."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced:
        return
    yield from _lost(pair.item.prompt, " ".join([pair.prompt, *(option.text for option in pair.options)]), words)


def _lost(source: str, target: str, words: Words) -> Iterator[str]:
    for unit, names in words.lexicon.unit_names.items():
        if (seen := found([unit], source)) and not found(names, target):
            yield f"the unit of {seen.strip(' -')!r} is missing (as {' or '.join(names)})"
