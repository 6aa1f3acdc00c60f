"""Each constraint is said in the question: what is checked must have been asked for.

    quotation, "Explain the tides."     -> nothing asks for quotation marks
    no_comma, "Put commas in."          -> the comma is not forbidden
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found


def check(pair: Pair, words: Words) -> Iterator[str]:
    for id in dict.fromkeys(one.id for one in pair.instructions):
        wordings = words.lexicon.mentions.get(id)
        if wordings and found(wordings, pair.prompt) is None:
            yield f"{id} is checked, but the question does not say it (looked for {' or '.join(wordings[:4])})"
