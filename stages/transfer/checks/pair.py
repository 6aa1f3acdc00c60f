"""What a check sees: a source item beside its target, and the words of the target language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stages.languages import Language
from stages.transfer.lexicon import Lexicon
from stages.transfer.rules import Item, Rule, Rulebook, select

Kwargs = dict[str, Any]

REPLACED = "equivalent_replacement"
DELETED = "deletion"

ENUMS = ("relation", "let_relation", "capital_relation", "language")
"""IFEval keyword arguments whose values are codes, not text."""
RELATIONS = ("less than", "at least")


@dataclass(frozen=True)
class Instruction:
    """An IFEval constraint with the keyword arguments that are set."""

    id: str
    kwargs: Kwargs


@dataclass(frozen=True)
class Option:
    label: str
    text: str


@dataclass(frozen=True)
class Failure:
    check: str
    detail: str

    def __str__(self) -> str:
        return f"{self.check}: {self.detail}"


@dataclass(frozen=True)
class Pair:
    """A source item and what became of it. Texts are NFC."""

    item: Item
    source_options: tuple[Option, ...]
    source_key: str
    """The right label, `yes`, `no`, or empty. After correction."""
    source_instructions: tuple[Instruction, ...]
    category: str
    prompt: str
    options: tuple[Option, ...] = ()
    answer: str = ""
    aliases: tuple[str, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    rule_ids: tuple[str, ...] = ()
    offered: tuple[str, ...] | None = None
    """The rules that were shown to the translator; None where that is unknown."""
    deletion_rule_id: str = ""
    deletion_reason: str = ""
    key_claimed: str = ""
    """The source key as the translator repeats it; empty where unknown."""
    corrected: bool = False
    """Whether the source's label was corrected before."""

    @property
    def key_index(self) -> int | None:
        """Where the key is among the source's options."""
        labels = [bare_label(option.label) for option in self.source_options]
        return labels.index(bare_label(self.source_key)) if bare_label(self.source_key) in labels else None

    @property
    def replaced(self) -> bool:
        return self.category == REPLACED


@dataclass(frozen=True)
class Words:
    """What a check may ask about the two languages and the rules."""

    book: Rulebook
    language: Language
    spoken: dict[int, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """What the check of numbers has found out about how they are said."""
    _selected: dict[Item, list[Rule]] = field(default_factory=dict, repr=False)

    @property
    def lexicon(self) -> Lexicon:
        return self.book.quality.lexicon

    def triggered(self, pair: Pair) -> list[Rule]:
        if pair.item not in self._selected:
            self._selected[pair.item] = select(self.book, pair.item)
        return self._selected[pair.item]

    @cached_property
    def _script(self) -> re.Pattern[str]:
        return re.compile(self.lexicon.script)

    def in_script(self, text: str) -> bool:
        """Whether `text` has at least one letter of the target language."""
        return self._script.search(text) is not None


def bare_label(label: str) -> str:
    """A label without brackets and full stop, for comparison."""
    return label.strip().strip("().:").strip().casefold()


def neutral(text: str) -> bool:
    """Whether `text` has no letter at all, so that it is the same in every language (`***`, `!`, `12`)."""
    return not any(character.isalpha() for character in text)


def in_third_language(instructions: Iterable[Instruction], book: Rulebook) -> bool:
    """Whether the answer is to be neither in the source's nor in the target's language, so that its letters are that language's."""
    codes = [one.kwargs["language"] for one in instructions if "language" in one.kwargs]
    table = entry.fixed.get("language", {}) if (entry := book.constraint("language:response_language")) else {}
    return any(code not in table and code != book.language for code in codes)
