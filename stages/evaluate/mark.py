"""Mark: every transcript of a spoken reply is judged with the query's checklist, and the reply's mark is their mean.

Source: paper 2506.21875, section 2.2 and appendices F and H; the protocol is stages/evaluate/scorers/checklist.py, the asking
stages/evaluate/judge.py. Ours adds: an unreadable judgment is retried, then left out and counted, and one alone never stops a run; a
missing or silent reply gets the lowest mark without a judge; the language gate is a parameter and goes by script and words, so that it is
the same on every run; and the paper's ablations, no checklist and one transcript instead of three, come from the stored judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.core.app import main
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Stage
from stages.core.statistics import mean
from stages.evaluate.judge import Case, Judged, JudgeSettings, judge, prompt
from stages.evaluate.scorers import Item, Judgment, Prediction, load

PROTOCOL = "checklist"
LOWEST = 1.0
_FREE = "without checklist"


class MarkSettings(Settings):
    judge: JudgeSettings
    language_gate: bool = True
    """A reply in another language than the query's gets the lowest mark, whatever the judge says."""
    without_checklist: bool = False
    """Judge the first transcript once more without the query's own points, for the ablation."""


@dataclass
class Tools:
    root: Path
    progress: Progress


def run(rows: list[Row], settings: MarkSettings, tools: Tools) -> Outcome:
    cases = [case for row in rows for case in _cases(row, settings)]
    judged = _judged(cases, settings, tools)
    kept = [marked(row, judged.judgments, judged.requests, settings) for row in rows]
    scorer = load(PROTOCOL)
    totals = scorer.total([_score(row, judged.judgments) for row in rows])
    average = mean([row["mark"] for row in kept if row["mark"] is not None])
    report = {
        "mean": None if average is None else round(average, 4),
        "n": totals.n,
        "n_missing": totals.n_missing,
        "n_empty": totals.n_empty,
        "n_judge_failed": totals.n_judge_failed,
        "n_invalid": totals.n_invalid,
        "scorer": f"{totals.scorer} {totals.version}",
        "language_gate": settings.language_gate,
        **{f"judge_{name}": value for name, value in judged.report.items() if name != "usage"},
        "usage": judged.report.get("usage", {}),
    }
    return Outcome(kept, report=report)


def _judged(cases: list[Case], settings: MarkSettings, tools: Tools) -> Judged:
    """Asks for one judgment a case. However small the run, one that cannot be read does not stop it."""
    if not cases:
        return Judged()
    share = max(settings.judge.max_invalid_share, 1 / len(cases))
    return judge(cases, settings.judge.model_copy(update={"samples": 1, "max_invalid_share": share}), tools.root, tools.progress)


def item(row: Row, with_checklist: bool = True) -> Item:
    points = "\n".join(f"- {point}" for point in row["checklist"]) if with_checklist else ""
    return Item(row["id"], PROTOCOL, row["language"], row["benchmark"], row["query"], extra={"checklist": points})


def _cases(row: Row, settings: MarkSettings) -> Iterator[Case]:
    transcripts = row["transcripts"]
    for number, transcript in enumerate(transcripts):
        yield Case(f"{row['id']}#{number}", item(row), transcript, number, len(transcripts))
    if settings.without_checklist and transcripts:
        yield Case(f"{row['id']}#{_FREE}", item(row, with_checklist=False), transcripts[0])


def _prediction(row: Row) -> Prediction:
    text = {"missing": None, "silent": "", "unheard": ""}.get(row["reply"], row["transcripts"][0] if row["transcripts"] else "")
    return Prediction(row["id"], text, tuple(row["transcripts"]))


def _score(row: Row, judgments: Mapping[str, Sequence[Judgment]]) -> Any:
    """By the protocol's scorer; its judgments are numbered by transcript."""
    own = [judgment for number in range(len(row["transcripts"])) for judgment in judgments.get(f"{row['id']}#{number}", ())]
    return load(PROTOCOL).item(item(row), _prediction(row), own, "fixed")


def marked(row: Row, judgments: Mapping[str, Sequence[Judgment]], requests: Mapping[str, Sequence[str]], settings: MarkSettings) -> Row:
    """The row with its marks, from raw judgments alone."""
    keys = [f"{row['id']}#{number}" for number in range(len(row["transcripts"]))]
    marks = [_mark(row, key, number, judgments, requests) for number, key in enumerate(keys)]
    free = [_mark(row, f"{row['id']}#{_FREE}", 0, judgments, requests)] if f"{row['id']}#{_FREE}" in judgments else []
    one = _score(row, judgments)
    wrong = bool(one.parts.get("wrong_language"))
    held = wrong and settings.language_gate
    spoken = row["reply"] == "spoken"

    def settled(values: list[float]) -> float | None:
        if not spoken:
            return LOWEST
        return LOWEST if held else sum(values) / len(values) if values else None

    read = [mark["mark"] for mark in marks if mark["mark"] is not None]
    return {
        **row,
        "mark": settled(read),
        "marks": marks,
        "marks_without_checklist": free,
        "mark_without_checklist": settled([mark["mark"] for mark in free if mark["mark"] is not None]) if free or not spoken else None,
        "mark_of_one": settled([mark["mark"] for mark in marks[:1] if mark["mark"] is not None]),
        "wrong_language": wrong,
        "words": len(row["transcripts"][0].split()) if row["transcripts"] else 0,
        "scorer": f"{PROTOCOL} {load(PROTOCOL).version}",
        "judge": settings.judge.role.model,
    }


def _mark(row: Row, key: str, number: int, judgments: Mapping[str, Sequence[Judgment]], requests: Mapping[str, Sequence[str]]) -> Row:
    scorer = load(PROTOCOL)
    assert scorer.judge is not None
    texts = [judgment.text for judgment in judgments.get(key, ())]
    mark = scorer.judge.read(texts[0], row["language"]) if texts and texts[0] is not None else None
    return {"transcript": number, "mark": None if mark is None else float(mark), "request": (requests.get(key) or [""])[0]}


@contextmanager
def open_tools(settings: MarkSettings, context: Context) -> Iterator[Tools]:
    prompt(settings.judge, PROTOCOL, "en", context.root)  # a missing prompt is told before anything else
    yield Tools(context.root, context.progress)


def explain(row: Row) -> list[str]:
    if "mark" not in row:
        return []
    marks = ", ".join("unreadable" if mark["mark"] is None else f"{mark['mark']:g}" for mark in row["marks"])
    mark = "no mark" if row["mark"] is None else f"mark {row['mark']:.2f}"
    return [f"{mark} ({marks or row['reply']})" + (", not in the query's language" if row["wrong_language"] else "")]


STAGE = Stage(
    "mark",
    run,
    MarkSettings,
    reads="transcribe",
    input_schema="Transcribed",
    output_schema="Marked",
    tools=open_tools,
    group="talkers",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
