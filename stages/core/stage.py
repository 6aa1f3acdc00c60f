"""What a stage is: `run(rows, settings, tools) -> Outcome`, and a declaration that the one runner can execute.

A stage never opens files, parses arguments or swallows what it cannot handle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings


@dataclass(frozen=True)
class Rejection:
    """A row that goes no further, and why."""

    row: Row
    reason: str
    """One of the few reasons that a stage declares, counted in reports, such as `unresolved` or `unintelligible`."""
    rule_id: str
    """The rulebook rule or check that decided."""
    detail: str = ""
    """What was seen on this item, for a person."""


@dataclass
class Outcome:
    """What a stage did with its rows: every input row is either kept (with columns added) or rejected."""

    kept: list[Row]
    rejected: list[Rejection] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)
    """Counts and usage of this stage; the runner adds `n_in`, `n_kept`, `n_rejected`, `reasons` and `seconds`."""
    audio: Iterable[tuple[str, bytes]] | None = None
    """(row id, encoded audio bytes), of a stage that takes in or makes audio: ingest, segments, synthesize, speak, perturb and their variants."""


@dataclass
class Flow:
    """What a streamed stage does with its rows: results as they are decided, written at once and never all in memory."""

    results: Iterator[Row | Rejection]
    """Every input row once, kept (with columns added) or rejected; the kept ones in ascending order of id."""
    report: dict[str, Any] = field(default_factory=dict)
    """As in Outcome; complete when the results have been drawn."""


@dataclass(frozen=True)
class Context:
    """What the runner tells the tools factory about the run."""

    subset: str
    root: Path
    progress: Progress


ToolsFactory = Callable[[Any, Context], AbstractContextManager[Any]]


def no_tools(settings: Any, context: Context) -> AbstractContextManager[Any]:
    return nullcontext()


@dataclass(frozen=True)
class Stage:
    """A stage's declaration."""

    name: str
    """As in dvc.yaml, and the folder of its output: data/<name>/<subset>/."""
    run: Callable[[Any, Any, Any], Outcome | Flow]
    """(rows, settings, tools): rows are a list, or an iterator where the stage is streamed; it then returns a Flow."""
    settings: type[Settings]
    """Filled from `<group>.<unit>.<name>` of data/config.json, the one key that dvc.yaml tracks for the stage."""
    reads: str | tuple[str, ...] | None
    """The stage whose rows it takes (several where branches meet), or None for one that takes no rows: its tools are the source."""
    input_schema: str | None
    """A class name in stages.core.schemas."""
    output_schema: str
    tools: ToolsFactory = no_tools
    """Opens what the function needs (an LLM client, a rulebook, a synthesizer) and closes it afterwards."""
    group: str = "subsets"
    """What it is run on, one unit at a time: the key of data/config.json that holds the units (subsets, corpora, ...)."""
    explain: Callable[[Row], list[str]] | None = None
    """The stage's part of an item's story, as lines, for `python -m stages.explain`."""
    streamed: bool = False
    """Whether rows pass one by one, for sources that do not fit into memory; `run` then takes an iterator and returns a Flow."""
