"""What every scorer takes and gives, the scorers by name, and which protocol a subset is scored by.

All values are on 0 to 100, whatever the scale of the protocol, so that subsets can be put side by side; the marks behind them are in
`parts`. `fixed` mode gives the right value. `compat` mode gives what the original harness gives: where that one guesses, the value
that it is expected to get; where it ends in an exception, the fixed value.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from stages.core.errors import UserError, nearest
from stages.core.sources import Sources

Mode = Literal["fixed", "compat"]
MODES: tuple[Mode, ...] = ("fixed", "compat")


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark, as far as scoring needs it. Texts are NFC."""

    id: str
    protocol: str
    """Name of the scorer, one of `names()`; see `protocol_of`."""
    language: str
    """The language that the answer is to be in: `en` or `ko`."""
    subset: str = ""
    prompt: str = ""
    """The question, options included where they are spoken."""
    reference: str | None = None
    """The key: a label for multiple choice, yes/no or (a)/(b) for BBH, else a text."""
    references: tuple[str, ...] = ()
    """All accepted short answers."""
    options: tuple[tuple[str, str], ...] = ()
    """(label, text) in order. A bare text without a label has the label "" (MMAU, KMMAU)."""
    instructions: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """IFEval: (instruction id, keyword arguments); absent and null arguments are left out, 0 is a value."""
    task: str = ""
    """BBH sub-task, MMSU domain, KMMAU capability, MMAU task, MMAU-Pro task identifier."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a single protocol needs besides: `checklist`, `user_query`, `difficulty`, ..."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model under test answered. `text` is None where it gave no answer at all (no row); "" is an empty answer."""

    id: str
    text: str | None
    transcripts: tuple[str, ...] = ()
    """Recognitions of a spoken answer, where those are judged in the place of the text."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One raw reply of the judge about one item; None where the judge could not be had. It is read by the scorer, never before."""

    id: str
    sample: int
    text: str | None
    retried: bool = False
    """Whether an earlier reply could not be read, so that it was asked for again."""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """What one answer is worth."""

    id: str
    value: float | None
    """0 to 100; None leaves the item out of the mean (no valid judgment)."""
    answer: Any = None
    """What was read: a label, yes/no, a list of booleans, a mark, votes. JSON."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """Further numbers of the item, by name."""
    missing: bool = False
    """No row for the item. It counts as wrong."""
    empty: bool = False
    """Nothing but white space. It counts as wrong."""
    unparsed: bool = False
    """An answer in which no choice could be read. It counts as wrong."""
    refused: bool = False
    """The answer refuses the request, in any protocol."""
    judge_failed: bool = False
    """No valid judgment."""
    flagged: bool = False
    """Judgments without a majority."""
    n_invalid: int = 0
    """Judge replies that could not be read."""
    n_retried: int = 0
    """Judgments that needed another try. Known of rows of the stage score; the judge tells, not the scorer."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a model gets on a set of items."""

    metric: str
    value: float | None
    """0 to 100; None where nothing could be scored."""
    n: int
    """All items, missing answers included."""
    n_scored: int
    """Items in the mean: n - n_judge_failed."""
    n_missing: int
    n_empty: int
    n_unparsed: int
    n_refused: int
    n_judge_failed: int
    n_flagged: int
    n_invalid: int
    """Judge replies, not items."""
    n_retried: int
    """Judgments that needed another try because a reply could not be read."""
    interval: tuple[float, float] | None
    """95 %: Wilson's where every value is right or wrong, Student's of the mean otherwise; None below two scored items."""
    parts: Mapping[str, float]
    """Further numbers, by name: `mark` (1-5), `strict_prompt`, `fail`, `rate_with_empty`, ..."""
    scorer: str
    version: str
    """Number of the scorer's rules and hash of the code that reads the answers."""
    mode: Mode


@dataclass(frozen=True, slots=True)
class Judge:
    """What a scorer needs from a judge."""

    prompt: str
    """Name of the prompt, which is data in each language (`conf/judge/`)."""
    samples: int
    """How many replies an item gets."""
    reply: type[BaseModel]
    """Form of the reply for judges with structured output. A reply in free text (an original prompt) is read as well."""
    read: Callable[[str, str], Any]
    """(raw reply, language) -> mark, vote or None for an invalid reply, which may be asked again."""
    fields: Callable[[Item, str], dict[str, str]]
    """(item, answer) -> what stands in the prompt's placeholders: `question`, `response`, `reference`, ..."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """One protocol."""

    name: str
    number: int
    """Raised with every change of the rules."""
    metric: str
    item: Callable[[Item, Prediction, Sequence[Judgment], Mode], ItemScore]
    judge: Judge | None = None
    parts: Callable[[Sequence[ItemScore], Mode], dict[str, float]] | None = None
    """Further numbers of a set."""
    value: Callable[[Sequence[ItemScore], Mode], float | None] | None = None
    """The value of a set where it is not the mean of the items' values."""
    reads: tuple[str, ...] = ("answers",)
    """What it asks of a language: `answers` (refusals are told apart in every protocol), `instructions`."""

    @property
    def version(self) -> str:
        return f"{self.number}.{_digest(self.name, self.reads)}"

    def total(self, scores: Sequence[ItemScore], mode: Mode = "fixed") -> Score:
        """The score of a set. The order of `scores` does not matter."""
        from stages.core.statistics import mean
        from stages.evaluate.scorers.statistics import interval

        scores = sorted(scores, key=lambda score: score.id)
        values = [score.value for score in scores if score.value is not None]

        def count(name: str) -> int:
            return sum(getattr(score, name) for score in scores)

        return Score(
            metric=self.metric,
            value=self.value(scores, mode) if self.value else mean(values),
            n=len(scores),
            n_scored=len(values),
            n_missing=count("missing"),
            n_empty=count("empty"),
            n_unparsed=count("unparsed"),
            n_refused=count("refused"),
            n_judge_failed=count("judge_failed"),
            n_flagged=count("flagged"),
            n_invalid=count("n_invalid"),
            n_retried=count("n_retried"),
            interval=interval(values),
            parts=self.parts(scores, mode) if self.parts else {},
            scorer=self.name,
            version=self.version,
            mode=mode,
        )


SCORERS = (
    "open",
    "reference",
    "multiple_choice",
    "bbh",
    "ifeval",
    "refusal",
    "alpaca_ten",
    "reasoning",
    "verdict",
    "verdict_json",
    "aliases",
    "string_match",
    "option_text",
    "mmau_pro_open",
    "mmau_pro_instruction",
    "checklist",
)
"""Each is a module of this package with a `SCORER`."""

PROTOCOLS: Mapping[str, str] = {
    "alpacaeval_full": "open",
    "alpacaeval": "open",
    "commoneval": "open",
    "wildvoice": "open",
    "sd-qa": "reference",
    "openbookqa": "multiple_choice",
    "mmsu": "multiple_choice",
    "bbh": "bbh",
    "ifeval": "ifeval",
    "advbench": "refusal",
    "alpaca_eval": "alpaca_ten",
    "reasoning_qa": "reasoning",
    "llama_questions": "verdict",
    "trivia_qa": "verdict_json",
    "web_questions": "verdict_json",
}
"""Subset -> scorer. KMMAU, MMAU and MMAU-Pro go by `option_text` (fixed) whatever the subset; wildspeech by `checklist`."""


def names() -> tuple[str, ...]:
    return SCORERS


@cache
def load(name: str) -> Scorer:
    """The scorer `name`. Raises UserError for one that does not exist."""
    if name not in SCORERS:
        raise UserError(f"There is no scorer {name!r}.{nearest(name, SCORERS)} Scorers: {', '.join(SCORERS)}.")
    scorer: Scorer = importlib.import_module(f"stages.evaluate.scorers.{name}").SCORER
    return scorer


def protocol_of(benchmark: str, subset: str) -> str:
    """Name of the scorer for a subset. Raises UserError where there is none."""
    if benchmark in ("kmmau", "mmau"):
        return "option_text"
    if benchmark == "wildspeech":
        return "checklist"
    name = subset.removesuffix("-test")
    name = {"llamaqa": "llama_questions"}.get(name, name)
    if name not in PROTOCOLS:
        raise UserError(f"No scoring protocol is known for the subset {subset!r} of {benchmark}.{nearest(name, PROTOCOLS)}")
    return PROTOCOLS[name]


_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def fill(template: str, fields: Mapping[str, str]) -> str:
    """`template` with each `{name}` replaced by `fields[name]`, all in one pass: braces inside a filled text are text.

    Raises UserError for a placeholder that `fields` lacks.
    """

    def one(found: re.Match[str]) -> str:
        if found[1] not in fields:
            raise UserError(f"The judge prompt has the placeholder {{{found[1]}}}; it can have {', '.join(sorted(fields))}.")
        return fields[found[1]]

    return _PLACEHOLDER.sub(one, template)


@cache
def _digest(scorer: str, reads: tuple[str, ...]) -> str:
    """Hash of all code that decides: what the scorer's module imports, and of every language what the scorer asks of it."""
    return _sources().fingerprint(deciding(scorer, reads))[:8]


def deciding(scorer: str, reads: tuple[str, ...]) -> list[str]:
    """The files, relative to the project's root, whose code decides what an answer is worth."""
    from stages.languages import available

    of_languages = [f"stages.languages.{code}.{part}" for code in available() for part in reads]
    found = _sources().named([f"stages.evaluate.scorers.{scorer}", "stages.evaluate.scorers.answering", *of_languages])
    return [where for where in found if where.startswith(("stages/evaluate/", "stages/languages/", "stages/core/statistics"))]


@cache
def _sources() -> Sources:
    return Sources(Path(__file__).parents[3])
