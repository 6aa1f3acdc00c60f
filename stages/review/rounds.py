"""Verdicts that people write by hand: a round of questions as one YAML or TSV file, kept in git beside the desk's lines.

`data/decisions/<topic>/<round>-<reviewer>.yaml`:

    date: 2026-11-29
    decisions:
      - id: question:normalization:spelled.ROTC
        asked: Is ROTC said as a word?        # for readers of the file
        verdict: edit
        edit: {reading: ...}
        reason: why

`<round>-<reviewer>.tsv` has the columns id, verdict and, as far as needed, reason, date, asked, edit.<column>. The date may also
stand at the beginning of the file's name. A round counts as its lines in their order.
"""

from __future__ import annotations

import csv
import datetime
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stages.core.errors import UserError, nearest
from stages.core.files import nfc
from stages.review import decisions

SUFFIXES = (".yaml", ".yml", ".tsv")
_FIELDS = ("id", "verdict", "reason", "date", "asked", "edit", "seen")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")


def read(file: Path) -> list[decisions.Verdict]:
    """The verdicts of one round. Raises UserError naming file and decision for what is none."""
    reviewer = decisions.reviewer_name(file.stem.rpartition("-")[2])
    dated = _DATED.match(file.stem)
    head: dict[str, Any] = {"date": dated[0] if dated else None}
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"Cannot read the round {file}: {error}; save it as UTF-8 text.") from None
    rows = _tsv(text, file) if file.suffix == ".tsv" else _yaml(text, file, head)
    verdicts = []
    for number, row in enumerate(rows, 1):
        where = f"{file} decision {number}"
        for key in row:
            if key not in _FIELDS:
                raise UserError(f"{where} has the unknown field {key!r}.{nearest(str(key), _FIELDS)}")
        verdicts.append(_verdict({**head, **{key: value for key, value in row.items() if value not in (None, "")}}, reviewer, number, where))
    return verdicts


def _verdict(row: dict[str, Any], reviewer: str, number: int, where: str) -> decisions.Verdict:
    row = nfc(row)
    date = row.get("date")
    given = str(date.date() if isinstance(date, datetime.datetime) else date)
    try:
        datetime.date.fromisoformat(given)
    except ValueError:
        raise UserError(f"{where} has no date of the form 2026-11-29; give one there, or begin the file's name with it.") from None
    edit = row.get("edit", {})
    if not isinstance(edit, dict):
        raise UserError(f"{where} has an edit that is no mapping of column to text.")
    try:
        return decisions.Verdict(
            queue_id=row.get("id", ""),
            verdict=str(row.get("verdict", "")),
            edit={str(column): str(text) for column, text in edit.items()},
            reason=str(row.get("reason", "")),
            reviewer=reviewer,
            date=given,
            seq=number,
            seen=str(row.get("seen", "")),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UserError(f"{where} is not a verdict: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None


def _yaml(text: str, file: Path, head: dict[str, Any]) -> list[dict[str, Any]]:
    import yaml

    try:
        tree = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"The round {file} is not valid YAML ({' '.join(str(error).split())}); correct it there.") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("decisions"), list) or not all(isinstance(row, dict) for row in tree["decisions"]):
        raise UserError(f"The round {file} needs a list `decisions` of mappings with id and verdict.")
    for key in tree.keys() - {"decisions", "date", "about"}:
        raise UserError(f"The round {file} has the unknown key {key!r}.{nearest(str(key), ['decisions', 'date', 'about'])}")
    head["date"] = tree.get("date") or head["date"]
    return _complete(tree["decisions"], file)


def _tsv(text: str, file: Path) -> list[dict[str, Any]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows = []
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        if None in row or None in row.values():
            raise UserError(f"{file} has a line with another number of columns than its head ({row.get('id')!r}); put one tab between columns.")
        edits = {key.removeprefix("edit."): value for key, value in row.items() if key.startswith("edit.") and value}
        rows.append({key: value for key, value in row.items() if not key.startswith("edit.")} | ({"edit": edits} if edits else {}))
    return _complete(rows, file)


def _complete(rows: list[dict[str, Any]], file: Path) -> list[dict[str, Any]]:
    for number, row in enumerate(rows, 1):
        for key in ("id", "verdict"):
            if not isinstance(row.get(key), str) or not row[key].strip():
                raise UserError(f"{file} decision {number} has no {key}; give the question's id and one of its answers.")
    return rows
