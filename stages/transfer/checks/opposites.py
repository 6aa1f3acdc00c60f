"""No word is turned into its opposite: before stays before, the largest does not become the smallest.

Looked for in the question and in each option by itself, where the source has one of two opposites and the target only the other.

    "the largest desert"   -> "the smallest desert"
    "it increases"         -> "it decreases", as the same option
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words
from stages.transfer.lexicon import Opposites
from stages.transfer.rules import found

_LONGEST = 1200
"""Characters; in a longer text a word has too many others that may stand for it."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format not in ("multiple_choice", "short_answer", "open") or len(pair.item.prompt) > _LONGEST:
        return
    segments = [("", stem_of(pair), target_stem_of(pair))]
    if len(pair.options) == len(pair.source_options):
        segments += [(f" in option {place}", source.text, target.text)
                     for place, (source, target) in enumerate(zip(pair.source_options, pair.options, strict=True), 1)]  # fmt: skip
    for where, source, target in segments:
        for pair_of_words in words.lexicon.opposites:
            if turned := _turned(pair_of_words, source, target):
                yield f"the source says {turned[0]!r}{where}, but the target only {turned[1]!r}"


def _turned(words: Opposites, source: str, target: str) -> tuple[str, str] | None:
    for one, other in ((0, 1), (1, 0)):
        seen = found([words.source[one]], source)
        if seen and not found([words.source[other]], source) and not _said([*words.said[one], *words.also[one]], target):
            instead = _said(words.said[other], target)
            if instead:
                return seen, instead
    return None


def _said(beginnings: list[str], text: str) -> str | None:
    """The first word of `text` that begins with one of `beginnings`."""
    hit = re.search(rf"(?<!\w)(?:{'|'.join(beginnings)})\w*", text)
    return hit[0] if hit else None
