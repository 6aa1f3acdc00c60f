"""The target has the constraints that the rulebook's table keeps, with the numbers and codes that it sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.pair import RELATIONS, Instruction, Pair, Words, in_third_language


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.source_instructions:
        return
    actions = {one.id: entry.action if (entry := words.book.constraint(one.id)) else "kept" for one in pair.source_instructions}
    source = Counter(one.id for one in pair.source_instructions)
    have = Counter(one.id for one in pair.instructions)
    for id in sorted(have):
        entry = words.book.constraint(id)
        if entry and entry.action == "removed":
            yield f"{id} must not be there: it cannot be kept in the target language"
        elif have[id] > source[id] and not _restated(id, source):
            yield f"{id} must not be there: the source does not have it"
    for id in sorted(source):
        if actions[id] != "removed" and have[id] < source[id] and not any(_restated(other, source) for other in have):
            yield f"{id} is missing"
    if not pair.instructions:
        yield "no constraint is left to be checked"
    for one in pair.instructions:
        yield from _codes(one, pair, words)
    yield from _changed_values(pair, actions)


def _restated(id: str, source: Counter[str]) -> bool:
    """Whether `id` is new, and may restate a length of the source in another unit."""
    return id not in source and id.startswith("length_constraints:") and any(known.startswith("length_constraints:") for known in source)


def _codes(one: Instruction, pair: Pair, words: Words) -> Iterator[str]:
    for name in ("relation", "let_relation"):
        if name in one.kwargs and one.kwargs[name] not in RELATIONS:
            yield f"{one.id} has {name} {one.kwargs[name]!r}, which must be one of {', '.join(RELATIONS)}"
    entry = words.book.constraint(one.id)
    for name, table in (entry.fixed if entry else {}).items():
        if name == "letter" and in_third_language(pair.source_instructions, words.book):
            continue
        if (value := one.kwargs.get(name)) in table and table[value] != value:
            yield f"{one.id} has {name} {value!r}, which must become {table[value]!r}"


def _changed_values(pair: Pair, actions: dict[str, str]) -> Iterator[str]:
    """Numbers and bounds, compared where an id occurs equally often on both sides. A remapped count may have a number of its own."""
    for id in sorted({one.id for one in pair.instructions}):
        before = [one.kwargs for one in pair.source_instructions if one.id == id]
        after = [one.kwargs for one in pair.instructions if one.id == id]
        if len(before) != len(after):
            continue
        for old, new in zip(before, after, strict=True):
            for name, value in old.items():
                free = actions.get(id) == "remapped" or name == "num_words"
                if isinstance(value, int) and new.get(name) != value and not free:
                    yield f"{id} has {name} {new.get(name)!r} where the source has {value}"
                if name.endswith("relation") and value in RELATIONS and new.get(name) in RELATIONS and new[name] != value:
                    yield f"{id} has {name} {new[name]!r} where the source has {value!r}"
                if isinstance(value, list) and isinstance(new.get(name), list) and len(new[name]) != len(value):
                    yield f"{id} has {len(new[name])} {name} where the source has {len(value)}"
