"""Words of the two languages that the checks look for: the data of the rulebook's quality section."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from stages.core.settings import Settings


def _regex(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression ({error})") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_regex)]
"""A regular expression, searched for without regard to case unless it says `(?-i:…)`."""


class Relations(Settings):
    """Wordings of a bound, by the enum value of the constraint; `{n}` is a number."""

    wrong: dict[str, list[str]]
    """With the constraint's own number: what contradicts it."""
    near: dict[str, list[str]]
    """With one less than the constraint's number: what says the same (`less than 2` = one at most)."""


class Unit(Settings):
    """The unit that a constraint counts in, and units that a question must not name with its number."""

    constraint: str
    kwarg: str
    right: str
    wrong: list[Pattern]


class Opposites(Settings):
    """Two words that turn a statement round when one takes the place of the other."""

    source: tuple[Pattern, Pattern]
    said: tuple[list[Pattern], list[Pattern]]
    """Beginnings of words of the target that clearly mean each of them."""
    also: tuple[list[Pattern], list[Pattern]]
    """Beginnings of words that may stand for it in some context."""


class Statements(Settings):
    """How a statement on who lies is worded."""

    speaker: Pattern
    """Finds the one who speaks, as its first group."""
    about: Pattern
    """Finds the one who is spoken of."""
    truth: Pattern
    lie: Pattern


class Contrast(Settings):
    """What the two sentences of a minimal pair have in common with others of their design."""

    right: Pattern
    wrong: Pattern
    where: Pattern = ""
    """What the right sentence has as a whole."""


class Lexicon(Settings):
    """Words of the target language that the checks look for."""

    script: Pattern
    """One letter of the target language's script."""
    case_words: list[Pattern]
    source_language_demand: list[Pattern]
    english_grammar: list[Pattern]
    negation: list[Pattern]
    lie: list[Pattern]
    directions: dict[str, list[Pattern]]
    number_frames: list[str]
    """Contexts that show how a number is read, with {n}."""
    number_words: dict[int, list[str]]
    """How small numbers are said, in every form."""
    number_scales: dict[str, int]
    relations: Relations
    unit_names: dict[Pattern, list[Pattern]]
    """A unit behind a number of the source -> how the target may name it."""
    comparisons: dict[Pattern, list[Pattern]]
    """A comparison in the source -> what the target must have one of."""
    units: list[Unit]
    allowed_latin: list[str]
    opposites: list[Opposites]
    names: dict[Pattern, list[Pattern]]
    """Established names, searched with regard to case -> their forms in the target language."""
    mentions: dict[str, list[Pattern]]
    """Instruction id -> wordings, one of which a question with this constraint has."""
    introduced_negation: list[Pattern]
    """What turns a question round when the source has nothing of the kind."""
    chatter: list[Pattern]
    """What a translator says about the work instead of doing it."""
    finished: Pattern
    """How a text ends that was not cut off."""
    fractions: dict[Pattern, list[Pattern]]
    """A fraction in words -> how it may be said."""
    month: str
    """The number of a month, with {n}."""
    statements: Statements
