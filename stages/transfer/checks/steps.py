"""Walking directions survive: for each direction and number, as many steps as before and in the same order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in
from stages.transfer.checks.pair import Pair, Words

_STEP = re.compile(r"\b(\d+) steps?\b(?: (left|right|forward|backward))?", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(left|right|forward|backward)s?\b", re.IGNORECASE)


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.task != "navigate" or pair.replaced:
        return
    numbers = [float(match[1]) for match in _STEP.finditer(pair.item.prompt)]
    have = [value for value in numbers_in_digits(pair.prompt, {}) if value in numbers]
    if have != numbers and not any(said_in(int(value), pair.prompt, words) for value in set(numbers) - set(have)):
        yield f"the steps are {_listed(have)}, not {_listed(numbers)}"
    turns = [match[1].lower() for match in _ENGLISH.finditer(_without_frame(pair.item.prompt))]
    told = _directions(pair.prompt, words)
    if sorted(turns) != sorted(told):
        yield f"the directions are {' '.join(told) or 'none'}, not {' '.join(turns)}"
    elif turns != told:
        yield f"the directions come as {' '.join(told)}, not {' '.join(turns)}"


def _without_frame(prompt: str) -> str:
    return re.sub(r"always face forward|face forward", "", prompt, flags=re.IGNORECASE)


def _directions(text: str, words: Words) -> list[str]:
    """The directions that `text` names, in order."""
    hits = [(hit.start(), name) for name, known in words.lexicon.directions.items() for pattern in known for hit in re.finditer(pattern, text)]
    return [name for _, name in sorted(hits)]


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
