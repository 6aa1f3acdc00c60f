"""In a chain of statements about lying, as many lies are told of as before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_LIE = re.compile(r"\b(lies|lie|lying|lied|liar|untruth)\b", re.IGNORECASE)


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.task != "web_of_lies" or pair.replaced:
        return
    before = len(_LIE.findall(pair.item.prompt))
    after = sum(len(re.findall(pattern, pair.prompt)) for pattern in words.lexicon.lie)
    if before != after:
        yield f"the source tells of {before} lies, the question of {after}"
