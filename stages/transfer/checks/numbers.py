"""Every number of the source survives, in digits or as it is said; numbers of removed constraints may go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in
from stages.transfer.checks.pair import Pair, Words

_SCALE = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_NUMBER = re.compile(r"(?<![\w.])[$£€]?(\d[\d,]*(?:\.\d+)?)(?:[\s-]?(hundred|thousand|million|billion|trillion|k)\b)?", re.IGNORECASE)
_FULL_HOUR = re.compile(r"(?<=\d):00\b")


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced:
        return
    excused = _excused(pair)
    yield from _missing(pair.item.prompt, pair.prompt, excused, "", words)
    if len(pair.options) == len(pair.source_options):
        for place, (source, option) in enumerate(zip(pair.source_options, pair.options, strict=True), 1):
            yield from _missing(source.text, option.text, excused, f" in option {place}", words)


def _missing(source: str, target: str, excused: set[float], where: str, words: Words) -> Iterator[str]:
    scaled = Counter(numbers_in_digits(target, words.lexicon.number_scales))
    plain = Counter(numbers_in_digits(target, {}))
    for number, count in Counter(_source_numbers(source)).items():
        found = max(scaled[number], plain[number])
        if number in excused or found >= count:
            continue
        if number.is_integer():
            found += said_in(int(number), target, words)
        if found < count:
            times = f" (there {count} times, found {found})" if count > 1 else ""
            yield f"the number {number:.10g} of the source{where} is missing{times}"


def _source_numbers(prompt: str) -> Iterator[float]:
    prompt = _FULL_HOUR.sub("", prompt)
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
