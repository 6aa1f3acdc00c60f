"""Ingest of the speech corpora: every annotated stretch of KSS, KMSAV and the Seoul Corpus becomes a row, or a rejection.

Paper 2605.27984, section 3.2: audio, transcripts and speaker metadata of speech corpora are what audio-understanding
questions are made of. stages/ingest/kss.py, kmsav.py and seoul.py tell what each corpus is like and state the rules by
which a stretch, a recording or a file is rejected; other inconsistencies are noted on the row. Audio stays where it is and
is named by path and hash; only archives are unpacked, below the stage's output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from stages.core.app import main
from stages.core.files import Row
from stages.core.settings import BelowRoot, Settings
from stages.core.stage import Context, Outcome, Stage
from stages.ingest import kmsav, kss, seoul
from stages.ingest.book import Book
from stages.ingest.listing import list_corpus
from stages.ingest.tags import TagRule

NAME = "corpus"
RULES = {"kss": kss.RULES, "kmsav": kmsav.RULES, "seoul_corpus": seoul.RULES}
_FILES = {
    "unsafe_member": "an archive's member has a name that leads out of it, or is a link or no file",
    "link": "a file is a link that leads out of the corpus, or nowhere",
    "no_file": "it is a pipe, a socket or a device",
    "name_not_text": "a file's name is not UTF-8",
    "duplicate_name": "two files have one name in NFC",
}


class CorpusSettings(Settings):
    reader: Literal["kss", "kmsav", "seoul_corpus"]
    root: str
    """The folder that holds the corpora, relative to the project or absolute."""
    path: BelowRoot
    """The corpus below `root`: a folder, or an archive as upstream distributes it."""
    source: str
    revision: str
    licence: str
    audio: Literal["required", "optional"] = "required"
    """optional: a row whose recording is not there is kept without it, for work on transcripts alone."""
    tags: dict[str, TagRule] = Field({})
    """The table of tags and pseudo-tags."""
    untranscribed: list[str] = Field([])
    """Splits that have no transcripts."""
    tolerance_s: float = Field(0.1, ge=0)
    """How far a stretch may reach past the end of its recording, where it is cut, or one speaker's stretches overlap."""
    max_unpacked_bytes: int = Field(40_000_000_000, gt=0)


@dataclass(frozen=True)
class Place:
    """The tools of this stage: which corpus, where it is, and where its archives may be unpacked."""

    corpus: str
    source: Path
    unpacked: Path


@contextmanager
def open_place(settings: CorpusSettings, context: Context) -> Iterator[Place]:
    unpacked = context.root / "data" / NAME / context.subset / "unpacked"
    yield Place(context.subset, context.root / settings.root / settings.path, unpacked)


def run(_: list[Row], settings: CorpusSettings, place: Place) -> Outcome:
    """Read a corpus. Raises UserError when it is not there, when an archive is damaged, or when its list or transcript is missing."""
    listing = list_corpus(place.source, place.unpacked, settings.max_unpacked_bytes)
    base = {"source": settings.source, "source_revision": settings.revision, "licence": settings.licence}
    book = Book(place.corpus, settings.reader, RULES[settings.reader] | _FILES, base)
    for refused in listing.refused:
        book.refuse_file(refused.name, refused.reason, refused.detail)
    required = settings.audio == "required"
    match settings.reader:
        case "kss":
            kss.read(listing, book, required)
        case "kmsav":
            kmsav.read(listing, book, settings.tags, settings.untranscribed, settings.tolerance_s, required)
        case "seoul_corpus":
            seoul.read(listing, book, settings.tags, settings.tolerance_s, required)
    return Outcome(book.kept, book.rejected, {**book.report, **_report(book), "archives": listing.notes})


def _report(book: Book) -> Row:
    seconds: Counter[str] = Counter()
    for row in book.kept:
        seconds[row["kind"]] += row["end_s"] - row["start_s"]
    return {
        "recordings": len({row["recording"] for row in book.kept}),
        "speakers": len({row["speaker"] for row in book.kept if row["speaker"]}),
        "kinds": dict(sorted(Counter(row["kind"] for row in book.kept).items())),
        "seconds_of_kind": {kind: round(total, 1) for kind, total in sorted(seconds.items())},
        "tags": dict(sorted(Counter(tag for row in book.kept for tag in row["tags"]).items())),
        "notes": book.notes(),
        "rules": {reason: book.rules[reason] for reason in sorted({one.reason for one in book.rejected})},
    }


STAGE = Stage(
    name=NAME,
    run=run,
    settings=CorpusSettings,
    reads=None,
    input_schema=None,
    output_schema="Utterance",
    tools=open_place,
    group="corpora",
)

if __name__ == "__main__":
    main(STAGE)
