"""OpenAudioBench's scales, on 0 to 100: one reply of the judge an item. An item without a valid reply is left out and counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stages.evaluate.scorers.answering import flags, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.replies import Vote, fields, read_all, read_vote

Read = Callable[[str, str], Any]


def item_scorer(
    read: Read, original: Callable[[str], Any], scale: float, lowest: float
) -> Callable[[Item, Prediction, Sequence[Judgment], Mode], ItemScore]:
    """The item function of a protocol: `read` gives a mark or a vote, `original` what the original reads, `scale` makes 100 of the best."""

    def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
        seen = flags(item, prediction)
        if seen.none and not judgments:
            return scored(item, lowest, seen)
        found, invalid = read_all(item, judgments, (lambda text, _: original(text)) if mode == "compat" else read)
        if not found:
            return scored(item, None, seen, judge_failed=True, n_invalid=invalid)
        values = [scale * float(value) for value in found]
        value = sum(values) / len(values)
        return scored(item, value, seen, found[0] if len(found) == 1 else found, n_invalid=invalid)

    return item


def verdict_scorer(name: str, original: Callable[[str], bool | None]) -> Scorer:
    """Right or wrong by one vote of a judge; `original` reads its reply in compat mode, which is all in which OpenAudioBench's two prompts differ."""
    judge = Judge("reference_any", 1, Vote, read_vote, fields)
    return Scorer(name=name, number=1, metric="accuracy", item=item_scorer(read_vote, original, 100.0, 0.0), judge=judge)
