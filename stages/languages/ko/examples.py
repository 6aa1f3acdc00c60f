"""Every example of the rulebook as (rule id, written, spoken): what the tests run and the docs show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Example(NamedTuple):
    rule_id: str
    written: str
    spoken: str


def pair(example: str | dict[str, str]) -> tuple[str, str]:
    """`in → out`, or a mapping with `in` and `out` where the text itself has an arrow."""
    if isinstance(example, dict):
        return example["in"], example["out"]
    written, _, spoken = example.rpartition(" → ")
    return written, spoken


def examples(tree: dict[str, Any]) -> Iterator[Example]:
    """All of them, in the order of the file."""
    for entry in tree["precedence"]:
        yield Example("precedence", *pair(entry["example"]))
    for text in tree["non_targets"]:
        yield Example("non_targets", text, text)
    for entry in tree["bad_input"]:
        yield Example("bad_input", entry["in"], entry["out"])
    for rule in tree["rules"]:
        for example in [*rule.get("examples", []), *rule.get("counterexamples", [])]:
            yield Example(rule["id"], *pair(example))
    for group in tree["counters"]:
        for word, example in group["words"].items():
            yield Example(f"{group['id']} {word}", *pair(example))
    for word, senses in tree["counter_senses"].items():
        for sense in senses:
            for example in sense["examples"]:
                yield Example(f"counter.context.{sense['sense']} {word}", *pair(example))
    for group in tree["units"]:
        for symbol, (_, example) in group["symbols"].items():
            yield Example(f"{group['id']} {symbol}", *pair(example))
    for table in ("currencies", "word_acronyms", "extensions"):
        for key, (_, example) in tree[table].items():
            yield Example(f"{table} {key}", *pair(example))
    for key, spoken in tree["lexical"].items():
        yield Example(f"lexical {key}", key, spoken)
