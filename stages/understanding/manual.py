"""Stage questions_manual: role or profession and general counting, written by people who listen (paper 2605.27984, §3.2.1).

The review desk plays a clip and takes question, options and answer; they lie as text in data/decisions/understanding/. What was
written passes the same checks as a model's question: form and options by program, and a model that sees the question alone must
not be able to answer it. There is no reader of the transcript: these questions rest on what is heard. A clip that nobody has
written about is rejected as `unwritten`; the desk's queue (stages/understanding/queue.py) offers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from stages import languages
from stages.core import verdicts
from stages.core.app import main
from stages.core.files import Row, nfc
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.verdicts import Verdict
from stages.languages import Language
from stages.llm import Client, ClientSettings
from stages.understanding import draw, options, review, sources, wording
from stages.understanding.readers import Item, Readers, try_out
from stages.understanding.replies import Asker
from stages.understanding.wording import Limits, Rules, Written

Name = Literal["role_profession", "general_counting"]


class Capability(Settings):
    target: int | None = Field(ge=0)
    """Questions wanted; null for all that were written."""
    clips: int | None = Field(ge=0)
    """Clips that the desk offers; null for all that may be used."""
    n_options: int = Field(4, ge=2)


class ManualSettings(Settings):
    language: str
    corpora: list[str]
    seed: int
    capabilities: dict[Name, Capability]
    client: ClientSettings
    readers: Readers
    limits: Limits
    rulebook: str
    """The language's rules on wording, a file below the project's root."""
    desk: str
    """What people are asked at the desk, a file below the project's root."""


@dataclass(frozen=True)
class Tools:
    unit: str
    segments: list[Row]
    language: Language
    rules: Rules
    client: Asker
    verdicts: dict[str, list[Verdict]]


@dataclass(frozen=True)
class Clip:
    """A clip that the desk offers for a capability, and the question that was written about it."""

    id: str
    capability: Name
    segment: Row
    written: Written | None = None
    decisions: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    guesses: dict[str, int] | None = None
    """How one did who saw the question alone."""


def offered(segments: list[Row], settings: ManualSettings) -> tuple[list[Clip], list[Rejection]]:
    """The clips that people are asked to write about, in the order of the draw; and those that are left over."""
    clips: list[Clip] = []
    rejected: list[Rejection] = []
    for name, chosen in settings.capabilities.items():
        usable = [segment for segment in segments if name in segment["uses"]]
        drawn = draw.ordered(usable, lambda segment: segment["id"], settings.seed, name)
        clips += [Clip(f"{name}-{number:04d}", name, segment) for number, segment in enumerate(drawn[: chosen.clips])]
        if chosen.clips is not None:
            rejected += [
                sources.refused(segment, name, "not_drawn", "clips", f"{chosen.clips} clips are offered") for segment in drawn[chosen.clips :]
            ]
    return clips, rejected


def queue_id(unit: str, clip: Clip) -> str:
    """Named after the clip's sound: what was written about it counts as long as the clip is the same."""
    return review.queue_id(unit, clip.id, [clip.capability, clip.segment["id"], clip.segment["content_sha256"] or clip.segment["transcript"]])


def blank(n_options: int) -> dict[str, str]:
    """The texts that the desk asks for."""
    return {"question": "", **{f"option_{number}": "" for number in range(1, n_options + 1)}, "answer": ""}


def run(rows: list[Row], settings: ManualSettings, tools: Tools) -> Outcome:
    """Rows of Question. Every segment that may be used for a capability is kept or rejected for it."""
    clips, rejected = offered(tools.segments, settings)
    written, refused = _written(clips, settings, tools)
    rejected += refused
    kept, failed = _tested(written, settings, tools)
    rejected += failed
    within: list[Clip] = []
    counts: Counter[str] = Counter()
    for clip in kept:
        target = settings.capabilities[clip.capability].target
        if target is not None and counts[clip.capability] >= target:
            rejected.append(_refused(clip, "not_drawn", "target", f"{target} are wanted"))
        else:
            counts[clip.capability] += 1
            within.append(clip)
    return Outcome(
        _rows(within, settings.seed), rejected, {"capabilities": _report(settings, clips, within, rejected), "usage": tools.client.usage()}
    )


def _written(clips: list[Clip], settings: ManualSettings, tools: Tools) -> tuple[list[Clip], list[Rejection]]:
    """The clips with a question that a program finds nothing wrong with."""
    found: list[Clip] = []
    rejected: list[Rejection] = []
    for clip in clips:
        given = tools.verdicts.get(queue_id(tools.unit, clip), [])
        against = [verdict for verdict in given if verdict.verdict == "reject"]
        drafts = [verdict for verdict in given if verdict.verdict == "edit"]
        if against:
            rejected.append(_refused(clip, "rejected", "review", f"{against[0].reviewer}: {against[0].reason}"))
        elif not drafts:
            rejected.append(_refused(clip, "unwritten", "review", "nobody has written a question about this clip yet"))
        else:
            size = settings.capabilities[clip.capability].n_options
            # The last one who wrote has heard what the others wrote before.
            author = max(drafts, key=lambda verdict: (verdict.date, verdict.reviewer))
            texts = nfc({**blank(size), **author.edit})
            choices = [texts[f"option_{number}"].strip() for number in range(1, size + 1)]
            answer = texts["answer"].strip()
            question = Written(texts["question"].strip(), answer, tuple(choice for choice in choices if choice != answer))
            after = replace(clip, written=question, decisions=(author.id,))
            problems = wording.problems(question, size, None, tools.rules, tools.language, settings.limits)
            if problems:
                rejected.append(_refused(after, "unfit", next(iter(problems)), "; ".join(f"{name}: {detail}" for name, detail in problems.items())))
            else:
                found.append(after)
    return found, rejected


def _tested(clips: list[Clip], settings: ManualSettings, tools: Tools) -> tuple[list[Clip], list[Rejection]]:
    """The clips whose question a model without the recording failed."""
    trials = try_out([Item(clip.id, clip.segment, clip.written) for clip in clips if clip.written], settings.readers, tools.client)
    passed: list[Clip] = []
    rejected: list[Rejection] = []
    for clip in clips:
        trial = trials[clip.id]
        after = replace(clip, requests=tuple(trial.requests), guesses=trial.guesses)
        if trial.problems:
            rejected.append(_refused(after, "failed_trial", next(iter(trial.problems)), "; ".join(trial.problems.values())))
        else:
            passed.append(after)
    return passed, rejected


def _rows(clips: list[Clip], seed: int) -> list[Row]:
    rows: list[Row] = []
    for name in dict.fromkeys(clip.capability for clip in clips):
        group = [(clip, clip.written) for clip in clips if clip.capability == name and clip.written]
        arranged = options.arrange([options.Draft(clip.id, written.answer, written.distractors) for clip, written in group], seed)
        rows += [_row(clip, written, shown.choices, shown.answer_index) for (clip, written), shown in zip(group, arranged, strict=True)]
    return rows


def _row(clip: Clip, written: Written, choices: list[str], answer_index: int) -> Row:
    return sources.question_row(
        clip.segment,
        id=clip.id,
        capability=clip.capability,
        method="manual",
        question=written.question,
        choices=choices,
        answer_index=answer_index,
        evidence={"by": clip.decisions[0].partition(":")[0], **({"guesses": clip.guesses} if clip.guesses else {})},
        rule_ids=["wording", "readers", "listened"],
        requests=clip.requests,
        decisions=clip.decisions,
    )


def _refused(clip: Clip, reason: str, rule_id: str, detail: str) -> Rejection:
    if clip.written is None:
        return sources.refused(clip.segment, clip.capability, reason, rule_id, detail)
    return Rejection(_row(clip, clip.written, list(clip.written.choices), 0), reason, rule_id, detail)


def _report(settings: ManualSettings, clips: list[Clip], kept: list[Clip], rejected: list[Rejection]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for name, chosen in settings.capabilities.items():
        made = sum(clip.capability == name for clip in kept)
        reasons = Counter(f"{one.reason}: {one.rule_id}" for one in rejected if one.row["id"].startswith((f"{name}-", f"{name}/")))
        report[name] = {
            "target": chosen.target,
            "clips": sum(clip.capability == name for clip in clips),
            "made": made,
            "shortfall": max(0, (chosen.target or 0) - made),
            "reasons": dict(sorted(reasons.items())),
        }
    return report


@contextmanager
def open_tools(settings: ManualSettings, context: Context) -> Iterator[Tools]:
    segments = sources.read_segments(context.root, settings.corpora)
    rules = Rules(context.root / settings.rulebook)
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(context.subset, segments, languages.load(settings.language), rules, client, verdicts.read(context.root, review.TOPIC))


STAGE = Stage(
    "questions_manual", run, ManualSettings, reads=None, input_schema=None, output_schema="Question", tools=open_tools, group="understanding"
)  # fmt: skip

if __name__ == "__main__":
    main(STAGE)
