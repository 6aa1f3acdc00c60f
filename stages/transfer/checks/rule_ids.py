"""The rules that the translator reports exist and were in its request."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.offered is None:
        return
    for rule_id in pair.rule_ids:
        if rule_id not in pair.offered:
            yield f"{rule_id!r} is not one of the rules shown with this item"
