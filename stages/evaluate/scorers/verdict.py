"""llama_questions of OpenAudioBench: whether the answer means what the reference means, by a judge's verdict."""

from __future__ import annotations

from stages.evaluate.scorers import openaudiobench
from stages.evaluate.scorers.judged import verdict_scorer

SCORER = verdict_scorer("verdict", openaudiobench.bracketed)
