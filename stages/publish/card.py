"""The dataset card: README.md of a release, written from the ledger, the rows and the config, never by hand.

Its YAML head tells the Hub which files make which config; without that, side files would be taken for data. Everything
below the head answers what a user of the data must know before trusting a number: what was kept, what was not and why,
by which models and rules, under which licences.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.core.files import Row
from stages.core.ledger import Ledger
from stages.publish.hub_parquet import FILE_NAME
from stages.publish.release import COLUMNS, Part, ReleaseSettings

_SIZES = [(10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")]

_COUNTED = """\
Every config has one split, `test`. Source items = rejected + released. A corrected item has an answer that two independent
reviewers replaced; a redesigned one became an equivalent task because the original does not survive translation. Ids are the
position in the source and never shift: a gap is a rejected item."""

_ANSWER = """\
multiple choice: label of the right option; BBH: yes or no in the target language, or the label; short answers: a JSON array of
all accepted answers, the preferred one first (also when there is one); empty where nothing is compared"""

_STEPS = """\
The source items were checked by a reviewer and, independently, a meta-reviewer (answers only, where there is one right
answer), carried over into the target language by written rules rather than word for word, turned into the words that are
said, spoken sentence by sentence, and recognized again: an item whose character error rate (CER) stays above the threshold
is not released."""


@dataclass(frozen=True)
class Config:
    """One released config."""

    subset: str
    part: Part
    ledger: Ledger
    rows: list[Row]
    """Validated rows, in order of id."""
    file_bytes: int
    """Size of the parquet file; 0 without rows."""
    constraints: bool
    """Whether it has a side file with IFEval instructions."""

    @property
    def name(self) -> str:
        return self.part.config


@dataclass(frozen=True)
class File:
    """A file that shaped the release, such as a rulebook."""

    path: str
    sha256: str


def write_card(settings: ReleaseSettings, configs: Sequence[Config], missing: Sequence[str], sources: Sequence[File]) -> str:
    """The card's text. `missing` names listed subsets that this build does not have; `sources` are the rulebooks and prompts."""
    released = [config for config in configs if config.rows]
    sections = [
        f"# {settings.title}\n\n{_quoted(settings.notice)}{settings.description.strip()}",
        _contents(settings, configs, missing),
        _columns(settings, released),
        _loading(settings, released),
        _making(settings, released, sources),
        _left_out(configs),
        _intelligibility(released),
        _sources(settings, released),
        _citation(settings),
    ]
    return f"---\n{_head(settings, released)}---\n\n" + "\n\n".join(section for section in sections if section) + "\n"


def _head(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    import yaml

    total = sum(len(config.rows) for config in configs)
    head: dict[str, Any] = {
        "license": settings.licence,
        "language": [settings.language],
        "pretty_name": settings.title,
        "task_categories": ["question-answering", "automatic-speech-recognition"],
        "tags": ["audio", *settings.tags, *(f"arxiv:{number}" for number in settings.arxiv)],
        "size_categories": [next((name for limit, name in _SIZES if total < limit), "n>1M")],
    }
    if configs:
        # One pattern a config: the side files (constraints, provenance, rulebooks) are no data files.
        head["configs"] = [{"config_name": c.name, "data_files": [{"split": "test", "path": f"{c.name}/*.parquet"}]} for c in configs]
        head["dataset_info"] = [_info(config) for config in configs]
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)


def _info(config: Config) -> dict[str, Any]:
    features = [{"name": column, "dtype": "audio" if column == "audio" else "string"} for column in COLUMNS]
    split = {"name": "test", "num_bytes": config.file_bytes, "num_examples": len(config.rows)}
    size = config.file_bytes
    return {"config_name": config.name, "features": features, "splits": [split], "download_size": size, "dataset_size": size}


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; cells are kept on their line and in their column."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _contents(settings: ReleaseSettings, configs: Sequence[Config], missing: Sequence[str]) -> str:
    rows = [[f"`{config.name}`", config.part.capability, *_counts(config)] for config in configs]
    if rows:
        sums = [sum(column) for column in zip(*map(_counts, configs), strict=True)]
        rows.append(["all", "", *sums])
    cells = [[*row[:-1], f"{row[-1] / 60:.1f}"] for row in rows]
    header = ["config", "capability", "source items", "answers corrected", "redesigned", "rejected", "released", "minutes"]
    text = "## Contents\n\n" + table(header, cells) + "\n\n" + _COUNTED
    empty = [config.name for config in configs if not config.rows]
    if empty:
        text += f"\n\nNo item passed every check, so these configs are left out: {_code(empty)}."
    if missing:
        text += f"\n\nNot part of this build, though {settings.name} can have them: {_code(settings.subsets[subset].config for subset in missing)}."
    return text


def _counts(config: Config) -> list[Any]:
    """Source items, corrected, redesigned, rejected, released, and seconds of released audio."""
    counts = config.ledger.counts()
    seconds = sum(row["duration_s"] for row in config.rows)
    return [*(counts[name] for name in ("source", "corrected", "redesigned", "rejected")), len(config.rows), seconds]


def _columns(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    spoken = settings.transcription == "spoken"
    said, other = ("word for word what the audio says, numbers and symbols spelt out", "written question")
    text = "the question as one writes it" if not spoken else said
    other_text = f"`target_prompt` in `provenance/`, the {other}" if spoken else f"`spoken` in `provenance/`, {said}"
    rows = [
        ["id", "string", "config name and index in the source"],
        ["audio", "audio", "the spoken question, FLAC, mono; bytes are inside the parquet file, `path` is `<id>.flac`"],
        ["transcription", "string", f"{text}. The other form is {other_text}"],
        ["answer", "string", _ANSWER],
        ["capability", "string", "what the config measures"],
    ]
    text = "## Columns\n\n" + table(["column", "type", "content"], rows)
    files = [
        "`provenance/<config>.jsonl`: source, revision, licence, the texts of every step, rules, requests, voice and measures of each row",
        "`provenance/<config>-rejected.jsonl`: every source item that is not here, with the step, the reason and the rule",
        "`rulebooks/`: the rules of translation and of reading aloud",
    ]
    files += [f"`{c.name}/constraints.jsonl`: id, instruction_id_list and kwargs of every row, for its scorer" for c in configs if c.constraints]
    return text + "\n\nBeside the data:\n\n" + "\n".join(f"- {line}" for line in files)


def _loading(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    if not configs:
        return ""
    where = f"{settings.hub.namespace}/{settings.name}" if settings.hub.namespace else settings.name
    return (
        f'## Loading\n\n```python\nfrom datasets import load_dataset\n\nrows = load_dataset("{where}", "{configs[0].name}", split="test")\n```\n\n'
        "Without torch, read the bytes: `rows.cast_column('audio', Audio(decode=False))`, then `soundfile.read(io.BytesIO(row['audio']['bytes']))`."
    )


def _making(settings: ReleaseSettings, configs: Sequence[Config], sources: Sequence[File]) -> str:
    rows = [row for config in configs for row in config.rows]
    models = dict(settings.models)
    for role in ("synthesizer", "recognizer"):
        if used := sorted({row[role] for row in rows}):
            models[role] = ", ".join(used)
    voices = Counter(row["voice"] for row in rows)
    text = "## How it was made\n\n" + _STEPS
    if settings.as_of:
        text += f" Facts were judged as of {settings.as_of}."
    if models:
        text += "\n\n" + table(["role", "model"], sorted(models.items()))
    if voices:
        text += "\n\nVoices: " + ", ".join(f"{voice} ({count})" for voice, count in sorted(voices.items())) + "."
    if sources:
        text += "\n\n" + table(["file", "sha256"], [[f"`{file.path}`", f"`{file.sha256}`"] for file in sources])
    return text


def _left_out(configs: Sequence[Config]) -> str:
    rows: list[list[object]] = []
    for config in configs:
        why = Counter((item.stage, item.reason, item.rule_id) for item in config.ledger.items if item.reason is not None)
        rows += [[f"`{config.name}`", stage, reason, f"`{rule}`", count] for (stage, reason, rule), count in sorted(why.items(), key=str)]
    if not rows:
        return "## What was left out\n\nNothing: every source item is released."
    return "## What was left out\n\n" + table(["config", "step", "reason", "rule or check", "items"], rows)


def _intelligibility(configs: Sequence[Config]) -> str:
    if not configs:
        return ""
    rows = []
    for config in configs:
        cer = sorted(row["cer"] for row in config.rows)
        rows.append([f"`{config.name}`", *(f"{value:.3f}" for value in (statistics.fmean(cer), _quantile(cer, 0.5), _quantile(cer, 0.9), cer[-1]))])
    return (
        "## Intelligibility\n\nCharacter error rate of the recognizer on the released audio; the recognizer's own errors are part of it.\n\n"
        + table(["config", "mean", "median", "90th percentile", "worst"], rows)
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def _sources(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    said = ("source", "source_config", "source_revision", "licence")
    counted = Counter((config.name, *(row[column] for column in said)) for config in configs for row in config.rows)
    rows = [[f"`{name}`", source, part, f"`{at}`", licence, count] for (name, source, part, at, licence), count in sorted(counted.items())]
    text = f"## Sources and licences\n\nThis release: {settings.licence}."
    if rows:
        text += "\n\n" + table(["config", "source", "part", "revision", "licence", "items"], rows)
    notes = "\n".join(f"- {' '.join(note.split())}" for note in settings.source_notes)
    return f"{text}\n\n{notes}" if notes else text


def _citation(settings: ReleaseSettings) -> str:
    return "## Citation\n\n" + "\n\n".join(f"```bibtex\n{entry.strip()}\n```" for entry in settings.citations) if settings.citations else ""


def _quoted(notice: str | None) -> str:
    return f"> {' '.join(notice.split())}\n\n" if notice else ""


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def parquet_path(folder: Path, config: str) -> Path:
    return folder / config / FILE_NAME
