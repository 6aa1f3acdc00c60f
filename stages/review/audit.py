"""The human–agent loop of a rulebook: audit a corpus, ask people, propose entries, say what to run again.

    python -m stages.review.audit kind=normalization
    python -m stages.review.audit kind=normalization corpus=texts.txt

Reads every text with the present rules and groups what may be wrong by rule category (stages.review.findings). Questions go
to the review desk (data/review/question.jsonl). What people have decided in data/decisions/normalization/ is turned into
entries for the rulebook, each tried before it is proposed. The items that the present rules read otherwise than the last build
are listed: only they change when the build runs again. Source: paper 2605.27984, sections 3.1.2, 3.1.3 and appendix C.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from stages import languages
from stages.core import files
from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.settings import Settings, load
from stages.languages import Language
from stages.review import corpus, decisions, findings, questions, queue
from stages.review.findings import Audit, Group
from stages.review.questions import Answer

REPORT = Path("data/review/normalization.json")
_SHOWN = 3
_IDS = 12


class AuditSettings(Settings):
    kind: Literal["normalization"]
    corpus: str | None = None
    """A JSONL or text file; None for what the build holds."""
    language: str = "ko"
    rulebook: str | None = None
    """Path of the reading rules, relative to the project; None for the language's own."""
    min_items: int = 1
    """Kinds that touch fewer items are counted but not asked about."""


def main() -> None:
    exiting(lambda: run(settings_of(sys.argv[1:]), ROOT))


def settings_of(arguments: list[str]) -> AuditSettings:
    """From `key=value` arguments. Raises UserError."""
    import yaml

    values: dict[str, Any] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals:
            raise UserError(f"{argument!r} is not key=value; for example `python -m stages.review.audit kind=normalization corpus=texts.txt`.")
        values[key] = yaml.safe_load(value)
    return load(AuditSettings, values, "review.audit")


def run(settings: AuditSettings, root: Path) -> tuple[Audit, list[Answer]]:
    """Audit, write the questions and the report, print both."""
    language = languages.load(settings.language, settings.rulebook)
    texts = corpus.of_file(Path(settings.corpus)) if settings.corpus else corpus.of_build(root)
    audit = findings.audit(texts, language)
    asked = [group for group in audit.groups if len(group.affected()) >= settings.min_items]
    given = decisions.read(root, "normalization")
    answered = questions.answers(asked, given, language)
    wording = questions.wording()
    mine = [questions.question(group, language, wording) for group in asked]
    others = [entry for entry in queue.read(root, "question") if entry.subset != questions.SUBSET]
    path = queue.write(root, "question", [*others, *mine])
    report = root / REPORT
    files.write_json(report, _report(audit, answered, language))
    for line in given.torn:
        print(line, file=sys.stderr)
    print("\n".join(page(audit, answered, language)))
    raised = {answer.question.id for answer in answered}
    older = {id for id, _ in given.last() if id.startswith(f"question:{questions.SUBSET}:")} - raised
    if older:
        print(f"\n{_counted(len(older), 'decision')} of questions that these texts do not raise (any more)")
    print(f"\n{_counted(len(mine), 'question')} -> {_short(path, root)} (`make review` shows them), the figures -> {_short(report, root)}")
    return audit, answered


def page(audit: Audit, answered: list[Answer], language: Language) -> list[str]:
    """What the audit found, as lines."""
    lines = [f"{audit.n_texts} texts, {audit.readings.total()} readings, {audit.n_unspeakable} texts that no voice can read as they come out", ""]
    lines += _statistics(audit, language)
    for kind in findings.KINDS:
        lines += _of_kind(kind, [group for group in audit.groups if group.kind == kind])
    lines += _decided(answered)
    if audit.stale:
        lines += ["", "Read otherwise than in the last build; to run again:"]
        for subset, ids in sorted(audit.stale.items()):
            lines.append(f"  {subset}: {_listed(ids)}")
        lines.append(
            f"  dvc repro {' '.join(f'normalize@{subset}' for subset in sorted(audit.stale))}   (other items keep their text and their speech)"
        )
    return lines


def _statistics(audit: Audit, language: Language) -> list[str]:
    """One line a category: readings, texts, rules that fired, and what was found."""
    category = language.rulebook.category
    head = ("category", "readings", "texts", "rules", "kinds to decide", "items")
    cells: list[tuple[str, ...]] = [head]
    for name, title in language.rulebook.categories.items():
        groups = [group for group in audit.groups if group.category == name]
        affected = {id for group in groups for id in group.affected()}
        rules = sum(category(rule) == name for rule in audit.rules)
        numbers = (audit.readings[name], audit.texts[name], rules, len(groups), len(affected))
        cells.append((title, *(f"{number:,}" for number in numbers)))
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return ["  ".join((str.ljust if i == 0 else str.rjust)(cell, widths[i]) for i, cell in enumerate(row)).rstrip() for row in cells]


def _of_kind(kind: str, groups: list[Group]) -> list[str]:
    if not groups:
        return []
    items = {id for group in groups for id in group.affected()}
    lines = ["", f"{kind}: {_counted(len(groups), 'kind')}, {_counted(len(items), 'item')}"]
    for group in groups[:_SHOWN]:
        lines.append(f"  {group.key}: {_counted(len(group.findings), 'time')} in {_counted(len(group.affected()), 'item')}")
        lines += [f"    {finding.text.id}: {finding.context()}" for finding in group.findings[:_SHOWN]]
    return lines + ([f"  and {len(groups) - _SHOWN} more kinds"] if len(groups) > _SHOWN else [])


def _decided(answered: list[Answer]) -> list[str]:
    if not answered:
        return []
    lines = ["", "Decided"]
    for answer in answered:
        who = ", ".join(f"{verdict.reviewer} {verdict.date}: {verdict.verdict}" for verdict in answer.verdicts)
        lines.append(f"  {answer.question.id} ({who}){f': {answer.note}' if answer.note else ''}")
        if answer.entry:
            lines += [f"    {line}" for line in entry_text(answer).splitlines()]
            lines.append(f"    # read as decided with it: {_listed(answer.settled) or 'no item'}")
    return lines


def entry_text(answer: Answer) -> str:
    """The proposed entry as YAML to be pasted into the rulebook, with who decided it."""
    import yaml

    assert answer.entry is not None
    section, key, value = answer.entry
    # A rule is one more of a list; a sense one more of the list under its counter; a table has one line a key.
    block = {section: [value]} if section == "rules" else {section: {key: [value] if "sense" in value else value}}
    who = "; ".join(f"{verdict.reviewer}, {verdict.date}" for verdict in answer.verdicts)
    head = f"# {answer.question.id}: decided by {who}"
    where = ", above the senses without a condition" if isinstance(value, dict) and "sense" in value else ""
    text: str = yaml.safe_dump(block, allow_unicode=True, sort_keys=False, width=10_000)
    return f"{head}\n# to be put under `{section}`{where}\n{text}"


def _report(audit: Audit, answered: list[Answer], language: Language) -> dict[str, Any]:
    category = language.rulebook.category
    return {
        "n_texts": audit.n_texts,
        "n_unspeakable": audit.n_unspeakable,
        "categories": {
            name: {
                "readings": audit.readings[name],
                "texts": audit.texts[name],
                "rules": {rule: count for rule, count in sorted(audit.rules.items()) if category(rule) == name},
            }
            for name in language.rulebook.categories
        },
        "found": [
            {
                "id": questions.question_id(group),
                "kind": group.kind,
                "category": group.category,
                "times": len(group.findings),
                "affected": group.affected(),
            }
            for group in audit.groups
        ],
        "decided": [
            {
                "id": answer.question.id,
                "verdicts": [verdict.model_dump() for verdict in answer.verdicts],
                "entry": entry_text(answer) if answer.entry else None,
                "affected": answer.question.affected,
                "settled": answer.settled,
                "note": answer.note,
            }
            for answer in answered
        ],
        "stale": audit.stale,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _listed(ids: Iterable[str]) -> str:
    names = list(ids)
    return ", ".join(names[:_IDS]) + (f" and {len(names) - _IDS} more" if len(names) > _IDS else "")


def _short(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


if __name__ == "__main__":
    main()
