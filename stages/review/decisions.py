"""People's verdicts, kept as text in git.

`data/decisions/<topic>/<reviewer>.jsonl` is append-only, one line a verdict; the last line of a reviewer on an entry counts.
Rounds written by hand (stages.review.rounds) lie beside it; between files of one reviewer the later date counts.
A line is on the disk (fsync) before `append` returns. A process killed in mid-write leaves at most a last line without its
end: it was never acknowledged, readers report and ignore it, and the next `append` removes it.
"""

from __future__ import annotations

import datetime
import fcntl
import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import Field, ValidationError

from stages.core.errors import UserError
from stages.core.files import nfc
from stages.core.settings import Settings

_REVIEWER = re.compile(r"[^\W_][\w-]{0,31}")


class Verdict(Settings):
    queue_id: str
    verdict: str
    """accept, edit, reject, skip, or the id of an option."""
    edit: dict[str, str] = Field(default_factory=dict)
    """New texts by column of the entry's `target`."""
    reason: str = ""
    reviewer: str
    date: str
    """YYYY-MM-DD."""
    seq: int = Field(ge=1)
    """Counts a reviewer's verdicts of a topic; it orders the lines of one file."""
    seen: str = ""
    """QueueEntry.fingerprint() of what was judged; empty where it is not known."""

    def says(self) -> tuple[str, dict[str, str], str, str]:
        """What was decided, without when."""
        return self.verdict, self.edit, self.reason, self.seen


@dataclass
class Decisions:
    """Every verdict of one topic or more, and what could not be read."""

    verdicts: list[Verdict] = field(default_factory=list)
    """By reviewer, in the order in which they were given."""
    torn: list[str] = field(default_factory=list)
    """A sentence for each unfinished last line."""

    def last(self) -> dict[tuple[str, str], Verdict]:
        """(queue id, reviewer) to the verdict that counts."""
        return {(verdict.queue_id, verdict.reviewer): verdict for verdict in self.verdicts}


class Outdated(Exception):
    """The reviewer has given another verdict meanwhile, in another window. `verdict` is that one."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.queue_id)
        self.verdict = verdict


def reviewer_name(name: str) -> str:
    """`name` as it is kept and as it names the file: NFC, lower case. Raises UserError for one that cannot be a file's name."""
    kept = unicodedata.normalize("NFC", name).strip().casefold()
    if not _REVIEWER.fullmatch(kept):
        raise UserError(f"The reviewer's name {name!r} must be 1 to 32 letters, digits, '-' or '_', and start with a letter or digit.")
    return kept


def path(root: Path, topic: str, reviewer: str) -> Path:
    return root / "data" / "decisions" / topic / f"{reviewer_name(reviewer)}.jsonl"


def read(root: Path, topic: str | None = None) -> Decisions:
    """Every verdict of `topic`, or of all topics. Raises UserError naming file and line for a damaged line that is not the last."""
    from stages.review import rounds

    found = Decisions()
    dated: list[tuple[str, Verdict]] = []
    for file in files(root, topic):
        if file.suffix != ".jsonl":
            dated += [(verdict.date, verdict) for verdict in rounds.read(file)]
            continue
        verdicts, torn = _parse(file.read_bytes(), file)
        latest = ""
        for verdict in verdicts:
            latest = max(latest, verdict.date)  # a clock set back does not change the order of the lines
            dated.append((latest, verdict))
        if torn:
            found.torn.append(f"{file} ends in an unfinished line ({torn} bytes), which was never acknowledged and is ignored.")
    found.verdicts = [verdict for _, verdict in sorted(dated, key=lambda one: (one[1].reviewer, one[0]))]
    return found


def files(root: Path, topic: str | None = None) -> list[Path]:
    """The files with verdicts: rounds written by hand first, then the desk's."""
    from stages.review import rounds

    found = [path for path in (root / "data" / "decisions").glob(f"{topic or '*'}/*") if path.suffix in (".jsonl", *rounds.SUFFIXES)]
    return sorted(found, key=lambda path: (path.suffix == ".jsonl", path))


def append(
    root: Path,
    topic: str,
    reviewer: str,
    queue_id: str,
    verdict: str,
    *,
    edit: dict[str, str] | None = None,
    reason: str = "",
    seen: str = "",
    after: int | None = None,
) -> Verdict:
    """Add one verdict; it is on the disk when this returns. The same verdict given again adds nothing and returns the first.

    `after` is the seq of the reviewer's last verdict on this entry that the caller knows of (0: none). Raises Outdated when
    there is a newer one, UserError when the file is damaged or cannot be written.
    """
    reviewer = reviewer_name(reviewer)
    file = path(root, topic, reviewer)
    try:
        with _locked(file) as handle:
            data = os.pread(handle, os.fstat(handle).st_size, 0)
            verdicts, torn = _parse(data, file)
            before = next((one for one in reversed(verdicts) if one.queue_id == queue_id), None)
            new = Verdict(
                queue_id=queue_id, verdict=verdict, edit=nfc(edit or {}), reason=nfc(reason), reviewer=reviewer, seen=seen,
                date=datetime.datetime.now().astimezone().date().isoformat(), seq=max((one.seq for one in verdicts), default=0) + 1,
            )  # fmt: skip
            if before is not None and before.says() == new.says():
                return before
            if before is not None and after is not None and before.seq > after:
                raise Outdated(before)
            end = len(data) - torn
            if torn:
                os.ftruncate(handle, end)
            open_line = b"\n" if end and data[end - 1 : end] != b"\n" else b""  # an editor left out the last line's end
            line = open_line + orjson.dumps(new.model_dump(), option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
            _write(handle, line, end)
            return new
    except OSError as error:
        raise UserError(f"Cannot write {file}: {error.strerror or error}; free some space, then save again.") from error


def _write(handle: int, line: bytes, end: int) -> None:
    try:
        written = 0
        while written < len(line):
            written += os.pwrite(handle, line[written:], end + written)
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, end)  # a full disk leaves no half line behind
        raise


@contextmanager
def _locked(file: Path) -> Iterator[int]:
    """An open handle that no other process has, for windows served by two desks."""
    new = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if new:
            folder = os.open(file.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
        yield handle
    finally:
        os.close(handle)


def _parse(data: bytes, file: Path) -> tuple[list[Verdict], int]:
    """The verdicts, and the number of bytes of an unfinished last line."""
    lines = data.split(b"\n")
    verdicts: list[Verdict] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            verdicts.append(Verdict.model_validate(nfc(orjson.loads(line))))
        except (orjson.JSONDecodeError, ValidationError) as error:
            if number == len(lines):
                return verdicts, len(line)
            what = str(error).split("\n", 1)[0]
            raise UserError(f"{file} line {number} is not a verdict ({what}); mend that line, or take it out.") from None
    return verdicts, 0
