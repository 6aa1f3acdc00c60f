"""Clips heard by a recognizer, once or in several readings, and remembered.

A reading may differ from the plain one in what is done to the clip first: silence before it, or a slightly other tempo. A recognizer
that decodes greedily gives the same text for the same audio, so three plain readings would be one; a slip that depends on where a
window falls or how fast somebody speaks shows only when that differs.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.core.progress import Task
from stages.core.settings import Settings
from stages.speech.pool import Pool
from stages.speech.store import Store, key_of


class Reading(Settings):
    """What is done to a clip before it is heard."""

    lead_s: float = Field(default=0.0, ge=0, le=2)
    """Silence before it."""
    tempo: float = Field(default=1.0, gt=0.8, lt=1.25)
    """Played so much faster, pitch included."""

    @property
    def plain(self) -> bool:
        return not self.lead_s and self.tempo == 1


PLAIN = Reading()


@dataclass(frozen=True)
class Hearing:
    clip: bytes
    """Encoded audio."""
    sha256: str
    language: str
    reading: Reading = PLAIN

    @classmethod
    def of(cls, clip: bytes, language: str, reading: Reading = PLAIN) -> Hearing:
        return cls(clip, hashlib.sha256(clip).hexdigest(), language, reading)


@dataclass(frozen=True)
class ListenPlan:
    """What a worker needs to open its own recognizer; picklable."""

    recognizer: Any
    root: Path
    store: Path

    @property
    def remote(self) -> bool:
        return self.open().remote

    def open(self) -> Any:
        from stages.speech.studio import open_recognizer

        return open_recognizer(self.recognizer, self.root)

    def worker(self) -> _Ear:
        return _Ear(self)


class Listener:
    """The store's side: what is remembered, and what is asked of the workers."""

    def __init__(self, plan: ListenPlan, store: Store) -> None:
        self.recognizer = plan.open()
        self._store = store
        self.n_from_store = 0

    @property
    def name(self) -> str:
        return f"{self.recognizer.name}@{self.recognizer.revision}"

    def hear(self, hearings: list[Hearing], pool: Pool[tuple[int, Hearing], str], task: Task) -> list[str]:
        """The transcripts, in order. Raises UserError where a clip could not be heard; the others are stored."""
        from stages.core.errors import UserError

        found: list[str | None] = []
        for hearing in hearings:
            stored = self._store.transcript(key_of(request(hearing, self.recognizer)))
            found.append(stored.text if stored else None)
        missing = [(number, hearing) for number, hearing in enumerate(hearings) if found[number] is None]
        self.n_from_store += len(hearings) - len(missing)
        task.advance(len(hearings) - len(missing))
        if missing:
            self.recognizer.prepare()

            def then(done: tuple[int, Hearing], text: str) -> None:
                found[done[0]] = text
                task.advance()

            failures = pool.run(missing, then)
            if failures:
                raise UserError(
                    f"{len(failures)} clips could not be heard, the first because: {failures[0].why} The others are stored; run again to go on."
                )
        return [text or "" for text in found]


def request(hearing: Hearing, recognizer: Any) -> dict[str, Any]:
    """As stages/speech/studio.py asks, so that a clip that was heard there is known here."""
    asked = {
        "audio_sha256": hearing.sha256,
        "language": hearing.language,
        "recognizer": recognizer.name,
        "revision": recognizer.revision,
        "settings": recognizer.request(),
    }
    return asked if hearing.reading.plain else {**asked, "reading": hearing.reading.model_dump()}


class _Ear:
    def __init__(self, plan: ListenPlan) -> None:
        self._recognizer = plan.open()
        self._store = Store(plan.store)

    def __call__(self, task: tuple[int, Hearing]) -> str:
        import numpy as np

        from stages.speech import audio

        hearing = task[1]
        asked = request(hearing, self._recognizer)
        stored = self._store.transcript(key_of(asked))
        if stored is not None:
            return stored.text
        samples, rate = audio.decode(hearing.clip)
        if hearing.reading.tempo != 1:
            samples = audio.resample(samples, round(rate * hearing.reading.tempo), rate)
        if hearing.reading.lead_s:
            samples = np.concatenate([np.zeros(round(hearing.reading.lead_s * rate), np.float32), samples])
        started = time.monotonic()
        text = self._recognizer.transcribe(samples, rate, hearing.language)
        return self._store.put_transcript(asked, text, time.monotonic() - started).text


def recall(store: Store, path: Path) -> int:
    """Take recognitions made elsewhere ({"request", "text"} a line) into the store; returns how many lines there were."""
    from stages.core import files
    from stages.core.errors import UserError

    rows = files.read_jsonl(path)
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("request"), dict) or not isinstance(row.get("text"), str):
            raise UserError(f"{path} line {number} is no recorded recognition; a line has a request and a text.")
        store.put_transcript(row["request"], row["text"], 0.0)
    return len(rows)
