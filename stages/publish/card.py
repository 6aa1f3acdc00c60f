"""The dataset card: README.md of a release, written from the ledger, the rows and the config, never by hand.

Its YAML head tells the Hub which files make which config; without that, side files would be taken for data. Everything
below the head answers what a user of the data must know before trusting a number: what was kept, what was not and why,
by which models and rules, under which licences.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.core.files import Row
from stages.core.ledger import Ledger
from stages.publish.release import Part, ReleaseSettings

_SIZES = [(10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")]

_COUNTED = """\
Every config has one split, `{split}`. {Items} = rejected + released.{how} {ids}"""

_HOW = """ A corrected item has an answer that two independent reviewers replaced; a redesigned one became an equivalent task \
because the original does not survive translation."""

_CHOSEN = """\
The items were chosen from a larger source in the steps below, whose reasons are counted under "What was left out"; the items
themselves are listed from then on."""

_NOTES = {
    "id": "config name and index in the source",
    "audio": "mono; bytes are inside the parquet file, `path` is the id with the container's extension",
    "transcription": "",
    "answer": (
        "multiple choice: label of the right option; BBH: yes or no in the target language, or the label; short answers: a JSON array of all "
        "accepted answers, the preferred one first (also when there is one); empty where nothing is compared"
    ),
    "capability": "what the config measures",
    "choices": "the options; `answer` is one of them, as text",
}
"""What is said of a column where the release does not say it."""


@dataclass(frozen=True)
class Config:
    """One released config."""

    subset: str
    part: Part
    ledger: Ledger
    rows: list[Row]
    """Validated rows, in order of id."""
    files: list[Path]
    """The parquet files; none without rows."""
    constraints: bool
    """Whether it has a side file with IFEval instructions."""
    before: dict[str, tuple[int, Counter[tuple[str, str]]]] = field(default_factory=dict)
    """Earlier stage to what it kept, and left out by reason and rule (stages.core.ledger.left_out)."""

    @property
    def name(self) -> str:
        return self.part.config


@dataclass(frozen=True)
class File:
    """A file that shaped the release, such as a rulebook."""

    path: str
    sha256: str
    version: str = ""


def write_card(
    settings: ReleaseSettings,
    configs: Sequence[Config],
    missing: Sequence[str],
    sources: Sequence[File],
    decisions: Sequence[File] = (),
    plot: bool = False,
) -> str:
    """The card's text.

    `missing` names listed subsets that this build does not have; `sources` are the rulebooks and prompts, `decisions` the
    copied files of people's verdicts; `plot` says whether cer.png lies beside the card.
    """
    released = [config for config in configs if config.rows]
    sections = [
        f"# {' '.join(settings.title.split())}\n\n{_quoted(settings.notice)}{settings.description.strip()}\n\nVersion {settings.version}.",
        _contents(settings, configs, missing),
        _columns(settings, released, decisions),
        _loading(settings, released),
        f"## Evaluating\n\n{settings.evaluation.strip()}" if settings.evaluation else "",
        _making(settings, released, sources),
        _left_out(configs),
        _intelligibility(settings, released, plot),
        _listed("Known limits", settings.limits),
        _listed("Ethics", settings.ethics),
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
        "task_categories": settings.task_categories,
        "tags": ["audio", *settings.tags, *(f"arxiv:{number}" for number in settings.arxiv)],
        "size_categories": [next((name for limit, name in _SIZES if total < limit), "n>1M")],
    }
    if configs:
        # One pattern a config: the side files (constraints, provenance, rulebooks) are no data files.
        head["configs"] = [{"config_name": c.name, "data_files": [{"split": settings.split, "path": f"{c.name}/*.parquet"}]} for c in configs]
        head["dataset_info"] = [_info(config, settings) for config in configs]
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)


def _info(config: Config, settings: ReleaseSettings) -> dict[str, Any]:
    features: list[dict[str, Any]] = []
    for column, value in settings.listed().items():
        kind = "audio" if value == "@audio" else settings.types.get(column, "string")
        features.append({"name": column, "list": kind[5:-1]} if kind.startswith("list<") else {"name": column, "dtype": kind})
    size = sum(path.stat().st_size for path in config.files)
    split = {"name": settings.split, "num_bytes": size, "num_examples": len(config.rows)}
    return {"config_name": config.name, "features": features, "splits": [split], "download_size": size, "dataset_size": size}


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; cells are kept on their line and in their column."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _contents(settings: ReleaseSettings, configs: Sequence[Config], missing: Sequence[str]) -> str:
    transferred = any("correct" in config.ledger.order for config in configs)
    names = ["source", *(("corrected", "redesigned") if transferred else ()), "rejected"]
    rows = [[f"`{config.name}`", config.part.capability, *_counts(config, names)] for config in configs]
    if rows:
        sums = [sum(column) for column in zip(*(_counts(config, names) for config in configs), strict=True)]
        rows.append(["all", "", *sums])
    cells = [[*row[:-1], f"{row[-1] / 60:.1f}"] for row in rows]
    items = "chosen items" if settings.before else "source items"
    titles = {"source": items, "corrected": "answers corrected"}
    header = ["config", "capability", *(titles.get(name, name) for name in names), "released", "minutes"]
    counted = " ".join(_COUNTED.format(split=settings.split, Items=items.capitalize(), how=_HOW if transferred else "", ids=settings.ids).split())
    text = "## Contents\n\n" + table(header, cells) + "\n\n" + counted
    if settings.before:
        text += " " + " ".join(_CHOSEN.split()) + "\n\n" + table(["config", "step", "came in", "left out", "went on"], _funnel(configs))
    empty = [config.name for config in configs if not config.rows]
    if empty:
        text += f"\n\nNo item passed every check, so these configs are left out: {_code(empty)}."
    if missing:
        text += f"\n\nNot part of this build, though {settings.name} can have them: {_code(settings.subsets[subset].config for subset in missing)}."
    return text


def _funnel(configs: Sequence[Config]) -> list[list[object]]:
    """A line for each step before the items were chosen."""
    steps = [(config.name, stage, kept, sum(why.values())) for config in configs for stage, (kept, why) in config.before.items()]
    return [[f"`{name}`", stage, kept + out, out, kept] for name, stage, kept, out in steps]


def _counts(config: Config, names: Sequence[str]) -> list[Any]:
    """The ledger's counts of `names`, then released rows and seconds of released audio."""
    counts = config.ledger.counts()
    seconds = sum(row.get("duration_s") or 0 for row in config.rows)
    return [*(counts[name] for name in names), len(config.rows), seconds]


def _columns(settings: ReleaseSettings, configs: Sequence[Config], decisions: Sequence[File]) -> str:
    spoken = settings.listed().get("transcription") != "target_prompt"
    said, other = ("word for word what the audio says, numbers and symbols spelt out", "written question")
    text = "the question as one writes it" if not spoken else said
    other_text = f"`target_prompt` in `provenance/`, the {other}" if spoken else f"`spoken` in `provenance/`, {said}"
    notes = {**_NOTES, "transcription": f"{text}. The other form is {other_text}", **settings.column_notes}
    rows = [
        [column, "audio" if value == "@audio" else settings.types.get(column, "string"), notes.get(column, "")]
        for column, value in settings.listed().items()
    ]
    text = "## Columns\n\n" + table(["column", "type", "content"], rows)
    listed = "chosen" if settings.before else "source"
    files = [
        "`provenance/<config>.jsonl`: source, revision, licence and what was done to each row, joined by id",
        f"`provenance/<config>-rejected.jsonl`: every {listed} item that is not here, with the step, the reason and the rule",
        '`releases/`: the notes of each release; an older one loads with `revision="v<version>"`',
        "`croissant.json`: this description for programs",
    ]
    files += ["`rulebooks/`: the rules that the rows were made by"] if settings.rulebooks else []
    files += ["`decisions/`: what people decided, and on which item or question"] if decisions else []
    files += [f"`{c.name}/constraints.jsonl`: id, instruction_id_list and kwargs of every row, for its scorer" for c in configs if c.constraints]
    return text + "\n\nBeside the data:\n\n" + "\n".join(f"- {line}" for line in files)


def _loading(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    if not configs:
        return ""
    owner = settings.hub.namespace or "OWNER"
    called = "" if settings.hub.namespace else "OWNER is the account that this page belongs to. "
    side = "constraints and provenance" if any(config.constraints for config in configs) else "provenance"
    call = f'load_dataset("{owner}/{settings.name}", "{configs[0].name}", split="{settings.split}", revision="v{settings.version}")'
    return (
        f"## Loading\n\n```python\nfrom datasets import load_dataset\n\nrows = {call}\n```\n\n"
        f"{called}Without `revision` it is the latest version. Without torch, read the bytes: `rows.cast_column('audio', Audio(decode=False))`, then "
        f"`soundfile.read(io.BytesIO(row['audio']['bytes']))`. For {side}: `hf_hub_download` with `repo_type='dataset'`."
    )


def _making(settings: ReleaseSettings, configs: Sequence[Config], sources: Sequence[File]) -> str:
    rows = [row for config in configs for row in config.rows]
    models = dict(settings.models)
    for role in ("synthesizer", "recognizer"):
        if used := sorted({row[role] for row in rows if row.get(role)}):
            models[role] = ", ".join(used)
    voices = Counter(row["voice"] for row in rows if row.get("voice"))
    text = f"## How it was made\n\n{' '.join(settings.making.split())}".rstrip()
    if settings.as_of:
        text += f" Facts were judged as of {settings.as_of}."
    if models:
        text += "\n\n" + table(["role", "model"], sorted(models.items()))
    if voices:
        text += "\n\nVoices: " + ", ".join(f"{voice} ({count})" for voice, count in sorted(voices.items())) + "."
    if sources:
        rulebooks = [[f"`{file.path}`", file.version or "-", f"`{file.sha256}`"] for file in sources]
        text += "\n\nThe rulebooks and the prompts that the models were given:\n\n" + table(["file", "version", "sha256"], rulebooks)
    return text


def _left_out(configs: Sequence[Config]) -> str:
    rows: list[list[object]] = []
    for config in configs:
        for step, (_, earlier) in config.before.items():
            rows += [[f"`{config.name}`", step, reason, f"`{rule}`", count] for (reason, rule), count in sorted(earlier.items())]
        why = Counter((item.stage, item.reason, item.rule_id) for item in config.ledger.items if item.reason is not None)
        rows += [[f"`{config.name}`", stage, reason, f"`{rule}`", count] for (stage, reason, rule), count in sorted(why.items(), key=str)]
    if not rows:
        return "## What was left out\n\nNothing: every source item is released."
    return "## What was left out\n\n" + table(["config", "step", "reason", "rule or check", "items"], rows)


def heard(config: Config, settings: ReleaseSettings) -> list[float]:
    """The character error rates of the released audio, in ascending order; of what was not measured there is none."""
    return sorted(row[settings.cer] for row in config.rows if row.get(settings.cer) is not None)


def _intelligibility(settings: ReleaseSettings, configs: Sequence[Config], plot: bool) -> str:
    measured = [(config.name, cer) for config in configs if (cer := heard(config, settings))]
    if not measured:
        return ""
    rows = []
    for name, cer in measured:
        rows.append([f"`{name}`", *(f"{value:.3f}" for value in (statistics.fmean(cer), _quantile(cer, 0.5), _quantile(cer, 0.9), cer[-1]))])
    return (
        "## Intelligibility\n\nCharacter error rate of the recognizer on the released audio; the recognizer's own errors are part of it.\n\n"
        + ("![distribution of the character error rate](cer.png)\n\n" if plot else "")
        + table(["config", "mean", "median", "90th percentile", "worst"], rows)
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """As the plot has it: between the two values that are nearest to the place, in proportion."""
    place = share * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def _sources(settings: ReleaseSettings, configs: Sequence[Config]) -> str:
    said = ("source", "source_config", "source_revision", "licence")
    counted = Counter((config.name, *(_origin(row, column) for column in said)) for config in configs for row in config.rows)
    rows = [
        [f"`{name}`", source, part or "-", f"`{at}`" if at else "-", licence, count]
        for (name, source, part, at, licence), count in sorted(counted.items())
    ]
    noise = Counter((config.name, row["noise_source"], row["noise_licence"]) for config in configs for row in config.rows if row.get("noise_licence"))
    rows += [[f"`{name}`", source, "noise", "-", licence, count] for (name, source, licence), count in sorted(noise.items())]
    text = f"## Sources and licences\n\nThis release: {settings.licence}."
    if rows:
        text += "\n\n" + table(["config", "source", "part", "revision", "licence", "items"], rows)
    notes = "\n".join(f"- {' '.join(note.split())}" for note in settings.source_notes)
    return f"{text}\n\n{notes}" if notes else text


def _origin(row: Row, column: str) -> str:
    """A row's `column`; a corpus of recordings calls its source `original_dataset`."""
    return str(row.get(column, row.get("original_dataset", "") if column == "source" else "") or "")


def _listed(title: str, notes: Sequence[str]) -> str:
    return f"## {title}\n\n" + "\n".join(f"- {' '.join(note.split())}" for note in notes) if notes else ""


def _citation(settings: ReleaseSettings) -> str:
    return "## Citation\n\n" + "\n\n".join(f"```bibtex\n{entry.strip()}\n```" for entry in settings.citations) if settings.citations else ""


def _quoted(notice: str | None) -> str:
    return f"> {' '.join(notice.split())}\n\n" if notice else ""


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
