"""What a released dataset is: which subsets under which names, and the form that a row takes in it.

The columns are those of the published KVoiceBench and KOpenAudioBench: id, audio, transcription,
answer, capability. What they leave open is decided here, once, and told to the reader by the card:

transcription  what is said in the audio, word for word (`spoken`), so that it is the reference for speech recognition; or
               the written question (`target_prompt`) when the release asks for it. The other one is in the provenance.
answer         multiple choice: the label of the right option. BBH: yes or no in the target language, or the label.
               Short answers: a JSON array of every accepted answer, the preferred one first, also when there is just one;
               a separator could be part of an answer. Empty where nothing is compared: open questions, IFEval, refusals.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.ledger import Item
from stages.core.settings import Settings, load

COLUMNS = ["id", "audio", "transcription", "answer", "capability"]


class Part(Settings):
    """A subset's place in a release."""

    config: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    """Name of the released config; also the stem of its rows' ids."""
    capability: str = Field(pattern=r"^[a-z_]+$")
    """What the subset measures; the released column of that name."""


class Hub(Settings):
    """Where releases go. A folder is all there is so far."""

    target: Literal["folder"] = "folder"
    namespace: str | None = None
    """Account on the Hub under which the card says the dataset is found; null: the card names the folder alone."""


class ReleaseSettings(Settings):
    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    title: str
    description: str
    language: str
    subsets: dict[str, Part] = Field(min_length=1)
    built: list[str]
    """The subsets of this build. A listed subset that is not built is left out, and the card says so."""
    licence: str
    """Licence of the release, as the Hub abbreviates it."""
    allowed_licences: list[str] = Field(min_length=1)
    """Licences of source rows that may be published under `licence`."""
    transcription: Literal["spoken", "written"] = "spoken"
    rulebooks: list[str]
    """Files below the repository that are copied beside the data."""
    prompts: list[str] = Field([])
    """Prompt files, or folders of them, whose hashes the card states."""
    models: dict[str, str] = Field({})
    """Role to model, as the card states it."""
    as_of: str | None = None
    """The day as of which facts were judged when answers were corrected."""
    notice: str | None = None
    """What a reader must know first, such as that this is a sample or a trial."""
    source_notes: list[str] = Field([])
    """Attributions and limits, a Markdown list item each."""
    arxiv: list[str] = Field([])
    citations: list[str] = Field([])
    """BibTeX entries."""
    tags: list[str] = Field([])
    hub: Hub = Hub()


def released_answer(row: Row) -> str:
    """The `answer` column of a validated row, by its format (see the head of this module)."""
    match row["format"]:
        case "multiple_choice" | "bbh":
            return str(row["target_answer"])
        case "short_answer":
            preferred = row["target_answer"]
            answers = row["target_answers"]
            ordered = [preferred, *(a for a in answers if a != preferred)] if preferred else answers
            return json.dumps(ordered, ensure_ascii=False)
    return ""


def released_row(row: Row, part: Part, transcription: str, audio: bytes) -> Row:
    return {
        "id": row["id"],
        "audio": {"bytes": audio, "path": f"{row['id']}.flac"},
        "transcription": row["spoken"] if transcription == "spoken" else row["target_prompt"],
        "answer": released_answer(row),
        "capability": part.capability,
    }


_PROVENANCE = [
    "id", "source", "source_config", "source_split", "source_id", "source_index", "source_revision", "licence", "task", "prompt", "reference",
    "references", "correction", "correction_type", "correction_reason", "corrected_reference", "corrected_references", "category",
    "target_prompt", "target_options", "target_answer", "target_answers", "rule_ids", "transfer_note", "correction_requests",
    "transfer_requests", "spoken", "voice", "voice_gender", "synthesizer", "recognizer", "transcript", "cer", "wer", "duration_s",
    "sample_rate_hz", "speech_sha256",
]  # fmt: skip


def provenance(row: Row) -> Row:
    """Where a released row comes from and what was done to it: the side file's line."""
    return {**{column: row[column] for column in _PROVENANCE}, "reading_rule_ids": sorted({change["rule_id"] for change in row["readings"]})}


def refusal(item: Item) -> Row:
    """Why a source item is not released: the line of the side file of rejections."""
    why = {"stage": item.stage, "reason": item.reason, "rule_id": item.rule_id, "detail": item.detail}
    return {"id": item.id, "source_id": item.row["source_id"], **why}


def constraints(row: Row) -> Row | None:
    """An IFEval row's verifiable instructions in the form that its scorer reads, or None for other rows."""
    if not row["target_instructions"]:
        return None
    return {
        "id": row["id"],
        "instruction_id_list": [instruction["id"] for instruction in row["target_instructions"]],
        "kwargs": [json.loads(instruction["kwargs"]) for instruction in row["target_instructions"]],
    }


def check_licences(rows: Iterable[Row], settings: ReleaseSettings) -> None:
    """Raise UserError, naming the rows, when a source forbids what the release does with it."""
    refused: dict[str, list[str]] = {}
    for row in rows:
        if not _allowed(row["licence"], settings):
            refused.setdefault(row["licence"], []).append(row["id"])
    if refused:
        each = "; ".join(f"{licence or '(none)'}: {_some(ids)}" for licence, ids in sorted(refused.items()))
        raise UserError(f"{settings.name} may not publish rows under these licences ({each}); {_allow(settings)}")


def _allowed(licence: str, settings: ReleaseSettings) -> bool:
    return licence.casefold() in {allowed.casefold() for allowed in settings.allowed_licences}


def _allow(settings: ReleaseSettings) -> str:
    return (
        f"releases.{settings.name}.allowed_licences has only {', '.join(settings.allowed_licences)}. Leave their subsets out, or allow the licence "
        f"in conf/release/{settings.name}.yaml if its terms permit a release under {settings.licence}."
    )


def check_config(config: dict[str, Any]) -> None:
    """Raise UserError when the resolved configuration cannot end in its releases: found out before a model is paid, not after.

    Of every release in `publish`: its settings, and for each of its subsets that is built the licence, the name of the
    config and that the subset is validated for it.
    """
    for name in config.get("publish", config["releases"]):
        if name not in config["releases"]:
            raise UserError(f"params.yaml publishes {name!r}, but there is no conf/release/{name}.yaml.{nearest(name, config['releases'])}")
        settings = load(ReleaseSettings, config["releases"][name], f"releases.{name}")
        built = {subset: config["subsets"][subset] for subset in settings.subsets if subset in config["subsets"]}
        licences = {subset: chosen["ingest"]["licence"] for subset, chosen in built.items()}
        if refused := [f"{subset} ({licence})" for subset, licence in licences.items() if not _allowed(licence, settings)]:
            raise UserError(f"{name} may not publish subsets of these licences: {', '.join(refused)}; {_allow(settings)}")
        for subset, chosen in built.items():
            config_name = settings.subsets[subset].config
            if chosen["ingest"]["released_config"] != config_name:
                raise UserError(
                    f"releases.{name}.subsets.{subset}.config is {config_name!r}, but the subset's ids start with "
                    f"{chosen['ingest']['released_config']!r} (conf/benchmark/{subset}.yaml); make them equal."
                )
            if name not in chosen["validate"]["releases"]:
                raise UserError(
                    f"conf/release/{name}.yaml lists {subset}, but subsets.{subset}.validate.releases does not have {name}; add it there."
                )


def check_membership(rows: Iterable[Row], settings: ReleaseSettings, subset: str) -> None:
    """Raise UserError unless the rows of `subset` are meant for this release and carry its config's name in their ids."""
    for row in rows:
        if settings.name not in row["released_in"]:
            raise UserError(
                f"Item {row['id']} is released in {', '.join(row['released_in'])}, but conf/release/{settings.name}.yaml lists its subset {subset}; "
                f"add {settings.name} to subsets.{subset}.validate.releases, or take the subset out of the release."
            )
        stem = row["id"].rpartition("-")[0]
        if stem != settings.subsets[subset].config:
            raise UserError(
                f"Item {row['id']} cannot be released in the config {settings.subsets[subset].config!r}: ids start with their config's name; "
                f"correct releases.{settings.name}.subsets.{subset}.config."
            )


def _some(values: list[str], most: int = 5) -> str:
    shown = ", ".join(sorted(values)[:most])
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")


def hub_features() -> dict[str, Any]:
    """The columns as the `datasets` library describes them. `audio` states no sample rate, as in the published datasets."""
    text = {"dtype": "string", "_type": "Value"}
    return {column: {"_type": "Audio"} if column == "audio" else text for column in COLUMNS}
