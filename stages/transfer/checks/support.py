"""Something in the source speaks for a deletion: a triggered rule that asks for a replacement or a deletion.

Rules are triggered by patterns, which miss things, so a translator that insists is believed (stages.transfer.hypertranslate);
what this prevents is a deletion for convenience.
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import DELETED, Pair, Words
from stages.transfer.rules import When


def check(pair: Pair, words: Words) -> Iterator[str]:
    supporting = [rule for rule in words.triggered(pair) if DELETED in rule.categories or (rule.may_delete and rule.when != When())]
    if not supporting:
        yield "nothing in the item is known to rest on English form; carry it over, or insist with the same deletion and a precise reason"
