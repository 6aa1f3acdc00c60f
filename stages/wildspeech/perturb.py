"""Perturb: clips in the noise that was drawn for them, at a declared ratio, and a check that they can still be understood.

Source: paper 2506.21875, section 2.1.2 and appendix D: background speech, and environmental sounds of five families drawn by how common
they are in daily life, checked for audibility. What the paper leaves open (ratios, shares) is config. Ours adds: the ratio is measured on
the parts where somebody speaks, on the 16-bit clip that is kept; nothing clips; what is drawn depends on the seed and the item's id
alone; the clean clip stays below data/speak/; the noise's source and licence travel with the row; and the recognizer must still
understand the clip, else it goes no further. People listen to the kept ones in the desk (stages/review, kind `listen`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import Field, model_validator

from stages.core import verdicts
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.verdicts import Verdict, audible_entry
from stages.languages import Language, load
from stages.speech import noise as noises
from stages.speech.listening import Hearing, Listener, ListenPlan
from stages.speech.pool import Pool
from stages.speech.scoring import compare
from stages.speech.settings import RecognizerSettings
from stages.speech.store import Store, default_path

TOPIC = "wildspeech"
"""Of data/decisions/."""


MAX_ERROR_DB = 0.2
"""A measured ratio that differs more from the declared one is not released."""


class Conditions(Settings):
    """Weights of the three conditions."""

    clean: float = Field(default=0.0, ge=0)
    human_noise: float = Field(default=0.0, ge=0)
    """Somebody else speaks in the background."""
    natural_noise: float = Field(default=0.0, ge=0)
    """Environmental and incidental sounds."""

    @model_validator(mode="after")
    def _some(self) -> Conditions:
        if not self.clean + self.human_noise + self.natural_noise:
            raise ValueError("every condition has the weight 0, so that nothing can be drawn")
        return self


Ratio = Annotated[float, Field(ge=-40, le=50)]
"""In dB. Beyond it one of the two is lost in the rounding of the 16-bit clip."""


class Ratios(Settings):
    """Signal-to-noise ratios in dB that are drawn from, each as likely as another."""

    human_noise: list[Ratio] = Field(default=[10.0], min_length=1)
    natural_noise: list[Ratio] = Field(default=[5.0], min_length=1)


class Room(Settings):
    rt60_s: float = Field(gt=0.05, le=3)
    direct_to_reverberant_db: float = Field(ge=-10, le=30)


class PerturbSettings(Settings):
    language: str
    seed: int = 0
    conditions: Conditions
    families: noises.Families = noises.Families()
    snr_db: Ratios = Ratios()
    noise: list[noises.NoiseFolder] = Field(default_factory=list)
    room: Room | None = None
    """A room response on the speech, before the noise; null leaves it out."""
    ceiling_dbfs: float = Field(default=-1.0, ge=-30, le=0)
    recognizer: RecognizerSettings
    max_cer: float = Field(ge=0)
    """A clip that the recognizer understands less is not audible enough."""
    workers: int = Field(default=2, ge=1)


@dataclass
class Tools:
    language: Language
    library: noises.Library
    clips: Path
    """The folder with the clean clips."""
    unit: str
    verdicts: dict[str, list[Verdict]]
    """What people said of clips in the desk, by queue id."""
    listener: Listener
    pool: Pool[tuple[int, Hearing], str]
    progress: Progress


@dataclass(frozen=True)
class Plan:
    """What was drawn for an item."""

    condition: str
    clip: noises.Clip | None
    snr_db: float | None
    place: float
    """Where in the noise clip it begins, in [0, 1)."""


class Unmixable(UserError):
    """A clip that has no ratio to the noise drawn for it. One item's matter: the others go on."""


def run(rows: list[Row], settings: PerturbSettings, tools: Tools) -> Outcome:
    from stages.core import shards

    clean = dict(shards.iter_audio(tools.clips, [row["id"] for row in rows])) if rows else {}
    plans = {row["id"]: drawn(row["id"], settings, tools.library) for row in rows}
    for plan in plans.values():
        if plan.clip:
            tools.library.load(plan.clip)  # before the threads, so that each file is read once

    def tried(row: Row) -> tuple[bytes, Row] | Unmixable:
        try:
            return perturbed(row["id"], clean[row["id"]], plans[row["id"]], settings, tools.library)
        except Unmixable as error:
            return error

    with ThreadPoolExecutor(settings.workers) as threads:
        tries = list(zip(rows, threads.map(tried, rows), strict=True))
    rejected = [Rejection(row, "unmixable", "mix", str(result)) for row, result in tries if isinstance(result, Unmixable)]
    rows, made = [row for row, result in tries if not isinstance(result, Unmixable)], [one for _, one in tries if not isinstance(one, Unmixable)]
    heard = _listen([clip for clip, _ in made], settings, tools)
    kept, audio = [], []
    for row, (clip, columns), transcript in zip(rows, made, heard, strict=True):
        cer = compare(row["said"], transcript, tools.language).cer
        told = {**row, **columns, "noisy_transcript": transcript, "noisy_cer": cer}
        people = [verdict for verdict in tools.verdicts.get(audible_entry(tools.unit, told), ()) if verdict.verdict == "reject"]
        if people:
            why = "; ".join(filter(None, (verdict.reason for verdict in people)))
            by = ", ".join(verdict.reviewer for verdict in people)
            rejected.append(Rejection(told, "inaudible", "people", f"not understood by {by}" + (f": {why}" if why else "")))
        elif cer > settings.max_cer:
            seen = (
                f"CER {cer:.3f} in {columns['noise_kind'] or 'no noise'}, {row['cer']:.3f} without; above {settings.max_cer}; heard: {transcript!r}"
            )
            rejected.append(Rejection(told, "inaudible", "max_cer", seen))
        else:
            kept.append(told)
            audio.append((row["id"], clip))
    return Outcome(kept, rejected, _report(kept, rejected), audio)


def drawn(id: str, settings: PerturbSettings, library: noises.Library) -> Plan:
    """The condition, clip and ratio of an item, by the seed and its id alone."""
    draw = noises.drawer("perturb", settings.seed, id)
    condition = noises.weighted(settings.conditions.model_dump(), draw)
    if condition == "clean":
        return Plan(condition, None, None, 0.0)
    family = noises.SPEECH if condition == "human_noise" else noises.weighted(settings.families.model_dump(), draw)
    clip = library.draw(family, draw)
    ratios: list[float] = getattr(settings.snr_db, condition)
    return Plan(condition, clip, ratios[draw.randrange(len(ratios))], draw.random())


def perturbed(id: str, flac: bytes, plan: Plan, settings: PerturbSettings, library: noises.Library) -> tuple[bytes, Row]:
    """The clip of an item as it is kept, and the columns that say what was done to it. Untouched bytes where nothing was."""
    from stages.speech import audio, mixing

    columns: Row = {
        "condition": plan.condition, "noise_family": None, "noise_kind": None, "noise_file": None, "noise_sha256": None, "noise_source": None,
        "noise_author": None, "noise_licence": None, "noise_start_s": None, "snr_db": None, "snr_measured_db": None, "mix_gain_db": None,
        "room": orjson.dumps(settings.room.model_dump(), option=orjson.OPT_SORT_KEYS).decode() if settings.room else None,
        "perturbed_sha256": hashlib.sha256(flac).hexdigest(),
    }  # fmt: skip
    if plan.clip is None and settings.room is None:
        return flac, columns
    speech, rate = audio.decode(flac)
    if settings.room is not None:
        seed = int.from_bytes(hashlib.sha256(f"room {settings.seed} {id}".encode()).digest()[:8], "big")
        speech = mixing.room(speech, rate, settings.room.rt60_s, settings.room.direct_to_reverberant_db, seed)
    gain_db, measured = 0.0, None
    if plan.clip is None:
        samples, gain_db = mixing.below(speech, settings.ceiling_dbfs)
    else:
        assert plan.snr_db is not None
        loaded = library.load(plan.clip)
        samples_of_noise = audio.resample(loaded.samples, library.sample_rate_hz, rate)
        start = int(plan.place * len(samples_of_noise))
        try:
            mixed, start = mixing.mix_somewhere(speech, samples_of_noise, plan.snr_db, rate, settings.ceiling_dbfs, start)
        except UserError as error:
            raise Unmixable(f"Item {id} cannot be mixed with {plan.clip.file}: {error}") from None
        samples, gain_db = mixed.samples, mixed.gain_db
        clip = plan.clip
        columns |= {
            "noise_family": clip.family, "noise_kind": clip.kind, "noise_file": clip.file, "noise_sha256": loaded.sha256, "noise_source": clip.source,
            "noise_author": clip.author, "noise_licence": clip.licence, "noise_start_s": round(start / rate, 3), "snr_db": plan.snr_db,
        }  # fmt: skip
    encoded = audio.encode_flac(samples, rate)
    if plan.clip is not None:
        measured = mixing.measured_snr(speech, audio.decode(encoded)[0], 10 ** (gain_db / 20), rate)
        if plan.snr_db is not None and abs(measured - plan.snr_db) > MAX_ERROR_DB:
            told = f"{plan.snr_db:g} dB were declared and {measured:.2f} dB measured on the 16-bit clip"
            raise Unmixable(f"Item {id} does not have its ratio to {plan.clip.file}: {told}; one of the two is too quiet.")
    columns |= {
        "mix_gain_db": round(gain_db, 3), "snr_measured_db": None if measured is None else round(measured, 3),
        "perturbed_sha256": hashlib.sha256(encoded).hexdigest(),
    }  # fmt: skip
    return encoded, columns


def _listen(clips: list[bytes], settings: PerturbSettings, tools: Tools) -> list[str]:
    """What the recognizer hears in each clip."""
    hearings = [Hearing.of(clip, settings.language) for clip in clips]
    with tools.progress.task("heard", len(hearings)) as task:
        return tools.listener.hear(hearings, tools.pool, task)


def _report(kept: list[Row], rejected: list[Rejection]) -> dict[str, Any]:
    rows = [*kept, *(rejection.row for rejection in rejected if "condition" in rejection.row)]
    off = [abs(row["snr_measured_db"] - row["snr_db"]) for row in rows if row["snr_db"] is not None]

    def counts(column: str) -> dict[str, int]:
        return dict(sorted(Counter(row[column] for row in rows if row[column] is not None).items()))

    return {
        "conditions": counts("condition"),
        "families": counts("noise_family"),
        "kinds": counts("noise_kind"),
        "noise_licences": counts("noise_licence"),
        "snr_db": {f"{ratio:g}": count for ratio, count in sorted(Counter(row["snr_db"] for row in rows if row["snr_db"] is not None).items())},
        "max_snr_error_db": round(max(off), 3) if off else None,
        "unmixable": sum(rejection.reason == "unmixable" for rejection in rejected),
        "turned_down": sum((row["mix_gain_db"] or 0) < 0 for row in rows),
        "mean_cer_clean": round(sum(row["cer"] for row in rows) / len(rows), 4) if rows else None,
        "mean_cer_noisy": round(sum(row["noisy_cer"] for row in rows) / len(rows), 4) if rows else None,
    }


@contextmanager
def open_tools(settings: PerturbSettings, context: Context, clips: str = "speak") -> Iterator[Tools]:
    """`clips` is the stage that left the clean clips."""
    library = noises.Library(noises.read(settings.noise, context.root), sample_rate_hz=24000)
    if settings.conditions.human_noise:
        library.require(noises.SPEECH)
    if settings.conditions.natural_noise:
        for family, weight in settings.families.model_dump().items():
            if weight:
                library.require(family)
    plan = ListenPlan(settings.recognizer, context.root, default_path())
    with Store(default_path()) as store, Pool(plan.worker, settings.workers, plan.remote) as pool:
        listener = Listener(plan, store)
        yield Tools(
            load(settings.language),
            library,
            context.root / "data" / clips / context.subset,
            context.subset,
            verdicts.read(context.root, TOPIC),
            listener,
            pool,
            context.progress,
        )


def explain(row: Row) -> list[str]:
    if row.get("condition") is None:
        return []
    if row["noise_file"] is None:
        return [f"condition {row['condition']}; heard: {row['noisy_transcript']}"]
    told = f"{row['noise_kind']} ({row['noise_family']}) at {row['snr_db']:g} dB, measured {row['snr_measured_db']:.2f} dB"
    return [f"{told}, from {row['noise_source']} ({row['noise_licence']})", f"heard in noise: {row['noisy_transcript']} (CER {row['noisy_cer']:.3f})"]


STAGE = Stage(
    "perturb",
    run,
    PerturbSettings,
    reads="speak",
    input_schema="Spoken",
    output_schema="Perturbed",
    tools=open_tools,
    group="wildspeech",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
