"""What a program can say of a checklist: whether its points are concrete, checkable, single, different, and no answer key.

What counts as vague, general or a verdict on the right answer is data of the language (`words`), the rest is form. Every
problem is `check: detail`, written so that the writer can put it right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings, load
from stages.wildspeech.duplicates import bare, jaccard, trigrams

SAME_POINT = 0.7
"""Trigram similarity from which two points are one."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUOTED = re.compile(r"[\"“]([^\"”]{3,})[\"”]")


class PointSettings(Settings):
    min_points: int = Field(3, ge=1)
    max_points: int = Field(6, ge=1)
    min_words: int = Field(4, ge=1)
    max_words: int = Field(25, ge=5)
    words: str
    """YAML file with the language's `vague`, `general` and `answer_key` patterns, relative to the project."""


class WordSettings(Settings):
    vague: list[str]
    """Praise that cannot be checked, as regular expressions."""
    general: list[str]
    """What the three general points ask for already."""
    answer_key: list[str]
    """Phrases that announce the one right answer."""
    names: bool = True
    """Whether a capital letter inside a sentence makes a name, so that names can be compared with the query's."""
    stem: int = Field(ge=1)
    """Words are the same in content when they begin with so many equal letters; shorter ones are not looked at."""


class Words(NamedTuple):
    vague: list[re.Pattern[str]]
    general: list[re.Pattern[str]]
    answer_key: list[re.Pattern[str]]
    names: bool
    stem: int


@cache
def read_words(path: Path) -> Words:
    """Raises UserError for a file that cannot be read or a pattern that is none."""
    import yaml

    try:
        chosen = load(WordSettings, yaml.safe_load(path.read_text(encoding="utf-8")) or {}, path.name)
        lists = (chosen.vague, chosen.general, chosen.answer_key)
        vague, general, answer_key = ([re.compile(one, re.IGNORECASE) for one in patterns] for patterns in lists)
        return Words(vague, general, answer_key, chosen.names, chosen.stem)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, re.error) as error:
        raise UserError(f"The word lists {path} cannot be used ({' '.join(str(error).split())}); correct them there.") from None


def problems(points: Sequence[str], row: Row, settings: PointSettings) -> list[str]:
    """Everything that makes the checklist of `row` (a row of Queried) unusable; empty for a sound one."""
    words = read_words(ROOT / settings.words)
    found = []
    if not settings.min_points <= len(points) <= settings.max_points:
        found.append(f"count: {len(points)} points, {settings.min_points} to {settings.max_points} are wanted")
    known = " ".join(filter(None, (row[name] for name in ("query", "meant", "other", "must_notice", "delivery", "contrast"))))
    for number, point in enumerate(points, 1):
        found += [f"{problem} (point {number}: {point})" for problem in _of_point(point, known, settings, words)]
    for number, point in enumerate(points):
        for other in points[:number]:
            if jaccard(trigrams(bare(point)), trigrams(bare(other))) >= SAME_POINT:
                found.append(f"repeated: two points ask the same ({other} / {point})")
    if row["kind"] and not any(_shares(point, " ".join((row["must_notice"], row["meant"])), words.stem) for point in points):
        found.append(f"unnoticed: no point asks whether this was heard: {row['must_notice']}")
    return found


def _of_point(point: str, known: str, settings: PointSettings, words: Words) -> list[str]:
    found = []
    count = len(point.split())
    if not settings.min_words <= count <= settings.max_words:
        found.append(f"length: {count} words, {settings.min_words} to {settings.max_words} are wanted")
    if re.search(r"[?？]\s*$", point):
        found.append("question: a point is a statement, not a question")
    if len(re.findall(r"[.!。]\s+\S", point)) > 0 or "\n" in point or ";" in point:
        found.append("several: a point asks for one thing in one sentence")
    if vague := next((pattern for pattern in words.vague if pattern.search(point)), None):
        found.append(f"vague: {_seen(vague, point)!r} says nothing that can be checked")
    if general := next((pattern for pattern in words.general if pattern.search(point)), None):
        found.append(f"general: {_seen(general, point)!r} is asked of every answer already")
    return found + _keys(point, known, words)


def _seen(pattern: re.Pattern[str], point: str) -> str:
    match = pattern.search(point)
    assert match is not None
    return match[0]


def _keys(point: str, known: str, words: Words) -> list[str]:
    """Signs that the point holds an answer: announced, or a number, a quotation or a name that the query does not have."""
    if announced := next((pattern for pattern in words.answer_key if pattern.search(point)), None):
        return [f"answer_key: {_seen(announced, point)!r} announces the right answer"]
    numbers = set(_NUMBER.findall(known))
    if new := [number for number in _NUMBER.findall(point) if number not in numbers]:
        return [f"answer_key: the number {new[0]} is not in the query"]
    if new := [quoted for quoted in _QUOTED.findall(point) if bare(quoted) not in bare(known)]:
        return [f"answer_key: it quotes {new[0]!r}, which is not in the query"]
    if words.names and (new := [name for name in _names(point) if bare(name) not in bare(known)]):
        return [f"answer_key: the name {new[0]!r} is not in the query"]
    return []


def _names(point: str) -> list[str]:
    """Words with a capital letter, but the first, and but the pronoun I."""
    return [word for word in re.findall(r"(?<=\s)[\"“(]?([A-Z][\w'-]+)", point) if word not in ("I", "I'm", "I've", "I'll", "I'd")]


def _shares(point: str, wanted: str, stem: int) -> bool:
    """Whether a point has a word in common with `wanted`, by its beginning."""
    stems = {word[:stem] for word in bare(wanted).split() if len(word) >= stem}
    return any(word[:stem] in stems for word in bare(point).split())
