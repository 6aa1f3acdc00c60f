"""Written Korean to Korean that a voice can read: one walk over what cannot be read as it stands.

clean → find the next character that is not plain Korean → the first rule that fits there in context (protected strings
such as addresses come first by priority) → its reading → the particle after it repaired. Text in between is never touched.
Source: paper 2605.27984, section 3.1.3 and appendix C.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stages.core.errors import UserError, nearest
from stages.languages.base import Candidate, Change, Reading
from stages.languages.ko import chemistry, clean, fixpoint, hanja, latin, maths, numerals, particles, quantity, rulebook, symbols, templates
from stages.languages.ko.jamo import is_syllable
from stages.languages.ko.scanner import Hit, Otherwise, Rule, RuleSet
from stages.languages.ko.units import Units

PAUSES = ".,!?:;…·'\"()[]《》〈〉「」『』“”‘’–—"
"""Punctuation that a voice turns into pauses and melody; it stays as it is."""
TRIGGER = re.compile(
    rf"[^가-힣\s{re.escape(PAUSES)}]|\.(?=[A-Za-z]{{1,15}}(?![A-Za-z]))|[–—](?=\s?\d)|\[(?=[A-Z][A-Za-z\d()₀-₉]{{1,30}}\]\d?[-+−⁺⁻²³⁴])|\((?=\(|[A-Z][A-Za-z\d₀-₉]{{0,8}}\)[\d₀-₉]|[\dA-Za-z√π−+-][^()가-힣\n]{{0,40}}\)\s?[²³⁴ⁿ^=+×÷*/<>≤≥−-])"
)
_DIGIT, _LATIN, _JAMO, _HANJA = (
    re.compile(r"\d", re.ASCII),
    re.compile(r"[A-Za-zͰ-ϿµÀ-ÖØ-öø-ɏ]"),
    re.compile(r"[ㄱ-ㆎ]"),
    re.compile(r"[一-鿿㐀-䶿豈-﫿]"),
)
_COMPATIBLE = dict(zip("ᄀᄂᄃᄅᄆᄇᄉᄋᄌᄎᄏᄐᄑᄒ", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ", strict=True))
_ATTACHES = re.compile(r"(?<![가-힣])(?:제|第)\Z")
_QUOTES = {"'": "'", '"': '"', "”": "“", "’": "‘"}
_DETACHED = re.compile(r"[ ](?:을|를|로|으로|라는|이라는|라고|이라고)(?=[ ])")
CALLS = {
    "quantity": quantity.quantity,
    "currency": quantity.currency,
    "signed": quantity.signed,
    "math": maths.math,
    "latin": latin.word,
    "unit_alone": latin.unit_alone,
    "address": latin.address,
    "file": latin.file,
    "hanja": hanja.run,
    "symbol": symbols.symbol,
    "mention": symbols.mention,
    "between": symbols.between,
    "formula": chemistry.formula,
    "equation": chemistry.equation,
    "lexical": symbols.lexical,
    "clock": quantity.clock,
    "alnum_first": latin.alnum_first,
    "silent": symbols.silent_call,
    "pause": symbols.pause_call,
    "hyphen": symbols.hyphen,
    "chat": symbols.chat,
    "bound": quantity.bound,
    "date_range": quantity.date_range,
    "bracketed": symbols.bracketed,
    "hyphened": quantity.hyphened,
    "fraction": quantity.fraction,
    "company": symbols.company,
    "brackets": symbols.brackets,
}


class Reader:
    """The rules of one rulebook, ready to read."""

    def __init__(self, path: Path | None = None, book: dict[str, Any] | None = None) -> None:
        """The rulebook at `path`, the language's own by default; or `book`, one that is compiled already."""
        book = rulebook.load(path) if book is None else book
        self.book = book
        self.counters: dict[str, list[Any]] = book["counters"]
        self.senses: dict[str, list[dict[str, Any]]] = book["senses"]
        self.attached_only = frozenset(book["attached_only"])
        self.longest_counter = max(map(len, self.counters))
        self.currencies: dict[str, str] = book["currencies"]
        self.letters: dict[str, str] = book["letters"]
        self.greek: dict[str, str] = book["greek"]
        self.jamo: dict[str, str] = book["jamo"]
        self.acronyms: dict[str, str] = book["acronyms"]
        self.extensions: dict[str, str] = book["extensions"]
        self.symbols: dict[str, dict[str, str]] = book["symbols"]
        self.math: dict[str, Any] = book["math"]
        self.chemistry: dict[str, Any] = book["chemistry"]
        self.elements = frozenset(book["elements"])
        self.lists: dict[str, str] = book["lists"]
        packed = book["hanja"]
        self.hanja = dict(zip(packed[::2], packed[1::2], strict=True))
        self.units = Units(book)
        self._patterns: dict[str, re.Pattern[str]] = {}
        filters = {
            "month": templates.month,
            "letters": self.spell,
            "jamo": lambda text: "".join(self.jamo.get(char, char) for char in text),
            "special_sino": lambda text: symbols.special_sino(text, self),
            "roman": lambda text: symbols.special_sino(text, self),
            "any": self.say_any,
            "hanja_word": book["hanja_words"].__getitem__,
            "expr": self.say_expression,
            "subject": self.say_subject,
            "toward": self.say_toward,
            "greek": lambda text: self.greek.get(text, text),
            "folded": self.say_folded,
            "english_ordinal": templates.english_ordinal,
            "pages": templates.pages,
            "ampm": templates.ampm,
            "versus": lambda text: "대",
            "word_for": {"etc.": "등", "e.g.": "예를 들어", "i.e.": "즉"}.__getitem__,
        }
        classes: dict[str, list[Rule]] = {"digit": [], "latin": [], "symbol": [], "jamo": [], "hanja": []}
        for entry in book["rules"]:
            do = entry["do"]
            named = do[5:].strip() if do.startswith("call:") else None
            if named and named not in CALLS:
                raise UserError(f"Rule {entry['id']!r} calls {named!r}, which does not exist.{nearest(named, CALLS)}")
            otherwise = tuple(
                Otherwise(one["rule"], templates.compile_template(one["do"], entry["id"], filters), one["why"], one["when"], one.get("not_left"))
                for one in entry.get("otherwise", ())
            )
            template = None if named else templates.compile_template(do, entry["id"], filters)
            rule = Rule(entry, template, CALLS[named] if named else None, otherwise)
            for name in entry["at"].split():
                classes[name].append(rule)
        self._sets = {name: RuleSet(rules) for name, rules in classes.items()}
        self._kinds: dict[str, RuleSet] = {}

    def pattern(self, source: str) -> re.Pattern[str]:
        found = self._patterns.get(source)
        if found is None:
            found = self._patterns[source] = re.compile(source)
        return found

    def rules_for(self, char: str) -> RuleSet:
        found = self._kinds.get(char)
        if found is None:
            kind = (
                "digit"
                if _DIGIT.match(char)
                else "latin"
                if _LATIN.match(char)
                else "jamo"
                if _JAMO.match(char)
                else "hanja"
                if _HANJA.match(char)
                else "symbol"
            )
            found = self._kinds[char] = self._sets[kind]
        return found

    def spell(self, text: str) -> str:
        """Latin letters by their names, digits in English."""
        return "".join(self.letters.get(char.upper()) or (numerals.english(int(char)) if char.isdigit() and char.isascii() else "") for char in text)

    def say_any(self, text: str) -> str:
        """A piece of text read on its own."""
        return self.read(text).text

    def say_expression(self, text: str) -> str:
        """A piece of mathematics read on its own, also where no operator shows that it is one."""
        scan = Scan(self, text.strip())
        whole = maths.Parser(scan, scan.text).sides(0)
        return whole.said if whole and whole.end == len(scan.text) else self.say_any(text)

    def say_subject(self, text: str) -> str:
        said = self.say_expression(text)
        return said + particles.fitting("이", "가", said[-1])

    def say_toward(self, text: str) -> str:
        said = self.say_expression(text)
        return said + particles.fitting("으로", "로", said[-1], rieul=True)

    def say_folded(self, text: str) -> str:
        """A letter or word in a circle or brackets: ㉠ is 기역, ⓐ is 에이."""
        plain = unicodedata.normalize("NFKC", text).strip("()")
        return "".join(self.jamo.get(_COMPATIBLE.get(char, char)) or self.letters.get(char.upper()) or char for char in plain)

    def read(self, text: str, chosen: Mapping[tuple[int, int], Candidate] | None = None) -> Reading:
        """`text` as it is said aloud, with every change. Spans count the characters of `text` in NFC. `chosen`: see Language.read."""
        cleaned = clean.clean(text)
        if TRIGGER.search(cleaned.text) is None and not cleaned.changed:
            return Reading(cleaned.text, ())
        scan = Scan(self, cleaned.text, cleaned.inner(chosen) if chosen else {})
        scan.run()
        reading = scan.reading(cleaned)
        for _ in range(_ROUNDS):
            # Hangul and pauses alone cannot change any more; Latin names may have come to stand beside something else.
            if TRIGGER.search(reading.text) is None:
                break
            again = Scan(self, reading.text)
            again.run()
            if not again.hits:
                break
            second = again.reading(clean.clean(reading.text))
            changes = fixpoint.compose(cleaned.nfc, reading.changes, reading.text, second.changes)
            reading = Reading(second.text, changes, second.kept, reading.unsure)
        return reading


class Scan:
    """One text being read."""

    def __init__(self, reader: Reader, text: str, chosen: Mapping[tuple[int, int], Candidate] | None = None) -> None:
        self.reader = reader
        self.text = text
        self.chosen = chosen or {}
        self.hits: list[Hit] = []
        self.kept: list[str] = []
        self._pieces: list[str] = []
        self._done = self._at = 0
        self.no_math_before = 0

    def tail(self) -> str:
        """The end of what is said so far, up to the place that is being looked at."""
        said = self._pieces[-1] if self._pieces else ""
        between = self.text[self._done : self._at]
        return (said + between)[-LEFT:] if len(between) < LEFT else between[-LEFT:]

    def run(self) -> None:
        text, reader = self.text, self.reader
        position, length = 0, len(text)
        while position < length:
            match = TRIGGER.search(text, position)
            if match is None:
                break
            self._at = at = match.start()
            hit = reader.rules_for(text[at]).hit(self, text, at)
            if hit is None:
                position = at + 1
                continue
            position = max(hit.end, at + 1)
            if hit.text == text[hit.start : hit.end]:
                self.kept.append(hit.text)
                continue
            self._add(hit)
            position = max(self._done, at + 1)

    def _add(self, hit: Hit) -> None:
        text = self.text
        if hit.start < self._done:  # A silent sign takes a blank with it that the one before has already taken.
            hit = hit._replace(start=self._done)
        choice = self.chosen.get((hit.start, hit.end)) if hit.candidates else None
        if choice:
            hit = hit._replace(text=choice.reading, rule_id=choice.rule_id, candidates=())
        if (
            hit.rule_id in _LABELS
            and text[hit.start - 2 : hit.start - 1].isalnum()
            and text[hit.start - 1] in " \t"
            and text[hit.end : hit.end + 1].isspace()
        ):
            # The label of the next option: a pause before it, or 3 ② 5 would be heard as one number.
            hit = hit._replace(start=max(hit.start - 1, self._done), text=f", {hit.text}", joins=True)
        said = hit.text
        before = self._pieces[-1][-1:] if self._done == hit.start and self._pieces else text[hit.start - 1 : hit.start]
        if (
            said
            and not hit.joins
            and before
            and (is_syllable(before) or before.isalpha())
            and not said[0].isspace()
            and is_syllable(said[0])
            and not _ATTACHES.search(text[max(0, hit.start - 2) : hit.start])
        ):
            said = " " + said
        if said[:1] == " " and before.isspace():
            said = said[1:]
        self._insert(hit._replace(text=said))
        if said and is_syllable(said[-1]):
            self._particle(hit, said[-1])

    def _particle(self, hit: Hit, last: str) -> None:
        """The particle after the reading, or after its closing quote, in the form that fits; attached where a sign was named."""
        text, at = self.text, hit.end
        if text[at : at + 1] in _QUOTES and text[hit.start - 1 : hit.start] == _QUOTES[text[at : at + 1]]:
            at += 1
        if hit.rule_id.startswith("mention.") and _DETACHED.match(text, at):
            self._insert(Hit(at, at + 1, "", "particle.attached"))
            at += 1
        repaired = particles.repair(text, at, last)
        if repaired:
            end, rule_id, form = repaired
            self._insert(Hit(at, end, form, rule_id))

    def _insert(self, hit: Hit) -> None:
        self.hits.append(hit)
        self._pieces += [self.text[self._done : hit.start], hit.text]
        self._done = hit.end

    def reading(self, cleaned: clean.Cleaned) -> Reading:
        self._pieces.append(self.text[self._done :])
        spoken = "".join(self._pieces)
        changes, unsure = cleaned.changes(self.hits)
        return Reading(spoken, changes, tuple(self.kept), unsure)


_LABELS = frozenset(["circled.label", "circled.letter", "jamo.label", "label.letter", "label.letter_bracket", "label.number"])
LEFT = 24
_ROUNDS = 4

__all__ = ["Change", "Reader", "Reading", "Scan"]
