"""Yes stays yes, no stays no, said in the target language."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.source_key not in ("yes", "no"):
        return
    wanted = words.language.yes if pair.source_key == "yes" else words.language.no
    if pair.answer not in wanted and not pair.corrected:
        yield f"the answer is {pair.answer!r}, but {pair.source_key!r} is {wanted[0]}"
    if pair.key_claimed and pair.key_claimed != pair.source_key:
        yield f"the answer to the new question is said to be {pair.key_claimed}, but the key of the item is {pair.source_key}"
