"""People's verdicts on questions: what the desk shows (data/review/understanding.jsonl), and what came of it.

The name of an entry holds a digest of the question's texts: a verdict on a text that has changed since is a verdict on
something else, and the question counts as unreviewed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from stages.core.files import Row
from stages.core.verdicts import Verdict, content_key
from stages.understanding.wording import Written

TOPIC = "understanding"


@dataclass(frozen=True)
class Outcome:
    """What people said of a question."""

    state: str
    """unreviewed, accepted, edited, rejected, disputed."""
    written: Written
    """As edited."""
    verdicts: list[Verdict] = field(default_factory=list)
    detail: str = ""


def queue_id(unit: str, id: str, texts: list[str]) -> str:
    return f"understanding:{unit}:{id}:{content_key(texts)}"


def judged(written: Written, verdicts: list[Verdict], needed: int) -> Outcome:
    """The outcome of `verdicts` on `written`; it takes `needed` people, and one objection is enough."""
    against = [verdict for verdict in verdicts if verdict.verdict == "reject"]
    if against:
        return Outcome("rejected", written, verdicts, f"{against[0].reviewer}: {against[0].reason}")
    if len(verdicts) < needed:
        return Outcome("unreviewed", written, verdicts, f"{len(verdicts)} of {needed} verdicts")
    edits = {tuple(edited(written, verdict.edit).texts()): edited(written, verdict.edit) for verdict in verdicts if verdict.verdict == "edit"}
    if len(edits) > 1:
        return Outcome("disputed", written, verdicts, "two reviewers edited it in different ways")
    if edits:
        return Outcome("edited", next(iter(edits.values())), verdicts)
    return Outcome("accepted", written, verdicts)


def columns(written: Written) -> dict[str, str]:
    """A question as the texts of an entry that a person may edit: the right option first, the wrong ones by their letters."""
    listed = {f"option_{number}": option for number, option in enumerate((written.answer, *sorted(written.distractors)), 1)}
    return {"question": written.question, **listed, "answer": written.answer}


def edited(written: Written, edit: dict[str, str]) -> Written:
    """`written` with the texts of `edit`, the form of `columns`. An edit that changes the right option's text alone changes the answer too."""
    before = columns(written)
    now = {**before, **{column: text.strip() for column, text in edit.items() if column in before}}
    choices = [now[f"option_{number}"] for number in range(1, len(written.choices) + 1)]
    answer = now["answer"]
    if "answer" not in edit and answer not in choices:
        answer = choices[0]
    rest = list(choices)
    if answer in rest:
        rest.remove(answer)
    return replace(written, question=now["question"], answer=answer, distractors=tuple(rest))


def entry(
    unit: str, stage: str, id: str, segment: Row, texts: list[str], target: dict[str, str], prompt: dict[str, str], source: dict[str, str]
) -> dict[str, Any]:
    """An entry of the queue in the form of stages/review/queue.py."""
    return {
        "id": queue_id(unit, id, texts),
        "kind": "understanding",
        "stage": stage,
        "subset": unit,
        "title": id,
        "prompt": prompt,
        "source": source,
        "target": target,
        "audio": {"stage": "segments", "subset": segment["corpus"], "id": segment["id"]} if segment["has_audio"] else None,
        "affected": [],
    }
