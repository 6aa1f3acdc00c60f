"""MMAU's own comparison: all words of the key are in the answer, and no word that only another option has. It takes no letter and no particle."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.evaluate.scorers.answering import flags, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer

_WORD = re.compile(r"\b\w+\b")


def right(key: str, answer: str, options: Sequence[str]) -> bool:
    said, wanted = _words(answer), _words(key)
    if not said:
        return False
    others: set[str] = set()
    for option in options:
        words = _words(option)
        if words != wanted:
            others |= words - wanted
    return wanted <= said and not said & others


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    match = right(item.reference or "", prediction.text or "", [text for _, text in item.options])
    return scored(item, 100.0 * match, seen, match)


SCORER = Scorer(name="string_match", number=1, metric="accuracy", item=item)
