"""Something in the source speaks for a deletion: a triggered rule that asks for a replacement or a deletion.

Rules are triggered by patterns, which miss things, so a translator that insists is believed (stages.transfer.hypertranslate);
what this prevents is a deletion for convenience.
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import DELETED, Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not any(DELETED in rule.categories or (rule.may_delete and rule.when != type(rule.when)()) for rule in words.triggered(pair)):
        yield "nothing in the item is known to be about English form; carry it over, or insist by replying with the same deletion and a precise reason"
