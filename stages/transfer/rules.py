"""The hypertranslation rulebook: read, checked, and cut down to what one item triggers.

The file has the eight parts that paper 2605.27984 (appendix B) names. A rule is offered to the translator only when its
scope and its `when` fit the item, so that an edit of a rule changes the requests of just those items; who decided it
and when is not part of a request.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from stages.core.errors import UserError, nearest
from stages.core.files import Row, nfc
from stages.core.settings import Settings
from stages.transfer.lexicon import Contrast, Lexicon, Pattern
from stages.transfer.questions import Questions, digest


class Scope(Settings):
    """Which items a rule may touch; an empty list means any."""

    subsets: list[str] = Field(default_factory=list)
    formats: list[str] = Field(default_factory=list)
    tasks: list[str] = Field(default_factory=list)
    except_tasks: list[str] = Field(default_factory=list)


class When(Settings):
    """What must be seen in an item. Each list that is given needs one hit; `unless` needs none."""

    prompt: list[Pattern] = Field(default_factory=list)
    answer: list[Pattern] = Field(default_factory=list)
    instructions: list[str] = Field(default_factory=list)
    """IFEval instruction ids."""
    unless: list[Pattern] = Field(default_factory=list)
    """Searched in the source prompt."""
    items: dict[str, str] = Field(default_factory=dict)
    """digest() of a source prompt -> the id that it had, for readers. What people decided about single items."""


class Example(Settings):
    source: str = Field(alias="in")
    target: str = Field(alias="out")
    why: str = ""


class Decision(Settings):
    person: str
    date: str
    question: str
    """The id of the question that was put to the person."""


class Rule(Settings):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    scope: Scope = Scope()
    priority: int = 50
    """Higher goes first in the prompt, and wins where two rules disagree."""
    when: When = When()
    do: str
    why: str
    examples: list[Example] = Field(default_factory=list)
    counterexamples: list[Example] = Field(default_factory=list)
    decided_by: Decision
    categories: list[str] = Field(default_factory=list)
    """Where given: an item that triggers the rule must end in one of these categories."""
    may_delete: bool = False
    """Whether an item that triggers the rule may be deleted."""
    keeps_latin: list[Pattern] = Field(default_factory=list)
    """Latin words of the source that match one of these as a whole may stay in an item that triggers the rule."""


class Section(Settings):
    title: str
    text: str = ""
    rules: list[Rule] = Field(default_factory=list)


class Composition(Settings):
    """How a question in the target language is put together from the parts that the translator returns."""

    option: str
    """With {label} and {text}."""
    multiple_choice: str
    """With {question} and {options}."""
    closing: str
    """With {labels}; follows the options where the source asks to choose among its labels."""
    label_separator: str
    source_closing: Pattern
    """The source's closing sentence; no rule is triggered by it."""


class Conversion(Section):
    composition: Composition


class Constraint(Settings):
    """What becomes of one IFEval instruction id."""

    id: str
    action: Annotated[str, Field(pattern="^(kept|remapped|removed)$")]
    rule: str
    localize: list[str] = Field(default_factory=list)
    """Keyword arguments whose text the translator gives; the others are carried over by the program."""
    fixed: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Keyword argument -> source value -> target value, set by the program."""
    add: dict[str, list[str]] = Field(default_factory=dict)
    """Keyword arguments that the target item has and the source has not."""


class Benchmarks(Section):
    constraints: list[Constraint]


class Design(Settings):
    """One way to build an equivalent item."""

    id: str
    name: str
    do: str
    examples: list[Example]
    contrast: Contrast | None = None
    """For the checks alone; None where the two sentences of a pair have nothing in common with those of others."""


class Generator(Settings):
    """Sentences for minimal pairs without a model; stages.transfer.minimal_pairs says how they are put together."""

    words: dict[str, list[str]]
    frames: dict[str, list[str]]
    """Design id -> its frames."""


class Hyperbaton(Settings):
    rule: str
    question: str
    designs: list[Design]
    generator: Generator | None = None


class TaskDesigns(Section):
    hyperbaton: Hyperbaton


class Quality(Section):
    checklist: list[str]
    addresses_the_model: list[Pattern]
    """Found in a source that speaks to a model. Never part of a request."""
    lexicon: Lexicon


class Rulebook(Settings):
    language: str
    principles: Section
    conversion: Conversion
    traceability: Section
    benchmarks: Benchmarks
    task_designs: TaskDesigns
    special_cases: Section
    deletions: Section
    quality: Quality
    questions: Questions = Questions()
    """What the loop asks people. Part of no request to a translator."""
    decided: Section = Section(title="Decisions of people")
    """What the loop made of their answers."""
    open: dict[str, str] = Field(default_factory=dict)
    """What has to be decided before anything can be carried over by this book (docs/new-language.md)."""

    def sections(self) -> tuple[Section, ...]:
        return (
            self.principles, self.conversion, self.traceability, self.benchmarks, self.task_designs, self.special_cases, self.deletions, self.quality,
            self.decided,
        )

    def rules(self) -> Iterator[Rule]:
        for section in self.sections():
            yield from section.rules

    def rule(self, rule_id: str) -> Rule | None:
        return next((rule for rule in self.rules() if rule.id == rule_id), None)

    def constraint(self, instruction_id: str) -> Constraint | None:
        return next((entry for entry in self.benchmarks.constraints if entry.id == instruction_id), None)


@dataclass(frozen=True)
class Item:
    """What of an item decides which rules it triggers."""

    id: str
    subset: str
    format: str
    task: str
    prompt: str
    answers: tuple[str, ...]
    instruction_ids: tuple[str, ...]


def item_of(row: Row, book: Rulebook) -> Item:
    answers = row["corrected_references"] or [row["corrected_reference"] or ""]
    instructions = tuple(instruction["id"] for instruction in row["instructions"])
    return Item(row["id"], row["subset"], row["format"], row["task"], without_closing(book, row["prompt"]), tuple(answers), instructions)


def without_closing(book: Rulebook, prompt: str) -> str:
    """A source question without the sentence that asks to choose among its labels."""
    return _compiled(book.conversion.composition.source_closing).sub("", prompt)


@cache
def read_rulebook(path: Path) -> Rulebook:
    """The rulebook at `path`. Raises UserError for a missing file, bad YAML, an unknown key, a double id or a dangling reference."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"Cannot read the rulebook {path}: {error.strerror}; set hypertranslate.rulebook to an existing file.") from None
    except UnicodeDecodeError as error:
        raise UserError(f"The rulebook {path} is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
    try:
        values = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise UserError(f"The rulebook {path} is not valid YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(values, dict):
        raise UserError(f"The rulebook {path} is not a mapping; it must have the eight parts, beginning with 'principles'.")
    try:
        book = Rulebook.model_validate(nfc(values))
    except ValidationError as error:
        raise UserError(_sentence(error, path)) from None
    _check_references(book, path)
    return book


def _sentence(error: ValidationError, path: Path) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        models = [model for model in globals().values() if isinstance(model, type) and issubclass(model, Settings)]
        known = {name for model in models for name in model.model_fields}
        return f"The rulebook {path} has the unknown key {place}.{nearest(str(first['loc'][-1]), known)}"
    return f"The rulebook {path} is wrong at {place}: {first['msg'][:1].lower()}{first['msg'][1:]}."


def _check_references(book: Rulebook, path: Path) -> None:
    ids = [rule.id for rule in book.rules()]
    for rule_id in ids:
        if ids.count(rule_id) > 1:
            raise UserError(f"The rulebook {path} has two rules with the id {rule_id!r}; ids must be unique.")
    wanted = {entry.rule: f"the constraint {entry.id}" for entry in book.benchmarks.constraints} | {book.task_designs.hyperbaton.rule: "hyperbaton"}
    for rule_id, where in wanted.items():
        if rule_id not in ids:
            raise UserError(f"The rulebook {path} names the rule {rule_id!r} for {where}, but has no rule with that id.")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def found(patterns: list[str], text: str) -> str | None:
    """The first text that one of `patterns` finds in `text`, or None."""
    for pattern in patterns:
        hit = _compiled(pattern).search(text)
        if hit:
            return hit.group(0)
    return None


def triggers(rule: Rule, item: Item) -> bool:
    scope, when = rule.scope, rule.when
    if (scope.subsets and item.subset not in scope.subsets) or (scope.formats and item.format not in scope.formats):
        return False
    if item.task in scope.except_tasks or (scope.tasks and item.task not in scope.tasks):
        return False
    if when.items and digest(item.prompt) not in when.items:
        return False
    if when.instructions and not set(when.instructions) & set(item.instruction_ids):
        return False
    if when.prompt and found(when.prompt, item.prompt) is None:
        return False
    if when.answer and all(found(when.answer, answer) is None for answer in item.answers):
        return False
    return found(when.unless, item.prompt) is None


def select(book: Rulebook, item: Item) -> list[Rule]:
    """The rules that `item` triggers, by falling priority, then in the order of the rulebook."""
    return sorted((rule for rule in book.rules() if triggers(rule, item)), key=lambda rule: -rule.priority)


def allowed(rules: list[Rule]) -> tuple[list[str], str]:
    """The categories that `rules`, by falling priority, leave to an item, and the rule that decides. None: any, by no rule.

    A later rule narrows what an earlier one leaves; where they disagree the earlier one wins.
    """
    left: list[str] = []
    deciding = ""
    for rule in rules:
        if not rule.categories:
            continue
        narrowed = [category for category in left or rule.categories if category in rule.categories]
        if narrowed and narrowed != left:
            left, deciding = narrowed, deciding or rule.id
    return left, deciding


def render(rules: list[Rule]) -> str:
    """The rules as they stand in a request."""
    return "\n\n".join(_rendered(rule) for rule in rules)


def _rendered(rule: Rule) -> str:
    lines = [f"[{rule.id}] {' '.join(rule.do.split())}", f"  Why: {' '.join(rule.why.split())}"]
    lines += [f"  Category: {' or '.join(rule.categories)}"] if rule.categories else []
    lines += ["  This rule allows a deletion"] if rule.may_delete else []
    lines += [f"  Right: {_example(example)}" for example in rule.examples]
    lines += [f"  Wrong: {_example(example)}" for example in rule.counterexamples]
    return "\n".join(lines)


def _example(example: Example) -> str:
    why = f"  ({' '.join(example.why.split())})" if example.why else ""
    return f"{' '.join(example.source.split())}  =>  {' '.join(example.target.split())}{why}"


def draw(seed: str, purpose: str, count: int) -> int:
    """A number in [0, count) that depends on the seed and the purpose alone, spread evenly over seeds."""
    return int.from_bytes(hashlib.sha256(f"{purpose}\0{seed}".encode()).digest()[:8], "big") % count


def design_of(book: Rulebook, prompt: str) -> Design:
    """The hyperbaton design that an item gets: by its text, so that a row that moves in its source keeps its request."""
    designs: list[Design] = book.task_designs.hyperbaton.designs
    return designs[draw(prompt, "design", len(designs))]
