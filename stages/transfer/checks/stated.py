"""A number that a constraint counts to is said in the question, where the source says it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in
from stages.transfer.checks.pair import Pair, Words

_ENGLISH = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TIMES = {1: "once|single", 2: "twice|both|couple|pair"}
_SKIPPED = ("nth_paragraph",)


def check(pair: Pair, words: Words) -> Iterator[str]:
    digits = set(numbers_in_digits(pair.prompt, words.lexicon.number_scales)) | set(numbers_in_digits(pair.prompt, {}))
    for one in pair.instructions:
        for name, value in one.kwargs.items():
            if not isinstance(value, int) or name in _SKIPPED or not _said_in_source(value, pair.item.prompt):
                continue
            near = {value, value - 1, value + 1} if any("relation" in other for other in one.kwargs) else {value}
            if not near & digits and not any(said_in(number, pair.prompt, words) for number in near if number > 0):
                yield f"{one.id} has {name} {value}, which the question does not say"


def _said_in_source(value: int, prompt: str) -> bool:
    word = "|".join(filter(None, [_ENGLISH[value] if 0 < value < len(_ENGLISH) else "", _TIMES.get(value, "")]))
    return re.search(rf"(?<![\d.]){value}(?!\d)" + (rf"|\b({word})\b" if word else ""), prompt, re.IGNORECASE) is not None
