"""Which of the five categories each item belongs to, before it is carried over: by the rules where they decide, else by workers.

The workers are one role of stages.llm (`analyst`), several requests in flight; each request holds the rules that its item
triggers, and the kinds of doubt that people can be asked about. What comes back is checked against the rules: an item is
open where a worker is unsure or against a rule, where a redesign or deletion has no rule behind it, or where the source
contradicts itself. Source: paper 2605.27984 §3.1.2. The loop with people around this is stages.review.loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson

from stages.core.files import Row
from stages.languages import load
from stages.llm import Request, Role
from stages.transfer import constraints, prompts, questions
from stages.transfer.analyse import CORRECTED, Finding, analyse
from stages.transfer.checks.pair import DELETED, REPLACED
from stages.transfer.hypertranslate import KINDS, item_text
from stages.transfer.replies import Asker, SortedItem
from stages.transfer.rules import Rule, Rulebook, Section, allowed, item_of, read_rulebook, render, select

UNSURE, AGAINST, UNCOVERED, CONTRADICTION, FAULTY = DOUBTS = ("unsure", "against_rule", "uncovered", "contradiction", "source_error")
"""A worker's confidence is low; it sorts against a rule; it redesigns or deletes without a rule; the source contradicts itself, as
a program sees; or it is wrong, as a worker says."""
FLAGGED = (REPLACED, DELETED)
"""The categories that the paper counts as flagged."""
_OF_RULE, _OF_WORKER = "{rule}", "{worker}"


@dataclass(frozen=True)
class Doubt:
    """Why an item is open."""

    kind: str
    issue: str
    """What people are asked; an id of the rulebook's questions."""
    rule_id: str
    """The rule in doubt; empty where there is none."""
    category: str
    """The category proposed, where the doubt is about it."""
    detail: str


@dataclass(frozen=True)
class Sorted:
    """One item, sorted."""

    id: str
    subset: str
    text: str
    """The source text by which decisions find the item."""
    category: str
    """One of the five."""
    by: str
    """`rule`, `worker`, or `program` for what is open without a worker having been asked."""
    rule_id: str
    reason: str
    confidence: int
    """0 to 100."""
    doubt: Doubt | None
    request: str
    """The request's key; empty where no model was asked."""

    @property
    def flagged(self) -> bool:
        return self.category in FLAGGED


@dataclass(frozen=True)
class Analysis:
    """The rulebook of a round. `analyst` is the workers' role; its `concurrency` is the number of workers."""

    book: Rulebook
    analyst: Role
    language: str
    min_confidence: int

    @classmethod
    def open(cls, root: Any, rulebook: str, analyst: Role, language: str, min_confidence: int) -> Analysis:
        """With the rulebook as it was before people decided anything. Raises UserError."""
        return cls(read_rulebook(root / rulebook), analyst, language, min_confidence).under([])

    def under(self, decided: Sequence[Mapping[str, Any]]) -> Analysis:
        """The same with these decided rules, in the form of questions.rule_of, and no others."""
        rules = [Rule.model_validate(rule) for rule in decided]
        return replace(self, book=self.book.model_copy(update={"decided": Section(title=self.book.decided.title, rules=rules)}))

    def sort(self, rows: Sequence[Row], client: Asker) -> list[Sorted]:
        """Every row, in order."""
        drafts = [self._by_rule(row) for row in rows]
        asked = [row for row, draft in zip(rows, drafts, strict=True) if draft is None]
        requests = [self.request(row) for row in asked]
        replies = {
            row["id"]: self._by_worker(row, cast(SortedItem, reply.value), request.key)
            for row, request, reply in zip(asked, requests, client.ask(requests) if requests else [], strict=True)
        }
        return [draft or replies[row["id"]] for row, draft in zip(rows, drafts, strict=True)]

    def requests(self, rows: Sequence[Row]) -> list[tuple[Row, Request]]:
        """What workers would be asked, with the row of each."""
        return [(row, self.request(row)) for row in rows if self._by_rule(row) is None]

    def request(self, row: Row) -> Request:
        item = item_of(row, self.book)
        issues = "\n".join(f'- "{issue.id}": {" ".join(issue.when.split())}' for issue in self.book.questions.issues)
        text = item_text(row, item)
        if row["format"] == "ifeval":
            listed = (f"- {one.id} {orjson.dumps(one.kwargs).decode()}" for one in constraints.source_instructions(row))
            text += "\n\nConstraints that the answer is checked for:\n" + "\n".join(listed)
        user = prompts.filled(
            "sort_item", benchmark=" / ".join(filter(None, [row["subset"], row["task"]])), kind=KINDS[row["format"]],
            rules=render(select(self.book, item)), item=prompts.fenced(text),
        )  # fmt: skip
        system = prompts.filled("sort", language=self.language, issues=issues)
        return Request(row["id"], self.analyst, ({"role": "system", "content": system}, {"role": "user", "content": user}), SortedItem)

    def _by_rule(self, row: Row) -> Sorted | None:
        """The item where rules or programs decide; None where a worker has to be asked."""
        found = analyse(row, self.book, load(self.book.language), prove=False)
        item = item_of(row, self.book)
        rules = select(self.book, item)
        decided = [rule for rule in rules if self.book.decided.rules and rule in self.book.decided.rules]
        base = Sorted(row["id"], row["subset"], item.prompt, found.category.partition(" or ")[0], "rule", found.deciding_rule, "", 100, None, "")
        if not decided and (said := _contradiction(found)):
            doubt = Doubt(CONTRADICTION, "contradiction", "", "", said)
            return replace(base, by="program", reason=said, confidence=0, doubt=doubt)
        if decided:
            categories, rule = allowed(rules)
            if len(categories) == 1 or (categories and not set(categories) & set(FLAGGED)):
                category = CORRECTED if row["correction"] == "corrected" and categories[0] not in FLAGGED else categories[0]
                return replace(base, category=category, rule_id=rule, reason=_why(self.book, rule))
            return None
        if found.deciding_rule and " or " not in found.category:
            return replace(base, reason=_why(self.book, found.deciding_rule))
        if found.category == CORRECTED:
            return replace(base, rule_id="correct", reason="its label was corrected before")
        return None

    def _by_worker(self, row: Row, said: SortedItem, key: str) -> Sorted:
        item = item_of(row, self.book)
        rules = select(self.book, item)
        categories, rule = allowed(rules)
        shown = {one.id for one in rules}
        issue = said.issue if self.book.questions.issue(said.issue) else "other"
        doubt = None
        detail = said.question.strip() or said.reasoning.strip()
        if said.category == "error_correction":
            doubt = Doubt(FAULTY, issue if issue == "contradiction" else "source-error", "", "", detail)
        elif categories and said.category not in categories:
            doubt = Doubt(AGAINST, "rule-misfit", rule, said.category, detail)
        elif not categories and said.category in FLAGGED:
            doubt = Doubt(UNCOVERED, issue, "", "", detail)
        elif said.confidence < self.min_confidence:
            about = rule if issue == "rule-misfit" else ""
            doubt = Doubt(UNSURE, issue, about, said.category if issue in ("other", "rule-misfit") else "", detail)
        return Sorted(
            row["id"], row["subset"], item.prompt, said.category, "worker", said.rule_id if said.rule_id in shown else "", said.reasoning.strip(),
            said.confidence, doubt, key,
        )

    def rule(self, question: str, items: Mapping[str, str], doubt: Doubt, option: str, own: str, why: str, who: str, date: str) -> dict[str, Any]:
        """The rule that an answer becomes: the chosen `option`, or the person's `own` text where that is given."""
        issue = self.book.questions.issue(doubt.issue)
        choice = next((one for one in issue.options if one.id == option), None) if issue else None
        if own or choice is None:
            return questions.rule_of(question, items, own, why, [], who, date)
        known = self.book.rule(doubt.rule_id)
        named = {_OF_RULE: known.categories if known else [], _OF_WORKER: [doubt.category] if doubt.category else []}
        categories = [category for name in choice.categories for category in named.get(name, [name])]
        do = choice.do.replace(_OF_RULE, doubt.rule_id)
        return questions.rule_of(question, items, do, why or choice.why, categories, who, date)


def _contradiction(found: Finding) -> str:
    """What the program sees; notices, which are flagged elsewhere, left out."""
    return next((note for note in found.notes if not note.startswith("notice: ")), "")


def _why(book: Rulebook, rule_id: str) -> str:
    rule = book.rule(rule_id)
    return " ".join(rule.why.split()) if rule else ""
