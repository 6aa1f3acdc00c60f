"""Doubtful items as questions to people, and people's answers as rules (paper 2605.27984 section 3.1.2).

Items with the same kind of doubt, about the same rule, are one question, so that one decision settles them all. A person who
finds that they are not alike answers `item by item`: the next round asks about each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stages.core.errors import UserError
from stages.core.files import Row
from stages.review.decisions import Decisions, Verdict
from stages.review.queue import Option, QueueEntry

SUBSET = "hypertranslation"
"""Stands in the place of a subset in the ids of questions: a decision may hold for items of several."""
OWN = "rule"
"""The column in which a person writes a rule of their own."""
SPLIT = "item_by_item"
_EXAMPLES = 5
_LONG = 400


class Doubt(Protocol):
    """Why an item is open (stages.transfer.sorting.Doubt)."""

    @property
    def kind(self) -> str: ...
    @property
    def issue(self) -> str: ...
    @property
    def rule_id(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def detail(self) -> str: ...


class Sorted(Protocol):
    """A sorted item (stages.transfer.sorting.Sorted)."""

    @property
    def id(self) -> str: ...
    @property
    def subset(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def by(self) -> str: ...
    @property
    def rule_id(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def confidence(self) -> int: ...
    @property
    def doubt(self) -> Any: ...
    @property
    def request(self) -> str: ...
    @property
    def flagged(self) -> bool: ...


class Analysis(Protocol):
    """What sorts items (stages.transfer.sorting.Analysis). No stage imports another, so conf/review names it."""

    book: Any

    def under(self, decided: Sequence[Mapping[str, Any]]) -> Analysis: ...
    def sort(self, rows: Sequence[Row], client: Any) -> list[Any]: ...
    def requests(self, rows: Sequence[Row]) -> list[tuple[Row, Any]]: ...
    def rule(
        self, question: str, items: Mapping[str, str], doubt: Any, option: str, own: str, why: str, who: str, date: str
    ) -> dict[str, Any]: ...


@dataclass
class Cluster:
    """Items that one question is about."""

    id: str
    """After `question:hypertranslation:`; stable for the same items, round and doubt."""
    doubt: Doubt
    """That of the first item; the others' differ in their detail alone."""
    items: list[Sorted] = field(default_factory=list)

    @property
    def question_id(self) -> str:
        return f"question:{SUBSET}:{self.id}"

    @property
    def affected(self) -> list[str]:
        return sorted(item.id for item in self.items)


def clusters(items: Iterable[Sorted], number: int, alone: set[str]) -> list[Cluster]:
    """The open ones of `items` by what they have in common; those in `alone` each by itself."""
    found: dict[str, Cluster] = {}
    for item in items:
        doubt = item.doubt
        if doubt is None:
            continue
        parts = [item.id, doubt.issue] if item.id in alone else [doubt.kind, doubt.issue, doubt.rule_id, doubt.category]
        id = ".".join([f"r{number}", *filter(None, parts)])
        found.setdefault(id, Cluster(id, doubt)).items.append(item)
    return [found[id] for id in sorted(found)]


def question(cluster: Cluster, analysis: Analysis, wording: Mapping[str, Any]) -> QueueEntry:
    """The question that settles `cluster`, as the rulebook words it, with examples of it."""
    issue = analysis.book.questions.issue(cluster.doubt.issue)
    if issue is None:
        raise UserError(f"The rulebook has no questions.issues entry {cluster.doubt.issue!r}, which the analysis uses; add it.")
    values = {"rule": cluster.doubt.rule_id, "count": str(len(cluster.items))}
    options = [
        {"id": one.id, "label": _both(one.label, values), "consequence": _both(one.consequence, values)}
        for one in issue.options
        if cluster.doubt.rule_id or "{rule}" not in one.categories
    ]
    if len(cluster.items) > 1:
        options.append(_filled(wording["split"], values))
    ask = _both(issue.ask, values)
    count = _filled(wording["count"], values)
    rules = {item.rule_id for item in cluster.items} | {cluster.doubt.rule_id}
    return QueueEntry(
        id=cluster.question_id,
        kind="question",
        stage="hypertranslate",
        subset=SUBSET,
        title=_both(issue.title, values)["en"],
        prompt={language: f"{ask[language]} {count[language]}" for language in ("en", "ko")},  # type: ignore[arg-type]
        source=_examples(cluster),
        target={OWN: ""},
        options=[Option.model_validate(one) for one in options],
        affected=cluster.affected,
        rules=sorted(rules - {""}),
        flags=[f"{cluster.doubt.kind}: {_brief(detail, 200)}" for detail in dict.fromkeys(item.doubt.detail for item in cluster.items)][:_EXAMPLES],
    )


def _examples(cluster: Cluster) -> dict[str, str]:
    """Row id to its text and what was made of it; as different ones as there are."""
    shown: dict[str, str] = {}
    by_subset = sorted(cluster.items, key=lambda item: (sum(other.subset == item.subset and other.id < item.id for other in cluster.items), item.id))
    for item in by_subset[:_EXAMPLES]:
        verdict = f"{item.category.replace('_', ' ')}, {item.confidence} %" if item.by == "worker" else item.by
        shown[item.id] = f"{_brief(item.text, _LONG)}\n[{verdict}] {_brief(item.reason, _LONG)}"
    return shown


def _brief(text: str, length: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else f"{flat[: length - 1].rstrip()}…"


def _both(text: Any, values: Mapping[str, str]) -> dict[str, str]:
    return {"en": _put(text.en, values), "ko": _put(text.ko or text.en, values)}


def _put(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), text)


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _put(value, values)
    return {key: _filled(inner, values) for key, inner in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True)
class Answer:
    """What people decided about one question, and what follows."""

    question: QueueEntry
    verdicts: list[Verdict]
    rule: dict[str, Any] | None = None
    split: bool = False
    note: str = ""
    """Why the question is still open."""

    @property
    def settled(self) -> bool:
        return self.rule is not None or self.split


def answer(cluster: Cluster, asked: QueueEntry, given: Decisions, analysis: Analysis) -> Answer | None:
    """The answer to a question, None where nobody gave one. A verdict on another text than the present one does not count."""
    last = [verdict for (id, _), verdict in given.last().items() if id == asked.id and verdict.verdict != "skip"]
    if not last:
        return None
    seen = asked.fingerprint()
    verdicts = [verdict for verdict in last if not verdict.seen or verdict.seen == seen]
    if not verdicts:
        return Answer(asked, last, note="the question has changed since; it is asked again")
    if len({(verdict.verdict, verdict.edit.get(OWN, "")) for verdict in verdicts}) > 1:
        return Answer(asked, verdicts, note="reviewers disagree; settle it first")
    verdict = max(verdicts, key=lambda one: one.date)
    if verdict.verdict not in asked.verdicts():
        return Answer(asked, verdicts, note=f"{verdict.verdict!r} is none of its answers ({', '.join(asked.verdicts())})")
    if verdict.verdict == "reject":
        return Answer(asked, verdicts, note=f"none of the answers fits: {verdict.reason}")
    if verdict.verdict == SPLIT:
        return Answer(asked, verdicts, split=True)
    who = ", ".join(sorted({one.reviewer for one in verdicts}))
    items = {item.id: item.text for item in cluster.items}
    own = verdict.edit.get(OWN, "").strip()
    rule = analysis.rule(asked.id, items, cluster.doubt, verdict.verdict, own, verdict.reason.strip(), who, verdict.date)
    return Answer(asked, verdicts, rule)
