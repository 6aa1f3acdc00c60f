"""What a program can say of a paralinguistic item: its marks, its two readings, and whether it gives itself away.

Every problem is `check: detail`. The checks look at form; whether a listener really hears the difference is for people.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from stages.core.delivery import Delivery, parse
from stages.core.errors import UserError
from stages.wildspeech.duplicates import bare, jaccard, trigrams

SAME_QUERY = 0.75
"""Trigram similarity from which two items rest on the same sentence."""
MOST_ALIKE = 0.9
"""Similarity from which two readings are one."""
MARKED = {"pause": "pause", "stress": "stress", "tone": "tone", "stutter": "stutter"}


class Item(NamedTuple):
    id: str
    kind: str
    query: str
    delivery: str
    contrast: str
    meant: str
    other: str
    must_notice: str


def problems(item: Item, max_words: int, min_contrast: float) -> list[str]:
    """Everything that makes the item unfit, as `check: detail`; empty for a sound one."""
    found = [
        f"missing: it has no {name}" for name in ("query", "delivery", "contrast", "meant", "other", "must_notice") if not getattr(item, name).strip()
    ]
    if found:
        return found
    if len(item.query.split()) >= max_words:
        found.append(f"too_long: {len(item.query.split())} words, under {max_words} are allowed")
    delivery, trouble = _parsed(item.delivery, "delivery")
    found += trouble
    if delivery is not None:
        found += _delivered(item, delivery)
    if _alike(item.meant, item.other):
        found.append("one_reading: the two readings say the same")
    if _alike(item.must_notice, item.meant):
        found.append("nothing_to_notice: must_notice repeats the reading instead of saying what an answer shows")
    if len(bare(item.meant)) > 12 and bare(item.meant) in bare(item.query):
        found.append("given_away: the query itself says which reading is meant")
    return found + _contrasted(item, min_contrast)


def similar(query: str, other: str) -> bool:
    """Whether two items rest on the same sentence."""
    return jaccard(trigrams(bare(query)), trigrams(bare(other))) >= SAME_QUERY


def _alike(one: str, other: str) -> bool:
    return jaccard(trigrams(bare(one)), trigrams(bare(other))) >= MOST_ALIKE


def _parsed(text: str, what: str) -> tuple[Delivery | None, list[str]]:
    try:
        return parse(text, what), []
    except UserError as error:
        return None, [f"marks: {error}"]


def _delivered(item: Item, delivery: Delivery) -> list[str]:
    found = []
    if delivery.text.split() != item.query.split():
        found.append(f"other_words: without its marks the delivery says {delivery.text!r}, the query {item.query!r}")
    has = {mark.kind for mark in delivery.marks}
    wanted = MARKED.get(item.kind)
    if wanted and wanted not in has:
        found.append(f"unmarked: a {item.kind} item needs a mark of {wanted}")
    if item.kind == "homophone" and has:
        found.append(f"overmarked: a homophone needs no mark, this one has {', '.join(sorted(has))}")
    if item.kind == "stutter":
        for mark in (mark for mark in delivery.marks if mark.kind == "stutter"):
            if not delivery.text[mark.start :].casefold().startswith(mark.value.casefold()):
                found.append(f"stutter: {mark.value!r} is not how the next word begins ({delivery.text[mark.start : mark.start + 12]!r})")
    return found


def _contrasted(item: Item, min_contrast: float) -> list[str]:
    """The contrast: the same words otherwise said, or other words that sound like them."""
    contrast, trouble = _parsed(item.contrast, "contrast")
    if contrast is None:
        return trouble
    own, its = bare(item.query).split(), bare(contrast.text).split()
    if item.kind in ("pause", "stress", "tone"):
        if own != its:
            return [f"contrast: it has other words than the query ({contrast.text!r})"]
        if item.contrast.strip() == item.delivery.strip():
            return ["contrast: it is said just as the item itself"]
        return []
    if own == its:
        return ["contrast: it has the same words as the query, so there is nothing to be misheard"]
    if item.kind == "homophone":
        return _sounding(own, its, min_contrast)
    return []


def _sounding(own: list[str], its: list[str], min_contrast: float) -> list[str]:
    """Whether what differs between two sentences is one short stretch of similar letters."""
    from rapidfuzz.distance import Levenshtein

    head = next((place for place, (one, other) in enumerate(zip(own, its, strict=False)) if one != other), min(len(own), len(its)))
    tail = next((place for place, (one, other) in enumerate(zip(own[::-1], its[::-1], strict=False)) if one != other), min(len(own), len(its)))
    tail = min(tail, min(len(own), len(its)) - head)
    one, other = own[head : len(own) - tail], its[head : len(its) - tail]
    if len(one) > 3 or len(other) > 3:
        return [f"contrast: {' '.join(one)!r} and {' '.join(other)!r} are more than one word that could be misheard"]
    # By letters: in scripts that write syllables, one letter would otherwise make the whole syllable another.
    share = Levenshtein.normalized_similarity(*(unicodedata.normalize("NFD", "".join(words)) for words in (one, other)))
    if share < min_contrast:
        return [f"contrast: {' '.join(one)!r} and {' '.join(other)!r} are not written alike ({share:.2f}); is it a near-homophone?"]
    return []
