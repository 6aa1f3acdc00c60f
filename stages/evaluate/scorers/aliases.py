"""Short answers without a judge: whether the answer gives one of the accepted answers, in whatever spelling, number form or inflection."""

from __future__ import annotations

from collections.abc import Sequence

from stages.evaluate.scorers.answering import flags, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.reference import matched


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    match = matched(item, prediction.text or "", mode)
    return scored(item, 100.0 * match, seen, match)


SCORER = Scorer(
    name="aliases",
    number=1,
    metric="accuracy",
    item=item,
)
