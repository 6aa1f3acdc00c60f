"""The queue for users of Label Studio and Argilla: out as JSONL, their answers in as verdicts.

Out: one task (Label Studio) or one record (Argilla 2) a line; every column of every entry is there, empty where an entry lacks
it, because both tools want the same fields in each. Label Studio also needs a labeling interface, written beside as .xml.
Others' verdicts are never exported: whoever answers must not see them.

In: what the tools export. Both send a list or lines of the same shapes with `annotations` or `responses` filled in. The same
file imported twice adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from stages.core import files
from stages.core.errors import UserError, nearest
from stages.review import decisions, queue
from stages.review.desk.catalog import checked
from stages.review.queue import QueueEntry

Line = dict[str, Any]


def export(entries: list[QueueEntry], form: str) -> list[Line]:
    """One JSON object an entry. Raises UserError for an unknown form."""
    source, target = _columns(entries)
    write = _form(form)[0]
    return [write(entry, source, target) for entry in entries]


def write(root: Path, form: str, file: Path) -> str:
    """Write the queue to `file`; returns what was done, as a sentence."""
    entries = queue.read(root)
    if not entries:
        raise UserError("The queue is empty; make one first (docs/review.md).")
    files.write_jsonl(file, export(entries, form))
    done = f"{len(entries)} entries -> {file}"
    if form == "label-studio":
        interface = file.with_suffix(".xml")
        files.write_text(interface, labeling_interface(*_columns(entries)))
        done += f", labeling interface -> {interface}"
    return done


def read(root: Path, form: str, file: Path, reviewer: str | None) -> str:
    """Add the answers in `file` to the decisions; `reviewer` replaces the tool's user names. Returns what was done.

    Every answer is checked before the first is saved: a file with one wrong answer changes nothing.
    """
    entries = {entry.id: entry for entry in queue.read(root)}
    before = len(decisions.read(root).verdicts)
    answers = []
    for number, line in enumerate(_lines(file), 1):
        for id, who, verdict, edit, reason in _form(form)[1](line, f"{file} entry {number}"):
            if id not in entries:
                raise UserError(f"{file} entry {number} answers {id!r}, which is not in the queue.{nearest(id, entries)}")
            entry = entries[id]
            edit = {column: text for column, text in edit.items() if text.strip() != entry.target.get(column, "")}
            edit = checked(entry, verdict, reason, edit if verdict == "edit" else {})
            answers.append((entry, decisions.reviewer_name(reviewer or who), verdict, edit, reason.strip()))
    for entry, who, verdict, edit, reason in answers:
        decisions.append(root, entry.topic, who, entry.id, verdict, edit=edit, reason=reason, seen=entry.fingerprint())
    new = len(decisions.read(root).verdicts) - before
    return f"{len(answers)} answers read, {new} new verdicts saved in {root / 'data' / 'decisions'}"


def _columns(entries: list[QueueEntry]) -> tuple[list[str], list[str]]:
    """The columns of source and of target over all entries, in the order of their first use."""
    return list(dict.fromkeys(c for e in entries for c in e.source)), list(dict.fromkeys(c for e in entries for c in e.target))


def _question(entry: QueueEntry) -> str:
    options = [f"{o.id}: {o.label.en}" + (f" ({o.consequence.en})" if o.consequence.en else "") for o in entry.options]
    return "\n".join([entry.prompt.en, *options])


def _fields(entry: QueueEntry, source: list[str], target: list[str]) -> dict[str, str]:
    return {
        "title": entry.title,
        "question": _question(entry),
        "flags": "\n".join(entry.flags),
        "rules": "\n".join(entry.rules),
        **{f"source_{column}": entry.source.get(column, "") for column in source},
        **{f"target_{column}": entry.target.get(column, "") for column in target},
    }


# Label Studio: a task is {"data": ...}; an exported one has annotations with `result`, a list of (from_name, type, value).


def _task(entry: QueueEntry, source: list[str], target: list[str]) -> Line:
    choices = [{"value": verdict} for verdict in entry.verdicts()]
    return {"data": {"queue_id": entry.id, "kind": entry.kind, "choices": choices, **_fields(entry, source, target)}}


def labeling_interface(source: list[str], target: list[str]) -> str:
    """The interface for tasks with these columns: choices by task, a reason, one text to edit for each target column."""
    shown = ["title", "question", "flags", "rules", *(f"source_{column}" for column in source), *(f"target_{column}" for column in target)]
    lines = ["<View>"]
    for name in shown:
        lines += [f"  <Header value={quoteattr(name)}/>", f"  <Text name={quoteattr(name)} value={quoteattr('$' + name)}/>"]
    lines.append('  <Choices name="verdict" toName="title" choice="single" required="true" value="$choices"/>')
    for column in target:
        name = quoteattr(f"edit_{column}")
        lines.append(f'  <TextArea name={name} toName={quoteattr(f"target_{column}")} maxSubmissions="1" editable="true"/>')
    lines += ['  <TextArea name="reason" toName="title" maxSubmissions="1"/>', "</View>", ""]
    return "\n".join(lines)


Answer = tuple[str, str, str, dict[str, str], str]
"""(queue id, who, verdict, edit, reason)"""


def _from_task(line: Line, where: str) -> Iterator[Answer]:
    try:
        id = line["data"]["queue_id"]
        for annotation in line.get("annotations") or []:
            if annotation.get("was_cancelled"):
                continue
            given = {result["from_name"]: result["value"] for result in annotation["result"]}
            if "verdict" not in given:
                continue
            texts = {name: "\n".join(value["text"]) for name, value in given.items() if "text" in value}
            edit = {name.removeprefix("edit_"): text for name, text in texts.items() if name.startswith("edit_")}
            yield id, _user(annotation.get("completed_by")), given["verdict"]["choices"][0], edit, texts.get("reason", "")
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise UserError(f"{where} is not a task exported by Label Studio (at {error}); export it as JSON.") from None


def _user(value: Any) -> str:
    """completed_by is an id, or an object with an e-mail address."""
    if isinstance(value, dict):
        value = str(value.get("email") or value.get("id")).partition("@")[0]
    return _as_name(f"label-studio-{value}" if isinstance(value, int) or str(value).isdigit() else str(value))


# Argilla 2: a record is {"id", "fields", "metadata", "suggestions", "responses"}; a response is a list of {"value", "user_id"} by question.


def _record(entry: QueueEntry, source: list[str], target: list[str]) -> Line:
    metadata = {"kind": entry.kind, "subset": entry.subset, "verdicts": list(entry.verdicts())}
    suggestions: dict[str, Any] = {}
    return {"id": entry.id, "fields": _fields(entry, source, target), "metadata": metadata, "suggestions": suggestions, "responses": {}}


def _from_record(line: Line, where: str) -> Iterator[Answer]:
    try:
        answers: dict[str, dict[str, str]] = {}
        for name, responses in (line.get("responses") or {}).items():
            for response in responses:
                answers.setdefault(str(response["user_id"]), {})[name] = str(response["value"])
        for user, given in sorted(answers.items()):
            if "verdict" in given:
                edit = {name.removeprefix("edit_"): text for name, text in given.items() if name.startswith("edit_")}
                yield line["id"], _as_name(f"argilla-{user[:8]}"), given["verdict"], edit, given.get("reason", "")
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{where} is not a record exported by Argilla (at {error}); export it with records.to_json.") from None


def _as_name(text: str) -> str:
    """A user's name as a reviewer's name."""
    return "".join(char if char.isalnum() or char in "-_" else "-" for char in text).strip("-_")[:32]


_Writer = Callable[[QueueEntry, list[str], list[str]], Line]
_Reader = Callable[[Line, str], Iterator[Answer]]
FORMS: dict[str, tuple[_Writer, _Reader]] = {"label-studio": (_task, _from_task), "argilla": (_record, _from_record)}


def _form(name: str) -> tuple[_Writer, _Reader]:
    if name not in FORMS:
        raise UserError(f"{name!r} is no known form; known: {', '.join(FORMS)}.{nearest(name, FORMS)}")
    return FORMS[name]


def _lines(file: Path) -> list[Line]:
    """The objects of a JSON list or of JSONL."""
    try:
        data = file.read_bytes()
        if not data.lstrip().startswith(b"["):
            return files.read_jsonl(file)
        rows = orjson.loads(data)
    except FileNotFoundError:
        raise UserError(f"{file} does not exist.") from None
    except orjson.JSONDecodeError as error:
        raise UserError(f"{file} is not valid JSON ({error}).") from None
    if not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{file} must be a list of objects.")
    return [files.nfc(row) for row in rows]
