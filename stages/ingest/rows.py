"""From an upstream record to a row of the schema `Ingested`, or to a rejection that says what is missing."""

from __future__ import annotations

import orjson

from stages.core import options
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.stage import Rejection
from stages.ingest.record import Record

NEEDS_ANSWER = ("short_answer", "multiple_choice", "bbh")


def base(record: Record, id: str, subset: str, format: str) -> Row:
    """The columns that need no judgement; the caller adds what its settings say of the source."""
    reference = record.answers[0] if len(record.answers) == 1 else None
    return {
        "id": id,
        "subset": subset,
        "format": format,
        "source_split": record.split,
        "source_id": record.source_id,
        "source_index": record.index,
        "source_columns": _json(record.columns, record.where),
        "task": record.task,
        "prompt": record.prompt,
        "reference": reference,
        "references": record.answers,
        "options": [],
        "instructions": [{"id": one["id"], "kwargs": _json(one["kwargs"], record.where)} for one in record.instructions],
        "has_source_audio": record.clip is not None,
        "source_audio_sha256": record.clip.sha256 if record.clip else None,
        "source_audio_path": record.audio_path,
    }


def _json(value: object, where: str) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:
        raise UserError(f"{where} has a column that cannot be kept as JSON ({error}); restore the upstream file.") from None


def judged(row: Row, where: str) -> Row | Rejection:
    """`row` with its options and its reference in one fixed form, or a rejection for what upstream left out.

    Raises UserError for a reference that is none of the item's options: that is a damaged source, not a gap in it.
    """
    if not row["prompt"]:
        return Rejection(row, "no_prompt", "ingest.prompt", "the question is empty")
    if row["format"] in NEEDS_ANSWER and not row["references"]:
        return Rejection(row, "no_reference", "ingest.reference", "upstream gives no accepted answer")
    if row["format"] == "ifeval" and not row["instructions"]:
        return Rejection(row, "no_instructions", "ingest.instructions", "upstream gives no instruction to check")
    try:
        if row["format"] == "multiple_choice":
            found = options.of_lines(row["prompt"])
            return _answered(row, found, row["reference"].upper(), [option["label"] for option in found], where)
        if row["format"] == "bbh":
            found = options.of_sentence(row["prompt"]) if row["task"] == "hyperbaton" else []
            allowed = [option["label"] for option in found] or ["yes", "no"]
            return _answered(row, found, row["reference"].casefold(), allowed, where)
    except options.Unreadable as why:
        return Rejection(row, "options_unreadable", "ingest.options", str(why))
    return row


def _answered(row: Row, found: list[Row], reference: str, allowed: list[str], where: str) -> Row:
    if reference not in allowed:
        raise UserError(f"{where} has the reference {row['reference']!r}, which is not one of {', '.join(allowed)}; correct it in the source.")
    return {**row, "options": found, "reference": reference, "references": [reference]}
