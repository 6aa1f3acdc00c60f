"""Stage assemble: the questions of all methods, validated and in their released form (paper 2605.27984, section 4.3).

    python -m stages.understanding.assemble kmmau

The last gate before release trusts none of the methods: it reads options, answer, licence and audio of every question again.
data/assemble/<unit>/<capability>/ gets the questions and, as rejected, everything that the methods had refused before, so that it accounts for
every candidate; data/assemble/<unit>/summary.json tells the counts against the targets, by corpus and by reason, and how well one
does without hearing (stages/understanding/baselines.py). A shortfall is told, never padded.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from stages import languages
from stages.core import files, runner, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings
from stages.core.shards import iter_audio
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language
from stages.understanding import baselines, options

METHODS = ("metadata", "transcript", "generated", "manual")


class Wanted(Settings):
    target: int | None = Field(ge=0)
    """Questions of the published set."""
    n_options: int = Field(ge=2)


class AssembleSettings(Settings):
    language: str
    corpora: list[str]
    seed: int
    capabilities: dict[str, Wanted]
    releases: list[str] = Field(min_length=1)
    methods: list[str] = Field(list(METHODS))
    min_duration_s: float = Field(0.3, ge=0)
    max_duration_s: float = Field(700.0, gt=0)
    """The longest clip of the published set lasts 664.73 s."""
    duration_tolerance_s: float = Field(0.01, ge=0)
    guessable_margin: float = Field(0.0, ge=0)
    """How far above chance a guesser's interval may begin before the capability is flagged."""
    guessable_least: int = Field(20, ge=1)
    """Questions that a capability must have before it can be flagged."""


@dataclass(frozen=True)
class Tools:
    capability: str
    questions: list[Row]
    refused: list[Rejection]
    """What the methods refused."""
    segments: Path
    """The folder of the corpora's segments, with their audio."""
    language: Language


@dataclass
class Sound:
    """What reading a clip told."""

    sha256: str = ""
    content_sha256: str = ""
    sample_rate_hz: int = 0
    problems: dict[str, str] = field(default_factory=dict)


def run(rows: list[Row], settings: AssembleSettings, tools: Tools) -> Outcome:
    """Rows of Understood of one capability. Raises UserError when the audio of a segment is missing or damaged."""
    wanted = settings.capabilities[tools.capability]
    problems = {row["id"]: _text_problems(row, wanted, tools.language) for row in tools.questions}
    _twice(tools.questions, problems)
    sounds = _listen(tools.questions, settings, tools.segments)
    kept: list[Row] = []
    rejected = list(tools.refused)
    for row in tools.questions:
        sound = sounds.get(row["segment"], Sound(problems={"no_audio": "the audio of the segment is not here"}))
        found = problems[row["id"]] | sound.problems
        if found:
            detail = "; ".join(f"{name}: {what}" for name, what in found.items())
            rejected.append(Rejection(row, "no_audio" if "no_audio" in found else "invalid", next(iter(found)), detail))
            continue
        asked = {"shown": shown(row, tools.language), "released_in": list(settings.releases)}
        kept.append({**row, **asked, "audio_sha256": sound.sha256, "sample_rate_hz": sound.sample_rate_hz})
    return Outcome(kept, rejected)


def shown(row: Row, language: Language) -> str:
    """The released question: its options below it, a line each, behind the language's labels."""
    lines = [f"{label}. {choice}" for label, choice in zip(language.option_labels, row["choices"], strict=False)]
    return "\n".join([row["question"], *lines])


def _text_problems(row: Row, wanted: Wanted, language: Language) -> dict[str, str]:
    found: dict[str, str] = {}
    trouble = options.problem(row["choices"], row["answer"], wanted.n_options, language.alias_key)
    if trouble:
        found["options"] = trouble
    elif row["choices"][row["answer_index"]] != row["answer"]:
        found["answer"] = f"answer_index names {row['choices'][row['answer_index']]!r}, the answer is {row['answer']!r}"
    if not row["licence"].strip():
        found["licence"] = "the row carries no licence"
    if row["end_s"] <= row["start_s"]:
        found["times"] = f"begins at {row['start_s']} s and ends at {row['end_s']} s"
    return found


def _twice(rows: list[Row], problems: dict[str, dict[str, str]]) -> None:
    """No segment, no content and no stretch of a recording in two questions of the capability: the first one in order of id stays."""
    segments: dict[str, str] = {}
    contents: dict[str, str] = {}
    spans: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["id"]):
        if problems[row["id"]]:
            continue
        if (first := segments.setdefault(row["segment"], row["id"])) != row["id"]:
            problems[row["id"]]["same_segment"] = f"asks about the segment of {first}"
        elif row["content_sha256"] and (first := contents.setdefault(row["content_sha256"], row["id"])) != row["id"]:
            problems[row["id"]]["same_content"] = f"has the very same sound as {first}"
        else:
            before = spans[row["corpus"], row["recording"]]
            other = next((one for one in before if one["start_s"] < row["end_s"] and row["start_s"] < one["end_s"]), None)
            if other is not None:
                problems[row["id"]]["overlap"] = f"overlaps {other['id']} in time"
            before.append(row)


def _listen(rows: list[Row], settings: AssembleSettings, segments: Path) -> dict[str, Sound]:
    """Segment id to its sound; those without audio are left out."""
    by_corpus: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row["has_audio"]:
            by_corpus[row["corpus"]].setdefault(row["segment"], row)
    found: dict[str, Sound] = {}
    for corpus, wanted in sorted(by_corpus.items()):
        for id, audio in iter_audio(segments / corpus, wanted):
            found[id] = _sound(wanted[id], audio, settings)
    return found


def _sound(row: Row, audio: bytes, settings: AssembleSettings) -> Sound:
    """The clip, decoded in pieces: a ten-minute one is never in memory as samples."""
    import soundfile

    sound = Sound(hashlib.sha256(audio).hexdigest())
    content = hashlib.sha256()
    frames, loud = 0, False
    try:
        with soundfile.SoundFile(io.BytesIO(audio)) as file:
            form, channels, sound.sample_rate_hz = file.format, file.channels, file.samplerate
            expected = file.frames
            while len(block := file.read(1 << 18, dtype="int16")):
                frames += len(block)
                loud = loud or bool(block.any())
                content.update(block.tobytes())
    except (soundfile.SoundFileError, RuntimeError) as error:
        sound.problems["audio_readable"] = f"the audio cannot be decoded ({str(error).rstrip('.')})"
        return sound
    sound.content_sha256 = content.hexdigest()
    duration = frames / sound.sample_rate_hz
    if frames != expected:
        sound.problems["audio_readable"] = f"the audio ends after {frames} of {expected} samples"
    if form != "FLAC" or channels != 1:
        sound.problems["audio_format"] = f"the audio is {form} with {channels} channels, expected mono FLAC"
    if row["content_sha256"] and sound.content_sha256 != row["content_sha256"]:
        sound.problems["content"] = "the audio is not that of the segment (its samples differ)"
    if abs(duration - row["duration_s"]) > settings.duration_tolerance_s:
        sound.problems["duration"] = f"the audio lasts {duration:.3f} s, the column says {row['duration_s']:.3f} s"
    elif not settings.min_duration_s <= duration <= settings.max_duration_s:
        allowed = f"{settings.min_duration_s:g} to {settings.max_duration_s:g} s"
        sound.problems["duration_limits"] = f"the audio lasts {duration:.2f} s, allowed are {allowed}"
    if not loud:
        sound.problems["silence"] = "the audio is silent"
    return sound


def made(root: Path, unit: str, chosen: AssembleSettings) -> tuple[dict[str, list[Row]], dict[str, list[Rejection]]]:
    """The questions and the refusals of all methods, by capability. Raises UserError for rows that are no questions."""
    from stages.core import schemas

    questions: dict[str, list[Row]] = defaultdict(list)
    refused: dict[str, list[Rejection]] = defaultdict(list)
    for method in chosen.methods:
        folder = root / "data" / f"questions_{method}" / unit
        rows = files.read_jsonl(folder / "rows.jsonl")
        schemas.check(rows, "Question", str(folder / "rows.jsonl"))
        for row in rows:
            questions[row["capability"]].append(row)
        for row in files.read_jsonl(folder / "rejected.jsonl"):
            rest = dict(row)
            why = [str(rest.pop(column)) for column in ("reason", "rule_id", "detail")]
            refused[_capability(rest["id"])].append(Rejection(rest, *why))
    unknown = sorted({*questions, *refused} - set(chosen.capabilities))
    if unknown:
        raise UserError(f"The methods made questions of {unknown[0]!r}; name it in understanding.{unit}.assemble.capabilities or take it out there.")
    return questions, refused


def _usable(root: Path, corpora: list[str]) -> dict[str, set[str]]:
    """Capability to the segments that it may use."""
    found: dict[str, set[str]] = defaultdict(set)
    for corpus in corpora:
        for row in files.stream_jsonl(root / "data" / "segments" / corpus / "rows.jsonl"):
            for name in row["uses"]:
                found[name].add(row["id"])
    return found


def _reconcile(usable: dict[str, set[str]], questions: dict[str, list[Row]], refused: dict[str, list[Rejection]]) -> None:
    """Each segment that a capability may use has become a question of it or a refusal, and nothing else has."""
    for name in sorted({*usable, *questions, *refused}):
        told = [row["segment"] for row in questions[name]]
        told += [one.row.get("segment") or one.row["id"].partition("/")[2] for one in refused[name]]
        lost, invented = sorted(usable[name] - set(told)), sorted(set(told) - usable[name])
        if lost or invented:
            what = "neither a question nor a refusal" if lost else "asked about, though it is none of its segments"
            raise UserError(f"Segment {(lost or invented)[0]} is {what} of {name} ({len(lost or invented)} such segments); run `dvc repro`.")


def _capability(id: str) -> str:
    """Of a question (`age-0003`) or of a refused segment (`age/kss-...`)."""
    return id.partition("/")[0] if "/" in id else id.rpartition("-")[0]


def summarize(kept: dict[str, list[Row]], rejected: dict[str, list[Row]], chosen: AssembleSettings) -> dict[str, Any]:
    """Counts against the targets, by corpus and reason, and the baselines; every question and every refusal counted once."""
    each = {}
    for name, wanted in chosen.capabilities.items():
        rows, out = kept[name], rejected[name]
        each[name] = {
            "target": wanted.target,
            "released": len(rows),
            "shortfall": max(0, (wanted.target or 0) - len(rows)),
            "rejected": len(out),
            "candidates": len(rows) + len(out),
            "corpora": dict(sorted(Counter(row["corpus"] for row in rows).items())),
            "reasons": dict(sorted(Counter(row["reason"] for row in out).items())),
            "answers": dict(sorted(Counter(row["answer"] for row in rows).items())) if wanted.n_options < 4 else {},
            "minutes": round(sum(row["duration_s"] for row in rows) / 60, 2),
            "without_hearing": baselines.measure(rows, chosen.seed, chosen.guessable_margin, chosen.guessable_least)
            | {"model": baselines.model([*rows, *out])},
        }
    total = {key: sum(one[key] for one in each.values()) for key in ("released", "rejected", "candidates", "shortfall")}
    total["target"] = sum(wanted.target or 0 for wanted in chosen.capabilities.values())
    flagged = sorted(name for name, one in each.items() if one["without_hearing"]["guessable"])
    return {"capabilities": each, "total": total, "guessable": flagged}


@contextmanager
def _open(chosen: AssembleSettings, context: Context, questions: dict[str, list[Row]], refused: dict[str, list[Rejection]]) -> Iterator[Tools]:
    name = context.subset.rpartition("/")[2]
    yield Tools(name, questions[name], refused[name], context.root / "data" / "segments", languages.load(chosen.language))


def main(arguments: list[str], root: Path = ROOT) -> None:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise UserError("python -m stages.understanding.assemble takes one unit of params.yaml's `understanding`, such as kmmau.")
    unit = arguments[0]
    values = read_config(f"understanding.{unit}.assemble", root)
    chosen = settings.load(AssembleSettings, values, f"understanding.{unit}.assemble")
    questions, refused = made(root, unit, chosen)
    _reconcile(_usable(root, chosen.corpora), questions, refused)
    kept: dict[str, list[Row]] = {}
    rejected: dict[str, list[Row]] = {}
    for name in chosen.capabilities:
        stage = Stage(
            STAGE.name, run, AssembleSettings, reads=None, input_schema=None, output_schema=STAGE.output_schema, group=STAGE.group,
            tools=lambda chosen, context: _open(chosen, context, questions, refused),
        )  # fmt: skip
        runner.run_stage(stage, f"{unit}/{name}", values, root)
        folder = root / "data" / STAGE.name / unit / name
        kept[name], rejected[name] = files.read_jsonl(folder / "rows.jsonl"), files.read_jsonl(folder / "rejected.jsonl")
    told = summarize(kept, rejected, chosen)
    files.write_json(root / "data" / STAGE.name / unit / "summary.json", told)
    _print(told)


def _print(told: dict[str, Any]) -> None:
    for name, one in told["capabilities"].items():
        short = f", {one['shortfall']} short of {one['target']}" if one["shortfall"] else ""
        flag = f"  guessable by {', '.join(one['without_hearing']['guessable'])}" if one["without_hearing"]["guessable"] else ""
        print(f"{name}: {one['released']} of {one['candidates']} candidates{short}{flag}")


STAGE = Stage(
    "assemble", run, AssembleSettings, reads=None, input_schema=None, output_schema="Understood", group="understanding"
)  # fmt: skip
"""As the configuration knows it; `main` opens the tools, once for all capabilities."""

if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
