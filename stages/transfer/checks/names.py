"""Established names of the source are in the target, in one of their forms: Canada does not become another country.

Only names of the rulebook's list are looked for, with regard to case, and only in questions on facts: in an open request scenery may move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format not in ("multiple_choice", "short_answer", "bbh"):
        return
    segments = [(stem_of(pair), target_stem_of(pair))]
    if len(pair.options) == len(pair.source_options):
        segments += [(source.text, target.text) for source, target in zip(pair.source_options, pair.options, strict=True)]
    for source, target in segments:
        for name, forms in words.lexicon.names.items():
            if (seen := re.search(name, source)) and not any(re.search(form, target) for form in forms):
                yield f"{seen[0]!r} of the source is missing (as {' or '.join(forms)})"
