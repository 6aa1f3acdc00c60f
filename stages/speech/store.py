"""Speech remembered: what was asked of a voice -> FLAC, what was asked of a recognizer -> text, what was joined -> FLAC.

One SQLite file (write-ahead log) in the cache folder, written by every worker the moment a sentence is done, so that
kill -9 loses at most what was in flight. A key is the sha256 of the request's canonical JSON; transcripts are kept apart
from speech and keyed by the audio's sha256, so that another recognizer or threshold never synthesizes anything again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.core.paths import cache_dir

_TABLES = """
CREATE TABLE IF NOT EXISTS speech (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, sha256 TEXT NOT NULL, flac BLOB NOT NULL, measures TEXT NOT NULL,
    unspoken TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS transcripts (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, text TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS joined (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, sha256 TEXT NOT NULL, flac BLOB NOT NULL, duration_s REAL NOT NULL, loudness_lufs REAL NOT NULL
) WITHOUT ROWID;
"""
_BUSY_MS = 60_000
TABLES = ("speech", "transcripts", "joined")


@dataclass(frozen=True)
class Speech:
    sha256: str
    """Of the FLAC bytes."""
    measures: dict[str, float]
    unspoken: str
    seconds: float
    """What the synthesis took when it was done."""


@dataclass(frozen=True)
class Transcript:
    text: str
    seconds: float


@dataclass(frozen=True)
class Joined:
    sha256: str
    duration_s: float
    loudness_lufs: float


def key_of(request: dict[str, Any]) -> str:
    """sha256 hex of the request's canonical JSON."""
    return hashlib.sha256(_canonical(request)).hexdigest()


def default_path() -> Path:
    return cache_dir() / "speech.sqlite"


class Store:
    """The memory. One object a thread or process; any number of them may share the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA page_size=16384")  # blobs of 100 kB and more
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def speech(self, key: str) -> Speech | None:
        row = self._one("SELECT sha256, measures, unspoken, seconds FROM speech WHERE key = ?", key)
        return Speech(row[0], orjson.loads(row[1]), row[2], row[3]) if row else None

    def flac(self, key: str) -> bytes:
        """The audio of a stored sentence; the key must be there."""
        row = self._one("SELECT flac FROM speech WHERE key = ?", key)
        assert row is not None
        return bytes(row[0])

    def put_speech(self, request: dict[str, Any], flac: bytes, measures: dict[str, float], unspoken: str, seconds: float) -> Speech:
        """Remember a sentence. What is already there under the key stays, so that two processes agree."""
        sha256 = hashlib.sha256(flac).hexdigest()
        row = (key_of(request), _canonical(request).decode(), sha256, flac, orjson.dumps(measures).decode(), unspoken, round(seconds, 2))
        self._put("INSERT OR IGNORE INTO speech VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        stored = self.speech(row[0])
        assert stored is not None
        return stored

    def transcript(self, key: str) -> Transcript | None:
        row = self._one("SELECT text, seconds FROM transcripts WHERE key = ?", key)
        return Transcript(*row) if row else None

    def put_transcript(self, request: dict[str, Any], text: str, seconds: float) -> Transcript:
        row = (key_of(request), _canonical(request).decode(), text, round(seconds, 2))
        self._put("INSERT OR IGNORE INTO transcripts VALUES (?, ?, ?, ?)", row)
        stored = self.transcript(row[0])
        assert stored is not None
        return stored

    def joined(self, key: str) -> Joined | None:
        row = self._one("SELECT sha256, duration_s, loudness_lufs FROM joined WHERE key = ?", key)
        return Joined(*row) if row else None

    def joined_flac(self, key: str) -> bytes:
        row = self._one("SELECT flac FROM joined WHERE key = ?", key)
        assert row is not None
        return bytes(row[0])

    def put_joined(self, request: dict[str, Any], flac: bytes, duration_s: float, loudness_lufs: float) -> Joined:
        row = (key_of(request), _canonical(request).decode(), hashlib.sha256(flac).hexdigest(), flac, duration_s, loudness_lufs)
        self._put("INSERT OR IGNORE INTO joined VALUES (?, ?, ?, ?, ?, ?)", row)
        stored = self.joined(row[0])
        assert stored is not None
        return stored

    def columns(self, table: str) -> list[str]:
        """The columns of a table; `key` is the first."""
        with self._explained():
            return [row[1] for row in self._db.execute(f"PRAGMA table_info({table})")]

    def keys(self, table: str) -> list[str]:
        """In order."""
        with self._explained():
            return [key for (key,) in self._db.execute(f"SELECT key FROM {table} ORDER BY key")]

    def row(self, table: str, key: str) -> tuple[Any, ...]:
        """A whole row; the key must be there."""
        row = self._one(f"SELECT * FROM {table} WHERE key = ?", key)
        assert row is not None
        return row

    def take(self, table: str, rows: list[tuple[Any, ...]]) -> int:
        """Add whole rows made by another store; what is there stays. Returns how many were new."""
        with self._explained():
            before = self._db.total_changes
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({','.join('?' * len(self.columns(table)))})", rows)
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            return self._db.total_changes - before

    def counts(self) -> dict[str, int]:
        """Rows of each table."""
        return {table: self._one(f"SELECT COUNT(*) FROM {table}")[0] for table in TABLES}  # type: ignore[index]

    def _one(self, query: str, *values: str) -> tuple[Any, ...] | None:
        with self._explained():
            row: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
        return row

    def _put(self, query: str, row: tuple[Any, ...]) -> None:
        with self._explained():
            self._db.execute(query, row)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise UserError(
                f"The store of speech {self.path} cannot be used ({error}); free space, make it writable, or set BENCHFERRY_CACHE to another folder."
            ) from error


@dataclass(frozen=True)
class StoredAudio:
    """(row id, FLAC bytes) in the order given, read from the store one at a time when it is iterated."""

    path: Path
    items: tuple[tuple[str, str], ...]
    """(row id, key of the joined audio)."""

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        with closing(Store(self.path)) as store:
            for row_id, key in self.items:
                yield row_id, store.joined_flac(key)

    def __len__(self) -> int:
        return len(self.items)


def _canonical(request: dict[str, Any]) -> bytes:
    return orjson.dumps(request, option=orjson.OPT_SORT_KEYS)
