"""What is evaluated: benchmarks, declared in conf/evaluation/, and their questions, read from the rows that the build left.

Layouts of a benchmark's rows:
    source         data/ingest: the upstream English question with the upstream key
    target         data/validate: the question that was carried over, with its rebuilt key
    understanding  the last stage of a benchmark made of recordings (KMMAU): option texts without labels
    mmau, mmau_pro the files that those benchmarks publish (JSON, or JSONL of the test split), with the clips beside them at the paths
                   that each row names in `audio_id` or `audio_path`

A source question and the target question made of it have the same id, which is how the two languages are paired. Where the correct
stage replaced the upstream key, the source question is scored by both: by the upstream key for the benchmark's own figure, by the
corrected one for the comparison of the languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import Field

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.settings import Settings
from stages.evaluate.scorers import Item, protocol_of

SPOKEN = "spoken_queries"
"""Protocol and family of queries whose answers no scorer reads."""

Layout = Literal["source", "target", "understanding", "mmau", "mmau_pro"]


class Subset(Settings):
    config: str
    """Its name in the release and in tables."""
    family: str
    """Task family: open_ended, short_answer, multiple_choice, binary, instruction_following, safety, acoustic, contextual."""


class Benchmark(Settings):
    layout: Layout
    protocol: str
    """Name in the scorers' sense: voicebench, openaudiobench, kvoicebench, kopenaudiobench, kmmau, mmau, mmau-pro."""
    language: str
    kind: Literal["spoken_qa", "audio_understanding"]
    path: str
    """Folder of the rows relative to the project's root, one folder a subset; the file itself for mmau and mmau_pro."""
    script: str
    """First word of the Unicode names of the letters that answers are written in: LATIN, HANGUL."""
    needs: str | None = None
    """The unit of `understanding` that makes its rows; where this build does not make it, the benchmark is left out."""
    source: str | None = None
    """The benchmark whose questions these were, for the comparison of the languages."""
    total: Literal["subsets", "items"] = "subsets"
    """Mean of the subsets, each with the same weight (VoiceBench), or of all items."""
    subsets: dict[str, Subset] = Field(default_factory=dict)
    """Subset of the build, or capability or task, to what it is here."""


class Suite(Settings):
    benchmarks: dict[str, Benchmark]
    built: list[str]
    """Subsets that this build makes; a benchmark's others are left out of its figures, and the report says so."""
    understanding: list[str] = Field(default_factory=list)
    """Units of `understanding` that this build makes."""
    corrected: str = "data/validate"
    """Where corrected keys of source questions are found."""

    def makes(self, benchmark: Benchmark) -> bool:
        return benchmark.needs is None or benchmark.needs in self.understanding


@dataclass(frozen=True)
class Question:
    """One question to a model under test."""

    id: str
    """`<language>/<item id>`: the same item is asked in two languages."""
    item: Item
    corrected: Item | None
    """The item with the key that the correct stage put in the place of the upstream one; None where they are the same."""
    benchmarks: tuple[str, ...]
    subset: str
    """Key of the subset in the benchmarks."""
    config: str
    family: str
    spoken: str
    """What is said, for a report; the audio says it."""
    text: str | None
    """What is shown beside the audio; None where the audio is the whole question."""
    clip: tuple[str, str] | None
    """(folder of audio shards relative to the root, row id); None where there is no audio in shards."""
    cer: float | None = None
    """Character error rate of the question's own speech, for sweeps of the gate."""
    files: tuple[str, ...] = ()
    """Clips that are files of their own, relative to the root, in the place of shards (MMAU, MMAU-Pro)."""

    @property
    def language(self) -> str:
        return self.item.language


def questions(suite: Suite, root: Path, only: list[str] | None = None) -> list[Question]:
    """Every question of the suite's benchmarks (all, or those named in `only`), in order of id; one that two benchmarks share comes once.

    Raises UserError for rows that are missing or unfit: a key that is not among the options, options that are alike, an id twice.
    """
    found: dict[str, Question] = {}
    for name, benchmark in suite.benchmarks.items():
        if (only is not None and name not in only) or not suite.makes(benchmark):
            continue
        seen: set[str] = set()
        for question in _read(name, benchmark, suite, root):
            if question.id in seen:
                raise UserError(f"The id {question.item.id} comes twice in {name} ({benchmark.path}); ids must be unique.")
            seen.add(question.id)
            check(question.item, name)
            if question.corrected is not None:
                check(question.corrected, name)
            other = found.get(question.id)
            if other is not None and other.item.protocol != question.item.protocol:
                raise UserError(f"Item {question.item.id} is scored by {other.item.protocol} in {other.benchmarks[0]} and otherwise in {name}.")
            found[question.id] = question if other is None else replace(other, benchmarks=(*other.benchmarks, name))
    return [found[id] for id in sorted(found)]


def queries(units: list[str], root: Path) -> list[Question]:
    """The spoken queries of benchmarks of real queries (data/perturb), in order of id; talkers, not scorers, mark the answers.

    Raises UserError for a unit that this build does not make.
    """
    found: list[Question] = []
    for unit in units:
        folder = f"data/perturb/{unit}"
        if not (root / folder / "rows.jsonl").exists():
            told = "name a unit of `wildspeech` in params.yaml, and build it first"
            raise UserError(f"Config key queries names {unit!r}, but {folder} has no rows; {told}.")
        for row in files.read_jsonl(root / folder / "rows.jsonl"):
            item = Item(row["id"], SPOKEN, row["language"], unit, row["query"])
            about = Question(f"{item.language}/{item.id}", item, None, (unit,), unit, unit, SPOKEN, row["query"], None, (folder, item.id))
            found.append(about)
    return sorted(found, key=lambda question: question.id)


def _read(name: str, benchmark: Benchmark, suite: Suite, root: Path) -> Iterator[Question]:
    if benchmark.layout in ("mmau", "mmau_pro"):
        yield from _mmau(name, benchmark, root)
    elif benchmark.layout == "understanding":
        built = {path.parent.name for path in (root / benchmark.path).glob("*/rows.jsonl")}
        for capability in sorted(built | set(benchmark.subsets)):
            for row in files.read_jsonl(root / benchmark.path / capability / "rows.jsonl"):
                yield _understanding(name, benchmark, row)
    else:
        for subset, about in benchmark.subsets.items():
            if subset in suite.built:
                yield from _spoken(name, benchmark, subset, about, suite, root)


def _spoken(name: str, benchmark: Benchmark, subset: str, about: Subset, suite: Suite, root: Path) -> Iterator[Question]:
    rows = files.read_jsonl(root / benchmark.path / subset / "rows.jsonl")
    protocol = protocol_of(benchmark.protocol, subset)
    target = benchmark.layout == "target"
    carried: dict[str, Row] = {}
    if not target and (path := root / suite.corrected / subset / "rows.jsonl").exists():
        carried = {row["id"]: row for row in files.read_jsonl(path)}
    for row in rows:
        item = _target_item(row, protocol, benchmark.language) if target else _source_item(row, protocol, benchmark.language, "")
        later = carried.get(row["id"])
        corrected = _source_item(later, protocol, benchmark.language, "corrected_") if later and later["correction"] == "corrected" else None
        yield Question(
            id=f"{benchmark.language}/{row['id']}",
            item=item,
            corrected=corrected if corrected != item else None,
            benchmarks=(name,),
            subset=subset,
            config=about.config,
            family=about.family,
            spoken=row["spoken"] if target else row["prompt"],
            text=None,
            clip=(f"data/{'synthesize' if target else 'ingest'}/{subset}", row["id"]) if target or row["has_source_audio"] else None,
            cer=row["cer"] if target else None,
        )


def _source_item(row: Row, protocol: str, language: str, prefix: str) -> Item:
    return Item(
        row["id"], protocol, language, row["subset"], row["prompt"], row[f"{prefix}reference"], tuple(row[f"{prefix}references"]),
        _options(row["options"]), _instructions(row["instructions"]), row["task"],
    )  # fmt: skip


def _target_item(row: Row, protocol: str, language: str) -> Item:
    return Item(
        row["id"], protocol, language, row["subset"], row["target_prompt"], row["target_answer"], tuple(row["target_answers"]),
        _options(row["target_options"]), _instructions(row["target_instructions"]), row["task"],
    )  # fmt: skip


def _options(options: list[Row]) -> tuple[tuple[str, str], ...]:
    return tuple((option["label"], option["text"]) for option in options)


def _instructions(instructions: list[Row]) -> tuple[tuple[str, dict[str, Any]], ...]:
    return tuple((one["id"], {key: value for key, value in json.loads(one["kwargs"]).items() if value is not None}) for one in instructions)


def _understanding(name: str, benchmark: Benchmark, row: Row) -> Question:
    capability = row["capability"]
    about = benchmark.subsets.get(capability)
    if about is None:
        raise UserError(f"Item {row['id']} has the capability {capability!r}, which conf/evaluation/ does not list for {name}.")
    shown = row.get("shown") or "\n".join([row["question"], *row["choices"]])
    item = Item(
        row["id"], protocol_of(benchmark.protocol, capability), benchmark.language, capability, row["question"], row["answer"],
        options=tuple(zip(_labels(shown, row["choices"]), row["choices"], strict=True)), task=capability,
    )  # fmt: skip
    clip = (f"data/segments/{row['corpus']}", row["segment"])
    return Question(f"{benchmark.language}/{row['id']}", item, None, (name,), capability, about.config, about.family, shown, shown, clip)


def _labels(shown: str, choices: list[str]) -> list[str]:
    """What stands before each option where the question is shown, or nothing."""
    lines = shown.splitlines()[-len(choices) :]
    labelled = len(lines) == len(choices) and all(line.endswith(choice) for line, choice in zip(lines, choices, strict=True))
    return [line[: -len(choice)].strip(" .)") for line, choice in zip(lines, choices, strict=True)] if labelled else [""] * len(choices)


def _mmau(name: str, benchmark: Benchmark, root: Path) -> Iterator[Question]:
    """MMAU and MMAU-Pro as they are published. Their answers are option texts; MMAU-Pro's items without choices are open."""
    path = root / benchmark.path
    rows = files.nfc(files.read_json(path)) if path.suffix == ".json" else files.read_jsonl(path)
    if not isinstance(rows, list):
        raise UserError(f"{path} is not a list of questions; put the published file of {name} there.")
    for number, row in enumerate(rows):
        try:
            yield _mmau_question(name, benchmark, row, number)
        except (KeyError, TypeError) as error:
            raise UserError(f"Question {number} of {path} lacks {error}; put the published file of {name} there.") from None


def _mmau_question(name: str, benchmark: Benchmark, row: Row, number: int) -> Question:
    id = str(row["id"])
    choices = [str(choice) for choice in row.get("choices") or []]
    answer = row.get("answer")
    task = str(row.get("task") or row.get("category") or name)
    group = task
    protocol, extra = "option_text", {}
    if benchmark.layout == "mmau_pro" and group == "instruction following":
        protocol, extra, task = "mmau_pro_instruction", {"kwargs": row.get("kwargs")}, str(row.get("task_identifier") or "")
    elif benchmark.layout == "mmau_pro" and (group == "open" or not choices):
        protocol = "mmau_pro_open"
    about = benchmark.subsets.get(group) or Subset(config=group, family="audio_understanding")
    item = Item(
        id, protocol, benchmark.language, group, row["question"], None if answer is None else str(answer),
        options=tuple(("", choice) for choice in choices), task=task, extra={**extra, "difficulty": row.get("difficulty")},
    )  # fmt: skip
    shown = "\n".join([row["question"], *choices])
    named = row.get("audio_path") or row.get("audio_id") or []
    clips = tuple(_beside(benchmark.path, str(one), number) for one in ([named] if isinstance(named, str) else named))
    return Question(f"{benchmark.language}/{id}", item, None, (name,), group, about.config, about.family, shown, shown, None, files=clips)


def _beside(published: str, named: str, number: int) -> str:
    """The path of a clip, relative to the root. Raises UserError for one that leaves the folder of the published file."""
    if PurePosixPath(named).is_absolute() or ".." in PurePosixPath(named).parts:
        raise UserError(f"Question {number} of {published} names the clip {named!r}, which is not beside it; clips are named relative to that file.")
    return (PurePosixPath(published).parent / named).as_posix()


def check(item: Item, benchmark: str) -> None:
    """Raise UserError for an item whose key cannot be right, before anything is asked or paid for."""
    if item.protocol not in ("multiple_choice", "option_text"):
        return
    where = f"Item {item.id} of {benchmark}"
    labels, texts = [label for label, _ in item.options], [text for _, text in item.options]
    keys = texts if item.protocol == "option_text" else labels
    if not keys:
        raise UserError(f"{where} is multiple choice without options; correct or reject it.")
    for given, what in ((labels, "label"), (texts, "text")):
        folded = [" ".join(one.split()).casefold() for one in given if one]
        if len(set(folded)) < len(folded):
            twice = next(one for one in given if folded.count(" ".join(one.split()).casefold()) > 1)
            raise UserError(f"{where} has two options with the {what} {twice!r}; correct or reject it.")
    if item.reference not in keys:
        raise UserError(f"{where} has the key {item.reference!r}, which is not among its options {keys}; correct or reject it.")
