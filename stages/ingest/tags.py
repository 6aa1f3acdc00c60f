"""Tags in transcripts, by the table that the corpus's configuration states: what each means and what becomes of its word.

Two notations: `<TAG>` and `<TAG-word>` of the Seoul Corpus, and `t/` or `t/word` at the start of a word in KMSAV. A tag
that the table does not have makes the utterance unusable: what it hides is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from stages.core.settings import Settings

Kind = Literal["speech", "silence", "noise", "other_speaker", "private", "unintelligible"]
_ANGLED = re.compile(r"<([^<>\s]*)>|[<>]")
_SLASHED = re.compile(r"([a-z])/(?![a-z](?!/))(.*)", re.DOTALL)
"""A word may have several tags, one after the other; `a/s` is a word."""


class TagRule(Settings):
    """One line of the table."""

    means: str
    """For a person."""
    kind: Kind = "noise"
    """What a stretch is that has this tag and no word. `private` anywhere makes the whole stretch private."""
    words: Literal["keep", "drop"] = "drop"
    """What becomes of the word that the tag is attached to."""
    hides: Literal["nothing", "filler", "words"] = "nothing"
    """What is heard and not among the words: a filler or laughter spoils a word's place, lost words its number too."""


@dataclass(frozen=True)
class Tagged:
    words: str
    tags: list[str]
    kind: Kind
    unknown: list[str]
    """Tags that the table does not have."""


def read(text: str, table: dict[str, TagRule], notation: Literal["angled", "slashed"]) -> Tagged:
    """The words and tags of a transcript. Blanks of all kinds, line ends included, become one space."""
    tags: list[str] = []
    unknown: list[str] = []
    if notation == "angled":
        words = _ANGLED.sub(lambda found: _angled(found, table, tags, unknown), text)
    else:
        words = " ".join(_slashed(word, table, tags, unknown) for word in text.split())
    words = " ".join(words.split())
    kind = _kind(words, [table[tag] for tag in tags])
    # What a tag without a rule stands for is heard, or may be.
    return Tagged(words, tags, "unintelligible" if unknown and kind == "silence" else kind, unknown)


def _angled(found: re.Match[str], table: dict[str, TagRule], tags: list[str], unknown: list[str]) -> str:
    name, word = found[1], ""
    if name is not None and name not in table and "-" in name:
        name, _, word = name.partition("-")
    if name is None or name not in table:
        unknown.append(found[0])
        return " "
    tags.append(name)
    return f" {word} " if table[name].words == "keep" else " "


def _slashed(word: str, table: dict[str, TagRule], tags: list[str], unknown: list[str]) -> str:
    kept = True
    while found := _SLASHED.fullmatch(word):
        if found[1] not in table:
            unknown.append(f"{found[1]}/")
            return ""
        tags.append(found[1])
        kept = kept and table[found[1]].words == "keep"
        word = found[2]
    return word if kept else ""


def _kind(words: str, rules: list[TagRule]) -> Kind:
    kinds = [rule.kind for rule in rules]
    if "private" in kinds:
        return "private"
    if words:
        return "speech"
    return next((kind for kind in ("unintelligible", "other_speaker", "speech", "noise") if kind in kinds), "silence")
