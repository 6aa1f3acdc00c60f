"""The human–agent loop of the transfer: sort every item, ask people about the doubtful ones, sort those again by what they said.

    python -m stages.review.loop                       what the build holds, every subset
    python -m stages.review.loop subsets=[bbh,ifeval] workers=12
    python -m stages.review.loop write=true            and put the decided rules into the rulebook
    python -m stages.review.loop plan=true             what the first round asks and costs; asks nothing

Where the rules of the rulebook decide no model is asked; the rest is sorted by workers, several at a time. Items that are open
are clustered into questions for the review desk (data/review/question.jsonl). What people have decided in
data/decisions/hypertranslation/ becomes rules, with who decided them; the items asked about are sorted again under these. The loop
ends when nothing is open, or when only people can go on. Everything follows from rows, rulebook, decisions and stored replies,
so it can be run again at any time. Source: paper 2605.27984 section 3.1.2.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.core import files
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.settings import Settings, load
from stages.llm import Client, ClientSettings, Role
from stages.review import decided, decisions, doubts, queue
from stages.review.doubts import Analysis, Answer, Cluster, Sorted
from stages.review.queue import QueueEntry

CONFIG = Path("conf/review/hypertranslation.yaml")
REPORT = Path("data/review/hypertranslation.json")
SORTED = Path("data/review/sorted/hypertranslation.jsonl")
CATEGORIES = ("direct_translation", "format_conversion", "equivalent_replacement", "deletion", "error_correction")
_IDS = 8


class LoopSettings(Settings):
    analysis: str
    """The module whose `Analysis` sorts items."""
    workers: int = Field(ge=1)
    min_confidence: int = Field(ge=0, le=100)
    max_rounds: int = Field(ge=1)
    wording: dict[str, Any]
    subsets: list[str] = Field(default_factory=list)
    """Empty for every subset that the build holds."""
    write: bool = False
    """Put the decided rules into the rulebook."""
    plan: bool = False
    """Say what the first round would ask, and stop."""


@dataclass
class Round:
    """One pass: what was sorted, what was asked, what was answered."""

    number: int
    sorted: int
    asked: int
    """Items of which a worker was asked."""
    clusters: list[Cluster]
    questions: list[QueueEntry]
    answers: dict[str, Answer]
    """Question id to answer, for those that have one."""

    @property
    def settled(self) -> list[Answer]:
        return [answer for answer in self.answers.values() if answer.settled]


@dataclass
class Result:
    """The whole loop."""

    items: dict[str, Sorted]
    rounds: list[Round] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def open(self) -> list[Sorted]:
        return [item for item in self.items.values() if item.doubt is not None]

    @property
    def questions(self) -> list[QueueEntry]:
        return [question for each in self.rounds for question in each.questions]


def settings_of(arguments: list[str]) -> LoopSettings:
    """The file's values, then `key=value` arguments. Raises UserError."""
    import yaml

    values: dict[str, Any] = yaml.safe_load((ROOT / CONFIG).read_text(encoding="utf-8"))
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            raise UserError(f"{argument!r} is not key=value; for example `python -m stages.review.loop subsets=[bbh]`.")
        values[key] = yaml.safe_load(value)
    return load(LoopSettings, values, "review.loop")


def rows_of(root: Path, subsets: list[str]) -> list[Row]:
    """The rows to sort, after correction. Raises UserError where there are none."""
    found = {path.parent.name: path for stage in ("ingest", "correct") for path in sorted((root / "data" / stage).glob("*/rows.jsonl"))}
    for name in subsets:
        if name not in found:
            raise UserError(f"There are no rows of {name!r} in data/correct or data/ingest; run `dvc repro correct@{name}`.{nearest(name, found)}")
    chosen = subsets or sorted(found)
    if not chosen:
        raise UserError("There is nothing to sort in data/correct; run `dvc repro` first.")
    return [row for name in chosen for row in files.read_jsonl(found[name])]


def walk(rows: list[Row], analysis: Analysis, given: decisions.Decisions, settings: LoopSettings, client: Any) -> Result:
    """Round after round until nothing is open or nobody has answered."""
    by_id = {row["id"]: row for row in rows}
    result = Result({})
    alone: set[str] = set()
    pending = list(rows)
    while pending:
        number = len(result.rounds) + 1
        if number > settings.max_rounds:
            raise UserError(f"{len(pending)} items are still open after {settings.max_rounds} rounds, {pending[0]['id']} first; raise max_rounds.")
        found: list[Sorted] = analysis.under(result.rules).sort(pending, client)
        result.items |= {item.id: item for item in found}
        clusters = doubts.clusters(found, number, alone)
        questions = [doubts.question(cluster, analysis, settings.wording) for cluster in clusters]
        answers = {
            asked.id: answer
            for cluster, asked in zip(clusters, questions, strict=True)
            if (answer := doubts.answer(cluster, asked, given, analysis)) is not None
        }
        this = Round(number, len(found), sum(item.by == "worker" for item in found), clusters, questions, answers)
        result.rounds.append(this)
        result.rules += [answer.rule for answer in this.settled if answer.rule is not None]
        alone |= {id for answer in this.settled if answer.split for id in answer.question.affected}
        pending = [by_id[id] for answer in this.settled for id in answer.question.affected]
    return result


def run(settings: LoopSettings, root: Path) -> Result:
    """Walk the loop on what the build holds, write questions, report and, if asked to, rules; print what happened."""
    rows = rows_of(root, settings.subsets)
    language = read_config("language", root)
    analyst = load(Role, read_config("llm.analyst", root), "llm.analyst").model_copy(update={"concurrency": settings.workers})
    module = importlib.import_module(settings.analysis)
    book = language["rulebooks"]["hypertranslation"]
    analysis: Analysis = module.Analysis.open(root, book, analyst, language["name"], settings.min_confidence)
    if settings.plan:
        print("\n".join(planned(rows, analysis)))
        return Result({})
    given = decisions.read(root, doubts.SUBSET)
    client_settings = load(ClientSettings, read_config("llm.client", root), "llm.client")
    with Client.open(client_settings, Progress("loop hypertranslation"), root) as client:
        result = walk(rows, analysis, given, settings, client)
        result.usage = client.usage()
    path = queue.write(root, "question", _with_others(queue.read(root, "question"), result, bool(settings.subsets)))
    files.write_json(root / REPORT, report(result))
    files.write_jsonl(root / SORTED, (asdict(item) for _, item in sorted(result.items.items())))  # type: ignore[call-overload]
    for line in given.torn:
        print(line, file=sys.stderr)
    print("\n".join(page(result)))
    print("\n".join(decided.told(root / book, result.rules, settings.write)))
    print(f"\n{_counted(len(result.questions), 'question')} -> {path.relative_to(root)} (`make review` shows them), the figures -> {REPORT}")
    return result


def _with_others(stored: list[QueueEntry], result: Result, partial: bool) -> list[QueueEntry]:
    """The questions of this run beside those that it does not touch. A run of some subsets leaves alone what also asks about others,
    even where its own question has that name: the stored one asks about all the items, of which it saw a part."""
    beside = [entry for entry in stored if entry.subset != doubts.SUBSET or (partial and not result.items.keys() >= set(entry.affected))]
    kept = {entry.id for entry in beside}
    return [*beside, *(asked for asked in result.questions if asked.id not in kept)]


def planned(rows: list[Row], analysis: Analysis) -> list[str]:
    """What the first round asks of workers, subset by subset, with tokens and dollars as `python -m stages.llm plan` tells them."""
    from stages.llm import plan
    from stages.llm.store import Store

    by_subset: dict[str, list[Any]] = {row["subset"]: [] for row in rows}
    for row, request in analysis.requests(rows):
        by_subset[row["subset"]].append(request)
    asked = sum(map(len, by_subset.values()))
    with Store.open() as store:
        works = [plan.Work("loop", subset, requests, None, [], None) for subset, requests in by_subset.items() if requests]
        return [*plan.table(list(plan.lines(works, store))), "", f"{len(rows) - asked:,} of {_counted(len(rows), 'item')} are sorted by rules."]


def page(result: Result) -> list[str]:
    """What happened, as lines."""
    lines = []
    for each in result.rounds:
        lines.append(f"round {each.number}: {_counted(each.sorted, 'item')} sorted, {each.sorted - each.asked} by rules, {each.asked} by workers")
        for asked in each.questions:
            answer = each.answers.get(asked.id)
            lines.append(f"  {asked.id}: {asked.title}; {_counted(len(asked.affected), 'item')}: {_listed(asked.affected)}")
            lines += [f"    {line}" for line in _answered(answer, asked)]
    return [*lines, "", *statistics(result), "", summary(result)]


def _answered(answer: Answer | None, asked: QueueEntry) -> Iterator[str]:
    if answer is None:
        yield f"open; answers: {', '.join(option.id for option in asked.options)}; seen: {asked.fingerprint()}"
        return
    who = ", ".join(f"{verdict.reviewer} {verdict.date}: {verdict.verdict}" for verdict in answer.verdicts)
    rule = f" -> rule {answer.rule['id']}" if answer.rule else ""
    yield f"{'decided' if answer.settled else 'open'} ({who}){rule}{f': {answer.note}' if answer.note else ''}"
    if not answer.settled:
        yield f"seen: {asked.fingerprint()}"


def statistics(result: Result) -> list[str]:
    """A line for each subset: its items by category, and how they were sorted."""
    head = ("subset", "items", *(name.replace("_", " ") for name in CATEGORIES), "flagged", "by rule", "open")
    subsets = sorted({item.subset for item in result.items.values()})
    cells = [head]
    for name in [*subsets, "all"]:
        items = [item for item in result.items.values() if name in (item.subset, "all")]
        counts = Counter(item.category for item in items if item.doubt is None)
        settled = [item for item in items if item.doubt is None]
        cells.append((
            name, f"{len(items):,}", *(f"{counts[category]:,}" for category in CATEGORIES), f"{sum(item.flagged for item in settled):,}",
            f"{sum(item.by == 'rule' for item in settled):,}", f"{len(items) - len(settled):,}",
        ))  # fmt: skip
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return ["  ".join((str.ljust if i == 0 else str.rjust)(cell, widths[i]) for i, cell in enumerate(row)).rstrip() for row in cells]


def summary(result: Result) -> str:
    """The paper says: two rounds, 10 decision points, 653 of 10,083 flagged for redesign or deletion."""
    flagged = sum(item.flagged for item in result.items.values() if item.doubt is None)
    asking = [each for each in result.rounds if each.questions]
    settled = sum(len(each.settled) for each in result.rounds)
    return (
        f"{_counted(len(asking), 'round')} of questions, {_counted(len(result.questions), 'question')}, {_counted(settled, 'decision')}; "
        f"{flagged:,} of {_counted(len(result.items), 'item')} flagged for redesign or deletion, {len(result.open):,} open"
    )


def report(result: Result) -> dict[str, Any]:
    items = result.items.values()
    settled = [item for item in items if item.doubt is None]
    return {
        "rounds": [
            {
                "round": each.number,
                "sorted": each.sorted,
                "by_workers": each.asked,
                "questions": [
                    {
                        "id": asked.id,
                        "seen": asked.fingerprint(),
                        "affected": asked.affected,
                        "verdicts": [verdict.model_dump() for verdict in answer.verdicts] if (answer := each.answers.get(asked.id)) else [],
                        "rule": answer.rule["id"] if answer and answer.rule else None,
                        "note": answer.note if answer else "",
                    }
                    for asked in each.questions
                ],
            }
            for each in result.rounds
        ],
        "n_items": len(result.items),
        "n_flagged": sum(item.flagged for item in settled),
        "n_open": len(result.open),
        "categories": dict(sorted(Counter(item.category for item in settled).items())),
        "by": dict(sorted(Counter(item.by for item in settled).items())),
        "rules": dict(sorted(Counter(item.rule_id for item in settled if item.rule_id).items())),
        "usage": result.usage,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _listed(ids: list[str]) -> str:
    return ", ".join(ids[:_IDS]) + (f" and {len(ids) - _IDS} more" if len(ids) > _IDS else "")


if __name__ == "__main__":
    exiting(lambda: run(settings_of(sys.argv[1:]), ROOT))
