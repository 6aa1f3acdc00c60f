"""Minimal pairs for grammar judgments without a model: what takes the place of BBH hyperbaton (paper 2605.27984, appendix B).

A frame of the rulebook is a sentence with slots for words and one place that differs, `[right|wrong]`:

    "{person} {when} {act_at}", where a word of act_at is "in the library[right particle|wrong particle] read a book"

Everything in it follows from the source text: the design (rules.design_of) and the words; the key's place is drawn by the id
(target.right_place), so that keys are balanced. A sentence that an earlier item has is passed over.
"""

from __future__ import annotations

import re

from stages.core.errors import UserError
from stages.transfer.replies import MinimalPair
from stages.transfer.rules import Generator, Rulebook, design_of, draw

_SLOT = re.compile(r"\{(\w+)\}")
_PLACE = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")


def size(text: str, generator: Generator) -> int:
    """In how many ways the slots of `text` can be filled. Raises UserError for a slot without words."""
    ways = 1
    for name in _SLOT.findall(text):
        words = generator.words.get(name)
        if not words:
            raise UserError(f"The rulebook's generator of minimal pairs has no words for {{{name}}}; add them under generator.words.")
        ways *= sum(size(word, generator) for word in words)
    return ways


def filled(text: str, number: int, generator: Generator) -> str:
    """`text` with its slots filled in the way `number`, counted from 0."""

    def word(slot: re.Match[str]) -> str:
        nonlocal number
        words = generator.words[slot[1]]
        sizes = [size(one, generator) for one in words]
        number, rest = divmod(number, sum(sizes))
        for one, ways in zip(words, sizes, strict=True):
            if rest < ways:
                return filled(one, rest, generator)
            rest -= ways
        raise AssertionError("unreachable")

    return _SLOT.sub(word, text)


def sentences(text: str) -> tuple[str, str]:
    """The right and the wrong sentence of a filled frame. Raises UserError unless it has exactly one place that differs."""
    places = list(_PLACE.finditer(text))
    if len(places) != 1:
        raise UserError(f"The frame {text!r} of the rulebook's generator has {len(places)} places [right|wrong]; it must have one.")
    right, wrong = (f"{text[: places[0].start()]}{places[0][side]}{text[places[0].end() :]}" for side in (1, 2))
    return right, wrong


def ways(book: Rulebook, design: str) -> int:
    """How many pairs the generator has for a design."""
    generator = book.task_designs.hyperbaton.generator
    return sum(size(frame, generator) for frame in generator.frames.get(design, [])) if generator else 0


def nth(book: Rulebook, design: str, number: int) -> tuple[str, str]:
    """The pair `number`, counted from 0, of a design."""
    generator = book.task_designs.hyperbaton.generator
    assert generator is not None
    for frame in generator.frames[design]:
        count = size(frame, generator)
        if number < count:
            return sentences(filled(frame, number, generator))
        number -= count
    raise IndexError(design)


def made(book: Rulebook, prompt: str, taken: set[str]) -> MinimalPair:
    """The pair for a source text. `taken` are the right sentences given so far; the new one is added. Raises UserError when none is left."""
    design = design_of(book, prompt)
    count = ways(book, design.id)
    start = draw(prompt, "pair", count) if count else 0
    for step in range(count):
        right, wrong = nth(book, design.id, (start + step) % count)
        if right not in taken:
            taken.add(right)
            return MinimalPair(note="", rule_ids=[book.task_designs.hyperbaton.rule], right_sentence=right, wrong_sentence=wrong)
    raise UserError(f"The rulebook's generator has only {count} pairs of the design {design.id}, and all are taken; give it more words or frames.")
