"""Multiple choice with labels (openbookqa, mmsu): the label that the answer chooses, read by rules.

What is not read is wrong and counted; nothing is guessed. compat: VoiceBench's templates; what they do not read is worth the mean of its guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.core.statistics import mean
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.voicebench import choice


def chosen(item: Item, answer: str, mode: Mode) -> str | None:
    """The label that `answer` chooses."""
    if mode == "compat":
        return choice(answer)
    place = opened(item.language).answers.choice(answer, item.options)
    return None if place is None else item.options[place][0]


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    label = chosen(item, prediction.text or "", mode)
    if label is None:
        value = 100.0 / len(item.options) if mode == "compat" and item.options else 0.0
        return scored(item, value, seen, None, unparsed=not seen.none)
    return scored(item, 100.0 * (label == item.reference), seen, label)


def _parts(scores: Sequence[ItemScore], mode: Mode) -> dict[str, float]:
    fail = mean([100.0 * (score.answer is None) for score in scores])
    return {} if fail is None else {"fail": fail}


SCORER = Scorer(
    name="multiple_choice",
    number=1,
    metric="accuracy",
    item=item,
    parts=_parts,
)
