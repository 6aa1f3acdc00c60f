"""Select: from thousands of real queries the few that a benchmark of voice assistants is made of (paper 2506.21875 §2.1.1).

In order: what no voice can say, what was asked before, screening by a model (fit for voice, how common, how difficult,
category, topic), people's verdicts, and the choice that balances categories and topics to the target counts. Each step
reports what it got, removed and left; each removed query has its reason. Rows pass one by one up to the screening, so only
what is left then is in memory.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Flow, Rejection, Stage
from stages.core.steps import Steps
from stages.llm import Client, ClientSettings, Request, Role
from stages.wildspeech import balance, people, screen, voiceable
from stages.wildspeech.duplicates import TWINS, DuplicateSettings, Seen
from stages.wildspeech.people import People, ReviewSettings
from stages.wildspeech.screen import Screening, ScreenSettings
from stages.wildspeech.voiceable import VoiceSettings


class LanguageSettings(Settings):
    code: str
    name: str


class SelectSettings(Settings):
    client: ClientSettings
    screener: Role
    language: LanguageSettings
    voice: VoiceSettings
    duplicates: DuplicateSettings
    screen: ScreenSettings
    targets: dict[str, int] = Field(min_length=1)
    """Category (II, SR, TC, OE) to how many queries are wanted."""
    seed: int = 0
    review: ReviewSettings


@dataclass
class Tools:
    client: Client | None
    people: People
    progress: Progress
    subset: str


@dataclass
class Survivors:
    """What the program's own steps left, packed into bytes."""

    rows: list[bytes] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def row(self, number: int) -> Row:
        row: Row = orjson.loads(self.rows[number])
        return row

    def keep(self, row: Row) -> None:
        self.rows.append(bytes(memoryview(orjson.dumps(row))))  # a copy: the encoder's own bytes hold several times their length
        self.ids.append(row["id"])


def run(rows: Iterator[Row], settings: SelectSettings, tools: Tools) -> Flow:
    if unknown := sorted(set(settings.targets) - {"II", "SR", "TC", "OE"}):
        raise UserError(f"Config key targets names the category {unknown[0]!r}; categories are II, SR, TC and OE.")
    steps = Steps()
    return Flow(_results(rows, settings, tools, steps), steps.report)


def _results(rows: Iterator[Row], settings: SelectSettings, tools: Tools, steps: Steps) -> Iterator[Row | Rejection]:
    left = Survivors()
    with tools.progress.task("queries", 0) as task:
        for result in sift(rows, settings, left, steps):
            task.advance()
            if result is not None:
                yield result
    chosen = _drawn(left.ids, settings)
    drawn = [left.row(number) for number, is_drawn in enumerate(chosen) if is_drawn]
    undrawn = (Rejection(left.row(number), "not_drawn", "screen.max_candidates") for number, is_drawn in enumerate(chosen) if not is_drawn)
    yield from steps.removing("not_drawn", len(left.ids), undrawn)
    assert tools.client is not None
    replies = tools.client.ask([_request(row, settings) for row in drawn])
    steps.report["usage"] = tools.client.usage()
    screened = [(_row(row, screening, settings), screening) for row, screening in zip(drawn, map(screen.read, replies), strict=True)]
    steps.report["screening"] = _screening_report([screening for _, screening in screened])
    fit, unfit = _screened(screened, settings)
    yield from steps.removing("unsuited", len(screened), unfit)
    judged, refused = tools.people.judge(
        fit, "select", "query_decisions", people.query_entry, lambda row, edit: _edited(row, edit, settings), settings.review
    )
    yield from steps.removing("rejected_by_reviewer", len(fit), refused)
    yield from _chosen(judged, settings, steps)
    steps.report["review"] = tools.people.report(tools.subset, "query")


def sift(rows: Iterator[Row], settings: SelectSettings, left: Survivors, steps: Steps) -> Iterator[Rejection | None]:
    """The steps that need no model: a rejection for what goes, None for what stays, which is added to `left`."""
    seen = Seen(settings.duplicates, lambda number: str(left.row(number)["query"]))
    for row in rows:
        query = row["query"]
        problem = voiceable.problem(query, row["n_words"], settings.voice)
        steps.count("unvoiceable", 1, problem is not None)
        if problem is not None:
            yield Rejection(row, "unvoiceable", f"voice.{problem[0]}", problem[1])
            continue
        twin = seen.same(query) or seen.near(query)
        for step in TWINS if twin is None else TWINS[: TWINS.index(twin.step) + 1]:
            steps.count(step, 1, twin is not None and step == twin.step)
        if twin is not None:
            seen.repeat(query, twin)
            kept = left.row(twin.number)
            detail = f"{kept['id']} ({twin.similarity:.2f}): {kept['query']}" if twin.step == "near_duplicate" else kept["id"]
            yield Rejection(row, "duplicate", f"duplicate.{twin.step}", detail)
            continue
        seen.keep(query, len(left.rows))
        left.keep(row)
        yield None


def _drawn(ids: list[str], settings: SelectSettings) -> list[bool]:
    """Which of the queries are screened."""
    most = settings.screen.max_candidates
    if most is None or len(ids) <= most:
        return [True] * len(ids)
    first = set(heapq.nsmallest(most, ids, key=lambda id: balance.draw(id, settings.seed)))
    return [id in first for id in ids]


def _request(row: Row, settings: SelectSettings) -> Request:
    return screen.request(row["id"], row["query"], settings.language.name, settings.screener, settings.screen)


def plan_requests(rows: list[Row], settings: SelectSettings, root: Path) -> list[Request]:
    """A request to the screener for each row that the program's own steps leave."""
    left = Survivors()
    for _ in sift(iter(rows), settings, left, Steps()):
        pass
    return [_request(left.row(number), settings) for number, is_drawn in enumerate(_drawn(left.ids, settings)) if is_drawn]


def _row(row: Row, screening: Screening, settings: SelectSettings) -> Row:
    """A row of Queried, out of a row of Gathered and what the screener said."""
    same = ("id", "subset", "source", "source_revision", "licence", "source_file", "source_index", "conversation_id", "query")
    return {
        **{column: row[column] for column in same},
        "origin": "wild",
        "language": settings.language.code,
        "original_query": row["query"],
        "category": screening.category,
        "topic": screening.topic,
        "commonness": screening.commonness,
        "difficulty": screening.difficulty,
        "screening": screening.reasoning,
        "kind": None,
        "delivery": row["query"],
        "contrast": None,
        "meant": None,
        "other": None,
        "must_notice": None,
        "needs_recording": False,
        "query_requests": [screening.request],
        "query_flags": [],
        "query_decisions": [],
    }


def _screened(screened: list[tuple[Row, Screening]], settings: SelectSettings) -> tuple[list[Row], list[Rejection]]:
    fit: list[Row] = []
    unfit: list[Rejection] = []
    for row, screening in screened:
        if (objection := screen.objection(screening, settings.screen)) is None:
            fit.append(row)
        else:
            unfit.append(Rejection(row, "unsuited", f"screen.{objection[0]}", objection[1]))
    return fit, unfit


def _edited(row: Row, edit: dict[str, str], settings: SelectSettings) -> Row:
    """Raises UserError for an edit that the benchmark cannot take."""
    row = {**row, **edit}
    if row["category"] not in settings.targets:
        raise UserError(f"A verdict on {row['id']} gives the category {row['category']!r}; categories here are {', '.join(settings.targets)}.")
    if row["topic"] not in settings.screen.topics:
        raise UserError(f"A verdict on {row['id']} gives the topic {row['topic']!r}, which is none of screen.topics; take one of those.")
    if problem := voiceable.problem(row["query"], len(row["query"].split()), settings.voice):
        raise UserError(f"A verdict on {row['id']} makes the query one that cannot be voiced ({problem[0]}: {problem[1]}); edit it otherwise.")
    return {**row, "delivery": row["query"]}


def _chosen(judged: list[tuple[Row, bool]], settings: SelectSettings, steps: Steps) -> Iterator[Row | Rejection]:
    candidates = [balance.Candidate(row["id"], row["category"], row["topic"], row["commonness"] + row["difficulty"]) for row, _ in judged]
    found = balance.choose(candidates, settings.targets, settings.seed)
    chosen = set(found.chosen)
    counts = {category: sum(topics.values()) for category, topics in found.topics.items()}
    over = [
        Rejection(row, "over_target", "balance.targets", f"{row['category']} has its {counts.get(row['category'], 0)} queries")
        for row, _ in judged
        if row["id"] not in chosen
    ]
    yield from steps.removing("over_target", len(judged), over)
    kept = [(row, accepted) for row, accepted in judged if row["id"] in chosen]
    waiting = [
        Rejection(row, "awaiting_review", "review.required", f"needs {settings.review.min_reviewers} reviewers")
        for row, accepted in kept
        if settings.review.required and not accepted
    ]
    yield from steps.removing("awaiting_review", len(kept), waiting)
    left_out = {rejection.row["id"] for rejection in waiting}
    rows = [row for row, _ in kept if row["id"] not in left_out]
    steps.report["targets"] = settings.targets
    steps.report["short"] = found.short
    steps.report["chosen"] = found.topics
    steps.report["topics"] = dict(sorted(Counter(row["topic"] for row in rows).items()))
    yield from rows


def _screening_report(screenings: list[Screening]) -> dict[str, Any]:
    return {
        name: {str(value): count for value, count in sorted(Counter(getattr(one, name) for one in screenings).items())}
        for name in ("problem", "commonness", "difficulty", "category", "topic")
    }


@contextmanager
def open_tools(settings: SelectSettings, context: Context) -> Iterator[Tools]:
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(client, people.read(context.root), context.progress, context.subset)


def explain(row: Row) -> list[str]:
    if row.get("commonness") is None:
        return []
    lines = [f"screened: {row['category']}, {row['topic']}, commonness {row['commonness']}, difficulty {row['difficulty']}: {row['screening']}"]
    lines += [f"reviewed by {said}" for said in row["query_decisions"]]
    if row["query"] != row["original_query"]:
        lines.append(f"query as edited: {row['query']}")
    return lines


STAGE = Stage(
    name="select",
    run=run,
    settings=SelectSettings,
    reads="wildchat",
    input_schema="Gathered",
    output_schema="Queried",
    tools=open_tools,
    group="wildspeech",
    explain=explain,
    streamed=True,
)

if __name__ == "__main__":
    main(STAGE)
