"""A minimal pair differs in what its design names, and the sentence that is the key is the right one of the two.

`contrast` of a design says what stands in each sentence from the first word on in which they differ. Where the request named a design, the
pair must follow it; elsewhere it is enough that no design tells the two sentences the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import Design, design_of


def check(pair: Pair, words: Words) -> Iterator[str]:
    labels = [option.label for option in pair.options]
    if pair.item.task != "hyperbaton" or len(labels) != 2 or pair.answer not in labels:
        return
    place = labels.index(pair.answer)
    right, wrong = pair.options[place].text, pair.options[1 - place].text
    if pair.offered is not None:
        design = design_of(words.book, pair.item.prompt)
        if not fits(design, right, wrong):
            yield f"the two sentences do not differ as the design {design.id} says ({design.name}: {' '.join(design.do.split())})"
        return
    designs = [design for design in words.book.task_designs.hyperbaton.designs if design.contrast]
    if not any(fits(design, right, wrong) for design in designs):
        for design in designs:
            if fits(design, wrong, right):
                yield f"the key is the wrong sentence: by {design.id} the other one is right"
                return


def tails(first: str, second: str) -> tuple[str, str]:
    """What is left of two sentences from the first word on in which they differ."""
    one, other = first.split(), second.split()
    start = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return " ".join(one[start:]), " ".join(other[start:])


def fits(design: Design, right: str, wrong: str) -> bool:
    """Whether a right and a wrong sentence differ as `design` says. A design without a contrast fits any."""
    contrast = design.contrast
    if contrast is None:
        return True
    one, other = tails(right, wrong)
    return bool(re.search(contrast.where, right) and re.search(contrast.right, one) and re.search(contrast.wrong, other))
