"""Scored runs of made-up models in a world, as the stage score leaves them, with judgments that come from the known truth."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from stages.core import files
from stages.core.files import Row
from stages.evaluate import score
from stages.evaluate.benchmarks import Question, questions
from stages.evaluate.scorers import Judgment, load
from tests.evaluate import world
from tests.evaluate.suite import suite

JUDGE = {
    "model": "judge-of-tests",
    "temperature": 0.5,
    "prompts": {"en/open": "aaaaaaaaaaaa", "ko/open": "bbbbbbbbbbbb"},
    "samples": {"en/open": 3, "ko/open": 3},
}
ORIGIN = {"model": "made-up", "modality": "text", "heard": None, "finish_reason": "stop"}


def judged(asked: list[Question], right: dict[str, bool], seed: str, doubt: float = 0.1) -> dict[str, list[Judgment]]:
    """Three raw replies of a judge, or one, as the protocol wants; it errs with the chance `doubt`."""
    chance = random.Random(seed)
    found = {}
    for question in asked:
        judge = load(question.item.protocol).judge
        if judge is not None:
            votes = [right[question.id] != (chance.random() < doubt) for _ in range(judge.samples)]
            found[question.id] = [Judgment(question.item.id, sample, world.mark(question, good)) for sample, good in enumerate(votes)]
    return found


def run(root: Path, name: str, right: float, doubt: float = 0.1) -> tuple[list[Row], Counter[tuple[str, str]]]:
    """Score a model that is right with the given chance, a tenth less in Korean, and write its rows and report below `root`."""
    asked = questions(suite(), root)
    found: dict[str, str] = {}
    goods: dict[str, bool] = {}
    hits: Counter[tuple[str, str]] = Counter()
    chance = random.Random(name)
    for question in asked:
        good = chance.random() < right - 0.1 * (question.language == "ko")
        found[question.id], goods[question.id] = world.answer(question, good, chance), good
        hits[question.language, question.subset] += good
    judgments = judged(asked, goods, name, doubt)
    rows = [{**score.scored(question, found[question.id], judgments, {}, "fixed"), **ORIGIN} for question in asked]
    files.write_jsonl(root / "data/score" / name / "rows.jsonl", rows)
    files.write_json(root / "data/reports/score" / f"{name}.json", {"judge": JUDGE})
    return rows, hits


def settings(models: list[str], **more: Any) -> dict[str, Any]:
    from tests.evaluate.suite import values

    about = {"title": "Speech language models in English and Korean", "max_cer": 0.05, "max_invalid_share": 0.01}
    return {"suite": values(), "models": models, **about, **more}
