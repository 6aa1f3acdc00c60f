"""Questions that a model or a person writes, on their way to the benchmark: what both ways of writing share.

Segments are drawn, someone writes one question about each, programs and other models test it, and of what is left the
target is taken (paper 2605.27984, section 3.2.1). `Refuse` and `MakeRow` are what the ways differ in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from stages import languages
from stages.core import verdicts
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Rejection
from stages.core.verdicts import Verdict
from stages.languages import Language
from stages.llm import Client, ClientSettings
from stages.understanding import draw, options, review, sources
from stages.understanding.readers import Item, Readers, try_out
from stages.understanding.replies import Asker
from stages.understanding.wording import Limits, Rules, Written


class Capability(Settings):
    target: int | None = Field(ge=0)
    """Questions wanted; null for as many as there are."""
    n_options: int = Field(4, ge=2)


class WritingSettings(Settings):
    language: str
    corpora: list[str]
    seed: int
    client: ClientSettings
    readers: Readers
    limits: Limits
    rulebook: str
    """The language's rules on wording, a file below the project's root."""


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
    """A segment that is asked about, and the question as far as it came."""

    id: str
    capability: Any
    """A key of the settings' `capabilities`."""
    segment: Row
    written: Written | None = None
    note: str = ""
    requests: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    proposed: Written | None = None
    """What the model wrote, where a person has edited it."""
    guesses: dict[str, int] | None = None
    """How one did who saw the question alone."""

    @property
    def question(self) -> Written:
        assert self.written is not None, f"{self.id} has no question yet"
        return self.written


Refuse = Callable[[Draft, str, str, str], Rejection]
"""(draft, reason, rule id, detail) to the rejection."""
MakeRow = Callable[[Draft, list[str], int], Row]
"""(draft, its options in order, place of the right one) to a row of Question."""


def drawn(segments: list[Row], numbers: Mapping[Any, int | None], seed: int, what: str) -> tuple[list[Draft], list[Rejection]]:
    """So many segments of each capability as `numbers` says (None: all), in the order of the seed; and those left over."""
    drafts: list[Draft] = []
    rejected: list[Rejection] = []
    for name, number in numbers.items():
        ranked = draw.ordered((segment for segment in segments if name in segment["uses"]), lambda segment: segment["id"], seed, name)
        drafts += [Draft(f"{name}-{place:04d}", name, segment) for place, segment in enumerate(ranked[:number])]
        if number is not None:
            rejected += [sources.refused(segment, name, "not_drawn", what, f"{number} {what} are wanted") for segment in ranked[number:]]
    return drafts, rejected


def tested(drafts: list[Draft], readers: Readers, client: Asker, refuse: Refuse) -> tuple[list[Draft], list[Rejection]]:
    """The drafts that a model without the recording failed and, if one is asked, a model with the transcript answered."""
    trials = try_out([Item(draft.id, draft.segment, draft.question) for draft in drafts], readers, client)
    passed: list[Draft] = []
    rejected: list[Rejection] = []
    for draft in drafts:
        trial = trials[draft.id]
        after = replace(draft, requests=(*draft.requests, *trial.requests), guesses=trial.guesses)
        if trial.problems:
            rejected.append(refuse(after, "failed_trial", next(iter(trial.problems)), told(trial.problems)))
        else:
            passed.append(after)
    return passed, rejected


def within_target(drafts: list[Draft], capabilities: Mapping[Any, Capability], refuse: Refuse) -> tuple[list[Draft], list[Rejection]]:
    counts: Counter[str] = Counter()
    kept: list[Draft] = []
    over: list[Rejection] = []
    for draft in drafts:
        target = capabilities[draft.capability].target
        if target is not None and counts[draft.capability] >= target:
            over.append(refuse(draft, "not_drawn", "target", f"{target} are wanted"))
        else:
            counts[draft.capability] += 1
            kept.append(draft)
    return kept, over


def rows(drafts: list[Draft], seed: int, make: MakeRow) -> list[Row]:
    """Rows of Question, the right options balanced over the places within each capability."""
    made: list[Row] = []
    for name in dict.fromkeys(draft.capability for draft in drafts):
        group = [draft for draft in drafts if draft.capability == name]
        arranged = options.arrange([options.Draft(draft.id, draft.question.answer, draft.question.distractors) for draft in group], seed)
        made += [make(draft, shown.choices, shown.answer_index) for draft, shown in zip(group, arranged, strict=True)]
    return made


def told(problems: dict[str, str]) -> str:
    return "; ".join(f"{name}: {detail}" for name, detail in problems.items())


def report(
    capabilities: Mapping[Any, Capability], what: str, asked: Sequence[Draft], kept: Sequence[Draft], rejected: Sequence[Rejection]
) -> dict[str, Any]:
    """Capability to its counts and to the reasons of what went; `what` names the segments that were drawn."""
    found: dict[str, Any] = {}
    for name, chosen in capabilities.items():
        made = sum(draft.capability == name for draft in kept)
        reasons = Counter(f"{one.reason}: {one.rule_id}" for one in rejected if one.row["id"].startswith((f"{name}-", f"{name}/")))
        found[name] = {
            "target": chosen.target,
            what: sum(draft.capability == name for draft in asked),
            "made": made,
            "shortfall": max(0, (chosen.target or 0) - made),
            "reasons": dict(sorted(reasons.items())),
        }
    return found


@contextmanager
def open_tools(settings: WritingSettings, context: Context) -> Iterator[Tools]:
    segments = sources.read_segments(context.root, settings.corpora)
    rules = Rules(context.root / settings.rulebook)
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(context.subset, segments, languages.load(settings.language), rules, client, verdicts.read(context.root, review.TOPIC))
