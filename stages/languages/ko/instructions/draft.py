"""What an answer must look like, gathered from all constraints of an item, and the answer that looks so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from stages.languages import markup, tongues, wholes
from stages.languages.constraints import AT_LEAST, PARAGRAPHS, Kwargs
from stages.languages.ko.instructions import keywords, lengths, letters

ANY = 10**9


@dataclass
class Range:
    """Bounds of a count, both included."""

    low: int = 0
    high: int = ANY

    def narrow(self, relation: str, bound: int) -> None:
        if relation == AT_LEAST:
            self.low = max(self.low, bound)
        else:
            self.high = min(self.high, bound - 1)

    def fix(self, count: int) -> None:
        self.low = self.high = count


@dataclass
class Draft:
    language: str = "ko"
    opening: str = ""
    """A text that the answer begins with, word for word."""
    uses: list[str] = field(default_factory=list)
    """Words that stand in it, each at least once."""
    counts: dict[str, Range] = field(default_factory=dict)
    """Words that stand in it so often."""
    avoids: list[str] = field(default_factory=list)
    words: Range = field(default_factory=Range)
    sentences: Range = field(default_factory=Range)
    letters: dict[str, Range] = field(default_factory=dict)
    bullets: int = 0
    highlights: int = 0
    placeholders: int = 0
    section: str = ""
    sections: int = 0
    title: str = ""
    """The line of the title, with {} for its words."""
    postscript: str = ""
    choice: str = ""
    closing: str = ""
    parts: int = 1
    """Separated by `***`."""
    paragraphs: int = 1
    """Separated by blank lines."""
    first_word: tuple[int, str] = (0, "")
    responses: tuple[str, ...] = ()
    """The separators between responses."""
    same_responses: bool = False
    json: str = ""
    """How the JSON text ends; empty where none is asked for."""
    quotes: tuple[str, str] = ("", "")
    extra: list[str] = field(default_factory=list)
    """Words that a near miss puts in."""
    filler: list[list[str]] = field(default_factory=list)
    """Sentences that only fill, as words."""

    def text(self, spare: str, mark: str) -> str:
        """The answer. `spare` is a sentence that fills a part where nothing else is asked for, `mark` a word to put markup around."""
        blocks = [self._main(spare, mark), *[spare] * (self.paragraphs - 1)]
        place, word = self.first_word
        if word:
            blocks[place - 1] = f"{word} {blocks[place - 1]}"
        body = "\n***\n".join(["\n\n".join(blocks), *[spare] * (self.parts - 1)])
        for separator in self.responses:
            body = f"{body}\n{separator}\n{body if self.same_responses else f'{mark} {spare}'}"
        whole = "\n".join(filter(None, [self.opening, body, self.closing]))
        if self.json:
            return orjson.dumps({mark: whole}).decode()[:-1] + self.json
        return self.quotes[0] + whole + self.quotes[1]

    def _main(self, spare: str, mark: str) -> str:
        named = [word for word in self.uses if not self._has(word)]
        named += [word for word, many in self.counts.items() for _ in range(many.low)]
        lines = [
            mark if self.quotes[0] and self.bullets else "",
            self.choice,
            " ".join([*named, *self.extra]).replace("{}", mark),
            " ".join(" ".join(words) for words in self.filler),
            " ".join([f"*{mark}*"] * self.highlights),
            " ".join([f"[{mark}]"] * self.placeholders),
            *[f"{self.section} {number}" for number in range(1, self.sections + 1)],
            *[f"* {mark}"] * self.bullets,
            self.title.replace("{}", mark),
            self.postscript.replace("{}", mark),
        ]
        return "\n".join(filter(None, lines)) or spare

    def _has(self, word: str) -> bool:
        """Whether `word` stands there for another reason."""
        others = [*self.counts, self.opening, self.closing, self.choice, self.first_word[1], self.section * bool(self.sections)]
        known = [other for other in others if other and self.counts.get(other, Range(1)).low]
        return any(keywords.count(word, other) for other in known)


def draft_of(instructions: Sequence[tuple[str, Kwargs]]) -> Draft:
    """The draft that all constraints together ask for."""
    draft = Draft()
    for id, kwargs in instructions:
        add(draft, id, kwargs)
    return draft


def add(draft: Draft, id: str, kwargs: Kwargs) -> None:
    """Put one constraint into `draft`."""
    given: dict[str, Any] = dict(kwargs)
    if id == keywords.EXISTENCE:
        draft.uses += [word for word in given["keywords"] if word not in draft.uses]
    elif id == keywords.FREQUENCY:
        draft.counts.setdefault(given["keyword"], Range()).narrow(given["relation"], int(given["frequency"]))
    elif id == keywords.FORBIDDEN:
        draft.avoids += given["forbidden_words"]
    elif id == letters.ID:
        draft.letters.setdefault(given["letter"], Range()).narrow(given["let_relation"], int(given["let_frequency"]))
    elif id == tongues.ID:
        draft.language = given["language"]
    elif id == lengths.WORDS:
        draft.words.narrow(given["relation"], int(given["num_words"]))
    elif id == lengths.SENTENCES:
        draft.sentences.narrow(given["relation"], int(given["num_sentences"]))
    elif id == PARAGRAPHS:
        draft.parts = int(given["num_paragraphs"])
    elif id == lengths.FIRST_WORD:
        draft.paragraphs, draft.first_word = int(given["num_paragraphs"]), (int(given["nth_paragraph"]), given["first_word"])
    elif id == markup.PLACEHOLDERS:
        draft.placeholders = max(draft.placeholders, int(given["num_placeholders"]))
    elif id == markup.POSTSCRIPT:
        draft.postscript = f"{given['postscript_marker']} {{}}"
    elif id == markup.BULLETS:
        draft.bullets = int(given["num_bullets"])
    elif id == markup.HIGHLIGHTS:
        draft.highlights = max(draft.highlights, int(given["num_highlights"]))
    elif id == markup.SECTIONS:
        draft.section, draft.sections = given["section_spliter"], int(given["num_sections"])
    elif id == markup.TITLE:
        draft.title = "<<{}>>"
    elif id == markup.QUOTATION:
        draft.quotes = ("“", "”")
    elif id == wholes.JSON:
        draft.json = "}"
    elif id == wholes.CHOICE:
        draft.choice = given["options"][0]
    elif id == wholes.TWO:
        draft.responses = ("******",)
    elif id == wholes.REPEAT:
        draft.opening = given["prompt_to_repeat"]
    elif id == wholes.END:
        draft.closing = given["end_phrase"]
