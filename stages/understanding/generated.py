"""Stage questions_generated: fact extraction and topic summary, written by a model and passed by people (paper 2605.27984, §3.2.1).

A writer gets the transcript of a segment and proposes one question. A program checks its form and its grounds, then two other
models take it as a test: one that sees the question alone must fail, one that sees the transcript must find the one right option
(stages/understanding/readers.py). What is left is put to people in the review desk; what they edited is checked anew, and what
nobody has judged is not released: it is rejected as `unreviewed`, with its whole text, which the desk's queue is made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pydantic import Field

from stages import languages
from stages.core import verdicts
from stages.core.app import main
from stages.core.files import Row, nfc
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.verdicts import Verdict
from stages.languages import Language
from stages.llm import Client, ClientSettings, Request, Role
from stages.llm.prompts import fenced
from stages.understanding import draw, options, review, sources, wording
from stages.understanding.prompts import PROMPTS
from stages.understanding.readers import Item, Readers, try_out, turns
from stages.understanding.replies import Asker, Proposal
from stages.understanding.wording import Limits, Rules, Written

Name = Literal["fact_extraction", "topic_summary"]


class Capability(Settings):
    target: int | None = Field(ge=0)
    """Questions wanted; null for as many as there are drafts."""
    drafts: int | None = Field(ge=0)
    """Segments that a question is written about; more than the target, since not every draft survives. Null for all."""
    n_options: int = Field(4, ge=2)


class GeneratedSettings(Settings):
    language: str
    corpora: list[str]
    seed: int
    capabilities: dict[Name, Capability]
    client: ClientSettings
    writer: Role
    readers: Readers
    limits: Limits
    rulebook: str
    """The language's rules on wording, a file below the project's root."""
    reviews: int = Field(1, ge=1)
    """People who must have passed a question."""


@dataclass(frozen=True)
class Tools:
    unit: str
    segments: list[Row]
    language: Language
    rules: Rules
    client: Asker
    verdicts: dict[str, list[Verdict]]


@dataclass(frozen=True)
class Draft:
    """A proposal on its way."""

    id: str
    capability: Name
    segment: Row
    written: Written
    note: str
    requests: list[str]
    decisions: tuple[str, ...] = ()
    proposed: Written | None = None
    """What the model wrote, where a person has edited it."""
    guesses: dict[str, int] | None = None
    """How one did who saw the question alone."""


def run(rows: list[Row], settings: GeneratedSettings, tools: Tools) -> Outcome:
    """Rows of Question. Every segment that may be used for a capability is kept or rejected for it."""
    rejected: list[Rejection] = []
    asked: list[tuple[str, Name, Row]] = []
    for name, chosen in settings.capabilities.items():
        usable = [segment for segment in tools.segments if name in segment["uses"]]
        drawn = draw.ordered(usable, lambda segment: segment["id"], settings.seed, name)
        asked += [(f"{name}-{number:04d}", name, segment) for number, segment in enumerate(drawn[: chosen.drafts])]
        if chosen.drafts is not None:
            rejected += [
                sources.refused(segment, name, "not_drawn", "drafts", f"{chosen.drafts} drafts are wanted") for segment in drawn[chosen.drafts :]
            ]
    drafts, unfit = _written(asked, settings, tools)
    rejected += unfit
    drafts, refused = _judged(drafts, settings, tools)
    rejected += refused
    tested, failed = _tested(drafts, settings, tools)
    rejected += failed
    released = [draft for draft in tested if draft.decisions]
    rejected += [_refused(draft, "unreviewed", "review", "no verdict of a person yet") for draft in tested if not draft.decisions]
    kept, over = _within_target(released, settings)
    rejected += over
    return Outcome(_rows(kept, settings.seed), rejected, {"capabilities": _report(settings, asked, kept, rejected), "usage": tools.client.usage()})


def write_request(id: str, name: Name, segment: Row, settings: GeneratedSettings) -> Request:
    language = settings.readers.language_name
    speakers = len({turn["speaker"] for turn in segment["turns"]})
    user = PROMPTS.filled("write_item", speakers=f"{speakers} speaker{'s' * (speakers > 1)}", item=fenced(turns(segment)))
    messages = ({"role": "system", "content": PROMPTS.filled(f"write_{name}", language=language)}, {"role": "user", "content": user})
    return Request(id, settings.writer, messages, Proposal)


def _written(asked: list[tuple[str, Name, Row]], settings: GeneratedSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The drafts that a program finds nothing wrong with."""
    requests = [write_request(id, name, segment, settings) for id, name, segment in asked]
    drafts: list[Draft] = []
    rejected: list[Rejection] = []
    for (id, name, segment), request, reply in zip(asked, requests, tools.client.ask(requests), strict=True):
        said = cast(Proposal, reply.value)
        texts = nfc([said.question.strip(), said.answer.strip(), *(text.strip() for text in said.distractors)])
        written = Written(texts[0], texts[1], tuple(texts[2:]), tuple(nfc(said.evidence)))
        draft = Draft(id, name, segment, written, said.note, [request.key])
        if not said.suitable:
            rejected.append(_refused(draft, "unsuitable", "writer", said.note))
        elif problems := _problems(draft, settings, tools):
            rejected.append(_refused(draft, "unfit", next(iter(problems)), _told(problems)))
        else:
            drafts.append(draft)
    return drafts, rejected


def _problems(draft: Draft, settings: GeneratedSettings, tools: Tools) -> dict[str, str]:
    size = settings.capabilities[draft.capability].n_options
    return wording.problems(draft.written, size, draft.segment["transcript"], tools.rules, tools.language, settings.limits)


def _judged(drafts: list[Draft], settings: GeneratedSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The drafts as people left them. Those that nobody has judged go on, without decisions."""
    passed: list[Draft] = []
    rejected: list[Rejection] = []
    for draft in drafts:
        given = tools.verdicts.get(review.queue_id(tools.unit, draft.id, draft.written.texts()), [])
        outcome = review.judged(draft.written, given, settings.reviews)
        if outcome.state in ("rejected", "disputed"):
            rejected.append(_refused(draft, outcome.state, "review", outcome.detail))
            continue
        names = tuple(verdict.id for verdict in outcome.verdicts) if outcome.state != "unreviewed" else ()
        edited = outcome.state == "edited"
        after = replace(draft, written=outcome.written, decisions=names, proposed=draft.written if edited else None)
        problems = _problems(after, settings, tools) if edited else {}
        if problems:
            rejected.append(_refused(after, "unfit", next(iter(problems)), f"as edited: {_told(problems)}"))
        else:
            passed.append(after)
    return passed, rejected


def _tested(drafts: list[Draft], settings: GeneratedSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The drafts that a model without the recording failed and one with the transcript answered."""
    trials = try_out([Item(draft.id, draft.segment, draft.written) for draft in drafts], settings.readers, tools.client)
    passed: list[Draft] = []
    rejected: list[Rejection] = []
    for draft in drafts:
        trial = trials[draft.id]
        after = replace(draft, requests=[*draft.requests, *trial.requests], guesses=trial.guesses)
        if trial.problems:
            rejected.append(_refused(after, "failed_trial", next(iter(trial.problems)), _told(trial.problems)))
        else:
            passed.append(after)
    return passed, rejected


def _within_target(drafts: list[Draft], settings: GeneratedSettings) -> tuple[list[Draft], list[Rejection]]:
    counts: Counter[str] = Counter()
    kept: list[Draft] = []
    over: list[Rejection] = []
    for draft in drafts:
        target = settings.capabilities[draft.capability].target
        if target is not None and counts[draft.capability] >= target:
            over.append(_refused(draft, "not_drawn", "target", f"{target} are wanted"))
        else:
            counts[draft.capability] += 1
            kept.append(draft)
    return kept, over


def _rows(drafts: list[Draft], seed: int) -> list[Row]:
    by_capability: dict[str, list[Draft]] = {}
    for draft in drafts:
        by_capability.setdefault(draft.capability, []).append(draft)
    rows = []
    for group in by_capability.values():
        arranged = options.arrange([options.Draft(draft.id, draft.written.answer, draft.written.distractors) for draft in group], seed)
        rows += [_row(draft, shown.choices, shown.answer_index) for draft, shown in zip(group, arranged, strict=True)]
    return rows


def _row(draft: Draft, choices: list[str], answer_index: int) -> Row:
    return sources.question_row(
        draft.segment,
        id=draft.id,
        capability=draft.capability,
        method="generated",
        question=draft.written.question,
        choices=choices,
        answer_index=answer_index,
        evidence={
            "passages": list(draft.written.evidence),
            "note": draft.note,
            **({"proposed": review.columns(draft.proposed)} if draft.proposed else {}),
            **({"guesses": draft.guesses} if draft.guesses else {}),
        },
        rule_ids=["wording", "readers", "review"],
        requests=draft.requests,
        decisions=draft.decisions,
    )


def _refused(draft: Draft, reason: str, rule_id: str, detail: str) -> Rejection:
    """With the question as far as it came: the desk's queue is made of it."""
    return Rejection(_row(draft, list(draft.written.choices), 0), reason, rule_id, detail)


def _told(problems: dict[str, str]) -> str:
    return "; ".join(f"{name}: {detail}" for name, detail in problems.items())


def _report(settings: GeneratedSettings, asked: list[tuple[str, Name, Row]], kept: list[Draft], rejected: list[Rejection]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for name, chosen in settings.capabilities.items():
        made = sum(draft.capability == name for draft in kept)
        reasons = Counter(f"{one.reason}: {one.rule_id}" for one in rejected if one.row["id"].startswith((f"{name}-", f"{name}/")))
        report[name] = {
            "target": chosen.target,
            "drafts": sum(capability == name for _, capability, _ in asked),
            "made": made,
            "shortfall": max(0, (chosen.target or 0) - made),
            "reasons": dict(sorted(reasons.items())),
        }
    return report


@contextmanager
def open_tools(settings: GeneratedSettings, context: Context) -> Iterator[Tools]:
    segments = sources.read_segments(context.root, settings.corpora)
    rules = Rules(context.root / settings.rulebook)
    with Client.open(settings.client, context.progress, context.root) as client:
        given = verdicts.read(context.root, review.TOPIC)
        yield Tools(context.subset, segments, languages.load(settings.language), rules, client, given)


STAGE = Stage(
    "questions_generated",
    run,
    GeneratedSettings,
    reads=None,
    input_schema=None,
    output_schema="Question",
    tools=open_tools,
    group="understanding",
)

if __name__ == "__main__":
    main(STAGE)
