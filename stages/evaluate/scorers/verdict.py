"""llama_questions of OpenAudioBench: whether the answer means what the reference means, by a judge's verdict."""

from __future__ import annotations

from stages.evaluate.scorers import openaudiobench
from stages.evaluate.scorers.base import Judge, Scorer
from stages.evaluate.scorers.judged import item_scorer
from stages.evaluate.scorers.replies import Vote, fields, read_vote

SCORER = Scorer(
    name="verdict",
    number=1,
    metric="accuracy",
    item=item_scorer(read_vote, openaudiobench.bracketed, 100.0, 0.0),
    judge=Judge("reference_any", 1, Vote, read_vote, fields),
)
