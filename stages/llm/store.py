"""Every reply that was ever paid for: one SQLite file in the cache folder, outside all DVC outs.

    requests  key -> what is sent, for which item and role: written when a request is asked or found missing
    replies   key -> the valid reply and what it took; nothing else is ever stored as a reply
    uses      run -> the keys of its last run, answered or not: what `export --missing` and `export --replies` choose from
    spent     run, role -> tokens and dollars of all live calls, also of those whose reply was invalid
    imported  replies file -> sha256 of the content that was taken from it

A reply is committed when it arrives (WAL, synchronous=NORMAL: safe to a killed process). The file never holds a key or an
address, since neither is part of a request.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel

from stages.core.errors import UserError
from stages.core.paths import cache_dir
from stages.llm.request import Request, Usage
from stages.llm.schema import full_schema

_TABLES = """
CREATE TABLE IF NOT EXISTS requests (key TEXT PRIMARY KEY, item_id TEXT, role TEXT, model TEXT, sample INTEGER, schema_id TEXT, problem TEXT,
    body BLOB);
CREATE TABLE IF NOT EXISTS schemas (id TEXT PRIMARY KEY, json BLOB);
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, role TEXT, model TEXT, prompt_tokens INTEGER, cached_tokens INTEGER,
    completion_tokens INTEGER, seconds REAL, attempts INTEGER, finish_reason TEXT, origin TEXT, text TEXT);
CREATE TABLE IF NOT EXISTS uses (run TEXT, key TEXT, PRIMARY KEY (run, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (run TEXT, role TEXT, calls INTEGER, prompt_tokens INTEGER, cached_tokens INTEGER, completion_tokens INTEGER,
    usd REAL, PRIMARY KEY (run, role)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS imported (path TEXT PRIMARY KEY, sha256 TEXT);
"""
_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Stored:
    """A reply as the store keeps it."""

    key: str
    role: str
    model: str
    text: str
    usage: Usage
    seconds: float = 0.0
    attempts: int = 0
    finish_reason: str = ""
    origin: str = "live"
    """`live`, or the file that it was imported from."""


class Asked(NamedTuple):
    """A request as the store keeps it."""

    key: str
    item_id: str
    role: str
    model: str
    sample: int
    schema: dict[str, Any] | None
    problem: str
    """Why the last live try failed, or empty."""
    body: bytes


class Store:
    """Use as `with Store.open() as store`. Every method raises UserError when the file cannot be read or written."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._db = connection
        self._schemas: dict[type[BaseModel], str] = {}

    @classmethod
    @contextmanager
    def open(cls, path: Path | None = None) -> Iterator[Store]:
        path = path or cache_dir() / "replies.sqlite"
        with _said_clearly(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        try:
            with _said_clearly(path):
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("PRAGMA cache_size=-65536")
                connection.executescript(_TABLES)
                connection.execute("BEGIN IMMEDIATE")  # a store that cannot be written is found out before the first paid call
                connection.execute("COMMIT")
            yield cls(path, connection)
        finally:
            connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _said_clearly(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # replies

    def replies(self, keys: Sequence[str]) -> dict[str, Stored]:
        """The stored replies to `keys`."""
        found: dict[str, Stored] = {}
        with _said_clearly(self.path):
            for chunk in _chunks(keys):
                query = (
                    "SELECT key, role, model, text, prompt_tokens, cached_tokens, completion_tokens, seconds, attempts, finish_reason, origin"
                    f" FROM replies WHERE key IN ({','.join('?' * len(chunk))})"
                )
                for key, role, model, text, prompt, cached, completion, *rest in self._db.execute(query, chunk):
                    found[key] = Stored(key, role, model, text, Usage(prompt, cached, completion), *rest)
        return found

    def put(self, run: str, answered: Sequence[tuple[Request, Stored, float]]) -> None:
        """Commit requests, their live replies and what each has cost in dollars."""
        with self._writing() as db:
            self._insert_requests(db, [request for request, _, _ in answered])
            _insert(db, [reply for _, reply, _ in answered])
            for role in {reply.role for _, reply, _ in answered}:
                own = [(reply.usage, usd) for _, reply, usd in answered if reply.role == role]
                _spend(db, run, role, len(own), sum((usage for usage, _ in own), Usage()), sum(usd for _, usd in own))

    def put_all(self, replies: Iterable[Stored]) -> None:
        with self._writing() as db:
            _insert(db, replies)

    def take_file(self, name: str, content_sha256: str, replies: Iterable[Stored]) -> None:
        """Replace what was imported from the file `name` before by `replies`."""
        with self._writing() as db:
            db.execute("DELETE FROM replies WHERE origin = ?", (name,))
            _insert(db, replies)
            db.execute("INSERT OR REPLACE INTO imported VALUES (?, ?)", (name, content_sha256))

    def imported(self, name: str) -> str | None:
        """sha256 of what was last taken from the file `name`."""
        with _said_clearly(self.path):
            row = self._db.execute("SELECT sha256 FROM imported WHERE path = ?", (name,)).fetchone()
        return row[0] if row else None

    # requests

    def remember(self, requests: Iterable[Request]) -> None:
        """Keep what `requests` send, so that it can be shown, exported and checked against when a reply is imported."""
        by_key = {request.key: request for request in requests}
        with _said_clearly(self.path):
            for chunk in _chunks(list(by_key)):
                for (key,) in self._db.execute(f"SELECT key FROM requests WHERE key IN ({','.join('?' * len(chunk))})", chunk):
                    del by_key[key]
        if by_key:
            with self._writing() as db:
                self._insert_requests(db, by_key.values())

    def _insert_requests(self, db: sqlite3.Connection, requests: Iterable[Request]) -> None:
        rows = [(r.key, r.item_id, r.role.name, r.role.model, r.sample, self._schema_id(db, r), "", r.sent) for r in requests]
        db.executemany("INSERT OR IGNORE INTO requests VALUES (?,?,?,?,?,?,?,?)", rows)

    def _schema_id(self, db: sqlite3.Connection, request: Request) -> str | None:
        if request.schema is None:
            return None
        if request.schema not in self._schemas:
            text = orjson.dumps(full_schema(request.schema))
            self._schemas[request.schema] = hashlib.sha256(text).hexdigest()
            db.execute("INSERT OR IGNORE INTO schemas VALUES (?, ?)", (self._schemas[request.schema], text))
        return self._schemas[request.schema]

    def failed(self, problems: dict[str, str]) -> None:
        """Note why live tries failed; the replies themselves are not kept."""
        with self._writing() as db:
            db.executemany("UPDATE requests SET problem = ? WHERE key = ?", [(problem, key) for key, problem in problems.items()])

    def request(self, key: str) -> Asked | None:
        return next(self._requests("WHERE requests.key = ?", (key,)), None)

    def missing(self) -> list[Asked]:
        """The requests that the last run of some stage wanted and that have no reply, sorted by item, role and key."""
        wanted = "WHERE requests.key IN (SELECT key FROM uses) AND requests.key NOT IN (SELECT key FROM replies)"
        return list(self._requests(f"{wanted} ORDER BY item_id, requests.role, requests.key", ()))

    def keys_from(self, prefix: str) -> list[str]:
        """The keys, of requests or replies, that begin with `prefix` (a few at most)."""
        begins = "WHERE key >= ?1 AND key < ?1 || 'g'"
        query = f"SELECT key FROM requests {begins} UNION SELECT key FROM replies {begins} LIMIT 10"
        with _said_clearly(self.path):
            return [key for (key,) in self._db.execute(query, (prefix,))]

    def _requests(self, where: str, values: tuple[str, ...]) -> Iterator[Asked]:
        query = (
            "SELECT requests.key, item_id, requests.role, requests.model, sample, schemas.json, problem, body"
            f" FROM requests LEFT JOIN schemas ON schemas.id = schema_id {where}"
        )
        with _said_clearly(self.path):
            for key, item_id, role, model, sample, form, problem, body in self._db.execute(query, values):
                yield Asked(key, item_id, role, model, sample, orjson.loads(form) if form else None, problem, body)

    # uses and cost

    def use(self, run: str, keys: Iterable[str], afresh: bool) -> None:
        """Note that `run` needs `keys`; `afresh` forgets what its earlier runs needed."""
        with self._writing() as db:
            if afresh:
                db.execute("DELETE FROM uses WHERE run = ?", (run,))
            db.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?)", ((run, key) for key in sorted(keys)))

    def used(self) -> list[str]:
        """The keys that the last run of each stage used and that have a reply, sorted."""
        with _said_clearly(self.path):
            return [key for (key,) in self._db.execute("SELECT DISTINCT key FROM uses WHERE key IN (SELECT key FROM replies) ORDER BY key")]

    def every_key(self) -> list[str]:
        """The keys of all replies, sorted."""
        with _said_clearly(self.path):
            return [key for (key,) in self._db.execute("SELECT key FROM replies ORDER BY key")]

    def spend(self, run: str, role: str, usage: Usage, usd: float) -> None:
        """Note the cost of a call whose reply is not kept."""
        with self._writing() as db:
            _spend(db, run, role, 1, usage, usd)

    def spent_usd(self) -> float:
        """What all live calls recorded here have cost, at the prices of their time."""
        with _said_clearly(self.path):
            return float(self._db.execute("SELECT coalesce(sum(usd), 0) FROM spent").fetchone()[0])

    def averages(self, role: str, model: str) -> tuple[int, float, float] | None:
        """(stored replies with known usage, prompt tokens per request byte, completion tokens per reply), None where there are none."""
        query = (
            "SELECT count(*), sum(prompt_tokens) * 1.0 / sum(length(body)), avg(completion_tokens) FROM replies JOIN requests USING (key)"
            " WHERE replies.role = ? AND replies.model = ? AND prompt_tokens > 0 AND completion_tokens > 0 AND attempts < 2"
        )
        with _said_clearly(self.path):
            n, per_byte, per_reply = self._db.execute(query, (role, model)).fetchone()
        return (n, per_byte, per_reply) if n else None


def _insert(db: sqlite3.Connection, replies: Iterable[Stored]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO replies VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            (r.key, r.role, r.model, r.usage.prompt_tokens, r.usage.cached_tokens, r.usage.completion_tokens, r.seconds, r.attempts, r.finish_reason,
             r.origin, r.text)
            for r in replies
        ),
    )


def _spend(db: sqlite3.Connection, run: str, role: str, calls: int, usage: Usage, usd: float) -> None:
    db.execute(
        "INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
        " prompt_tokens = prompt_tokens + excluded.prompt_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,"
        " completion_tokens = completion_tokens + excluded.completion_tokens, usd = usd + excluded.usd",
        (run, role, calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, usd),
    )


def _chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


@contextmanager
def _said_clearly(path: Path) -> Iterator[None]:
    """SQLite's errors, and the file system's, as one sentence with what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text:
            advice = "another process holds it; wait for that run to end"
        elif "full" in text or "disk I/O" in text:
            advice = "free some space and run again: every reply stored so far is kept"
        elif "no such column" in text or "has no column" in text:
            advice = "it is of another version; move it away and import its replies again"
        else:
            advice = "make the file and its folder writable, or set BENCHFERRY_CACHE to a folder that is"
        raise UserError(f"The reply store {path} cannot be used ({text}); {advice}.") from None
    except sqlite3.DatabaseError as error:
        raise UserError(
            f"The reply store {path} is damaged ({error}); move it away, save what `sqlite3 {path.name} .recover` finds, and run again."
        ) from None
    except OSError as error:
        raise UserError(f"The reply store {path} cannot be made ({error.strerror}); set BENCHFERRY_CACHE to a folder that can be written.") from None
