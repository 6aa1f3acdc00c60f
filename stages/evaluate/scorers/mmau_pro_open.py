"""Open questions of MMAU-Pro: a judge's overall mark from 1 to 5 against the reference, divided by 5.

A reply may mark several aspects; only the overall mark counts. compat: what cannot be read is worth 3, as the original has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.replies import MarkOfFive, fields, mark_within, read_all
from stages.languages.cleaning import clean
from stages.languages.marks import objects

LOW, HIGH = 1.0, 5.0
_any = mark_within(LOW, HIGH)
_OVERALL = re.compile(
    r"(?<![^\W_])overall(?:[ _](?:score|rating|mark|quality|"
    r"assessment))?\b[\"']?\s*(?:\([^)]*\))?\s*[:=\-]?\s*(?:is\s+)?[\"'\[(]*(?P<mark>\d+(?:\.\d+)?)(?!\d)",
    re.IGNORECASE,
)
_ASPECT = re.compile(r"\b(?:correctness|relevance|completeness|clarity)\b", re.IGNORECASE)


def read(reply: str, language: str) -> float | None:
    """The overall mark; where aspects are marked without an overall one there is none."""
    for found in objects(reply):
        value = next((found[key] for key in found if key.casefold().startswith("overall")), None)
        if value is not None:
            return opened(language).answers.mark(str(value), LOW, HIGH)
    marks = _OVERALL.findall(clean(reply))
    if marks:
        return float(marks[-1]) if LOW <= float(marks[-1]) <= HIGH else None
    return None if _ASPECT.search(reply) else _any(reply, language)


def original(reply: str) -> float:
    """3 where no mark is found; an overall mark of 3, also a real one, is replaced by the mean of the four aspects."""

    def mark(name: str, number: str) -> float:
        found = re.search(rf"{name}:\s*({number})", reply, re.IGNORECASE)
        return float(found[1]) if found else 3.0

    overall = mark("OVERALL", r"\d+(?:\.\d+)?")
    aspects = [mark(name, r"\d+") for name in ("CORRECTNESS", "RELEVANCE", "COMPLETENESS", "CLARITY")]
    return sum(aspects) / len(aspects) if overall == 3.0 else overall


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    if seen.none and not judgments:
        return scored(item, 100.0 * LOW / HIGH, seen, LOW, parts={"mark": LOW})
    marks, invalid = read_all(item, judgments, (lambda text, _: original(text)) if mode == "compat" else read)
    if not marks:
        return scored(item, None, seen, judge_failed=True, n_invalid=invalid)
    mark = sum(marks) / len(marks)
    return scored(item, 100.0 * mark / HIGH, seen, mark, parts={"mark": mark}, n_invalid=invalid)


SCORER = Scorer(
    name="mmau_pro_open",
    number=1,
    metric="judge_mark",
    item=item,
    judge=Judge("mmau_pro_open", 1, MarkOfFive, read, fields),
)
