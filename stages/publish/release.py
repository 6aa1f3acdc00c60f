"""What a released dataset is: which subsets under which names, and the form that a row takes in it.

A release is declared in conf/release/<name>.yaml. Its rows are those that the last of its `stages` kept; `columns` says what
each released column holds: a column of the row, or one of

@audio       {bytes, path}: the encoded audio, and `<id>.<extension>`
@capability  what the subset measures
@config      the name of the config
@answer      SpokenQA. Multiple choice: the label of the right option. BBH: yes or no in the target language, or the label.
             Short answers: a JSON array of every accepted answer, the preferred one first, also when there is just one; a
             separator could be part of an answer. Empty where nothing is compared: open questions, IFEval, refusals.

The default columns are those of the published KVoiceBench and KOpenAudioBench: id, audio, transcription, answer, capability.
`transcription` is what is said in the audio, word for word (`spoken`), so that it is the reference for speech recognition; or
the written question (`target_prompt`) when the release asks for it. The other one is in the provenance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, model_validator

from stages.core.errors import nearest
from stages.core.files import Row, nfc
from stages.core.ledger import ORDER, Item
from stages.core.settings import Settings, load
from stages.publish import licences
from stages.publish.names import HubName
from stages.publish.problems import Problem, refuse

_PROVENANCE = [
    "id", "format", "source", "source_config", "source_split", "source_id", "source_index", "source_revision", "licence", "task", "prompt",
    "reference", "references", "correction", "correction_type", "correction_reason", "corrected_reference", "corrected_references", "category",
    "target_prompt", "target_options", "target_answer", "target_answers", "rule_ids", "transfer_note", "correction_requests",
    "transfer_requests", "spoken", "voice", "voice_gender", "synthesizer", "recognizer", "transcript", "cer", "wer", "duration_s",
    "sample_rate_hz", "speech_sha256",
]  # fmt: skip

_TYPES = ("string", "int64", "float64", "bool", "list<string>")


class Part(Settings):
    """A subset's place in a release."""

    config: str
    """Name of the released config; also the stem of its rows' ids."""
    capability: str = Field("", pattern=r"^[a-z_]*$")
    """What the subset measures; the released column of that name."""


class Audio(Settings):
    """Where the audio of a row lies."""

    folder: str = "data/synthesize/{subset}"
    """A folder of shards (stages.core.shards); a name in braces is a column of the row."""
    id: str = "id"
    """The column with the key of the audio in the shards."""


class Hub(Settings):
    """Where releases go on the Hub."""

    target: Literal["folder", "hub"] = "folder"
    """folder: a release stays in data/publish, and the command that sends it must be told where to."""
    namespace: HubName | None = None
    """Account on the Hub; null: that of the token."""
    private: bool = True
    gated: Literal[False, "auto", "manual"] = False
    """Whether readers must ask for access, and whether a person grants it."""


class Erratum(Settings):
    """A decision on a released item; laid here by stages.core.errata when the configuration is composed."""

    note: str
    edit: dict[str, str] = Field({})
    """The row's columns to their values, where no stage of the build carries the decision out."""
    reject: str | None = None


class ReleaseSettings(Settings):
    name: HubName
    title: str
    description: str
    language: str
    version: str = Field("1.0.0", pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")
    """Semantic version; the release is tagged `v<version>` on the Hub. stages.publish.diff says which number a change asks for."""
    split: str = "test"
    subsets: dict[str, Part] = Field(min_length=1)
    built: list[str] | None = None
    """The subsets of this build; null: all of them. A listed subset that is not built is left out, and the card says so."""
    stages: list[str] = Field(list(ORDER), min_length=1)
    """The stages whose data/<stage>/<subset>/ account for every item, first to last."""
    before: list[str] = Field([])
    """Stages before the first of `stages`: what they left out is counted by reason, not listed, for it can be a whole corpus."""
    cer: str = "cer"
    """The row's column with the character error rate of the released audio, noise and all."""
    ids: str = "Ids are the position in the source and never shift: a gap is a rejected item."
    """What the card says of the numbers in ids."""
    audio: Audio = Audio()
    sample_rate_hz: int | Literal["mixed"] = Field("mixed")
    """The one sample rate of all clips, or mixed: as the rows say."""
    max_duration_s: float = Field(1200.0, gt=0)
    columns: dict[str, str] | None = None
    """Released column to the row's column or an @-value; null: those of SpokenQA."""
    values: dict[str, dict[str, str]] = Field({})
    """Released column to the names that its values have there; `none` is what an empty one becomes."""
    types: dict[str, str] = Field({})
    """Types of columns that are not strings: int64, float64, bool, list<string>."""
    column_notes: dict[str, str] = Field({})
    """What the card says of a column."""
    provenance: list[str] = Field(_PROVENANCE)
    """The row's columns that provenance/<config>.jsonl keeps."""
    licence: str
    """Licence of the release, as the Hub abbreviates it; `other` keeps each row under its own."""
    allowed_licences: list[str] | None = None
    """Licences of source rows that may be published at all; null: whatever goes with `licence`. The terms are checked in either case."""
    transcription: Literal["spoken", "written"] = "spoken"
    rulebooks: list[str]
    """Files below the repository that are copied beside the data."""
    decisions: list[str] = Field([])
    """Topics of data/decisions/ whose files are copied beside the data."""
    prompts: list[str] = Field([])
    """Prompt files, or folders of them, whose hashes the card states."""
    models: dict[str, str] = Field({})
    """Role to model, as the card states it."""
    as_of: str | None = None
    """The day as of which facts were judged when answers were corrected."""
    errata: dict[str, Erratum] = Field({})
    """Row id to what was decided on it after a release."""
    notice: str | None = None
    """What a reader must know first, such as that this is a sample or a trial."""
    making: str = ""
    """How it was made, a paragraph."""
    limits: list[str] = Field([])
    """Known limits, a Markdown list item each."""
    ethics: list[str] = Field([])
    """What a user must take care of, a Markdown list item each."""
    evaluation: str = ""
    """How to score it."""
    source_notes: list[str] = Field([])
    """Attributions, a Markdown list item each."""
    task_categories: list[str] = Field(["question-answering", "automatic-speech-recognition"])
    arxiv: list[str] = Field([])
    citations: list[str] = Field([])
    """BibTeX entries."""
    tags: list[str] = Field([])
    hub: Hub = Hub()

    @model_validator(mode="before")
    @classmethod
    def _composed(cls, values: Any) -> Any:
        """Titles and texts that people type are read as files are: in NFC."""
        return nfc(values)

    def listed(self) -> dict[str, str]:
        """Released column to its value, in order."""
        spoken = "spoken" if self.transcription == "spoken" else "target_prompt"
        default = {"id": "id", "audio": "@audio", "transcription": spoken, "answer": "@answer", "capability": "@capability"}
        return self.columns or default

    def chosen(self) -> list[str]:
        """The listed subsets that are built."""
        return [subset for subset in self.subsets if self.built is None or subset in self.built]


def released_answer(row: Row) -> str:
    """@answer of a validated row, by its format (see the head of this module)."""
    match row["format"]:
        case "multiple_choice" | "bbh":
            return str(row["target_answer"])
        case "short_answer":
            preferred = row["target_answer"]
            answers = row["target_answers"]
            ordered = [preferred, *(a for a in answers if a != preferred)] if preferred else answers
            return json.dumps(ordered, ensure_ascii=False)
    return ""


_CONTAINERS = {b"fLaC": "flac", b"RIFF": "wav", b"OggS": "ogg", b"ID3": "mp3", b"\xff\xfb": "mp3"}


def extension(audio: bytes) -> str:
    """File extension of encoded audio by its first bytes; flac where they say nothing."""
    return next((name for start, name in _CONTAINERS.items() if audio.startswith(start)), "flac")


def released_row(row: Row, part: Part, settings: ReleaseSettings, audio: bytes) -> Row:
    """Raises KeyError for a column that the row does not have."""
    return {column: _cell(column, _value(row, value, part, audio), settings) for column, value in settings.listed().items()}


def _cell(column: str, value: Any, settings: ReleaseSettings) -> Any:
    """A list in a column of text is its lines, each behind a dash; any other value is under the name that the release has for it."""
    if isinstance(value, list) and settings.types.get(column, "string") == "string":
        return "\n".join(f"- {one}" for one in value)
    return _named(value, settings.values.get(column))


def _named(value: Any, names: dict[str, str] | None) -> Any:
    """`value` under the name that the release has for it, where it has one; `none` stands for a value that is not there."""
    if names is None or isinstance(value, (dict, list)):
        return value
    return names.get("none" if value is None else str(value), value)


def _value(row: Row, value: str, part: Part, audio: bytes) -> Any:
    match value:
        case "@audio":
            return {"bytes": audio, "path": f"{row['id']}.{extension(audio)}"}
        case "@answer":
            return released_answer(row)
        case "@capability":
            return part.capability
        case "@config":
            return part.config
    return row[value]


def provenance(row: Row, settings: ReleaseSettings) -> Row:
    """Where a released row comes from and what was done to it: the side file's line."""
    kept = {column: row[column] for column in settings.provenance}
    if row["id"] in settings.errata:
        kept["errata"] = [settings.errata[row["id"]].note]
    return {**kept, "reading_rule_ids": sorted({change["rule_id"] for change in row["readings"]})} if "readings" in row else kept


def refusal(item: Item) -> Row:
    """Why a source item is not released: the line of the side file of rejections."""
    why = {"stage": item.stage, "reason": item.reason, "rule_id": item.rule_id, "detail": item.detail}
    return {"id": item.id, "source_id": item.row.get("source_id", item.row.get("original_sample_id", "")), **why}


def constraints(row: Row) -> Row | None:
    """An IFEval row's verifiable instructions in the form that its scorer reads, or None for other rows."""
    if not row.get("target_instructions"):
        return None
    return {
        "id": row["id"],
        "instruction_id_list": [instruction["id"] for instruction in row["target_instructions"]],
        "kwargs": [json.loads(instruction["kwargs"]) for instruction in row["target_instructions"]],
    }


def licence_problem(licence: str, settings: ReleaseSettings) -> str | None:
    """Why a row under `licence` may not be in the release, and what to do; None when it may."""
    listed = settings.allowed_licences
    named = listed is None or licence.casefold() in {allowed.casefold() for allowed in listed}
    # A source without a stated licence is for a person to decide: it has to be named, and the release must not relicense it.
    decided = listed is not None and named and licence.strip() != "" and licences.parse(licence) is None and settings.licence == licences.OTHER
    why = None if decided else licences.refusal(licence, settings.licence)
    if why is None and not named:
        why = f"is not among allowed_licences ({', '.join(listed or [])})"
    if why is None:
        return None
    return (
        f"the licence {licence or '(none)'} {why}; leave these rows out, or settle the terms and correct `licence` and `allowed_licences` of "
        f"conf/release/{settings.name}.yaml"
    )


def split_problem(split: str) -> str | None:
    """Why `datasets` would not load a split of this name, or None."""
    return None if re.fullmatch(r"\w+(\.\w+)*", split, re.ASCII) else f"the split {split!r} can be pushed but not loaded; use letters, digits and '_'"


def name_problems(settings: ReleaseSettings) -> list[Problem]:
    """Names that the Hub or `datasets` would not read again, and columns that cannot be."""
    key = f"releases.{settings.name}"
    found = []
    if what := split_problem(settings.split):
        found.append(Problem("names", f"{key}.split", what))
    for subset, part in settings.subsets.items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", part.config) or part.config.casefold() in FOLDERS:
            what = f"the config {part.config!r} must be of letters, digits, '_' and '-', and not one of {', '.join(FOLDERS)}"
            found.append(Problem("names", f"{key}.subsets.{subset}.config", what))
    names = [part.config for part in settings.subsets.values()]
    found += [Problem("names", key, f"two subsets have the config {name!r}") for name in sorted({name for name in names if names.count(name) > 1})]
    if "id" not in settings.listed():
        found.append(Problem("names", f"{key}.columns", "the column `id` is missing"))
    for column, kind in settings.types.items():
        if column not in settings.listed() or kind not in _TYPES:
            found.append(Problem("names", f"{key}.types.{column}", f"{kind!r} must be one of {', '.join(_TYPES)} for a column of the release"))
    return found


FOLDERS = ("provenance", "rulebooks", "decisions", "releases")
"""Folders of a release that are no config."""


def check_config(config: dict[str, Any]) -> None:
    """Raise UserError when the resolved configuration cannot end in its releases: found out before a model is paid, not after.

    Of every release in `publish`: its settings, its names, and for each of its subsets that is built the licence, the name
    of the config and that the subset is validated for it. All problems are told at once.
    """
    for name in [*config.get("publish", config["releases"]), *config.get("publish_recorded", []), *config.get("publish_spoken", [])]:
        if name not in config["releases"]:
            problem = f"there is no conf/release/{name}.yaml.{nearest(name, config['releases'])}"
            refuse(name, [Problem("names", "params.yaml", f"publishes {name!r}, but {problem}")])
        settings = load(ReleaseSettings, config["releases"][name], f"releases.{name}")
        problems = name_problems(settings)
        for subset in settings.subsets:
            if tuple(settings.stages) == ORDER and subset in config["subsets"]:
                problems += _subset_problems(config["subsets"][subset], subset, settings)
        refuse(name, problems)


def _subset_problems(chosen: dict[str, Any], subset: str, settings: ReleaseSettings) -> list[Problem]:
    name, config = settings.name, settings.subsets[subset].config
    found = []
    if what := licence_problem(chosen["ingest"]["licence"], settings):
        found.append(Problem("licence", subset, what))
    if (stem := chosen["ingest"]["released_config"]) != config:
        what = f"the config is {config!r}, but the subset's ids start with {stem!r} (conf/benchmark/{subset}.yaml); make them equal"
        found.append(Problem("names", f"releases.{name}.subsets.{subset}", what))
    if name not in chosen["validate"]["releases"]:
        what = f"subsets.{subset}.validate.releases does not have {name}, but conf/release/{name}.yaml lists {subset}; add it there"
        found.append(Problem("membership", subset, what))
    return found


def named_after(id: str, config: str) -> bool:
    """Whether an id is `<config>-NNNNN`, or `<config>-<part>-NNNNN` where a config has parts that are counted apart."""
    return re.fullmatch(rf"{re.escape(config)}(-[a-z]+)?-\d+", id) is not None


def membership_problems(rows: Iterable[Row], settings: ReleaseSettings, subset: str) -> list[Problem]:
    """Rows of `subset` that are not meant for this release, or do not carry its config's name in their ids."""
    found = []
    config = settings.subsets[subset].config
    for row in rows:
        if settings.name not in row.get("released_in", [settings.name]):
            what = (
                f"released in {', '.join(row['released_in'])}, but conf/release/{settings.name}.yaml lists the subset {subset}; add "
                f"{settings.name} to subsets.{subset}.validate.releases, or take the subset out of the release"
            )
            found.append(Problem("membership", row["id"], what))
        if not named_after(row["id"], config):
            what = f"cannot be released in the config {config!r}: ids start with their config's name; correct releases.{settings.name}.subsets"
            found.append(Problem("names", row["id"], what))
    return found


def hub_features(settings: ReleaseSettings) -> dict[str, Any]:
    """The columns as the `datasets` library describes them. `audio` states no sample rate, as in the published datasets."""
    return {column: _feature(settings.types.get(column, "string"), value) for column, value in settings.listed().items()}


def _feature(kind: str, value: str) -> Any:
    if value == "@audio":
        return {"_type": "Audio"}
    if kind.startswith("list<"):
        return {"feature": {"dtype": kind[5:-1], "_type": "Value"}, "_type": "List"}
    return {"dtype": kind, "_type": "Value"}
