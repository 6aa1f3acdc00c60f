"""Every answer of a model under test that was ever had: one SQLite file in the cache folder, outside all DVC outs.

The key is the content of what was asked (model, decoding, question, clip): a question that changes is asked again, one that does not
is not, whatever happens to the run. An answer is committed when it arrives, together with what the model under its name has cost so far;
failures are never stored.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.core.files import nfc
from stages.core.paths import cache_dir
from stages.evaluate.speechlms.base import Answer

_TABLES = """CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, model TEXT, question TEXT, text TEXT, audio BLOB, heard TEXT,
    finish_reason TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, seconds REAL);
    CREATE TABLE IF NOT EXISTS spent (model TEXT PRIMARY KEY, usd REAL)"""
_CHUNK = 2000


def key_of(fingerprint: Mapping[str, Any], language: str, text: str | None, audio_sha256: str | None) -> str:
    return hashlib.sha256(orjson.dumps([fingerprint, language, text, audio_sha256], option=orjson.OPT_SORT_KEYS)).hexdigest()


class Responses:
    """Use as `with Responses.open() as responses`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._db = path, connection

    @classmethod
    @contextmanager
    def open(cls, path: Path | None = None) -> Iterator[Responses]:
        path = path or cache_dir() / "responses.sqlite"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.executescript(_TABLES)
        except (OSError, sqlite3.DatabaseError) as error:
            raise _unusable(path, error) from None
        try:
            yield cls(path, connection)
        finally:
            connection.close()

    def get(self, keys: Sequence[str]) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = list(keys[start : start + _CHUNK])
            query = (
                "SELECT key, text, audio, heard, finish_reason, prompt_tokens, completion_tokens, seconds FROM answers"
                f" WHERE key IN ({','.join('?' * len(chunk))})"
            )
            try:
                for key, *rest in self._db.execute(query, chunk):
                    found[key] = Answer(*rest)
            except sqlite3.DatabaseError as error:
                raise _unusable(self.path, error) from None
        return found

    def put(self, key: str, model: str, question: str, answer: Answer) -> None:
        values = (answer.audio, nfc(answer.heard), answer.finish_reason, answer.prompt_tokens, answer.completion_tokens, answer.seconds)
        try:
            with self._db:  # both or neither
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("INSERT OR REPLACE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?)", (key, model, question, nfc(answer.text), *values))
                if answer.usd:
                    self._db.execute("INSERT INTO spent VALUES (?, ?) ON CONFLICT DO UPDATE SET usd = usd + excluded.usd", (model, answer.usd))
        except sqlite3.DatabaseError as error:
            raise _unusable(self.path, error) from None

    def spent_usd(self, model: str) -> float:
        """What all answers under the model's name have cost, at the prices of their time."""
        try:
            return float(self._db.execute("SELECT coalesce(sum(usd), 0) FROM spent WHERE model = ?", (model,)).fetchone()[0])
        except sqlite3.DatabaseError as error:
            raise _unusable(self.path, error) from None


def _unusable(path: Path, error: Exception) -> UserError:
    return UserError(f"The store of answers {path} cannot be used ({error}); free some space, make it writable or move it away, then run again.")
