"""What a judge's reply ends with: a mark, or a vote for right or wrong. A language adds its own words.

Read are JSON objects and free text; never code. A mark stands alone, behind a label, before `/5` or a unit, or in double brackets; the last one
counts, and one off the scale is no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from stages.languages.cleaning import clean

_NUMBER = r"(?<![\d.,_+\-/])(\d{1,3}(?:\.\d+)?)(?![\d_]|[.,]\d)"
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_KEYS = ("mark", "score", "rating", "overall", "overall_score", "final_score", "grade")
_DOUBLE = re.compile(r"\[\[\s*(-?\d{1,3}(?:\.\d+)?)\s*\]\]")
_SINGLE = re.compile(r"(?<!\[)\[\s*(\d{1,3}(?:\.\d+)?)\s*(?:/\s*\d+\s*)?\](?!\])")
_ALONE = re.compile(r"^[\s\"'(\[]*(\d{1,3}(?:\.\d+)?)[\s\"')\].!]*$", re.MULTILINE)
_OPENING = re.compile(r"\A[\s\"'(\[]*(\d{1,3}(?:\.\d+)?)[\s\"')\]]*(?:\Z|[,.;:(-](?!\s*\d)(?=\s|\Z|\w)|\s-\s(?!\d))")
_GIVEN = re.compile(
    rf"\b(?:give|gives|rate|rated|award|awarded|deserves?|assign|assigned|get|gets|score of|rating of|mark of|receives?|"
    rf"earns?|scores?)\b(?:\s+(?:it|this|that|the \w+|response|answer|an?|as|with|at|of|mark|score|"
    rf"rating))*\s+(?:an?\s+)?[\"'(\[]*{_NUMBER}(?!\s*(?:-|to|~)\s*\d)",
    re.IGNORECASE,
)
UNITS = "points?|stars?"
LABELS = r"score|rating|mark|grade|overall|verdict|final|scale|result|points?|judge?ment|evaluation"


def mark(reply: str, low: float, high: float, labels: str = LABELS, units: str = UNITS, keys: Sequence[str] = ()) -> float | None:
    """The mark within [low, high] that `reply` ends with; None where there is none."""
    for found in objects(reply):
        for key in (*_KEYS, *keys):
            value = found.get(key)
            if isinstance(value, str):
                value = next(iter(_ALONE.findall(value.split("/")[0])), None)
            if value is not None and not isinstance(value, bool):
                return _within(value, low, high)
    text = clean(reply)
    labelled = re.compile(
        rf"(?<![^\W_])(?:{labels})(?![^\W_\d])(?:\s*\([^)]*\))?[\"'\]]*\s*(?:(?:is|was|would be|of|:|=|-|→|"
        rf"⇒)\s*)*[\"'(\[]*(?:{_NUMBER}(?!\s*(?:-|to|~|–)\s*\d|\s*%)|({'|'.join(_WORDS)})\b)",
        re.IGNORECASE,
    )
    united = re.compile(
        rf"{_NUMBER}\s*(?:/\s*{int(high)}(?!\d)|out of (?:{int(high)}|five|ten)\b|(?:{units}))",
        re.IGNORECASE,
    )
    boxed = re.compile(rf"⇒\s*{_NUMBER}")
    marked = [(match.end(), match[1]) for pattern in (_DOUBLE, boxed, united) for match in pattern.finditer(text)]
    marked += [(match.end(), match[1] or str(_WORDS[match[2].casefold()])) for match in labelled.finditer(text)]
    marked += [(match.end(), match[1]) for match in _ALONE.finditer(text)]
    if not marked:
        marked = [(match.end(), match[1]) for match in _OPENING.finditer(text)]
    if not marked:
        marked = [(match.end(), match[1]) for pattern in (_SINGLE, _GIVEN) for match in pattern.finditer(text)]
    return _within(max(marked)[1], low, high) if marked else None


def _within(value: Any, low: float, high: float) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if low <= number <= high else None


_VOTE_KEYS = ("judgment", "judgement", "verdict", "correct", "result", "answer", "vote", "decision", "label")
_BRACKET = re.compile(r"\[\s*(correct|incorrect|right|wrong|yes|no|true|false)\s*\]", re.IGNORECASE)
_KEY_IN_TEXT = re.compile(
    r"[\"']?(?:judgment|judgement|verdict)[\"']?\s*[:=]\s*[\"'\[<]*\s*(correct|incorrect|right|wrong|yes|no|true|false)\b", re.IGNORECASE
)
_WORD = {"correct": True, "right": True, "yes": True, "true": True, "incorrect": False, "wrong": False, "no": False, "false": False}


def vote(reply: str) -> bool | None:
    """Whether a reply with a marked verdict (JSON, brackets) says right; None where no verdict is marked."""
    for found in objects(reply):
        for key in _VOTE_KEYS:
            value = found.get(key)
            if isinstance(value, bool):
                return value
            if isinstance(value, str) and (word := value.strip().strip(".!\"'[]<>").casefold()) in _WORD:
                return _WORD[word]
    marked = [(match.end(), match[1]) for pattern in (_BRACKET, _KEY_IN_TEXT) for match in pattern.finditer(reply)]
    return _WORD[max(marked)[1].casefold()] if marked else None


def objects(reply: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in `reply`, the last one first. Braces within their strings are text."""
    reply = reply.translate({0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'"}) if '"' not in reply else reply
    if "{" not in reply:
        return
    reply = reply[-20_000:]
    found: list[dict[str, Any]] = []
    tries = 0
    at = reply.find("{")
    while at >= 0 and tries < 100:
        tries += 1
        end = _closing(reply, at)
        if end < 0:
            break
        try:
            value = orjson.loads(reply[at:end])
            if isinstance(value, dict):
                found.append(value)
                at = reply.find("{", end)
                continue
        except orjson.JSONDecodeError:
            pass
        at = reply.find("{", at + 1)
    yield from reversed(found)


def _closing(text: str, at: int) -> int:
    """End of the object that opens at `at`, or -1."""
    depth, quoted, escaped = 0, False, False
    for place in range(at, min(len(text), at + 20000)):
        char = text[place]
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = quoted
        elif char == '"':
            quoted = not quoted
        elif not quoted and char == "{":
            depth += 1
        elif not quoted and char == "}":
            depth -= 1
            if depth == 0:
                return place + 1
    return -1
