"""Checks of a transferred item against its source: one small file a kind, each general (none knows an item).

`check(pair, words)` yields what is wrong, one detail each. The order here is the order in which failures are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stages.transfer.checks import (
    aliases,
    case,
    category,
    chain,
    chatter,
    comparison,
    constraint_set,
    contrast,
    deletion,
    demand,
    empty,
    english,
    finished,
    introduced,
    key,
    kwargs,
    leak,
    length,
    lies,
    mentioned,
    minimal_pair,
    months,
    names,
    negation,
    numbers,
    opposites,
    options,
    polarity,
    relation,
    rule_ids,
    satisfiable,
    spelled,
    stated,
    steps,
    support,
    symbols,
    unit,
    unit_names,
)
from stages.transfer.checks.pair import DELETED, Failure, Pair, Words

Check = Callable[[Pair, Words], Iterator[str]]

ANY: dict[str, Check] = {"category": category.check, "rule_ids": rule_ids.check}
"""For every item."""
OF_DELETIONS: dict[str, Check] = {"deletion": deletion.check, "deletion_support": support.check}
OF_KEPT: dict[str, Check] = {
    "empty": empty.check,
    "options": options.check,
    "key": key.check,
    "polarity": polarity.check,
    "minimal_pair": minimal_pair.check,
    "contrast": contrast.check,
    "aliases": aliases.check,
    "constraint_set": constraint_set.check,
    "kwargs": kwargs.check,
    "stated": stated.check,
    "mentioned": mentioned.check,
    "relation": relation.check,
    "unit": unit.check,
    "satisfiable": satisfiable.check,
    "case": case.check,
    "source_language_demand": demand.check,
    "english": english.check,
    "numbers": numbers.check,
    "spelled": spelled.check,
    "months": months.check,
    "symbols": symbols.check,
    "unit_names": unit_names.check,
    "names": names.check,
    "comparison": comparison.check,
    "opposites": opposites.check,
    "steps": steps.check,
    "lies": lies.check,
    "chain": chain.check,
    "negation": negation.check,
    "introduced": introduced.check,
    "leak": leak.check,
    "length": length.check,
    "finished": finished.check,
    "chatter": chatter.check,
}


def run_checks(pair: Pair, words: Words) -> list[Failure]:
    """Everything that is wrong with `pair`; empty when it may pass."""
    chosen = ANY | (OF_DELETIONS if pair.category == DELETED else OF_KEPT)
    return [Failure(name, detail) for name, check in chosen.items() for detail in check(pair, words)]
