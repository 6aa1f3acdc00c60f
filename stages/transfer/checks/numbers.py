"""Every number of the source survives, in digits or as it is said; numbers of removed constraints may go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in
from stages.transfer.checks.pair import Pair, Words

_SCALE = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_NUMBER = re.compile(r"(?<![\w.])[$£€]?(\d[\d,]*(?:\.\d+)?)(?:[\s-]?(hundred|thousand|million|billion|trillion|k)\b)?", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[A-Za-z])\d+|\d+(?=[A-Za-z]{3,}\d)")


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced:
        return
    wanted = Counter(_source_numbers(pair.item.prompt))
    for number in _excused(pair):
        wanted.pop(number, None)
    have = Counter(numbers_in_digits(pair.prompt, words.lexicon.number_scales))
    plain = Counter(numbers_in_digits(pair.prompt, {}))
    for number, count in wanted.items():
        found = max(have[number], plain[number])
        if found < count and number.is_integer():
            found += said_in(int(number), pair.prompt, words)
        if found < count:
            times = f" (there {count} times, found {found})" if count > 1 else ""
            yield f"the number {number:.10g} of the source is missing{times}"


def _source_numbers(prompt: str) -> Iterator[float]:
    for match in _NUMBER.finditer(prompt):
        digits = match[1].rstrip(",")
        if not re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?|\d+(\.\d+)?", digits):
            yield from (float(part) for part in digits.split(",") if part)
            continue
        yield float(digits.replace(",", "")) * _SCALE.get((match[2] or "").lower(), 1)


def _excused(pair: Pair) -> set[float]:
    """Numbers that only word a constraint: the constraint checks look after those that are kept."""
    spoken = set()
    for one in pair.source_instructions:
        for value in one.kwargs.values():
            if isinstance(value, int):
                spoken |= {float(value - 1), float(value), float(value + 1)}
    return spoken
