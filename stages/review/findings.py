"""What may go wrong when a corpus is read aloud, grouped so that one decision settles one kind (paper 2605.27984 section 3.1.3).

A finding is one span of one text. Findings with the same key are one group: the same kind of span with the same thing beside
it, the same word, the same sign.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stages.languages import Candidate, Language, Reading, Unsure
from stages.review.corpus import Text

UNSURE, UNSPEAKABLE, SPELLED, KEPT, SILENT = KINDS = ("unsure", "unspeakable", "spelled", "kept", "silent")
"""Readings that nothing decided; characters that no rule can say; words spelled letter by letter; words left in Latin letters
that do not look like names; signs that are not said."""
_LONG_ACRONYM = 4
"""Letters from which on an acronym may be a word."""
_NAME = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ'’.-]+(?:[A-Z][a-z]+)*")
_AROUND = 40


@dataclass(frozen=True)
class Finding:
    kind: str
    key: str
    """What the group has in common, after the kind."""
    category: str
    text: Text
    start: int
    end: int
    rule_id: str
    """The rule, or the check after `check:`."""
    after: str = ""
    """What stands after the span, as far as it may decide."""
    candidates: tuple[Candidate, ...] = ()

    @property
    def written(self) -> str:
        return self.text.written[self.start : self.end]

    def context(self) -> str:
        """The span marked in its surroundings."""
        text = self.text.written
        before = text[max(0, self.start - _AROUND) : self.start]
        return " ".join(f"{before}⟦{self.written}⟧{text[self.end : self.end + _AROUND]}".split())


@dataclass
class Group:
    """Findings that one decision settles."""

    kind: str
    key: str
    category: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Stable as long as the same thing is found."""
        return ".".join([self.kind, re.sub(r"\s+", "_", self.key)])

    def affected(self) -> list[str]:
        return sorted({finding.text.id for finding in self.findings})


@dataclass
class Audit:
    """A corpus read."""

    groups: list[Group]
    """By kind, the most frequent first."""
    n_texts: int
    n_unspeakable: int
    readings: Counter[str]
    """Category to changes."""
    texts: Counter[str]
    """Category to texts with a change of it."""
    rules: Counter[str]
    """Rule id to changes."""
    stale: dict[str, list[str]]
    """Subset to the items that are read otherwise now than in the last run of normalize."""


def audit(texts: Iterable[Text], language: Language) -> Audit:
    """Read every text and group what may be wrong."""
    category = language.rulebook.category
    groups: dict[tuple[str, str], Group] = {}
    readings, in_texts, rules = Counter[str](), Counter[str](), Counter[str]()
    stale: dict[str, list[str]] = {}
    n_texts = n_unspeakable = 0
    for text in texts:
        n_texts += 1
        reading = language.read(text.written)
        failures = language.check_spoken(reading.text, reading.kept)
        n_unspeakable += bool(failures)
        rules.update(change.rule_id for change in reading.changes)
        readings.update(category(change.rule_id) for change in reading.changes)
        in_texts.update({category(change.rule_id) for change in reading.changes})
        if (text.spoken is not None and text.spoken != reading.text) or (text.rejected and not failures):
            stale.setdefault(text.subset, []).append(text.id)
        for finding in findings(text, reading, failures, language):
            group = groups.setdefault((finding.kind, finding.key), Group(finding.kind, finding.key, finding.category))
            group.findings.append(finding)
    ordered = sorted(groups.values(), key=lambda group: (KINDS.index(group.kind), -len(group.affected()), group.key))
    return Audit(ordered, n_texts, n_unspeakable, readings, in_texts, rules, stale)


def findings(text: Text, reading: Reading, failures: list[str], language: Language) -> Iterator[Finding]:
    """Everything in one text that a person may have to decide."""
    category = language.rulebook.category
    for unsure in reading.unsure:
        yield _unsure(text, unsure, category(unsure.candidates[0].rule_id))
    for change in reading.changes:
        written = text.written[change.start : change.end]
        letters = written.isascii() and written.isalpha() and written.isupper()
        if letters and len(written) >= _LONG_ACRONYM and change.rule_id.endswith(".letters"):
            yield Finding(SPELLED, written, category(change.rule_id), text, change.start, change.end, change.rule_id)
        elif not change.after.strip() and (sign := written.strip()) and not sign.isalnum() and change.rule_id.startswith(("symbol.", "markup.")):
            start = change.start + written.index(sign)
            yield Finding(SILENT, sign, category(change.rule_id), text, start, start + len(sign), change.rule_id)
    for name in dict.fromkeys(reading.kept):
        at = text.written.find(name)
        if not _NAME.fullmatch(name) and len(name) > 1 and at >= 0:
            yield Finding(KEPT, name, category("name.kept"), text, at, at + len(name), "name.kept")
    if failures:
        yield from _unspeakable(text, failures, language)


def _unsure(text: Text, unsure: Unsure, category: str) -> Finding:
    after = _beside(text.written[unsure.end :])
    key = f"{'|'.join(sorted(one.rule_id for one in unsure.candidates))}:{after.strip() or 'end'}"
    return Finding(UNSURE, key, category, text, unsure.start, unsure.end, unsure.candidates[0].rule_id, after, unsure.candidates)


def _beside(rest: str) -> str:
    """The word right after a span; the next one as well where the first is a bare counter."""
    match = re.match(r"[ ]?[^\W\d_]+", rest)
    if match is None:
        return ""
    second = re.match(r"[ ][^\W\d_]+", rest[match.end() :]) if len(match[0].strip()) == 1 else None
    return match[0] + (second[0] if second else "")


def _unspeakable(text: Text, failures: list[str], language: Language) -> Iterator[Finding]:
    """The characters of the text that no rule could say, each run of one kind as one finding; or the whole text."""
    found = False
    for failure in failures:
        check = failure.partition(":")[0]
        for match in re.finditer(r"\S+", text.written):
            for run in _unsaid(match[0], check, language):
                at = match.start() + match[0].index(run)
                key = f"{check}:{_script(run)}" if check == "script" else f"{check}:{run}"
                found = True
                yield Finding(UNSPEAKABLE, key, language.rulebook.category("symbol"), text, at, at + len(run), f"check:{check}")
    if not found:
        check = failures[0].partition(":")[0]
        yield Finding(UNSPEAKABLE, f"{check}:text", language.rulebook.category("symbol"), text, 0, len(text.written), f"check:{check}")


def _unsaid(word: str, check: str, language: Language) -> list[str]:
    """The longest runs of characters in `word` that fail `check` when they stand alone."""

    def fails(piece: str) -> bool:
        return any(failure.startswith(f"{check}:") for failure in language.check_spoken(language.read(piece).text))

    if check not in ("script", "symbol", "digit", "letter"):
        return []
    runs, current = [], ""
    for char in word:
        if fails(char):
            current += char
        elif current:
            runs.append(current)
            current = ""
    return [*runs, current] if current else runs


def _script(run: str) -> str:
    """The writing system of a run: the first word of its character's name."""
    return unicodedata.name(run[0], "UNKNOWN").partition(" ")[0].lower()
