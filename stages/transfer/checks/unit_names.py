"""Units and currencies of the source survive: nothing is measured in another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced:
        return
    texts = [(stem_of(pair), target_stem_of(pair))]
    if len(pair.options) == len(pair.source_options):
        texts += [(source.text, target.text) for source, target in zip(pair.source_options, pair.options, strict=True)]
    whole = " ".join([pair.prompt, *(option.text for option in pair.options)])
    for unit, names in words.lexicon.unit_names.items():
        if (seen := found([unit], pair.item.prompt)) and not found(names, whole):
            yield f"the unit of {seen.strip(' -')!r} is missing (as {' or '.join(names)})"
        elif seen and any(_fewer(unit, names, *each) for each in texts):
            yield f"the unit of {seen.strip(' -')!r} stands less often than in the source (as {' or '.join(names)})"


def _fewer(unit: str, names: list[str], source: str, target: str) -> bool:
    """Whether a text that measures in `unit` still has digits but names the unit less often than the source."""
    before = len(re.findall(unit, source, re.IGNORECASE))
    return 0 < before <= len(re.findall(r"\d[\d.,]*", target)) and len(re.findall("|".join(names), target, re.IGNORECASE)) < before
