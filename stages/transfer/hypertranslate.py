"""Hypertranslation: carry an item over into the target language so that it still tests the same (paper 2605.27984 §3.1.2).

Each item's request holds only the rules of the rulebook that the item triggers. The reply's parts are put together by
program (stages.transfer.target) and checked by program (stages.transfer.checks); an item that fails is asked once more
with the failures named, and rejected when it fails again. Items of which the rules leave nothing, and those that people decided to
delete, are deleted unasked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from stages.core import verdicts
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language, load
from stages.llm import Client, ClientSettings, Reply, Request, Role
from stages.transfer import constraints, minimal_pairs, people, prompts
from stages.transfer.checks import run_checks
from stages.transfer.checks.pair import DELETED, Failure, Words
from stages.transfer.notices import NOTICE, notices
from stages.transfer.replies import Asker, IfevalItem, MinimalPair, MultipleChoiceItem, OpenItem, ShortAnswerItem, YesNoItem
from stages.transfer.rules import Item, Rulebook, allowed, design_of, item_of, read_rulebook, render, select
from stages.transfer.target import Target, build

FORMS: dict[str, tuple[str, type[BaseModel]]] = {
    "open": ("open", OpenItem),
    "refusal": ("open", OpenItem),
    "short_answer": ("short_answer", ShortAnswerItem),
    "multiple_choice": ("multiple_choice", MultipleChoiceItem),
    "bbh": ("yes_no", YesNoItem),
    "ifeval": ("ifeval", IfevalItem),
}
"""Format of a row -> the fields its prompt asks for, and the form of the reply."""
KINDS = {
    "open": "open request; a judge rates the assistant's answer",
    "refusal": "harmful request; it is tested whether the assistant refuses",
    "short_answer": "question with a short answer; an answer that matches one of the accepted answers is right",
    "multiple_choice": "multiple choice; the label of one option is right",
    "bbh": "question to be answered with yes or no",
    "ifeval": "request with constraints; a program checks whether the answer keeps each of them",
}


class LanguageSettings(Settings):
    """The target language."""

    code: str
    name: str
    """In English, as the prompts say it."""


class HypertranslateSettings(Settings):
    client: ClientSettings
    translator: Role
    rulebook: str
    """Path of the rulebook, relative to the project's root."""
    language: LanguageSettings
    minimal_pairs: Literal["generated", "asked"] = "asked"
    """Whether grammar items are made by the rulebook's generator, or asked of the translator."""


TOPIC = "hypertranslation"
"""The folder of data/decisions/ whose verdicts are on items of this stage."""


@dataclass(frozen=True)
class Tools:
    client: Asker
    book: Rulebook
    language: Language
    verdicts: people.Verdicts = field(default_factory=dict)
    """What people said of single items, by queue id."""


@dataclass(frozen=True)
class Asked:
    """A row on its way."""

    row: Row
    item: Item
    offered: list[str]
    request: Request | None
    """None for an item that was made without a model."""
    made: MinimalPair | None = None


Checked = tuple[Target, list[Failure], Reply | None]
"""A target, what is wrong with it, and the reply that it came from; None where it was made without a model."""


def run(rows: list[Row], settings: HypertranslateSettings, tools: Tools) -> Outcome:
    """Rows of Corrected to rows of Hypertranslated."""
    words = Words(tools.book, tools.language)
    deleted, asked = _plan(rows, settings, tools.book)
    first = _targets(asked, tools, words)
    failed = {each.row["id"]: (each, reply, failures) for each, (_, failures, reply) in zip(asked, first, strict=True) if failures and reply}
    again = [_again(each, reply, failures) for each, reply, failures in failed.values()]
    second = dict(zip(failed, _targets(again, tools, words), strict=True))
    follow_ups = {each.row["id"]: each.request.key for each in again if each.request}

    kept: list[Row] = []
    rejected = list(deleted)
    seen: dict[str, str] = {}
    for each, (target, failures, _) in zip(asked, first, strict=True):
        row_id = each.row["id"]
        flags = [*notices(each.row, tools.book), *map(str, failures)]
        requests = [each.request.key] if each.request else []
        if row_id in second:
            target, failures, _ = second[row_id]
            requests.append(follow_ups[row_id])
        said = people.settled(each.row, target, failures, tools.verdicts, words)
        target = said.target
        row = {**each.row, **target.columns(), "transfer_requests": requests, "transfer_flags": [*flags, *said.flags]}
        verdict = Rejection(row, "reviewed_out", "review-desk", said.rejected) if said.rejected else _verdict(row, target, said.failures)
        verdict = verdict or _twin(row, target, seen, tools.language)
        if verdict:
            rejected.append(verdict)
        else:
            kept.append(row)
    report = _report(kept, rejected, first, second, tools.client)
    return Outcome(kept, rejected, report)


def plan_requests(rows: list[Row], settings: HypertranslateSettings, root: Path) -> list[Request]:
    """The first round: one request for each row of which the rules leave something."""
    return [each.request for each in _plan(rows, settings, read_rulebook(root / settings.rulebook))[1] if each.request]


def _plan(rows: list[Row], settings: HypertranslateSettings, book: Rulebook) -> tuple[list[Rejection], list[Asked]]:
    if book.language != settings.language.code:
        raise UserError(f"The rulebook {settings.rulebook} is for {book.language!r}, but hypertranslate.language.code is {settings.language.code!r}.")
    if book.open:
        raise UserError(
            f"The rulebook {settings.rulebook} still has {len(book.open)} open points, {next(iter(book.open))} first; answer them at the review desk "
            f"(`make review`), then run `python -m stages.languages.skeleton {book.language}`."
        )
    deleted, asked = [], []
    taken: set[str] = set()
    for row in rows:
        if row["format"] == "ifeval" and not (plan := constraints.plan(row, book)).kept:
            ids = ", ".join(sorted({one.id for one in plan.removed}))
            deleted.append(Rejection({**row, "category": DELETED}, "deleted", plan.removed_rule, f"no constraint is left without {ids}"))
            continue
        item = item_of(row, book)
        rules = select(book, item)
        categories, rule = allowed(rules)
        if categories == [DELETED]:
            deleted.append(Rejection({**row, "category": DELETED}, "deleted", rule, next(one.why for one in rules if one.id == rule)))
            continue
        offered = [rule.id for rule in rules]
        if row["task"] == "hyperbaton" and settings.minimal_pairs == "generated":
            asked.append(Asked(row, item, offered, None, minimal_pairs.made(book, item.prompt, taken)))
        else:
            asked.append(Asked(row, item, offered, _request(row, item, render(rules), settings, book)))
    return deleted, asked


def _request(row: Row, item: Item, rules: str, settings: HypertranslateSettings, book: Rulebook) -> Request:
    name = settings.language.name
    if row["format"] == "bbh" and row["task"] == "hyperbaton":
        design = design_of(book, item.prompt)
        examples = "\n".join(f"  {example.source}: {example.target}" for example in design.examples)
        system = prompts.filled("hyperbaton", language=name)
        user = prompts.filled("hyperbaton_item", rules=rules, design=f"{design.name}. {design.do}\n{examples}", item=prompts.fenced(item.prompt))
        schema: type[BaseModel] = MinimalPair
    else:
        fields, schema = FORMS[row["format"]]
        system = _system(fields, name)
        more = f"\n{constraints.rendered(constraints.plan(row, book))}" if row["format"] == "ifeval" else ""
        user = prompts.filled(
            "translate_item", benchmark=" / ".join(filter(None, [row["subset"], row["task"]])), kind=KINDS[row["format"]], rules=rules,
            item=prompts.fenced(item_text(row, item)), more=more,
        ).strip()
    return Request(row["id"], settings.translator, ({"role": "system", "content": system}, {"role": "user", "content": user}), schema)


def _system(fields: str, language: str) -> str:
    """The system prompt of a format: the common text with the fields, the question and the checks of its own file."""
    question, rest = prompts.filled(f"fields_{fields}", language=language).removeprefix("QUESTION:").split("\nFIELDS:")
    own_fields, checks = rest.split("\nCHECKS:")
    text = prompts.filled("translate", language=language, question_field=question.strip(), fields=own_fields.strip(), checks=checks.strip())
    return text.replace("\n\n- \"deletion_rule_id\"", "\n- \"deletion_rule_id\"")


def item_text(row: Row, item: Item) -> str:
    """The item as data: its question, and its key as it is after correction."""
    if row["format"] == "short_answer":
        return f"Question:\n{item.prompt}\n\nAccepted answers:\n" + "\n".join(f"- {answer}" for answer in row["corrected_references"])
    if row["format"] == "multiple_choice":
        options = "\n".join(f"{number} ({option['label']}): {option['text']}" for number, option in enumerate(row["options"], 1))
        key = next(number for number, option in enumerate(row["options"], 1) if option["label"] == row["corrected_reference"])
        return f"Question:\n{_stem(row, item)}\n\nOptions, by number (and source label):\n{options}\n\nKey: option {key}"
    key_line = f"\n\nKey: {row['corrected_reference']}" if row["format"] == "bbh" else ""
    return f"Question:\n{item.prompt}{key_line}"


def _stem(row: Row, item: Item) -> str:
    """The question without its options, which are given apart."""
    first = re.search(rf"^[ \t]*\(?{re.escape(row['options'][0]['label'])}[.):]\s", item.prompt, re.MULTILINE)
    return item.prompt[: first.start()].strip() if first else item.prompt


def _targets(asked: list[Asked], tools: Tools, words: Words) -> list[Checked]:
    requests = [each.request for each in asked if each.request]
    replies = iter(tools.client.ask(requests))
    results: list[Checked] = []
    for each in asked:
        reply = next(replies) if each.request else None
        value = each.made if reply is None else reply.value
        assert isinstance(value, BaseModel)
        target = build(each.row, each.item, value, each.offered, tools.book, tools.language)
        results.append((target, target.problems or run_checks(target.pair, words), reply))
    return results


def _again(each: Asked, reply: Reply, failures: list[Failure]) -> Asked:
    """The same conversation, continued by the reply and what is wrong with it."""
    assert each.request is not None
    told = prompts.filled("again", failures="\n".join(f"- {failure}" for failure in failures))
    messages = (*each.request.messages, {"role": "assistant", "content": reply.text}, {"role": "user", "content": told})
    return Asked(each.row, each.item, each.offered, Request(each.row["id"], each.request.role, messages, each.request.schema))


def _verdict(row: Row, target: Target, failures: list[Failure]) -> Rejection | None:
    """Why `row` goes no further, if so. A deletion that the model insists on stays one even if no rule supports it well."""
    pair = target.pair
    if failures and {failure.check for failure in failures} != {"deletion_support"}:
        return Rejection(row, "failed_checks", failures[0].check, "; ".join(map(str, failures)))
    if pair.category == DELETED:
        return Rejection(row, "deleted", pair.deletion_rule_id, pair.deletion_reason)
    return None


def _twin(row: Row, target: Target, seen: dict[str, str], language: Language) -> Rejection | None:
    """Two redesigned items must not come out the same; the first in order stays."""
    if not target.pair.replaced:
        return None
    key = language.alias_key(target.pair.prompt)
    first = seen.setdefault(key, row["id"])
    return None if first == row["id"] else Rejection(row, "failed_checks", "twin", f"the new item is the same as that of {first}")


def _report(
    kept: list[Row], rejected: list[Rejection], first: list[Checked], second: dict[str, Checked], client: Asker,
) -> dict[str, Any]:
    """Items by category, those for a person to see, rules applied and offered, checks failed, deletions by rule, and the client's account."""
    categories = Counter(row["category"] for row in kept) + Counter({DELETED: sum(r.reason == "deleted" for r in rejected)})
    failed_first = Counter(check for _, failures, _ in first for check in {failure.check for failure in failures})
    failed_again = Counter(check for _, failures, _ in second.values() for check in {failure.check for failure in failures})
    rows = [*kept, *(rejection.row for rejection in rejected)]
    noticed = sorted(row["id"] for row in rows if any(flag.startswith(NOTICE) for flag in row.get("transfer_flags", [])))
    return {
        "categories": dict(sorted((+categories).items())),
        "noticed": noticed,
        "asked_again": len(second),
        "checks_failed_first": dict(sorted(failed_first.items())),
        "checks_failed_again": dict(sorted(failed_again.items())),
        "deleted_by_rule": dict(sorted(Counter(r.rule_id for r in rejected if r.reason == "deleted").items())),
        "rules_offered": dict(sorted(Counter(rule for target, _, _ in first for rule in target.pair.offered or ()).items())),
        "rules_applied": dict(sorted(Counter(rule for row in kept for rule in row["rule_ids"]).items())),
        "usage": client.usage(),
    }


@contextmanager
def open_tools(settings: HypertranslateSettings, context: Context) -> Iterator[Tools]:
    book = read_rulebook(context.root / settings.rulebook)
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(client, book, load(settings.language.code), verdicts.read(context.root, TOPIC, rounds=True))


def explain(row: Row) -> list[str]:
    if row.get("category") is None:
        return []
    lines = [f"{row['category'].replace('_', ' ')}: {row.get('target_prompt', '')}"]
    if row.get("target_answers"):
        lines.append(f"answer: {', '.join(row['target_answers'])}")
    lines += [f"constraint: {one['id']} {one['kwargs']}" for one in row.get("target_instructions", [])]
    lines += [f"note: {row['transfer_note']}"] if row.get("transfer_note") else []
    begins = {NOTICE: "for a person to see: ", people.PERSON: "judged by "}
    for flag in row.get("transfer_flags", []):
        begin = next((begin for begin in begins if flag.startswith(begin)), "")
        lines.append(f"{begins.get(begin, 'asked again because of ')}{flag.removeprefix(begin)}")
    return lines


STAGE = Stage(
    "hypertranslate", run, HypertranslateSettings, reads="correct", input_schema="Corrected", output_schema="Hypertranslated", tools=open_tools,
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
