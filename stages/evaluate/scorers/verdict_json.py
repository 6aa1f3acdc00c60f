"""trivia_qa and web_questions of OpenAudioBench: whether the answer means what one of the references means, by a judge's verdict."""

from __future__ import annotations

from stages.evaluate.scorers import openaudiobench
from stages.evaluate.scorers.judged import verdict_scorer

SCORER = verdict_scorer("verdict_json", openaudiobench.judgment)
