"""The queue of what is put to people: decision questions, flagged items, disagreements, clips to listen to.

A queue is data/review/<kind>.jsonl, one entry a line, made from rows, rejected rows and reports by the loop and the audit
commands. What people answer lies apart, in data/decisions/ (stages.review.decisions); a queue can be made again at any time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BeforeValidator, Field, ValidationError

from stages.core import files
from stages.core.errors import UserError
from stages.core.settings import Settings

Kind = Literal["question", "item", "disagreement", "listen", "understanding"]
KINDS: tuple[Kind, ...] = ("question", "item", "disagreement", "listen", "understanding")

TOPICS = {
    "correct": "correct",
    "hypertranslate": "hypertranslation",
    "normalize": "normalization",
    "synthesize": "normalization",
    "understanding": "understanding",
    "questions_generated": "understanding",
    "questions_manual": "understanding",
    "select": "wildspeech",
    "paralinguistic": "wildspeech",
    "checklist": "wildspeech",
    "perturb": "wildspeech",
    "perturb_again": "wildspeech",
}
"""Stage to topic, the folder of data/decisions/ that holds the verdicts. What is heard wrong was mostly read wrong."""

RESERVED = ("accept", "edit", "reject", "skip")
"""The verdicts that every entry takes; an option may not be called so."""


class _Bilingual(Settings):
    """A text in the interface's two languages; an empty `ko` means that the English one is shown."""

    en: str
    ko: str = ""


Bilingual = Annotated[_Bilingual, BeforeValidator(lambda value: {"en": value} if isinstance(value, str) else value)]
"""May be given as one English string."""


class Option(Settings):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
    label: Bilingual
    consequence: Bilingual = _Bilingual(en="")


class Clip(Settings):
    """Audio of a row: what lies in the shards of data/<stage>/<subset>/ under `id`."""

    stage: Literal["ingest", "synthesize", "segments", "speak", "perturb", "perturb_again"] = "synthesize"
    subset: str
    id: str


class QueueEntry(Settings):
    id: Annotated[str, Field(pattern=r"^(question|item|disagreement|listen|understanding):[^:\s]+:\S+$")]
    """`<kind>:<subset>:<item or question id>`, stable over rounds."""
    kind: Kind
    stage: str
    """The stage whose work is judged; a key of TOPICS."""
    subset: str
    title: str
    prompt: Bilingual
    """What a person is asked."""
    source: dict[str, str] = Field(default_factory=dict)
    """Columns of text in the source language, by name, in the order to be shown."""
    target: dict[str, str] = Field(default_factory=dict)
    """Columns of text in the target language; the ones that a person may edit. Empty texts are to be written by the person."""
    options: list[Option] = Field(default_factory=list)
    affected: list[str] = Field(default_factory=list)
    """Row ids that the answer touches."""
    rules: list[str] = Field(default_factory=list)
    """Ids of the rulebook rules that fired."""
    flags: list[str] = Field(default_factory=list)
    """`check: detail`, why the entry is here."""
    audio: Clip | None = None

    @property
    def topic(self) -> str:
        return TOPICS[self.stage]

    def fingerprint(self) -> str:
        """16 hex digits over what a person sees and judges; a verdict remembers them, so that a changed text shows."""
        seen = self.model_dump(include={"prompt", "source", "target", "options", "audio"})
        return hashlib.sha256(orjson.dumps(seen, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    def verdicts(self) -> tuple[str, ...]:
        """What may be answered: one of the options where there are any (reject then means that none fits), else accept or reject."""
        first = tuple(option.id for option in self.options) or ("accept",)
        return (*first, *(("edit",) if self.target else ()), "reject", "skip")


def path(root: Path, kind: str) -> Path:
    return root / "data" / "review" / f"{kind}.jsonl"


def read(root: Path, kind: Kind | None = None) -> list[QueueEntry]:
    """The entries of one queue or of all, in the order of their files. A queue that was not made is empty.

    Raises UserError naming file and line for an entry that is not one, or an id that comes twice.
    """
    entries: dict[str, QueueEntry] = {}
    for name in KINDS if kind is None else (kind,):
        file = path(root, name)
        if not file.exists():
            continue
        for number, row in enumerate(files.read_jsonl(file), 1):
            entry = parse(row, f"{file} entry {number}")
            if entry.kind != name or entry.id in entries:
                what = f"has the id {entry.id} a second time" if entry.id in entries else f"is a {entry.kind!r}"
                raise UserError(f"{file} entry {number} {what}; make the queue again.")
            entries[entry.id] = entry
    return list(entries.values())


def parse(row: dict[str, Any], where: str) -> QueueEntry:
    try:
        entry = QueueEntry.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise UserError(f"{where} is not a queue entry: {place}: {first['msg']}; make the queue again.") from None
    reserved = sorted({option.id for option in entry.options} & set(RESERVED))
    if reserved:
        raise UserError(f"{where} ({entry.id}) calls an option {reserved[0]!r}, which is a verdict of its own; rename the option.")
    if entry.stage not in TOPICS:
        raise UserError(f"{where} ({entry.id}) is of the stage {entry.stage!r}; known stages: {', '.join(TOPICS)}.")
    if not entry.id.startswith(f"{entry.kind}:{entry.subset}:"):
        raise UserError(f"{where} has the id {entry.id!r}, which must begin with {entry.kind}:{entry.subset}: .")
    return entry


def write(root: Path, kind: Kind, entries: Iterable[QueueEntry]) -> Path:
    """Write one queue, sorted by id. Returns its path."""
    file = path(root, kind)
    files.write_jsonl(file, (entry.model_dump(mode="json") for entry in sorted(entries, key=lambda entry: entry.id)))
    return file
