"""What the rules alone make of a subset, before any model is asked: categories, rules, constraints, proofs.

    python -m stages.transfer.analyse bbh                rows of the build: data/correct/bbh, or data/ingest/bbh
    python -m stages.transfer.analyse rows.jsonl         rows of that file (schema Ingested or Corrected)
        [--rulebook PATH] [--json FILE]                  every item and every proof, one JSON object a line

The category is what is certain: an item with a rule that asks for one category is in it, one with a choice of categories is counted under
all of them, an IFEval item of which no constraint is left is deleted, one with a constraint that is removed or remapped to another value is
converted (an answer in Hindi stays one in Hindi). Everything else is a direct translation until a translator says otherwise (paper
2605.27984 §3.1.2, the five categories).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.files import Row, read_jsonl, write_jsonl
from stages.core.paths import ROOT
from stages.languages import Language, load
from stages.transfer import constraints
from stages.transfer.check import RULEBOOK
from stages.transfer.checks.pair import DELETED
from stages.transfer.contradictions import contradictions
from stages.transfer.notices import notices
from stages.transfer.proofs import Proof, proofs
from stages.transfer.rules import Rulebook, design_of, item_of, read_rulebook, select
from stages.transfer.target import right_place

DIRECT, CONVERTED, CORRECTED = "direct_translation", "format_conversion", "error_correction"


@dataclass(frozen=True)
class Finding:
    """What the rules make of one item."""

    id: str
    task: str
    category: str
    """One of the five, or several joined by `or` where the translator chooses."""
    rules: tuple[str, ...]
    """The rules that the item triggers, by priority."""
    deciding_rule: str
    """The rule that asks for the category; empty for a direct translation."""
    constraints: tuple[tuple[str, str], ...]
    """(action of the table, instruction id) of each IFEval constraint of the source."""
    design: str
    """The design and the place of the key of a minimal pair."""
    proofs: tuple[Proof, ...]
    notes: tuple[str, ...]
    """What a person should see."""


def analyse(row: Row, book: Rulebook, language: Language, prove: bool = True) -> Finding:
    """`prove`: with a witness and a near miss for each constraint. Raises UserError for an instruction id that the rulebook lacks."""
    row = {"corrected_reference": row["reference"], "corrected_references": row["references"], "correction": "not_reviewed", **row}
    rules = select(book, item_of(row, book))
    category, deciding = DIRECT, ""
    for rule in reversed(rules):
        if rule.categories:
            category, deciding = " or ".join(rule.categories), rule.id
    actions: list[tuple[str, str]] = []
    shown: list[Proof] = []
    if row["format"] == "ifeval":
        plan = constraints.plan(row, book)
        actions = [(entry.action, one.id) for one in constraints.source_instructions(row) if (entry := book.constraint(one.id))]
        remapped = [one.id for one in plan.kept if one.changed and ("remapped", one.id) in actions]
        changed = [*(one.id for one in plan.removed), *remapped]
        if changed and (entry := book.constraint(changed[0])):
            category, deciding = CONVERTED if plan.kept else DELETED, entry.rule
        shown = proofs(row, plan, book, language) if prove else []
    if row["correction"] == "corrected" and category in (DIRECT, CONVERTED):
        category = CORRECTED
    design = ""
    if row["task"] == "hyperbaton":
        design = f"{design_of(book, item_of(row, book).prompt).id}, key {language.option_labels[right_place(row['id'])]}"
    notes = (*notices(row, book), *contradictions(row))
    return Finding(row["id"], row["task"], category, tuple(rule.id for rule in rules), deciding, tuple(actions), design, tuple(shown), notes)


def report(findings: list[Finding]) -> str:
    """The counts as text."""
    lines = [f"{len(findings)} items"]
    lines += _table("category", Counter(f"{one.category}{f' by {one.deciding_rule}' if one.deciding_rule else ''}" for one in findings))
    if any(one.task for one in findings):
        lines += _table("task, category", Counter(f"{one.task}, {one.category}" for one in findings))
    lines += _table("rule triggered", Counter(rule for one in findings for rule in one.rules))
    shown = [proof for one in findings for proof in one.proofs]
    if shown:
        lines += ["", f"{'constraint':46} {'action':9} {'in source':>9} {'changed':>8} {'witness':>8} {'near miss':>10}"]
        for (action, id), count in sorted(Counter(pair for one in findings for pair in one.constraints).items()):
            mine = [proof for proof in shown if proof.instruction_id == id]
            counts = [sum(map(bool, column)) for column in zip(*((one.changed, one.witness, one.near_miss) for one in mine), strict=True)]
            lines.append(f"{id:46} {action:9} {count:9} {counts[0]:8} {counts[1]:8} {counts[2]:10}" if mine else f"{id:46} {action:9} {count:9}")
        items = [one for one in findings if one.proofs]
        lines.append(f"{sum(bool(one.proofs[0].witness) for one in items)} of {len(items)} items with a constraint have a witness; "
                     f"{sum(bool(proof.near_miss) for proof in shown)} of {len(shown)} constraints have a near miss")  # fmt: skip
        lines += [f"  {proof.item_id}: {proof.detail}" for proof in shown if proof.detail]
    if any(one.design for one in findings):
        lines += _table("design of the minimal pair", Counter(one.design.partition(",")[0] for one in findings if one.design))
        lines += _table("key of the minimal pair", Counter(one.design.rpartition(" ")[2] for one in findings if one.design))
    lines += ["", "for a person to see"] if any(one.notes for one in findings) else []
    return "\n".join([*lines, *(f"  {one.id}: {note}" for one in findings for note in one.notes)])


def _table(title: str, counts: Counter[str]) -> list[str]:
    return ["", title, *(f"  {count:5}  {name}" for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])))]


def records(findings: Iterable[Finding]) -> Iterator[Row]:
    """Findings as rows for a file."""
    for one in findings:
        yield asdict(one)


def rows_of(name: str, root: Path = ROOT) -> list[Row]:
    """Rows of a subset of the build, or of a file. Raises UserError when there are none."""
    if name.endswith(".jsonl"):
        return list(read_jsonl(Path(name)))
    for stage in ("correct", "ingest"):
        path = root / "data" / stage / name / "rows.jsonl"
        if path.is_file():
            return list(read_jsonl(path))
    raise UserError(f"There are no rows of {name!r} in data/correct or data/ingest; run `dvc repro ingest@{name}` first, or give a file rows.jsonl.")


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m stages.transfer.analyse", description=__doc__, formatter_class=form)
    parser.add_argument("rows", help="a subset, or a file rows.jsonl")
    parser.add_argument("--rulebook", type=Path, default=ROOT / RULEBOOK)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    book = read_rulebook(arguments.rulebook)
    language = load(book.language)
    findings = [analyse(row, book, language) for row in rows_of(arguments.rows)]
    print(report(findings))
    if arguments.json:
        write_jsonl(arguments.json, records(findings))


if __name__ == "__main__":
    exiting(main)
