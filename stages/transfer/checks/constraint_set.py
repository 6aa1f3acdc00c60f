"""The target has exactly the constraints that the rulebook's table keeps, with the numbers and codes that it sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.pair import RELATIONS, Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.source_instructions:
        return
    wanted = Counter(one.id for one in pair.source_instructions if (entry := words.book.constraint(one.id)) is None or entry.action != "removed")
    have = Counter(one.id for one in pair.instructions)
    for id in sorted((have - wanted).keys()):
        entry = words.book.constraint(id)
        why = "it cannot be kept in the target language" if entry and entry.action == "removed" else "the source does not have it"
        yield f"{id} must not be there: {why}"
    for id in sorted((wanted - have).keys()):
        yield f"{id} is missing"
    for one in pair.instructions:
        for name in ("relation", "let_relation"):
            if name in one.kwargs and one.kwargs[name] not in RELATIONS:
                yield f"{one.id} has {name} {one.kwargs[name]!r}, which must be one of {', '.join(RELATIONS)}"
    yield from _changed_values(pair)


def _changed_values(pair: Pair) -> Iterator[str]:
    """Numbers and bounds, compared where an id occurs equally often on both sides."""
    for id in sorted({one.id for one in pair.instructions}):
        before = [one.kwargs for one in pair.source_instructions if one.id == id]
        after = [one.kwargs for one in pair.instructions if one.id == id]
        if len(before) != len(after):
            continue
        for old, new in zip(before, after, strict=True):
            for name, value in old.items():
                if isinstance(value, int) and not isinstance(value, bool) and new.get(name) != value:
                    yield f"{id} has {name} {new.get(name)!r} where the source has {value}"
                if name.endswith("relation") and value in RELATIONS and new.get(name) in RELATIONS and new[name] != value:
                    yield f"{id} has {name} {new[name]!r} where the source has {value!r}"
                if isinstance(value, list) and isinstance(new.get(name), list) and len(new[name]) != len(value):
                    yield f"{id} has {len(new[name])} {name} where the source has {len(value)}"
