"""Proofs without a model that the constraints of an item can be kept and are checked: a witness answer, and a near miss for each.

Texts that a translator has yet to give are stood in for, equal ones by equal ones; numbers, bounds, codes and everything that the
rulebook sets are the real ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stages.core.files import Row
from stages.languages import Language, Unsatisfiable
from stages.transfer import constraints
from stages.transfer.rules import Rulebook


@dataclass(frozen=True)
class Proof:
    """What was shown of one constraint of an item."""

    item_id: str
    instruction_id: str
    action: str
    kwargs: dict[str, Any]
    changed: bool
    """Whether the rulebook's table changed the constraint."""
    witness: str
    """An answer that keeps every constraint of the item; empty where none was found."""
    near_miss: str
    """An answer that keeps every constraint of the item but this one; empty where none was found."""
    detail: str
    """What could not be shown, and why."""


def proofs(row: Row, plan: constraints.Plan, book: Rulebook, language: Language) -> list[Proof]:
    """One proof for each constraint that `plan` keeps of `row`."""
    prover = language.instructions
    listed = [(one.id, one.given | {name: prover.stand_in(name, value) for name, value in one.asked.items()}) for one in plan.kept]
    try:
        answer, trouble = prover.witness(listed), ""
    except Unsatisfiable as failure:
        answer, trouble = "", str(failure.args[0])
    found = []
    for place, (id, kwargs) in enumerate(listed):
        miss, detail = "", trouble
        if answer:
            try:
                miss = prover.near_miss(listed, place)
            except Unsatisfiable as failure:
                detail = str(failure.args[0])
        entry = book.constraint(id)
        found.append(Proof(row["id"], id, entry.action if entry else "", kwargs, plan.kept[place].changed, answer, miss, detail))
    return found
