"""Numbers and fractions that the source spells out survive, too: three reasons stay three, a third stays a third."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.bounds import numbers_in_digits, said_in
from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found

_NAMES = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SPELLED = re.compile(rf"\b({'|'.join(_NAMES)})\b(?!-)")
"""With a capital letter it may be part of a title, which has a form of its own in each language."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format in ("bbh", "ifeval"):
        return  # steps are checked apart; numbers in the wording of a constraint are the check stated's
    source, target = pair.item.prompt, " ".join([pair.prompt, *(option.text for option in pair.options)])
    digits = {*numbers_in_digits(target, words.lexicon.number_scales), *numbers_in_digits(target, {})}
    for name in dict.fromkeys(hit[1] for hit in _SPELLED.finditer(source)):
        number = _NAMES.index(name) + 3
        if number not in digits and not said_in(number, target, words) and str(number) not in target:
            yield f"the number {name} of the source is missing"
    for fraction, wordings in words.lexicon.fractions.items():
        if (seen := found([fraction], source)) and not found(wordings, target):
            yield f"{seen!r} of the source is missing (as {' or '.join(wordings)})"
