"""Open-ended questions (alpacaeval_full, commoneval, wildvoice): a judge's mark from 1 to 5, three samples, times 20.

An item's mark is the mean of its valid samples, the set's the mean of its items, so that an item with a lost sample weighs as much as any.
An item without a valid sample is left out and counted. An empty or missing answer gets the lowest mark, 1, without a judge.

compat: all samples of all items are pooled, as VoiceBench does; its exceptions, and marks off the scale, have no place in a mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.core.statistics import mean
from stages.evaluate.scorers.answering import flags, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.replies import MarkOfFive, fields, mark_within, read_all
from stages.evaluate.scorers.voicebench import raw_marks

LOW, HIGH, SCALE = 1.0, 5.0, 20.0
_read = mark_within(LOW, HIGH)


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    if seen.none and not judgments:
        return scored(item, SCALE * LOW, seen, LOW, parts={"mark": LOW})
    marks, invalid = raw_marks(judgments) if mode == "compat" else read_all(item, judgments, _read)
    if not marks:
        return scored(item, None, seen, judge_failed=True, n_invalid=invalid)
    mark = sum(marks) / len(marks)
    return scored(item, SCALE * mark, seen, mark, parts={"mark": mark, "samples": float(len(marks))}, n_invalid=invalid)


def _value(scores: Sequence[ItemScore], mode: Mode) -> float | None:
    scores = [score for score in scores if score.value is not None]
    if mode == "fixed":
        return mean([score.value for score in scores if score.value is not None])
    weights = [score.parts.get("samples", 1.0) for score in scores]
    pooled = mean([weight * score.parts["mark"] for weight, score in zip(weights, scores, strict=True)])
    share = mean(weights)
    return SCALE * pooled / share if pooled is not None and share else None


def _parts(scores: Sequence[ItemScore], mode: Mode) -> dict[str, float]:
    value = _value(scores, mode)
    return {} if value is None else {"mark": value / SCALE}


SCORER = Scorer(
    name="open",
    number=1,
    metric="judge_mark",
    item=item,
    judge=Judge("open", 3, MarkOfFive, _read, fields),
    parts=_parts,
    value=_value,
)
