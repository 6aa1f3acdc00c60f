"""Walking directions survive: the same turns and the same numbers of steps in the same order, and the facing, if it is said.

    "Turn left. Take 3 steps."   -> "Take 3 steps. Turn left." walks elsewhere

Within one sentence the order of a number and its direction is the language's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, spoken_patterns
from stages.transfer.checks.pair import Pair, Words

_EVENT = re.compile(r"\b(?P<number>\d+) steps?\b|\b(?P<turn>left|right|forward|backward|around)s?\b", re.IGNORECASE)
_FACING = re.compile(r"\b(always )?face forward\b[^.?!]*", re.IGNORECASE)
FACE = "face"


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.task != "navigate" or pair.replaced:
        return
    if _FACING.search(pair.item.prompt) and not any(re.search(pattern, pair.prompt) for pattern in words.lexicon.directions[FACE]):
        yield "the source says which way to face, the question does not"
    before = _source(pair.item.prompt)
    after = _target(pair.prompt, {int(token) for token in before if token.isdigit()}, words)
    if before == after:
        return
    numbers, told = [[token for token in tokens if token.isdigit()] for tokens in (before, after)]
    turns, turned = [[token for token in tokens if not token.isdigit()] for tokens in (before, after)]
    if numbers != told:
        yield f"the steps are {' '.join(told) or 'none'}, not {' '.join(numbers)}"
    if turns != turned:
        yield f"the directions come as {' '.join(turned) or 'none'}, not {' '.join(turns)}"
    if numbers == told and turns == turned:
        yield f"turns and steps come as {' '.join(after)}, not {' '.join(before)}"


def _source(text: str) -> list[str]:
    sentences = re.split(r"[.?!,;]|\band\b|\bthen\b", _FACING.sub("", text))
    return [token for sentence in sentences for token in _ordered([hit["number"] or hit["turn"].lower() for hit in _EVENT.finditer(sentence)])]


def _target(text: str, numbers: set[int], words: Words) -> list[str]:
    """What the target tells to do; a number counts when it is one of the source's, in digits or said, or a number of steps in digits."""
    known = [(pattern, name) for name, patterns in words.lexicon.directions.items() if name != FACE for pattern in patterns]
    known += [(pattern, str(number)) for number in sorted(numbers) for pattern in spoken_patterns(number, words)]
    found: list[str] = []
    for sentence in re.split(r"[.?!,]", text):
        spots = {hit.start(): name for pattern, name in known for hit in re.finditer(pattern, sentence)}
        spots |= {hit.start(): f"{numbers_in_digits(hit[0], {})[0]:g}" for hit in re.finditer(r"\d+", sentence)}
        found += _ordered([token for _, token in sorted(spots.items())])
    return found


def _ordered(tokens: list[str]) -> list[str]:
    """Numbers and directions in turn: of each two the direction first, as either language may have them."""
    digits = [token.isdigit() for token in tokens]
    if len(tokens) % 2 or any(digits[place] == digits[place + 1] for place in range(0, len(tokens), 2)):
        return tokens
    return [token for place in range(0, len(tokens), 2) for token in sorted(tokens[place : place + 2], key=str.isdigit)]
