"""alpaca_eval of OpenAudioBench: a judge's mark from 1 to 10 without a reference, times 10."""

from __future__ import annotations

from stages.evaluate.scorers import openaudiobench
from stages.evaluate.scorers.base import Judge, Scorer
from stages.evaluate.scorers.judged import item_scorer
from stages.evaluate.scorers.replies import MarkOfTen, fields, mark_within

_read = mark_within(1, 10)

SCORER = Scorer(
    name="alpaca_ten",
    number=1,
    metric="judge_mark",
    item=item_scorer(_read, openaudiobench.mark_of_ten, 10.0, 10.0),
    judge=Judge("alpaca_ten", 1, MarkOfTen, _read, fields),
)
