"""Checklists: for every query the points by which spoken answers to it are marked (paper 2506.21875 §2.2, appendix H).

A model writes them, knowing the query alone (and of a paralinguistic item, how it was said); programs check each point
(concrete, checkable, one thing, no answer key: stages/wildspeech/points.py) and ask once more where one fails; people mend or
reject what they disagree with at the desk. The three general points (it follows the request, is correct, does not repeat
itself) are added when an answer is judged and are not stored here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ConfigDict

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.steps import Steps
from stages.llm import Client, ClientSettings, Request, Role
from stages.wildspeech import people, points, prompts
from stages.wildspeech.people import People, ReviewSettings
from stages.wildspeech.points import PointSettings


class ChecklistSettings(Settings):
    client: ClientSettings
    checklist_writer: Role
    language_name: str
    """The language that the points are written in."""
    points: PointSettings
    review: ReviewSettings


class Checklist(BaseModel):
    """The reply. Reasoning comes first: what the person wants, and what tells a good spoken answer from a poor one."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    points: list[str]


@dataclass
class Tools:
    client: Client
    people: People
    subset: str


def run(rows: list[Row], settings: ChecklistSettings, tools: Tools) -> Outcome:
    """Rows of Queried to rows of Checklisted."""
    requests = plan_requests(rows, settings, Path())
    replies = tools.client.ask(requests)
    first = {row["id"]: _points(cast(Checklist, reply.value)) for row, reply in zip(rows, replies, strict=True)}
    flaws = {row["id"]: points.problems(first[row["id"]], row, settings.points) for row in rows}
    failing = [row for row in rows if flaws[row["id"]]]
    again = [
        _again(row, request, reply.text, flaws[row["id"]]) for row, request, reply in zip(rows, requests, replies, strict=True) if flaws[row["id"]]
    ]
    second = {row["id"]: _points(cast(Checklist, reply.value)) for row, reply in zip(failing, tools.client.ask(again), strict=True)}
    keys = {row["id"]: [request.key] for row, request in zip(rows, requests, strict=True)}
    for row, request in zip(failing, again, strict=True):
        keys[row["id"]].append(request.key)
    steps = Steps()
    listed, unusable = _listed(rows, first | second, flaws, keys, settings)
    rejected = list(steps.removing("points", len(rows), unusable))
    judged, refused = tools.people.judge(
        listed, "checklist", "checklist_decisions", people.checklist_entry, lambda row, edit: _edited(row, edit, settings), settings.review
    )
    rejected += steps.removing("rejected_by_reviewer", len(listed), refused)
    kept = [row for row, accepted in judged if accepted or not settings.review.required]
    waiting = [
        Rejection(row, "awaiting_review", "review.required", f"needs {settings.review.min_reviewers} reviewers")
        for row, accepted in judged
        if settings.review.required and not accepted
    ]
    rejected += steps.removing("awaiting_review", len(judged), waiting)
    report = steps.report | {
        "asked_again": len(failing),
        "flaws": dict(sorted(Counter(flaw.partition(":")[0] for found in flaws.values() for flaw in found).items())),
        "points": {str(number): count for number, count in sorted(Counter(len(row["checklist"]) for row in kept).items())},
        "review": tools.people.report(tools.subset, "checklist"),
        "usage": tools.client.usage(),
    }
    return Outcome(kept, rejected, report)


def plan_requests(rows: list[Row], settings: ChecklistSettings, root: Path) -> list[Request]:
    """One request a query. Category and topic stay out of it: they say nothing that the query does not."""
    wanted = settings.points
    system = prompts.filled(
        "checklist",
        language=settings.language_name,
        min_points=str(wanted.min_points),
        max_points=str(wanted.max_points),
        max_words=str(wanted.max_words),
    )
    requests = []
    for row in rows:
        user = prompts.filled("checklist_item", query=prompts.fenced(row["query"]))
        if row["kind"]:
            said = f"Said: {row['delivery']}\nMeant: {row['meant']}\nNot meant: {row['other']}\nTo be noticed: {row['must_notice']}"
            user += "\n\n" + prompts.filled("checklist_said", said=prompts.fenced(said))
        messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
        requests.append(Request(row["id"], settings.checklist_writer, messages, Checklist))
    return requests


def _points(value: Checklist) -> list[str]:
    return [" ".join(nfc(point).split()) for point in value.points if point.strip()]


def _again(row: Row, request: Request, reply: str, found: list[str]) -> Request:
    listed = "\n".join(f"- {flaw}" for flaw in found)
    more = ({"role": "assistant", "content": reply}, {"role": "user", "content": prompts.filled("again", problems=prompts.fenced(listed))})
    return Request(row["id"], request.role, (*request.messages, *more), Checklist)


def _listed(
    rows: list[Row], found: dict[str, list[str]], flaws: dict[str, list[str]], keys: dict[str, list[str]], settings: ChecklistSettings
) -> tuple[list[Row], list[Rejection]]:
    listed: list[Row] = []
    unusable: list[Rejection] = []
    for row in rows:
        id = row["id"]
        told = {**row, "checklist": found[id], "checklist_requests": keys[id], "checklist_flags": flaws[id], "checklist_decisions": []}
        if left := points.problems(found[id], row, settings.points):
            unusable.append(Rejection(told, "checklist_unusable", f"points.{left[0].partition(':')[0]}", "; ".join(left)))
        else:
            listed.append(told)
    return listed, unusable


def _edited(row: Row, edit: dict[str, str], settings: ChecklistSettings) -> Row:
    """Raises UserError for an edit that fails a check."""
    texts = {f"point_{number}": point for number, point in enumerate(row["checklist"], 1)} | edit
    listed = [" ".join(text.split()) for text in texts.values() if text.strip()]
    if found := points.problems(listed, row, settings.points):
        raise UserError(f"A verdict on the checklist of {row['id']} makes points that cannot be used: {'; '.join(found)}; edit them otherwise.")
    return {**row, "checklist": listed}


@contextmanager
def open_tools(settings: ChecklistSettings, context: Context) -> Iterator[Tools]:
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(client, people.read(context.root), context.subset)


def explain(row: Row) -> list[str]:
    if row.get("checklist") is None:
        return []
    lines = [f"point {number}: {point}" for number, point in enumerate(row["checklist"], 1)]
    lines += [f"first try: {flag}" for flag in row["checklist_flags"]]
    return lines + [f"reviewed by {said}" for said in row["checklist_decisions"]]


STAGE = Stage(
    name="checklist",
    run=run,
    settings=ChecklistSettings,
    reads=("select", "paralinguistic"),
    input_schema="Queried",
    output_schema="Checklisted",
    tools=open_tools,
    group="wildspeech",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
