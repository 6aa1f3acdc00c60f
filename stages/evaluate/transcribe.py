"""Transcribe: what a model answered in speech, heard by a recognizer three times, and how good it sounds.

Source: paper 2506.21875, section 2.2: replies are transcribed three times, and each transcript is judged. Ours adds: the recognizer is told the
language; the readings differ in what is done to the clip first, since three equal readings hide no error; a reply in which nobody
speaks is found by voice activity before a recognizer can imagine words; a transcript that repeats itself or is a phrase that
recognizers make of silence is refused, in English and in Korean (where all repeat themselves they are judged as they are, and counted); and
a reply that is missing or silent is a row like any other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from pydantic import Field

from stages.core import files
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Stage
from stages.evaluate.spoken_replies import Replies, Reply, read
from stages.languages import load
from stages.speech.listening import Hearing, ListenPlan, Reading, recall
from stages.speech.pool import Pool
from stages.speech.quality import QualitySettings
from stages.speech.settings import RecognizerSettings
from stages.speech.store import Store, default_path, key_of

COPIED = (
    "id", "query", "language", "category", "topic", "kind", "condition", "noise_family", "snr_db", "voice_gender", "voice_age", "must_notice",
    "checklist",
)  # fmt: skip
"""Columns of the query that the report needs."""


class TranscribeSettings(Settings):
    benchmark: str
    """The benchmark of queries that was asked: data/perturb/<benchmark>."""
    language: str
    """The language that replies are to be in; the recognizer is told it."""
    replies: Replies
    recognizer: RecognizerSettings
    readings: list[Reading] = Field(min_length=1)
    """In the order in which they are tried, until `wanted` transcripts are kept."""
    wanted: int = Field(default=3, ge=1)
    min_speech_s: float = Field(default=0.25, ge=0)
    """Less speech than that is silence."""
    quality: QualitySettings = None
    recorded: list[str] = Field(default_factory=list)
    """JSONL files of recognitions made elsewhere ({"request", "text"}), taken into the store: what was heard once is not heard again."""
    workers: int = Field(default=2, ge=1)


@dataclass
class Heard:
    """What became of one clip."""

    duration_s: float
    speech_s: float
    readings: list[dict[str, Any]] = field(default_factory=list)
    quality: dict[str, float] = field(default_factory=dict)

    def transcripts(self, wanted: int) -> list[str]:
        """The sound ones; where every reading got stuck the first of these, as the paper has it: the model itself may repeat itself."""
        by_verdict = {verdict: [reading["text"] for reading in self.readings if reading["verdict"] == verdict] for verdict in ("kept", "loop")}
        return (by_verdict["kept"] or by_verdict["loop"])[:wanted]

    @property
    def stuck(self) -> bool:
        """Whether its transcripts are loops, for want of others."""
        verdicts = [reading["verdict"] for reading in self.readings]
        return "loop" in verdicts and "kept" not in verdicts


@dataclass
class Tools:
    queries: list[Row]
    replies: dict[str, Reply]
    talker: str
    pool: Pool[tuple[str, bytes], Heard]
    recognizer: str
    quality_by: str | None
    progress: Progress


def run(_: list[Row], settings: TranscribeSettings, tools: Tools) -> Outcome:
    heard: dict[str, Heard] = {}
    clips = [(row["id"], clip) for row in tools.queries if (reply := tools.replies.get(row["id"])) and (clip := reply.clip)]
    with tools.progress.task("replies", len(clips)) as task:

        def then(done: tuple[str, bytes], result: Heard) -> None:
            heard[done[0]] = result
            task.advance()

        failures = tools.pool.run(clips, then)
    if failures:
        names = sorted(failure.task[0] for failure in failures)
        what = f"{len(names)} replies could not be heard ({', '.join(names[:5])}), the first because: {failures[0].why}"
        raise UserError(f"{what} Replace a damaged clip, or leave its `file` out for no reply, and run again; the others are stored.")
    kept = [_row(query, tools.replies.get(query["id"]), heard.get(query["id"]), settings, tools) for query in tools.queries]
    stuck = sorted(id for id, one in heard.items() if one.stuck)
    return Outcome(kept, report={**_report(kept, tools), "n_stuck": len(stuck), "stuck": stuck[:20]})


def _row(query: Row, reply: Reply | None, heard: Heard | None, settings: TranscribeSettings, tools: Tools) -> Row:
    kind = "missing"
    if heard is not None:
        kind = "silent" if heard.speech_s < settings.min_speech_s else "spoken" if heard.transcripts(settings.wanted) else "unheard"
    return {
        **{name: query[name] for name in COPIED},
        "talker": tools.talker,
        "benchmark": settings.benchmark,
        "reply": kind,
        "reply_text": reply.text if reply else None,
        "reply_sha256": hashlib.sha256(reply.clip).hexdigest() if reply and reply.clip else None,
        "reply_s": heard.duration_s if heard else 0.0,
        "speech_s": heard.speech_s if heard else 0.0,
        "transcripts": heard.transcripts(settings.wanted) if heard else [],
        "readings": heard.readings if heard else [],
        "recognizer": tools.recognizer,
        "quality": orjson.dumps(heard.quality if heard else {}, option=orjson.OPT_SORT_KEYS).decode(),
        "quality_by": tools.quality_by,
    }


def _report(rows: list[Row], tools: Tools) -> dict[str, Any]:
    verdicts = Counter(reading["verdict"] for row in rows for reading in row["readings"])
    kept = [row["transcripts"] for row in rows if row["transcripts"]]
    return {
        "replies": dict(sorted(Counter(row["reply"] for row in rows).items())),
        "readings": dict(sorted(verdicts.items())),
        "alike": sum(len(set(transcripts)) == 1 for transcripts in kept),
        "n_transcribed": len(kept),
        "recognizer": tools.recognizer,
        "quality_by": tools.quality_by,
        "reply_s": round(sum(row["reply_s"] for row in rows), 1),
    }


class Ear:
    """A worker: measures a clip, and hears it until enough transcripts are sound."""

    def __init__(self, settings: TranscribeSettings, plan: ListenPlan) -> None:
        from stages.speech.quality import open_predictor

        self._settings = settings
        self._ear = plan.worker()
        self._answers = load(settings.language).answers
        self._predictor = open_predictor(settings.quality, settings.language) if settings.quality else None
        self._store = Store(plan.store)

    def __call__(self, task: tuple[str, bytes]) -> Heard:
        from stages.speech import audio, quality

        clip = task[1]
        samples, rate = audio.decode(clip)
        speech = quality.speech_s(samples, rate) if len(samples) else 0.0
        heard = Heard(round(len(samples) / rate, 3), speech)
        if speech < self._settings.min_speech_s:
            return heard
        for reading in self._settings.readings:
            if sum(reading["verdict"] == "kept" for reading in heard.readings) == self._settings.wanted:
                break
            text = self._ear((0, Hearing.of(clip, self._settings.language, reading)))
            heard.readings.append({**reading.model_dump(), "text": text, "verdict": verdict(text, self._answers)})
        if self._predictor is not None:
            heard.quality = self._measured(clip, samples, rate)
        return heard

    def _measured(self, clip: bytes, samples: Any, rate: int) -> dict[str, float]:
        assert self._predictor is not None
        request = {"audio_sha256": hashlib.sha256(clip).hexdigest(), "quality": self._predictor.name, "revision": self._predictor.revision}
        stored = self._store.transcript(key_of(request))
        if stored is None:
            stored = self._store.put_transcript(request, orjson.dumps(self._predictor.measure(samples, rate)).decode(), 0.0)
        return dict(orjson.loads(stored.text))


def verdict(text: str, answers: Any) -> str:
    """`kept`, or why a transcript cannot be what was said: `loop`, `silence`."""
    if not text.strip() or answers.silence(text):
        return "silence"
    return "loop" if answers.loops(text) else "kept"


@contextmanager
def open_tools(settings: TranscribeSettings, context: Context) -> Iterator[Tools]:
    from stages.core import schemas
    from stages.speech.quality import open_predictor

    path = context.root / "data" / "perturb" / settings.benchmark / "rows.jsonl"
    queries = files.read_jsonl(path)
    schemas.check(queries, "Perturbed", str(path.relative_to(context.root)))
    replies = read(settings.replies, {row["id"] for row in queries}, settings.language, context.root)
    plan = ListenPlan(settings.recognizer, context.root, default_path())
    with Store(default_path()) as store:
        for name in settings.recorded:
            recall(store, context.root / name)
    recognizer = plan.open()
    if not settings.recorded:
        recognizer.prepare()
    predictor = open_predictor(settings.quality, settings.language) if settings.quality else None
    with Pool(partial(Ear, settings, plan), settings.workers, recognizer.remote) as pool:
        name = f"{recognizer.name}@{recognizer.revision}"
        quality_by = f"{predictor.name}@{predictor.revision}" if predictor else None
        yield Tools(queries, replies, context.subset, pool, name, quality_by, context.progress)


def explain(row: Row) -> list[str]:
    lines = [f"reply of {row['talker']}: {row['reply']}, {row['reply_s']:g} s"]
    return lines + [f"heard ({reading['verdict']}): {reading['text']}" for reading in row["readings"]]


STAGE = Stage(
    "transcribe",
    run,
    TranscribeSettings,
    reads=None,
    input_schema=None,
    output_schema="Transcribed",
    tools=open_tools,
    group="talkers",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
