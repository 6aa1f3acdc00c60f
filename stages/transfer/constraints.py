"""IFEval constraints by the rulebook's table: what is removed, what the program sets, what the translator must give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.transfer.checks.pair import ENUMS, Failure, Instruction, in_third_language, neutral
from stages.transfer.replies import ConstraintTexts
from stages.transfer.rules import Rulebook

CHECK = "constraint_texts"


@dataclass(frozen=True)
class Kept:
    """A constraint of the target item."""

    number: int
    id: str
    given: dict[str, Any]
    """Keyword arguments that the program sets: carried over, mapped by the table or added by it."""
    asked: dict[str, Any]
    """Keyword arguments that the translator gives, with their source texts."""
    changed: bool
    """Whether the program set another value than the source has, or added one."""


@dataclass(frozen=True)
class Plan:
    kept: list[Kept]
    removed: list[Instruction]
    removed_rule: str
    """The rule behind the first removed constraint; empty when none is removed."""


def source_instructions(row: Row) -> list[Instruction]:
    """A row's constraints with the keyword arguments that are set."""
    return [Instruction(one["id"], _set(orjson.loads(one["kwargs"]))) for one in row["instructions"]]


def _set(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if value is not None}


def plan(row: Row, book: Rulebook) -> Plan:
    """What the table makes of a row's constraints. Raises UserError for an instruction id that it does not have."""
    kept: list[Kept] = []
    removed: list[Instruction] = []
    rule = ""
    instructions = source_instructions(row)
    foreign = in_third_language(instructions, book)
    for one in instructions:
        entry = book.constraint(one.id)
        if entry is None:
            raise UserError(f"Item {row['id']} has the instruction id {one.id!r}, which benchmarks.constraints of the rulebook lacks; add it.")
        if entry.action == "removed":
            removed.append(one)
            rule = rule or entry.rule
            continue
        asked = {name: value for name, value in one.kwargs.items() if name in entry.localize and not _neutral(value)}
        fixed = {} if foreign and "letter" in one.kwargs else entry.fixed
        given = {name: _mapped(fixed.get(name, {}), value) for name, value in one.kwargs.items() if name not in asked}
        given |= entry.add
        kept.append(Kept(len(kept) + 1, one.id, given, asked, given | asked != one.kwargs))
    return Plan(kept, removed, rule)


def _neutral(value: Any) -> bool:
    return all(map(neutral, value)) if isinstance(value, list) else neutral(str(value))


def _mapped(table: dict[str, str], value: Any) -> Any:
    return table.get(value, table.get(value.lower(), value)) if isinstance(value, str) else value


def rendered(plan: Plan) -> str:
    """The constraints as they stand in the request, after the item."""
    lines = ["Constraints that the answer to your question will be checked for (kept, in this order)", ""]
    for one in plan.kept:
        line = f"{one.number}. {one.id}."
        if one.given:
            line += f" Set: {_json(one.given)}."
        if texts := [value for name, value in one.given.items() if _must_stand(name, value)]:
            line += f" In your question exactly so: {_json(texts)}."
        if one.asked:
            line += f" You give: {', '.join(one.asked)}. Source: {_json(one.asked)}."
        lines.append(line)
    if plan.removed:
        lines += ["", "Constraints that are removed. Leave out every wording of them", ""]
        lines += [f"- {one.id} {_json(one.kwargs)}" for one in plan.removed]
    return "\n".join(lines)


def _must_stand(name: str, value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return name not in ENUMS and all(isinstance(text, str) for text in texts)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def merged(plan: Plan, texts: list[ConstraintTexts]) -> tuple[list[Instruction], list[Failure]]:
    """The target's constraints from the plan and the translator's texts, and what is wrong with those."""
    problems: list[Failure] = []
    by_number = {one.number: one for one in texts}
    instructions = []
    for one in plan.kept:
        found: dict[str, Any] = {}
        if one.asked:
            found, problem = _read(one, by_number.get(one.number))
            problems += [Failure(CHECK, f"constraint {one.number} ({one.id}): {problem}")] if problem else []
        instructions.append(Instruction(one.id, one.given | found))
    return instructions, problems


def _read(one: Kept, texts: ConstraintTexts | None) -> tuple[dict[str, Any], str]:
    names = ", ".join(one.asked)
    if texts is None:
        return {}, f"no kwargs_json for {names}"
    try:
        values = nfc(orjson.loads(texts.kwargs_json))
    except orjson.JSONDecodeError:
        return {}, "kwargs_json is not a JSON object"
    if not isinstance(values, dict):
        return {}, "kwargs_json is not a JSON object"
    for name, source in one.asked.items():
        if name not in values:
            return {}, f"kwargs_json lacks {name}"
        value = values[name]
        if isinstance(source, list):
            if not isinstance(value, list) or len(value) != len(source) or not all(isinstance(text, str) and text.strip() for text in value):
                return {}, f"{name} must be a list of {len(source)} texts"
        elif not isinstance(value, str) or not value.strip():
            return {}, f"{name} must be a text"
    return {name: _stripped(values[name]) for name in one.asked}, ""


def _stripped(value: Any) -> Any:
    return [text.strip() for text in value] if isinstance(value, list) else value.strip()
