"""Stage questions_manual: role or profession and general counting, written by people who listen (paper 2605.27984, §3.2.1).

The review desk plays a clip and takes question, options and answer; they lie as text in data/decisions/understanding/. What was
written passes the same checks as a model's question: form and options by program, and a model that sees the question alone must
not be able to answer it. There is no reader of the transcript: these questions rest on what is heard. A clip that nobody has
written about is rejected as `unwritten`; the desk's queue (stages/understanding/queue.py) offers it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from stages.core.app import main
from stages.core.files import Row, nfc
from stages.core.stage import Outcome, Rejection, Stage
from stages.understanding import drafts, review, sources, wording
from stages.understanding.drafts import Draft, Tools, open_tools, told
from stages.understanding.wording import Written

Name = Literal["role_profession", "general_counting"]


class Capability(drafts.Capability):
    clips: int | None = Field(ge=0)
    """Clips that the desk offers; null for all that may be used."""


class ManualSettings(drafts.WritingSettings):
    capabilities: dict[Name, Capability]
    desk: str
    """What people are asked at the desk, a file below the project's root."""


def offered(segments: list[Row], settings: ManualSettings) -> tuple[list[Draft], list[Rejection]]:
    """The clips that people are asked to write about, in the order of the draw; and those that are left over."""
    return drafts.drawn(segments, {name: chosen.clips for name, chosen in settings.capabilities.items()}, settings.seed, "clips")


def queue_id(unit: str, clip: Draft) -> str:
    """Named after the clip's sound: what was written about it counts as long as the clip is the same."""
    return review.queue_id(unit, clip.id, [clip.capability, clip.segment["id"], clip.segment["content_sha256"] or clip.segment["transcript"]])


def blank(n_options: int) -> dict[str, str]:
    """The texts that the desk asks for."""
    return {"question": "", **{f"option_{number}": "" for number in range(1, n_options + 1)}, "answer": ""}


def run(rows: list[Row], settings: ManualSettings, tools: Tools) -> Outcome:
    """Rows of Question. Every segment that may be used for a capability is kept or rejected for it."""
    clips, rejected = offered(tools.segments, settings)
    written, refused = _written(clips, settings, tools)
    passed, failed = drafts.tested(written, settings.readers, tools.client, _refused)
    kept, over = drafts.within_target(passed, settings.capabilities, _refused)
    rejected += [*refused, *failed, *over]
    report = drafts.report(settings.capabilities, "clips", clips, kept, rejected)
    return Outcome(drafts.rows(kept, settings.seed, _row), rejected, {"capabilities": report, "usage": tools.client.usage()})


def _written(clips: list[Draft], settings: ManualSettings, tools: Tools) -> tuple[list[Draft], list[Rejection]]:
    """The clips with a question that a program finds nothing wrong with."""
    found: list[Draft] = []
    rejected: list[Rejection] = []
    for clip in clips:
        given = tools.verdicts.get(queue_id(tools.unit, clip), [])
        against = [verdict for verdict in given if verdict.verdict == "reject"]
        writings = [verdict for verdict in given if verdict.verdict == "edit"]
        if against:
            rejected.append(_refused(clip, "rejected", "review", f"{against[0].reviewer}: {against[0].reason}"))
        elif not writings:
            rejected.append(_refused(clip, "unwritten", "review", "nobody has written a question about this clip yet"))
        else:
            size = settings.capabilities[clip.capability].n_options
            # The last one who wrote has heard what the others wrote before.
            author = max(writings, key=lambda verdict: (verdict.date, verdict.reviewer))
            texts = nfc({**blank(size), **author.edit})
            choices = [texts[f"option_{number}"].strip() for number in range(1, size + 1)]
            answer = texts["answer"].strip()
            question = Written(texts["question"].strip(), answer, tuple(choice for choice in choices if choice != answer))
            after = replace(clip, written=question, decisions=(author.id,))
            problems = wording.problems(question, size, None, tools.rules, tools.language, settings.limits)
            if problems:
                rejected.append(_refused(after, "unfit", next(iter(problems)), told(problems)))
            else:
                found.append(after)
    return found, rejected


def _row(clip: Draft, choices: list[str], answer_index: int) -> Row:
    return sources.question_row(
        clip.segment,
        id=clip.id,
        capability=clip.capability,
        method="manual",
        question=clip.question.question,
        choices=choices,
        answer_index=answer_index,
        evidence={"by": clip.decisions[0].partition(":")[0], **({"guesses": clip.guesses} if clip.guesses else {})},
        rule_ids=["wording", "readers", "listened"],
        requests=clip.requests,
        decisions=clip.decisions,
    )


def _refused(clip: Draft, reason: str, rule_id: str, detail: str) -> Rejection:
    if clip.written is None:
        return sources.refused(clip.segment, clip.capability, reason, rule_id, detail)
    return Rejection(_row(clip, list(clip.written.choices), 0), reason, rule_id, detail)


STAGE = Stage(
    "questions_manual", run, ManualSettings, reads=None, input_schema=None, output_schema="Question", tools=open_tools, group="understanding"
)  # fmt: skip

if __name__ == "__main__":
    main(STAGE)
