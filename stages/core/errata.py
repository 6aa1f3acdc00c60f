"""Errata: mistakes in released items that people reported and decided on, carried out where they belong in the build.

A decision is a line of data/decisions/errata/<reporter>.jsonl (stages.core.verdicts) on `item:<subset>:<row id>`: `reject`
takes the item out, `edit` gives columns other values. `enter`, called when the configuration is composed, lays each decision
into the configuration of the one stage that makes the column, and of the releases that have the item. DVC tracks those
keys, so just that stage of that subset runs again, and what comes after it; replies and speech of all other items are in the
stores. `apply`, called by the runner, puts the decided values in the place of the stage's own. No stage knows of errata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from stages.core import verdicts
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.stage import Outcome, Rejection, Stage
from stages.core.verdicts import Verdict

TOPIC = "errata"
KEY = "errata"
"""Of a stage's configuration: row id to {"edit": {column: value}, "reject": reason, "note": who decided why}."""
REASON = "erratum"


def queue_id(subset: str, id: str) -> str:
    return f"item:{subset}:{id}"


def decided(root: Path) -> dict[tuple[str, str], Verdict]:
    """(subset, row id) to the decision that counts: the latest of all reporters. `accept` and `skip` leave the item as it is."""
    found: dict[tuple[str, str], Verdict] = {}
    for name, given in verdicts.read(root, TOPIC).items():
        kind, _, rest = name.partition(":")
        subset, _, id = rest.rpartition(":")
        if kind != "item" or not subset:
            raise UserError(f"data/decisions/{TOPIC} judges {name!r}; errata are on item:<subset>:<row id>.")
        last = max(given, key=lambda verdict: (verdict.date, verdict.reviewer))
        if last.verdict in ("edit", "reject"):
            found[subset, id] = last
    return found


def note(verdict: Verdict) -> str:
    """The decision in a few words, for the provenance and the notes of a release."""
    what = "taken out" if verdict.verdict == "reject" else f"corrected {', '.join(sorted(verdict.edit))}"
    return f"erratum of {verdict.date} by {verdict.reviewer}: {what}" + (f", {verdict.reason}" if verdict.reason else "")


def enter(config: dict[str, Any], root: Path, stage_of: Callable[[str], Stage], adds: Callable[[Stage], list[str]]) -> None:
    """Lay the decisions into the resolved configuration.

    `stage_of` gives the stage of a module, `adds` the columns that a stage makes. Raises UserError for an item or a column
    that nothing makes, naming it.
    """
    for (subset, id), verdict in decided(root).items():
        line = {"note": note(verdict), **({"reject": verdict.reason or "reported as wrong"} if verdict.verdict == "reject" else {})}
        if subset in config["subsets"]:
            stages = [stage_of(module) for name, module in config["stages"].items() if name in config["subsets"][subset]]
            places = _places(verdict, stages, adds, id) if verdict.verdict == "edit" else {stages[-1].name: {}}
            for name, edit in places.items():
                config["subsets"][subset][name].setdefault(KEY, {})[id] = {**line, "edit": edit}
        for release in config["releases"].values():
            part = release["subsets"].get(subset)
            if part is not None and id.rpartition("-")[0] == part["config"]:
                release.setdefault(KEY, {})[id] = {**line, "edit": {} if subset in config["subsets"] else dict(verdict.edit)}


def _places(verdict: Verdict, stages: list[Stage], adds: Callable[[Stage], list[str]], id: str) -> dict[str, dict[str, str]]:
    made = {column: stage.name for stage in stages for column in adds(stage) if column != "id"}
    places: dict[str, dict[str, str]] = {}
    for column, text in verdict.edit.items():
        if column not in made:
            raise UserError(f"The erratum on {id} ({verdict.id}) edits {column!r}, which no stage makes.{nearest(column, made)}")
        places.setdefault(made[column], {})[column] = text
    return places


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A stage's configuration without its errata, and these. What is no mapping has none; the settings class says what is wrong with it."""
    if not isinstance(values, Mapping):
        return values, {}
    rest = dict(values)
    return rest, rest.pop(KEY, None) or {}


def apply(stage: Stage, rows: list[Row], outcome: Outcome, errata: Mapping[str, Any]) -> Outcome:
    """The outcome with the decided values, and without the rows that were taken out; the report says which errata found no row."""
    if not errata:
        return outcome
    before = {row["id"]: row for row in rows}
    kept, rejected = [], list(outcome.rejected)
    for row in outcome.kept:
        line = errata.get(row["id"])
        if line is None:
            kept.append(row)
        elif "reject" in line:
            rejected.append(Rejection(before.get(row["id"], row), REASON, f"{REASON}:{row['id']}", line["note"]))
        else:
            kept.append(edited(row, line["edit"]))
    found = {row["id"] for row in outcome.kept}
    told = {"applied": sorted(found & errata.keys()), "without_row": sorted(errata.keys() - found)}
    return replace(outcome, kept=kept, rejected=rejected, report={**outcome.report, KEY: told})


def edited(row: Row, edit: Mapping[str, str]) -> Row:
    """`row` with the decided values. A list or a number is given as JSON. Raises UserError for a text that is not.

    The preferred answer stands among all accepted ones: editing it alone exchanges it there too.
    """
    new = {**row, **{column: _value(row, column, text) for column, text in edit.items()}}
    for one, several in (("target_answer", "target_answers"), ("corrected_reference", "corrected_references"), ("reference", "references")):
        if one in edit and several not in edit and isinstance(row.get(several), list) and row[one] in row[several]:
            new[several] = [new[one] if value == row[one] else value for value in row[several]]
    return new


def _value(row: Row, column: str, text: str) -> Any:
    if column not in row:
        raise UserError(f"The erratum on {row['id']} edits {column!r}, which its row does not have.{nearest(column, row)}")
    if row[column] is None or isinstance(row[column], str):
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, type(row[column])):
        raise UserError(f"The erratum on {row['id']} gives {column} as {text!r}; it must be JSON of the kind that is there: {row[column]!r}.")
    return value


def lines(rows: Mapping[str, Any]) -> Iterator[str]:
    """Errata of a configuration, one line each, for a person."""
    for id, line in sorted(rows.items()):
        yield f"{id}: {line['note']}"
