"""Speak: each query is said by one of sixteen voice profiles, with the pauses, stress and stutter that it asks for, and heard again.

Source: paper 2506.21875, section 2.1.2: 16 voice profiles over both genders and four age groups, human recordings for paralinguistic
items that need them. Ours adds: the age of a profile says what it rests on, marks of delivery are carried by editing and measured
in the audio, every clip is recognized again and said differently when it was not understood, and imported recordings pass the same
checks. Tone cannot be told to the embedded voice: such an item is flagged, or left out by `untold_tone`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from stages.core import delivery as deliveries
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings, watched
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language, load
from stages.speech.casting import choose_voice
from stages.speech.checks import AudioChecks, problems
from stages.speech.delivery import Piece, pieces
from stages.speech.pool import Pool
from stages.speech.scoring import Errors, compare
from stages.speech.settings import RecognizerSettings, SynthesizerSettings, Voice
from stages.speech.store import StoredAudio, default_path
from stages.speech.studio import Candidate, Studio, StudioPlan
from stages.speech.takes import Recorded, Take, TakePlan, side_texts
from stages.wildspeech import recordings
from stages.wildspeech.recordings import Imported, Recording


class SpeakSettings(Settings):
    language: str
    text: Literal["delivery", "spoken"] = "delivery"
    """The column that is said: `delivery` holds marks, `spoken` is plain."""
    synthesizer: SynthesizerSettings
    recognizer: RecognizerSettings
    max_cer: float = Field(ge=0)
    max_attempts: int = Field(default=3, ge=1)
    max_side_cer: float = Field(default=0.5, ge=0)
    """A marked pause lies where it should when the words on each side of it are heard there, with at most this error rate."""
    recordings: Annotated[str, watched("data/handwritten")] | None = None
    """Folder of imported recordings (stages/wildspeech/recordings.py)."""
    unrecorded: Literal["speak", "reject"] = "reject"
    """What becomes of an item that needs a person's recording and has none."""
    untold_tone: Literal["flag", "reject"] = "flag"
    """What becomes of an item whose tone the synthesizer cannot be told."""
    loudness_lufs: float = Field(default=-23.0, lt=0)
    ceiling_dbtp: float = Field(default=-1.0, le=0)
    sample_rate_hz: int = Field(default=24000, ge=8000)
    checks: AudioChecks = AudioChecks(max_silence_s=3.5, max_chars_per_s=25.0)
    """A marked pause is silence on purpose, and an alphabet's letters come faster than syllables."""
    workers: int = Field(default=2, ge=1)


@dataclass
class Tools:
    language: Language
    studio: Studio
    pool: Pool[tuple[int, Take], Recorded]
    recordings: dict[str, Recording]
    progress: Progress


@dataclass
class Item:
    """A row on its way: what is to be said by whom, and what was recorded, its errors, and what is wrong with it."""

    row: Row
    pieces: tuple[Piece, ...]
    tones: list[str]
    gender: str
    voice: Voice
    takes: list[tuple[Recorded, Errors, list[str]]] = field(default_factory=list)

    @property
    def said(self) -> str:
        return " ".join(piece.text for piece in self.pieces)

    def best(self) -> tuple[Recorded, Errors, list[str]]:
        return min(self.takes, key=lambda take: (len(take[2]), take[1].cer))


def run(rows: list[Row], settings: SpeakSettings, tools: Tools) -> Outcome:
    items, imported, rejected = _sorted_out(rows, settings, tools)
    _speak(items, settings, tools)
    done: list[tuple[str, Row, list[str], str]] = []
    for item in items:
        take, errors, wrong = item.best()
        told = {**item.row, **_columns(item, take, errors, wrong, settings, tools.studio)}
        done.append((take.key, told, wrong, f"after {len(item.takes)} takes"))
    for row, recording in imported:
        taken = recordings.take_in(recording, settings.sample_rate_hz, settings.loudness_lufs, settings.ceiling_dbtp, tools.studio)
        told, wrong = _imported(row, recording, taken, settings, tools)
        done.append((taken.key, told, wrong, f"in the recording {recording.path.name}"))
    kept, audio = [], []
    for key, told, wrong, where in done:
        rejection = _rejection(told, wrong, where, settings)
        if rejection is not None:
            rejected.append(rejection)
            continue
        kept.append(told)
        audio.append((told["id"], key))
    stored = StoredAudio(tools.studio.store.path, tuple(sorted(audio)))
    return Outcome(kept, rejected, _report(kept, settings, tools.studio), stored)


def _sorted_out(rows: list[Row], settings: SpeakSettings, tools: Tools) -> tuple[list[Item], list[tuple[Row, Recording]], list[Rejection]]:
    """What is to be synthesized, what is imported, and what goes no further."""
    items: list[Item] = []
    imported: list[tuple[Row, Recording]] = []
    rejected: list[Rejection] = []
    if strangers := sorted(tools.recordings.keys() - {row["id"] for row in rows}):
        raise UserError(f"{settings.recordings}/{recordings.TABLE} has a recording of {strangers[0]}, which is no item here; take its line out.")
    for row in rows:
        if (spoken_in := row.get("language", settings.language)) != settings.language:
            raise UserError(f"Item {row['id']} is in {spoken_in!r}, but speak.language is {settings.language!r}; correct conf/benchmark/.")
        if row["id"] in tools.recordings:
            imported.append((row, tools.recordings[row["id"]]))
            continue
        if row.get("needs_recording") and settings.unrecorded == "reject":
            rejected.append(Rejection(row, "needs_recording", "unrecorded", f"kind {row['kind']}: no synthesizer is trusted with it"))
            continue
        delivery = _delivery(row, settings)
        tones = [mark.value for mark in delivery.marks if mark.kind == "tone"]
        if tones and settings.untold_tone == "reject":
            rejected.append(Rejection(row, "needs_recording", "untold_tone", f"tone {', '.join(tones)}"))
            continue
        said = tuple(replace(piece, text=tools.language.read(piece.text).text) for piece in pieces(delivery))
        if not said:
            rejected.append(Rejection(row, "unspeakable", "no_words", f"nothing to say in {row[settings.text][:60]!r}"))
            continue
        items.append(Item(row, said, tones, *choose_voice(row["id"], settings.synthesizer.voices)))
    return items, imported, rejected


def _delivery(row: Row, settings: SpeakSettings) -> deliveries.Delivery:
    if settings.text == "delivery":
        return deliveries.parse(row["delivery"], f"Item {row['id']}")
    return deliveries.Delivery(row["spoken"], [])


def _speak(items: list[Item], settings: SpeakSettings, tools: Tools) -> None:
    variations = settings.synthesizer.variations[: settings.max_attempts]

    def take(item: Item) -> Take:
        variation = variations[len(item.takes)]
        return Take(item.pieces, item.voice, variation, settings.loudness_lufs, settings.ceiling_dbtp, settings.sample_rate_hz)

    if not items:
        return
    with tools.progress.task("queries", len(items)) as task:

        def then(done: tuple[int, Take], recorded: Recorded) -> tuple[int, Take] | None:
            item = items[done[0]]
            errors, wrong = _judged(item, recorded, settings, tools.language)
            item.takes.append((recorded, errors, wrong))
            if (wrong or errors.cer > settings.max_cer) and len(item.takes) < len(variations):
                return done[0], take(item)
            task.advance(1, note=f"CER {item.best()[1].cer:.2f}")
            return None

        tools.studio.synthesizer.prepare()
        tools.studio.recognizer.prepare()
        failures = tools.pool.run([(number, take(item)) for number, item in enumerate(items)], then)
    if failures:
        names = sorted({items[failure.task[0]].row["id"] for failure in failures})
        what = f"{len(names)} items could not be spoken ({', '.join(names[:5])}), the first because: {failures[0].why}"
        raise UserError(f"{what} The others are stored; run again to go on.")


def _judged(item: Item, recorded: Recorded, settings: SpeakSettings, language: Language) -> tuple[Errors, list[str]]:
    """Errors against what was to be said, and what is wrong: bad audio first, then marks that the audio does not carry."""
    errors = compare(item.said, recorded.transcript, language)
    candidate = Candidate(recorded.key, recorded.sha256, recorded.measures, recorded.unspoken, recorded.transcript, recorded.seconds)
    wrong = problems(candidate, errors, settings.checks)
    wrong += [f"mark {mark.kind}: {mark.measured} instead of {mark.wanted}" for mark in recorded.marks if not mark.ok]
    for wanted, heard in zip(side_texts(item.pieces), recorded.sides, strict=False):
        cer = compare(wanted, heard, language).cer
        if cer > settings.max_side_cer:
            wrong.append(f"mark pause: beside it {heard!r} is heard instead of {wanted!r} (CER {cer:.2f})")
    return errors, wrong


def _rejection(told: Row, wrong: list[str], where: str, settings: SpeakSettings) -> Rejection | None:
    if wrong and not wrong[0].startswith("mark"):
        return Rejection(told, "bad_audio", wrong[0].partition(":")[0], f"{where}: {'; '.join(wrong)}")
    if told["cer"] > settings.max_cer:
        return Rejection(
            told, "unintelligible", "max_cer", f"CER {told['cer']:.3f} is above {settings.max_cer} {where}; heard: {told['transcript']!r}"
        )
    if wrong:
        return Rejection(told, "mark_not_heard", wrong[0].partition(":")[0].replace(" ", "_"), f"{where}: {'; '.join(wrong)}")
    return None


def _columns(item: Item, take: Recorded, errors: Errors, wrong: list[str], settings: SpeakSettings, studio: Studio) -> Row:
    tones = [f"tone: {tone!r} is not in the audio, the voice cannot be told it" for tone in item.tones]
    return {
        "said": item.said,
        "voice": item.voice.profile or item.voice.name,
        "voice_gender": item.gender,
        "voice_age": item.voice.age,
        "voice_age_basis": item.voice.age_basis,
        "speech_origin": "synthesized",
        "speech_licence": None,
        "synthesizer": f"{studio.synthesizer.name}@{studio.synthesizer.revision}",
        **_measured(take, errors, settings, studio),
        "speech_marks": [asdict(mark) for mark in take.marks],
        "speech_flags": tones + [one for one in wrong if one.startswith("mark")],
        "n_takes": len(item.takes),
    }


def _imported(row: Row, recording: Recording, taken: Imported, settings: SpeakSettings, tools: Tools) -> tuple[Row, list[str]]:
    said = tools.language.read(_delivery(row, settings).text).text
    errors = compare(said, taken.transcript, tools.language)
    wrong = problems(Candidate(taken.key, taken.sha256, taken.measures, "", taken.transcript, 0.0), errors, settings.checks)
    return {
        **row,
        "said": said,
        "voice": recording.speaker or "unnamed",
        "voice_gender": recording.gender,
        "voice_age": recording.age,
        "voice_age_basis": "recorded" if recording.age else None,
        "speech_origin": "recorded",
        "speech_licence": recording.licence,
        "synthesizer": None,
        **_measured(taken, errors, settings, tools.studio),
        "speech_marks": [],
        "speech_flags": [],
        "n_takes": 0,
    }, wrong


def _measured(take: Recorded | Imported, errors: Errors, settings: SpeakSettings, studio: Studio) -> Row:
    return {
        "recognizer": f"{studio.recognizer.name}@{studio.recognizer.revision}",
        "speech_sha256": take.sha256,
        "sample_rate_hz": settings.sample_rate_hz,
        "duration_s": take.duration_s,
        "loudness_lufs": take.loudness_lufs,
        "transcript": take.transcript,
        "cer": errors.cer,
    }


def _report(kept: list[Row], settings: SpeakSettings, studio: Studio) -> dict[str, Any]:
    def counts(values: Any) -> dict[str, int]:
        return dict(sorted(Counter(values).items()))

    voices = settings.synthesizer.voices
    return {
        "synthesizer": {"name": studio.synthesizer.name, "revision": studio.synthesizer.revision, "origin": studio.synthesizer.origin},
        "recognizer": {"name": studio.recognizer.name, "revision": studio.recognizer.revision, "origin": studio.recognizer.origin},
        "n_profiles": len(voices.female) + len(voices.male),
        "voices": counts(row["voice"] for row in kept),
        "gender_and_age": counts(f"{row['voice_gender']} {row['voice_age']}" for row in kept),
        "origins": counts(row["speech_origin"] for row in kept),
        "marks": counts(f"{mark['kind']} {'heard' if mark['ok'] else 'not heard'}" for row in kept for mark in row["speech_marks"]),
        "n_takes": sum(row["n_takes"] for row in kept),
        "mean_cer": round(sum(row["cer"] for row in kept) / len(kept), 4) if kept else None,
        "audio_s": round(sum(row["duration_s"] for row in kept), 1),
    }


@contextmanager
def open_tools(settings: SpeakSettings, context: Context) -> Iterator[Tools]:
    plan = StudioPlan(settings.synthesizer, settings.recognizer, settings.language, context.root, default_path())
    studio = plan.open()
    folder = context.root / settings.recordings if settings.recordings else None
    threads = studio.synthesizer.remote and studio.recognizer.remote
    with studio.store, Pool(TakePlan(plan).worker, settings.workers, threads) as pool:
        yield Tools(load(settings.language), studio, pool, recordings.load(folder), context.progress)


def explain(row: Row) -> list[str]:
    if row.get("said") is None:
        return []
    age = f", {row['voice_age']} ({row['voice_age_basis']})" if row["voice_age"] else ""
    lines = [f"{row['speech_origin']} by {row['voice']} ({row['voice_gender']}{age}), CER {row['cer']:.3f}; heard: {row['transcript']}"]
    lines += [f"{mark['kind']} at {mark['start_s']:.2f} s: {mark['measured']}, wanted {mark['wanted']}" for mark in row["speech_marks"]]
    return lines + list(row["speech_flags"])


STAGE = Stage(
    "speak",
    run,
    SpeakSettings,
    reads="checklist",
    input_schema="Checklisted",
    output_schema="Spoken",
    tools=open_tools,
    group="wildspeech",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
