"""A grammar item is a minimal pair: two sentences, alike but for one place, and not two orders of the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

MAX_EDIT = 6
"""Characters; the largest difference that a particle, an ending or a numeral makes."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.task != "hyperbaton":
        return
    if len(pair.options) != 2:
        return
    first, second = (option.text for option in pair.options)
    distance = edit_distance(first, second)
    if distance == 0:
        yield "the two sentences are the same"
    elif distance > MAX_EDIT:
        yield f"the two sentences differ by {distance} characters, more than {MAX_EDIT}; they must be alike but for one place"
    if first != second and Counter(first.split()) == Counter(second.split()):
        yield "the two sentences differ only in the order of their words"
    elif _reordered(first.split(), second.split()):
        yield "the two sentences differ in the order of their words"
    if second_place := differs_twice(first, second):
        yield f"the two sentences differ in more than one place (before and after {second_place.strip()!r})"
    if len(pair.options[0].text.split()) < 3:
        yield "the sentences are too short to be judged"


def _reordered(first: list[str], second: list[str]) -> bool:
    """Whether words that both sentences have stand in another order."""
    shared = set(first) & set(second)
    return [word for word in first if word in shared] != [word for word in second if word in shared] and len(shared) >= 2


def differs_twice(first: str, second: str) -> str:
    """Text that stands between two differences; empty where the sentences differ in one place."""
    from difflib import SequenceMatcher

    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    match = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
    shared = first[match.a : match.a + match.size]
    return shared if len(shared.strip()) > 1 else ""


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance in characters."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(first, second))
