"""A deletion has a reason and names a rule that allows it."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.deletion_reason:
        yield "deletion_reason is empty"
    if not pair.deletion_rule_id:
        yield "deletion_rule_id is empty"
        return
    if pair.offered is None:
        return
    rule = words.book.rule(pair.deletion_rule_id)
    if rule is None or rule.id not in pair.offered:
        yield f"deletion_rule_id {pair.deletion_rule_id!r} is not one of the rules shown with this item"
    elif not rule.may_delete:
        yield f"rule {rule.id} does not allow a deletion"
