"""A number that a constraint counts to is said in the question, where the source says it: in digits or words, with its unit if it has one.

A bound may be worded with the number next to it, if the wording fits: `less than 2` as `one at most`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in, spoken_patterns
from stages.transfer.checks.pair import Instruction, Pair, Words

_ENGLISH = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TIMES = {1: "once|single", 2: "twice|both|couple|pair"}
_SKIPPED = ("nth_paragraph",)
_REACH = 14
"""Characters between a unit and its number that comes after it."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    for one in pair.instructions:
        relation = one.kwargs.get("relation") or one.kwargs.get("let_relation")
        for name, value in one.kwargs.items():
            if not isinstance(value, int) or name in _SKIPPED:
                continue
            new = all(other.kwargs.get(name) != value for other in pair.source_instructions if other.id == one.id)
            if not new and not any(_said_in_source(number, pair.item.prompt) for number in ((value, value - 1) if relation else (value,))):
                continue
            if not _stated(value, one, name, pair.prompt, words) and not (relation and _near(value - 1, str(relation), pair.prompt, words)):
                yield f"{one.id} has {name} {value}, which the question does not say"


def _stated(value: int, one: Instruction, name: str, text: str, words: Words) -> bool:
    unit = next((unit.right for unit in words.lexicon.units if (unit.constraint, unit.kwarg) == (one.id, name)), "")
    if unit:
        return any(re.search(rf"{form}\s*\S{{0,3}}\s*{unit}|{unit}[^.?!]{{0,{_REACH}}}?{form}", text) for form in _forms(value, words))
    digits = {*numbers_in_digits(text, words.lexicon.number_scales), *numbers_in_digits(text, {})}
    return value in digits or (value > 0 and said_in(value, text, words) > 0)


def _near(number: int, relation: str, text: str, words: Words) -> bool:
    patterns = words.lexicon.relations.near.get(relation, [])
    return any(re.search(pattern.replace("{n}", form), text) for form in _forms(number, words) for pattern in patterns)


def _forms(number: int, words: Words) -> tuple[str, ...]:
    return (rf"(?<![\d,.])(?:{number}|{number:,})(?![\d,.]*\d)", *(spoken_patterns(number, words) if number > 0 else ()))


def _said_in_source(value: int, prompt: str) -> bool:
    word = "|".join(filter(None, [_ENGLISH[value] if 0 < value < len(_ENGLISH) else "", _TIMES.get(value, "")]))
    return re.search(rf"(?<![\d.]){value}(?!\d)" + (rf"|\b({word})\b" if word else ""), prompt, re.IGNORECASE) is not None
