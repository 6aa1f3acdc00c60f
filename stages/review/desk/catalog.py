"""What the desk shows: the queue and everyone's verdicts, read again whenever a file has changed.

Nothing lives in memory alone. Two desks on one folder, a hand-edited file or a pulled commit all show up by themselves. A
reviewer sees what others said about an entry only after having judged it: agreement between people who looked at each other's
answers measures nothing.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stages.core import ledger
from stages.core.errors import UserError
from stages.review import decisions, queue
from stages.review.decisions import Decisions, Verdict
from stages.review.desk import agreement, rules
from stages.review.queue import QueueEntry

MAX_TEXT = 20_000
"""Characters in one edited text or reason."""

_ITEM_SOURCE = ("prompt", "reference", "corrected_reference", "references")
_ITEM_TARGET = ("target_prompt", "target_answer", "target_answers", "spoken", "transcript")


class NotFound(UserError):
    """There is no such entry or item."""


class Changed(Exception):
    """The entry is no longer what the reviewer saw."""


@dataclass(frozen=True)
class Snapshot:
    version: str
    """Changes with every file that is shown."""
    entries: dict[str, QueueEntry]
    fingerprints: dict[str, str]
    """Entry id to QueueEntry.fingerprint()."""
    decisions: Decisions
    last: dict[tuple[str, str], Verdict]


class Catalog:
    """All methods read or write files and may block: call them from a thread. They are safe to use from several."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._queue: tuple[str, dict[str, QueueEntry]] = ("", {})
        self._fingerprints: dict[str, str] = {}
        self._rules: tuple[str, dict[str, list[rules.Rule]]] = ("", {})

    def snapshot(self) -> Snapshot:
        with self._lock:
            queues, verdicts = _stamp(self.root.glob("data/review/*.jsonl")), _stamp(decisions.files(self.root))
            version = f"{queues}.{verdicts}"
            if self._snapshot is None or self._snapshot.version != version:
                if self._queue[0] != queues:
                    self._queue = (queues, {entry.id: entry for entry in queue.read(self.root)})
                    self._fingerprints = {id: entry.fingerprint() for id, entry in self._queue[1].items()}
                found = decisions.read(self.root)
                self._snapshot = Snapshot(version, self._queue[1], self._fingerprints, found, found.last())
            return self._snapshot

    def entry(self, id: str) -> QueueEntry:
        found = self.snapshot().entries.get(id)
        if found is None:
            raise NotFound(f"The queue has no entry {id!r}; it may have been made again, reload the page.")
        return found

    def summary(self, reviewer: str) -> dict[str, Any]:
        """Every entry in brief with the reviewer's verdict on it, the reviewer's latest reasons, and what could not be read."""
        now = self.snapshot()
        judged: dict[str, int] = {}
        for (id, who), verdict in now.last.items():
            judged[id] = judged.get(id, 0) + (who != reviewer and verdict.verdict != "skip")
        own = [verdict for verdict in now.decisions.verdicts if verdict.reviewer == reviewer]
        return {
            "version": now.version,
            "entries": [
                {
                    "id": entry.id,
                    "kind": entry.kind,
                    "subset": entry.subset,
                    "title": entry.title,
                    "audio": entry.audio is not None,
                    "mine": _shown(now, now.last.get((entry.id, reviewer))),
                    "others": judged.get(entry.id, 0),
                }
                for entry in now.entries.values()
            ],
            "reasons": list(dict.fromkeys(verdict.reason for verdict in reversed(own) if verdict.reason))[:12],
            "reviewers": sorted({who for _, who in now.last}),
            "problems": now.decisions.torn,
        }

    def detail(self, id: str, reviewer: str) -> dict[str, Any]:
        """One entry in full, with the rules' texts and, once the reviewer has judged it, the others' verdicts."""
        entry = self.entry(id)
        now = self.snapshot()
        mine = _shown(now, now.last.get((id, reviewer)))
        judged = mine is not None and mine["verdict"] != "skip" and not mine["changed"]
        texts = self._rule_texts()
        return {
            "entry": entry.model_dump(mode="json"),
            "seen": entry.fingerprint(),
            "verdicts": entry.verdicts(),
            "rules": [found for rule in entry.rules for found in _best(texts.get(rule, []), entry.topic) or [_unknown(rule)]],
            "mine": mine,
            "others": [_shown(now, v) for (queue_id, who), v in sorted(now.last.items()) if judged and queue_id == id and who != reviewer],
        }

    def judge(self, given: dict[str, Any]) -> Verdict:
        """Save one verdict. Raises UserError for one that the entry does not take, Changed, or decisions.Outdated."""
        id, verdict, reason, edit = (given.get(key) for key in ("id", "verdict", "reason", "edit"))
        if not (isinstance(id, str) and isinstance(verdict, str) and isinstance(reason, str) and isinstance(edit, dict)):
            raise UserError("A verdict has the texts id, verdict and reason, and a mapping edit.")
        entry = self.entry(id)
        if given.get("seen") != entry.fingerprint():
            raise Changed(id)
        edit = checked(entry, verdict, reason, edit)
        after = given.get("after")
        return decisions.append(
            self.root,
            entry.topic,
            str(given.get("reviewer", "")),
            id,
            verdict,
            edit=edit,
            reason=reason.strip(),
            seen=entry.fingerprint(),
            after=after if isinstance(after, int) else None,
        )

    def agreement(self, reviewer: str) -> list[dict[str, Any]]:
        """Everyone's agreement; the entries on which two differ are named only where the reviewer has judged them too."""
        now = self.snapshot()
        own = {id for id, who in now.last if who == reviewer}
        lines = [asdict(line) for line in agreement.table(now.entries.values(), now.last)]
        return [{**line, "differing": [id for id in line["differing"] if id in own], "n_differing": len(line["differing"])} for line in lines]

    def item(self, id: str) -> dict[str, Any]:
        """The texts of a row that a question affects, as far as the build has come."""
        found = ledger.find(self.root, id)
        if found is None:
            raise NotFound(f"The build has no item {id!r}; run `dvc repro`.")
        return {
            "id": id,
            "subset": found.subset,
            "stage": found.stage,
            "reason": found.reason or "",
            "source": {column: _text(found.row[column]) for column in _ITEM_SOURCE if found.row.get(column)},
            "target": {column: _text(found.row[column]) for column in _ITEM_TARGET if found.row.get(column)},
        }

    def _rule_texts(self) -> dict[str, list[rules.Rule]]:
        stamp = _stamp(self.root.glob("rulebooks/*/*.yaml"))
        with self._lock:
            if self._rules[0] != stamp:
                self._rules = (stamp, rules.read(self.root))
            return self._rules[1]


def checked(entry: QueueEntry, verdict: str, reason: str, edit: dict[str, Any]) -> dict[str, str]:
    """The texts of `edit` that differ from the entry's. Raises UserError unless the entry takes this verdict."""
    if verdict not in entry.verdicts():
        raise UserError(f"{entry.id} does not take the verdict {verdict!r}; it takes {', '.join(entry.verdicts())}.")
    unknown = sorted(set(edit) - set(entry.target))
    if unknown or not all(isinstance(text, str) for text in edit.values()):
        raise UserError(f"{entry.id} has no text {unknown[0]!r} to edit." if unknown else f"Every edited text of {entry.id} must be text.")
    if max(map(len, [reason, *edit.values()])) > MAX_TEXT:
        raise UserError(f"A text for {entry.id} is longer than {MAX_TEXT} characters; shorten it.")
    new = {column: text.strip() for column, text in edit.items() if text.strip() != entry.target[column]}
    if verdict == "reject" and not reason.strip():
        raise UserError(f"Say why {entry.id} is rejected.")
    if verdict != "edit":
        return {}
    whole = {**entry.target, **new}
    if not new:
        raise UserError(f"Nothing of {entry.id} was edited; accept it instead.")
    empty = [column for column, text in whole.items() if not text and entry.target[column]]
    if empty or not any(entry.target.values()):
        empty = empty or [column for column, text in whole.items() if not text]
        if empty:
            raise UserError(f"The text {empty[0]!r} of {entry.id} is empty; fill it, or reject the entry.")
    options = [text for column, text in whole.items() if column.startswith("option")]
    if len(set(options)) < len(options):
        raise UserError(f"Two options of {entry.id} are the same; make them differ.")
    if options and "answer" in whole and whole["answer"] not in options:
        raise UserError(f"The answer of {entry.id} is none of its options; copy one of them.")
    return new


def _shown(now: Snapshot, verdict: Verdict | None) -> dict[str, Any] | None:
    """A verdict and whether its entry has changed since."""
    if verdict is None:
        return None
    return {**verdict.model_dump(), "changed": bool(verdict.seen) and verdict.seen != now.fingerprints.get(verdict.queue_id)}


def _stamp(paths: Any) -> str:
    parts = []
    for path in sorted(paths):
        stat = path.stat()
        parts.append(f"{path}:{stat.st_ino}:{stat.st_mtime_ns}:{stat.st_size}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _best(texts: list[rules.Rule], topic: str) -> list[rules.Rule]:
    """The rule of the entry's own book where two books have its id."""
    return [text for text in texts if text["book"].endswith(f"/{topic}")] or texts


def _unknown(rule: str) -> rules.Rule:
    return {"book": "", "id": rule, "when": "", "do": "", "why": "", "examples": [], "counterexamples": [], "decided_by": ""}


def _text(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
