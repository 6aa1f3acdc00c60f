"""Score: what every answer of a model is worth.

Source: paper 2605.27984, section 5.1, and the protocols of VoiceBench, OpenAudioBench, MMAU and MMAU-Pro (stages/evaluate/scorers/).
Answers are judged where their protocol asks for it (stages/evaluate/judge.py) and scored one by one; sets of them are totalled by the
report. Every row keeps the answer, what was read in it, and the judge's raw replies, so that a score can be looked into, or made
again without a call:

    python -m stages.evaluate.score careful                       what DVC runs
    python -m stages.evaluate.score again=data/score/careful      the same scores from the stored judgments, no store, no call
    python -m stages.evaluate.score layout=voicebench files=...   results of other harnesses, see stages/evaluate/outside.py
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import orjson

from stages.core import files
from stages.core.app import exiting, main
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Stage
from stages.evaluate import predictions
from stages.evaluate.benchmarks import Question, Suite, questions
from stages.evaluate.judge import Case, Judged, JudgeSettings, judge, provenance
from stages.evaluate.scorers import Item, ItemScore, Judgment, Prediction, load
from stages.evaluate.scorers.base import Mode

_BY_ALIASES = ("reference", "verdict", "verdict_json")
"""Protocols that can be scored by alias lists instead of a judge."""
CORRECTED = "#corrected"
FLAGS = ("missing", "empty", "unparsed", "refused", "judge_failed", "flagged")
"""Fields of an item's score that a row lists when they hold."""


class ScoreSettings(Settings):
    suite: Suite
    only: list[str] | None = None
    mode: Mode = "fixed"
    judge: JudgeSettings | None
    """Null scores what needs no judge; the rest is reported as not judged."""
    short_answers: Literal["judge", "aliases"] = "judge"
    """`aliases` compares short answers with the accepted ones by rule, without a judge."""


@dataclass
class Tools:
    questions: list[Question]
    responses: list[Row]
    root: Path
    progress: Progress


def run(rows: list[Row], settings: ScoreSettings, tools: Tools) -> Outcome:
    by_id = {row["id"]: row for row in tools.responses}
    answers = {id: predictions.strip_thoughts(row["response"]) for id, row in by_id.items()}
    asked = [with_protocol(question, settings.short_answers) for question in tools.questions]
    judged = judge(cases(asked, answers), settings.judge, tools.root, tools.progress) if settings.judge else Judged()
    kept = [
        {**scored(question, answers.get(question.id), judged.judgments, judged.requests, settings.mode), **_origin(by_id.get(question.id))}
        for question in asked
    ]
    judging = {f"judge_{name}": value for name, value in judged.report.items() if name != "usage"}
    report: dict[str, Any] = {"judge": about_judge(asked, settings, tools.root), **judging, "usage": judged.report.get("usage", {})}
    return Outcome(kept, report=report)


def with_protocol(question: Question, short_answers: str) -> Question:
    if short_answers == "judge" or question.item.protocol not in _BY_ALIASES:
        return question
    corrected = question.corrected and replace(question.corrected, protocol="aliases")
    return replace(question, item=replace(question.item, protocol="aliases"), corrected=corrected)


def cases(asked: Sequence[Question], answers: Mapping[str, str]) -> list[Case]:
    """What a judge has to look at: no missing or empty answer, which is worth the least without looking."""
    found = []
    for question in asked:
        answer = answers.get(question.id, "")
        if answer.strip():
            found.append(Case(question.id, question.item, answer))
            if question.corrected is not None:
                found.append(Case(question.id + CORRECTED, question.corrected, answer))
    return found


def scored(
    question: Question, answer: str | None, judgments: Mapping[str, Sequence[Judgment]], requests: Mapping[str, Sequence[str]], mode: Mode
) -> Row:
    """A row of the schema Scored, without the columns that tell where the answer came from."""
    item = question.item
    own, other = judgments.get(question.id, ()), judgments.get(question.id + CORRECTED, ())
    one = score(item, answer, own, mode)
    paired = one.value
    if question.corrected is not None:
        paired = score(question.corrected, answer, other, mode).value
    scorer = load(item.protocol)
    return {
        "id": question.id,
        "item_id": item.id,
        "language": question.language,
        "benchmarks": list(question.benchmarks),
        "subset": question.subset,
        "config": question.config,
        "family": question.family,
        "task": item.task,
        "protocol": item.protocol,
        "version": scorer.version,
        "mode": mode,
        "item_sha256": item_hash(question),
        "question": question.spoken,
        "reference": _reference(item),
        "response": answer,
        "value": one.value,
        "paired_value": paired,
        "key_corrected": question.corrected is not None,
        "answer": orjson.dumps(one.answer).decode(),
        "parts": orjson.dumps(dict(one.parts), option=orjson.OPT_SORT_KEYS).decode(),
        "flags": [name for name in FLAGS if getattr(one, name)],
        "n_invalid": one.n_invalid,
        "cer": question.cer,
        "judgments": [_judgment(judgment, False) for judgment in own] + [_judgment(judgment, True) for judgment in other],
        "requests": [*requests.get(question.id, ()), *requests.get(question.id + CORRECTED, ())],
    }


def item_hash(question: Question) -> str:
    """Of everything in the item that a score depends on."""
    told = [None if item is None else asdict(item) for item in (question.item, question.corrected)]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def score(item: Item, answer: str | None, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    return load(item.protocol).item(item, Prediction(item.id, answer), judgments, mode)


def _reference(item: Item) -> str:
    """What the answer is measured by, for a reader."""
    if item.instructions:
        return ", ".join(name for name, _ in item.instructions)
    return " | ".join(item.references) or item.reference or ""


def _judgment(judgment: Judgment, corrected: bool) -> Row:
    return {"sample": judgment.sample, "corrected": corrected, "text": judgment.text, "retried": judgment.retried}


def _origin(row: Row | None) -> Row:
    return {name: row[name] if row else None for name in ("model", "modality", "heard", "finish_reason")}


def item_score(row: Row) -> ItemScore:
    """The score that a row of `scored` holds."""
    flags = {name: name in row["flags"] for name in FLAGS}
    counts = {"n_invalid": row["n_invalid"], "n_retried": sum(one.get("retried", False) for one in row["judgments"] if not one["corrected"])}
    return ItemScore(row["item_id"], row["value"], orjson.loads(row["answer"]), orjson.loads(row["parts"]), **counts, **flags)


def about_judge(asked: Sequence[Question], settings: ScoreSettings, root: Path) -> dict[str, Any] | None:
    if settings.judge is None:
        return None
    used = {(one.prompt, question.language, one.samples) for question in asked if (one := load(question.item.protocol).judge) is not None}
    return provenance(settings.judge, used, root)


def again(folder: Path, asked: Sequence[Question], mode: Mode) -> list[Row]:
    """The rows of data/score/<model> scored anew from the answers and raw judgments that they hold.

    A row that this very code scored, of an item that is still the same, is its own result and is taken as it is.
    """
    old = {row["id"]: row for row in files.read_jsonl(folder / "rows.jsonl")}
    versions = {protocol: load(protocol).version for protocol in {question.item.protocol for question in asked}}
    rows = []
    for question in asked:
        before = old.get(question.id)
        if before is None:
            continue
        same = (question.item.protocol, versions[question.item.protocol], mode, item_hash(question))
        if same == (before["protocol"], before["version"], before["mode"], before["item_sha256"]):
            rows.append(before)
            continue
        judgments: dict[str, list[Judgment]] = {}
        for one in before["judgments"]:
            judgment = Judgment(question.item.id, one["sample"], one["text"], one.get("retried", False))
            judgments.setdefault(question.id + CORRECTED * one["corrected"], []).append(judgment)
        rows.append({**before, **scored(question, before["response"], judgments, {}, mode), "requests": before["requests"]})
    return rows


@contextmanager
def open_tools(settings: ScoreSettings, context: Context) -> Iterator[Tools]:
    asked = questions(settings.suite, context.root, settings.only)
    responses = files.read_jsonl(context.root / "data" / "respond" / context.subset / "rows.jsonl")
    yield Tools(asked, responses, context.root, context.progress)


STAGE = Stage(
    name="score",
    run=run,
    settings=ScoreSettings,
    group="speechlms",
    reads=None,
    input_schema=None,
    output_schema="Scored",
    tools=open_tools,
)

if __name__ == "__main__":
    if any(argument.startswith(("layout=", "again=")) for argument in sys.argv[1:]):
        from stages.evaluate import outside

        exiting(lambda: outside.main(sys.argv[1:]))
    else:
        main(STAGE)
        if sys.argv[1:2] in (["-h"], ["--help"]):
            from stages.evaluate import outside

            print(f"\n{outside.__doc__}")
