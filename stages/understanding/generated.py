"""Stage questions_generated: fact extraction and topic summary, written by a model and passed by people (paper 2605.27984, §3.2.1).

A writer gets the transcript of a segment and proposes one question. A program checks its form and its grounds, then two other
models take it as a test: one that sees the question alone must fail, one that sees the transcript must find the one right option
(stages/understanding/readers.py). What is left is put to people in the review desk; what they edited is checked anew, and what
nobody has judged is not released: it is rejected as `unreviewed`, with its whole text, which the desk's queue is made of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from pydantic import Field

from stages.core.app import main
from stages.core.files import Row, nfc
from stages.core.stage import Outcome, Rejection, Stage
from stages.llm import Request, Role
from stages.llm.prompts import fenced
from stages.understanding import drafts, review, sources, wording
from stages.understanding.drafts import Draft, Tools, open_tools, told
from stages.understanding.prompts import PROMPTS
from stages.understanding.readers import turns
from stages.understanding.replies import Proposal
from stages.understanding.wording import Written

Name = Literal["fact_extraction", "topic_summary"]


class Capability(drafts.Capability):
    drafts: int | None = Field(ge=0)
    """Segments that a question is written about; more than the target, since not every draft survives. Null for all."""


class GeneratedSettings(drafts.WritingSettings):
    capabilities: dict[Name, Capability]
    writer: Role
    reviews: int = Field(1, ge=1)
    """People who must have passed a question."""


def run(rows: list[Row], settings: GeneratedSettings, tools: Tools) -> Outcome:
    """Rows of Question. Every segment that may be used for a capability is kept or rejected for it."""
    numbers = {name: chosen.drafts for name, chosen in settings.capabilities.items()}
    asked, rejected = drafts.drawn(tools.segments, numbers, settings.seed, "drafts")
    written, unfit = _written(asked, settings, tools)
    judged, refused = _judged(written, settings, tools)
    passed, failed = drafts.tested(judged, settings.readers, tools.client, _refused)
    kept, over = drafts.within_target([draft for draft in passed if draft.decisions], settings.capabilities, _refused)
    rejected += [*unfit, *refused, *failed, *over]
    rejected += [_refused(draft, "unreviewed", "review", "no verdict of a person yet") for draft in passed if not draft.decisions]
    report = drafts.report(settings.capabilities, "drafts", asked, kept, rejected)
    return Outcome(drafts.rows(kept, settings.seed, _row), rejected, {"capabilities": report, "usage": tools.client.usage()})


def write_request(draft: Draft, settings: GeneratedSettings) -> Request:
    language = settings.readers.language_name
    speakers = len({turn["speaker"] for turn in draft.segment["turns"]})
    user = PROMPTS.filled("write_item", speakers=f"{speakers} speaker{'s' * (speakers > 1)}", item=fenced(turns(draft.segment)))
    messages = ({"role": "system", "content": PROMPTS.filled(f"write_{draft.capability}", language=language)}, {"role": "user", "content": user})
    return Request(draft.id, settings.writer, messages, Proposal)


def _written(asked: list[Draft], settings: GeneratedSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The drafts that a program finds nothing wrong with."""
    requests = [write_request(draft, settings) for draft in asked]
    found: list[Draft] = []
    rejected: list[Rejection] = []
    for draft, request, reply in zip(asked, requests, tools.client.ask(requests), strict=True):
        said = cast(Proposal, reply.value)
        texts = nfc([said.question.strip(), said.answer.strip(), *(text.strip() for text in said.distractors)])
        written = Written(texts[0], texts[1], tuple(texts[2:]), tuple(nfc(said.evidence)))
        after = replace(draft, written=written, note=said.note, requests=(request.key,))
        if not said.suitable:
            rejected.append(_refused(after, "unsuitable", "writer", said.note))
        elif problems := _problems(after, settings, tools):
            rejected.append(_refused(after, "unfit", next(iter(problems)), told(problems)))
        else:
            found.append(after)
    return found, rejected


def _problems(draft: Draft, settings: GeneratedSettings, tools: Tools) -> dict[str, str]:
    size = settings.capabilities[draft.capability].n_options
    return wording.problems(draft.question, size, draft.segment["transcript"], tools.rules, tools.language, settings.limits)


def _judged(written: list[Draft], settings: GeneratedSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The drafts as people left them. Those that nobody has judged go on, without decisions."""
    passed: list[Draft] = []
    rejected: list[Rejection] = []
    for draft in written:
        given = tools.verdicts.get(review.queue_id(tools.unit, draft.id, draft.question.texts()), [])
        outcome = review.judged(draft.question, given, settings.reviews)
        if outcome.state in ("rejected", "disputed"):
            rejected.append(_refused(draft, outcome.state, "review", outcome.detail))
            continue
        names = tuple(verdict.id for verdict in outcome.verdicts) if outcome.state != "unreviewed" else ()
        edited = outcome.state == "edited"
        after = replace(draft, written=outcome.written, decisions=names, proposed=draft.written if edited else None)
        problems = _problems(after, settings, tools) if edited else {}
        if problems:
            rejected.append(_refused(after, "unfit", next(iter(problems)), f"as edited: {told(problems)}"))
        else:
            passed.append(after)
    return passed, rejected


def _row(draft: Draft, choices: list[str], answer_index: int) -> Row:
    return sources.question_row(
        draft.segment,
        id=draft.id,
        capability=draft.capability,
        method="generated",
        question=draft.question.question,
        choices=choices,
        answer_index=answer_index,
        evidence={
            "passages": list(draft.question.evidence),
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
    return Rejection(_row(draft, list(draft.question.choices), 0), reason, rule_id, detail)


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
