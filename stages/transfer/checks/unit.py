"""A count of words is asked for in the unit that the program counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    for one in pair.instructions:
        for unit in words.lexicon.units:
            number = one.kwargs.get(unit.kwarg)
            if one.id != unit.constraint or not isinstance(number, int):
                continue
            if hit := re.search(rf"(?<![\d,.])0*{number}\s*({'|'.join(unit.wrong)})", pair.prompt.replace(",", "")):
                yield f"the question says {hit[0]!r}, but {one.id} counts {unit.right}"
