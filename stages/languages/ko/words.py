"""어절 and the words in them, for questions about a word's place or count (rulebooks/ko/understanding/transcript.yaml).

Kiwi says what is a noun and what is a particle; the rulebook says which particles are cut off, and its forms must fit the sound
before them. Only where both agree an 어절 counts as a noun with particles, so that neither one's slip makes a wrong answer.
"""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import pairwise
from typing import Any

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages.base import Word
from stages.languages.ko.jamo import RIEUL, decompose, final
from stages.languages.ko.numerals import native

RULEBOOK = "rulebooks/ko/understanding/transcript.yaml"
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_NOUNS = ("NNG", "NNP")
_NUMERALS = ("NR", "MM", "SN")
_INNER_OPEN = {
    ("ETM", "NNB"),
    ("ETM", "NNG"),
    ("EC", "VX"),
    ("NNG", "NNG"),
    ("NNG", "NNP"),
    ("NNP", "NNG"),
    ("NNP", "NNP"),
    ("NR", "NNB"),
    ("MM", "NNB"),
    ("MM", "NNG"),
}
_ADNOMINAL = (4, RIEUL)
"""ㄴ and ㄹ, in which the forms of verbs before a noun end."""


@cache
def rules() -> dict[str, Any]:
    """The rulebook. Raises UserError when it cannot be read."""
    import yaml

    path = ROOT / RULEBOOK
    try:
        book: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{RULEBOOK} cannot be read ({str(error).splitlines()[0]}); restore it.") from None
    return book


@cache
def _particles() -> dict[str, tuple[bool, bool]]:
    """Form to whether it goes after a consonant and after a vowel."""
    forms: dict[str, tuple[bool, bool]] = {}
    for entry in (*rules()["particles"]["case"], *rules()["particles"]["auxiliary"]):
        closed, slash, opened = entry.partition("/")
        forms |= {closed: (True, False), opened: (False, True)} if slash else {entry: (True, True)}
    return forms


def _cut(rest: str, before: str) -> bool:
    """Whether `rest` is one or two particles that fit after the syllable `before`."""
    for size in range(1, len(rest) + 1):
        fits = _particles().get(rest[:size])
        if fits is None:
            continue
        last = final(before)
        if last is None:
            return False
        vowel = last == 0 or (last == RIEUL and rest[:size].removeprefix("으").startswith("로"))
        if not fits[1 if vowel else 0]:
            continue
        if size == len(rest) or (rest[size:] in _particles() and _cut(rest[size:], rest[size - 1])):
            return True
    return False


@cache
def _kiwi() -> Any:
    """An analyser that uses every core: thousands of sentences come at once."""
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=os.cpu_count() or 1, load_multi_dict=False, load_typo_dict=False)


def analyse(texts: list[str]) -> list[list[Word]]:
    """The 어절 of each text, in NFC and as said."""
    return [_words(text, tokens) for text, tokens in zip(texts, _kiwi().tokenize(texts), strict=True)]


def _words(text: str, tokens: list[Any]) -> list[Word]:
    words: list[Word] = []
    at = 0
    before: list[Any] = []
    for found in re.finditer(r"\S+", text):
        inside = []
        while at < len(tokens) and tokens[at].start < found.end():
            if tokens[at].tag[0] != "S" or tokens[at].tag in ("SL", "SN", "SH"):
                inside.append(tokens[at])
            at += 1
        said = _EDGE.sub("", found[0])
        if said:
            words.append(_word(said, found.start() + found[0].index(said), inside, before, words[-1].text if words else ""))
            before = inside
    return words


def _word(said: str, start: int, inside: list[Any], before: list[Any], last: str) -> Word:
    tags = [token.tag.partition("-")[0] for token in inside]
    nouns = 0
    while nouns < len(tags) and tags[nouns] in _NOUNS:
        nouns += 1
    stem = ""
    if nouns and all(tag[0] == "J" for tag in tags[nouns:]):
        end = inside[nouns - 1].start + inside[nouns - 1].len - start
        whole, rest = said[:end], said[end:]
        if whole and (not rest or _cut(rest, whole[-1])):
            stem = whole
    return Word(said, stem, _kind(tags, stem), not (_open(tags, before) or _joined(said, inside, tags, last, before)))


def _kind(tags: list[str], stem: str) -> str:
    if stem:
        return "noun"
    if tags and tags[0] in ("MAJ", "IC"):
        return "linking"
    return "verb" if any(tag in ("VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA") for tag in tags) else "other"


def _open(tags: list[str], before: list[Any]) -> bool:
    """Whether a space before or inside the 어절 is a matter of habit."""
    if any(pair in _INNER_OPEN for pair in pairwise(tags)) or "SN" in tags or "SL" in tags:
        return True
    if not tags or not before:
        return not tags
    last = before[-1].tag.partition("-")[0]
    if tags[0] in ("NNB", "VX", "VCP", "XSN", "NR"):
        return True
    return (last in (*_NOUNS, *_NUMERALS) and tags[0] in (*_NOUNS, "NNB")) or (last in (*_NOUNS, "XR") and tags[0] in ("VV", "XSV", "XSA"))


def _joined(said: str, inside: list[Any], tags: list[str], last: str, before: list[Any]) -> bool:
    """Whether many people write the 어절 as one with the one before it, or two were written as one here (`habit` of the rulebook)."""
    habit = rules()["habit"]
    for token, (tag, after) in zip(inside, pairwise(tags), strict=False):
        if tag == "MAG" and after[0] in "VX" and token.form in habit["joined"]:
            return True
    if not tags or not before:
        return False
    if tags[0] in ("VV", "VA", "XSV") and inside[0].form in habit["one_word"].get(before[-1].form, ()):
        return True
    if tags[0] == "NNG" and inside[0].form in habit["dependent"] and final(last[-1]) in _ADNOMINAL:
        return True
    return said.startswith(tuple(habit["after"].get(last, ())))


class _Sounds(dict[int, str]):
    """Character to its letters, those that sound alike as one; filled as characters come."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        merged = rules()["targets"]["same_sound"]
        self[code] = "".join(merged.get(letter, letter) for letter in decompose(char)) if char.isalnum() else ""
        return self[code]


_SOUNDS = _Sounds()


def same_sound(text: str) -> str:
    """A key that is equal for texts that most speakers pronounce alike letter by letter; blanks and signs are left out."""
    return text.translate(_SOUNDS)


def ordinal(number: int) -> str:
    """The `number`-th place, as an option."""
    form: str = rules()["options"]["word_order"]
    return form.format(native="첫" if number == 1 else native(number))


def times(number: int) -> str:
    """`number` occurrences, as an option."""
    form: str = rules()["options"]["word_frequency_counting"]
    return form.format(native=native(number))
