"""reasoning_qa of OpenAudioBench: a judge's mark from 1 to 5 against the reference, times 20."""

from __future__ import annotations

from stages.evaluate.scorers import openaudiobench
from stages.evaluate.scorers.base import Judge, Scorer
from stages.evaluate.scorers.judged import item_scorer
from stages.evaluate.scorers.replies import MarkOfFive, fields, mark_within

_read = mark_within(1, 5)

SCORER = Scorer(
    name="reasoning",
    number=1,
    metric="judge_mark",
    item=item_scorer(_read, openaudiobench.mark_of_five, 20.0, 20.0),
    judge=Judge("reasoning", 1, MarkOfFive, _read, fields),
)
