"""What native speakers decided on single transferred items at the review desk, applied when the items are carried over.

One objection takes an item out. An edited text replaces what the translator wrote; it is checked like any other, and a later
verdict on the edited text counts in its turn. An item that the checks refuse stays in where a person says that the check is
mistaken. Where reviewers give different texts nothing is changed, and the item says so. Every effect stands among the item's
flags, with the name of who decided it (paper 2605.27984 §3.1.2: native speakers review the flagged items).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from stages.core.files import Row, nfc
from stages.core.verdicts import Verdict, item_entry
from stages.transfer.checks import run_checks
from stages.transfer.checks.pair import DELETED, REPLACED, Failure, Option, Pair, Words
from stages.transfer.rules import Rulebook
from stages.transfer.target import Target

Verdicts = Mapping[str, list[Verdict]]

PERSON = "person: "
"""How the flag of a person's decision begins."""
KEEP, OUT = "keep", "out"
"""The answers about an item that is out: keep it as it is, or leave it out."""
_EDITS = 100


@dataclass(frozen=True)
class Outcome:
    """An item after people's verdicts."""

    target: Target
    failures: list[Failure]
    flags: list[str]
    rejected: str = ""
    """Who objects, and why; empty where nobody does."""


def settled(row: Row, target: Target, failures: list[Failure], verdicts: Verdicts, words: Words) -> Outcome:
    """`target` as people left it. `row` is the row before the transfer."""
    flags: list[str] = []
    for _ in range(_EDITS):
        given = verdicts.get(item_entry({**row, **target.columns()}), []) if verdicts else []
        against = [verdict for verdict in given if verdict.verdict in ("reject", OUT)]
        if against:
            said = f"{against[0].reviewer} {against[0].date}: {against[0].reason}".rstrip(": ")
            return Outcome(target, failures, [*flags, *map(_flag, given)], said)
        if any(verdict.verdict == KEEP for verdict in given) and target.pair.prompt:
            failures = []
        edits = {(verdict.edit.get("target_prompt"), verdict.edit.get("target_answers")) for verdict in given if verdict.verdict == "edit"}
        if len(edits) > 1:
            return Outcome(target, failures, [*flags, f"{PERSON}reviewers gave different texts, so none was taken"])
        flags += map(_flag, given)
        if not edits:
            return Outcome(target, failures, flags)
        prompt, answers = edits.pop()
        target = replace(target, pair=edited(target.pair, prompt, answers, words.book), problems=[])
        failures = run_checks(target.pair, words)
    return Outcome(target, failures, [*flags, f"{PERSON}the edits of this item go round in a circle; the last one was left out"])


def _flag(verdict: Verdict) -> str:
    return f"{PERSON}{verdict.reviewer} {verdict.date}: {verdict.verdict}{f', {verdict.reason}' if verdict.reason else ''}"


def edited(pair: Pair, prompt: str | None, answers: str | None, book: Rulebook) -> Pair:
    """`pair` with a person's texts. `answers` has one a line, the main one first; options are read from the lines of the prompt."""
    if prompt is not None:
        prompt = nfc(prompt).strip()
        options = tuple(Option(option.label, _option_text(prompt, option.label, book)) for option in pair.options)
        pair = replace(pair, prompt=prompt, options=options)
    if answers is not None:
        first, *others = [line.strip() for line in nfc(answers).splitlines() if line.strip()] or [""]
        pair = replace(pair, answer=first, aliases=tuple(others))
    return replace(pair, category=REPLACED, deletion_rule_id="", deletion_reason="") if pair.category == DELETED else pair


def _option_text(prompt: str, label: str, book: Rulebook) -> str:
    """What stands after `label` on its line; empty where the person took the option out, for the checks to see."""
    before, _, after = book.conversion.composition.option.partition("{text}")
    found = re.search(rf"^{re.escape(before.format(label=label))}(.+?){re.escape(after)}$", prompt, re.MULTILINE)
    return found[1].strip() if found else ""
