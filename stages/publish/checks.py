"""What must hold for a row before it may be released, one small function a check.

A check gets the row and says in a few words what is wrong, or returns None. Its name is the rule id of the rejection.
The peers' users met each of these after release: options without the key, an id and an audio shifted against each other,
mixed sample rates, 0-byte audio (reported for MMAU, MMAR and the datasets library).
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from stages.core.files import Row
from stages.languages import Language


class Limits(Protocol):
    min_duration_s: float
    max_duration_s: float
    duration_tolerance_s: float
    sample_rate_hz: int | None
    audio_format: str


TextCheck = Callable[[Row, Language], str | None]


def licence(row: Row, language: Language) -> str | None:
    return None if row["licence"].strip() else "the row carries no licence"


def spoken(row: Row, language: Language) -> str | None:
    return None if row["spoken"].strip() else "the spoken text is empty"


def options(row: Row, language: Language) -> str | None:
    """Options are labelled in the language's order and differ; a multiple-choice row has at least two."""
    given = row["target_options"]
    if not given:
        return "no options" if row["format"] == "multiple_choice" else None
    labels = [option["label"] for option in given]
    expected = language.option_labels[: len(labels)]
    if len(labels) < 2 or labels != expected:
        return f"options are labelled {' '.join(labels)}, expected {' '.join(expected)}"
    texts = Counter(language.comparable(option["text"]) or option["text"].strip() for option in given)
    same = [option["text"] for option in given if texts[language.comparable(option["text"]) or option["text"].strip()] > 1]
    if same:
        return f"options say the same: {' / '.join(same)}"
    return "an option is empty" if "" in texts else None


def answer(row: Row, language: Language) -> str | None:
    """The answer has the form that the row's format is scored by."""
    given = row["target_answer"]
    match row["format"]:
        case "short_answer":
            return _aliases(row["target_answers"], language)
        case "ifeval":
            return _instructions(row["target_instructions"])
        case "multiple_choice" | "bbh":
            labels = [option["label"] for option in row["target_options"]]
            allowed = labels or [language.yes[0], language.no[0]]
            return None if given in allowed else f"the answer {given!r} is none of {', '.join(allowed)}"
    return None


def _aliases(aliases: list[str], language: Language) -> str | None:
    if not aliases:
        return "no answer"
    if any(not alias.strip() for alias in aliases):
        return "an answer is empty"
    first: dict[str, str] = {}
    for alias in aliases:
        other = first.setdefault(language.alias_key(alias), alias)
        if other is not alias:
            return f"the answers {other!r} and {alias!r} are the same"
    return None


def _instructions(instructions: list[Row]) -> str | None:
    if not instructions:
        return "no instructions to verify"
    for instruction in instructions:
        try:
            kwargs = json.loads(instruction["kwargs"])
        except json.JSONDecodeError:
            kwargs = None
        if not isinstance(kwargs, dict) or not instruction["id"].strip():
            return f"the instruction {instruction['id']!r} has the arguments {instruction['kwargs']!r}, which are not a JSON object"
    return None


def labels_spoken(row: Row, language: Language) -> str | None:
    """Every option label is heard, one after the other."""
    heard = language.comparable(row["spoken"])
    place = 0
    for option in row["target_options"]:
        label = language.comparable(option["label"])
        found = heard.find(label, place)
        if found < 0:
            return f"the option label {option['label']} is not spoken where it is due"
        place = found + len(label)
    return None


TEXT_CHECKS: dict[str, TextCheck] = {
    "licence": licence,
    "spoken": spoken,
    "options": options,
    "answer": answer,
    "labels_spoken": labels_spoken,
}


def audio_problems(row: Row, audio: bytes, limits: Limits) -> dict[str, str]:
    """Check name to what is wrong with the encoded audio of `row`; decodes all of it."""
    import soundfile

    if hashlib.sha256(audio).hexdigest() != row["speech_sha256"]:
        return {"audio_hash": "the audio is not the one that was synthesized for this row (sha256 differs)"}
    try:
        with soundfile.SoundFile(io.BytesIO(audio)) as file:
            form, channels, rate = file.format, file.channels, file.samplerate
            samples = file.read(dtype="int16", always_2d=False)
            frames = file.frames
    except (soundfile.SoundFileError, RuntimeError) as error:
        return {"audio_readable": f"the audio cannot be decoded ({str(error).rstrip('.')})"}
    problems: dict[str, str] = {}
    if len(samples) != frames:
        problems["audio_readable"] = f"the audio ends after {len(samples)} of {frames} samples"
    if form != limits.audio_format or channels != 1:
        problems["audio_format"] = f"the audio is {form} with {channels} channels, expected mono {limits.audio_format}"
    expected = row["sample_rate_hz"] if limits.sample_rate_hz is None else limits.sample_rate_hz
    if rate != row["sample_rate_hz"] or rate != expected:
        problems["sample_rate"] = f"the audio has {rate} Hz, the column says {row['sample_rate_hz']} Hz, expected {expected} Hz"
    duration = len(samples) / rate
    if abs(duration - row["duration_s"]) > limits.duration_tolerance_s:
        problems["duration"] = f"the audio lasts {duration:.3f} s, the column says {row['duration_s']:.3f} s"
    elif not limits.min_duration_s <= duration <= limits.max_duration_s:
        problems["duration_limits"] = f"the audio lasts {duration:.2f} s, allowed are {limits.min_duration_s:g} to {limits.max_duration_s:g} s"
    if not samples.any():
        problems["silence"] = "the audio is silent"
    return problems


@dataclass(frozen=True)
class Twins:
    """Rows that say the same. `faithful` when their source rows do too: then the source is to blame, and all are kept."""

    ids: list[str]
    faithful: bool
    same_answer: bool


def twin_texts(rows: Iterable[Row], language: Language) -> list[Twins]:
    """Groups of rows whose spoken texts are the same but for spacing and punctuation, in order of their first id."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[language.comparable(row["spoken"])].append(row)
    found = []
    for group in groups.values():
        if len(group) > 1:
            prompts = {" ".join(row["prompt"].split()) for row in group}
            answers = {(row["target_answer"], *sorted(row["target_answers"])) for row in group}
            found.append(Twins(sorted(row["id"] for row in group), len(prompts) == 1, len(answers) == 1))
    return sorted(found, key=lambda twins: twins.ids)


def shared_audio(rows: Iterable[Row], language: Language) -> list[str]:
    """Ids of rows whose audio is byte-identical to that of a row with another text: at least one of them is mismatched."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["speech_sha256"]].append(row)
    mixed = [group for group in groups.values() if len(group) > 1 and len({language.comparable(row["spoken"]) for row in group}) > 1]
    return sorted(row["id"] for group in mixed for row in group)
