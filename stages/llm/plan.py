"""What a profile will ask, before any call: requests, tokens and dollars per stage, subset and role, and what is stored already.

    python -m stages.llm plan        (or python -m stages.llm.plan)

`llm.planned` of the configuration names the stages that ask models. Each stage's module has `plan_requests(rows, settings, root)`,
the requests that its rows let it render now; what only later replies bring about (`follow_ups`) is counted by a declared share.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.core import files, settings
from stages.core.app import CONFIG, exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings
from stages.llm.account import BYTES_PER_TOKEN, REPLY_TOKENS, usd
from stages.llm.request import Request, Usage
from stages.llm.settings import Role
from stages.llm.store import Store


class FollowUp(Settings):
    """Requests that depend on replies: `share` requests to `role` for each request to `of`, of about the same length."""

    role: str
    of: str
    share: float


class PlannedStage(Settings):
    follow_ups: list[FollowUp] = Field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """The requests of one stage for one subset."""

    stage: str
    subset: str
    requests: list[Request]
    settings: Any
    follow_ups: list[FollowUp]
    estimated_from: str | None
    """The earlier stage whose rows stand in for input that does not exist yet."""


@dataclass
class Line:
    """One line of the plan. Tokens and dollars are those of the requests that are still to be asked."""

    stage: str
    subset: str
    role: Role
    requests: float = 0
    stored: float = 0
    bytes_to_ask: float = 0
    known: bool = True
    follow_up: bool = False
    usage: Usage = field(default_factory=Usage)

    @property
    def to_ask(self) -> float:
        return self.requests - self.stored


def work(root: Path = ROOT, stages: list[str] | None = None, subsets: list[str] | None = None) -> tuple[list[Work], list[str]]:
    """The requests of the chosen stages and subsets (all by default) that can be rendered now, and a note for each gap."""
    planned = read_config("llm.planned", root)
    modules = {**read_config("stages", root), **{name: module for of in _groups(root).values() for name, module in of.items()}}
    units = {group: read_config(group, root) for group in ("subsets", *_groups(root))}
    known = {unit: group for group, names in units.items() for unit in names}
    wanted = _chosen(subsets, known, "subset")
    found: list[Work] = []
    notes: list[str] = []
    for stage in _chosen(stages, planned, "stage"):
        module = importlib.import_module(modules[stage])
        absent: list[str] = []
        follow_ups = settings.load(PlannedStage, planned[stage] or {}, f"llm.planned.{stage}").follow_ups
        group = getattr(module.STAGE, "group", "subsets")
        for subset in (unit for unit in wanted if unit in units[group]):
            values = units[group][subset].get(stage)
            if values is None:
                continue
            chosen = settings.load(module.STAGE.settings, values, f"{group}.{subset}.{stage}")
            rows, stand_in = _rows(root, subset, module.STAGE.reads, modules)
            if rows is None:
                absent.append(subset)
                continue
            if stand_in:
                rows = _completed(rows, module.STAGE.input_schema)
            found.append(Work(stage, subset, module.plan_requests(rows, chosen, root), chosen, follow_ups, stand_in))
        if absent:
            sources = (module.STAGE.reads,) if isinstance(module.STAGE.reads, str) else module.STAGE.reads
            where = " or ".join(f"data/{source}/<subset>/rows.jsonl" for source in sources)
            notes.append(f"{stage}: {', '.join(absent)} not counted, {where} does not exist yet; run `dvc repro` first.")
    return found, notes


def _groups(root: Path) -> dict[str, dict[str, str]]:
    """The stages of what is not a subset, by group; none in a configuration without."""
    groups: dict[str, dict[str, str]] = files.read_json(root / CONFIG).get("stages_of") or {}
    return groups


def _chosen(names: list[str] | None, known: dict[str, Any], what: str) -> list[str]:
    for name in names or []:
        if name not in known:
            raise UserError(f"There is no {what} {name!r} here.{nearest(name, known)} Known: {', '.join(known)}.")
    return [name for name in known if not names or name in names]


def _rows(root: Path, subset: str, reads: str | tuple[str, ...] | None, modules: dict[str, str]) -> tuple[list[Row] | None, str | None]:
    """The rows that a stage reads; where they do not exist yet, those of the nearest stage before, and its name.

    None for a stage whose branches have not all been built; an empty list for one that takes no rows.
    """
    if reads is None:
        return [], None
    if not isinstance(reads, str):
        paths = [root / "data" / source / subset / "rows.jsonl" for source in reads]
        return ([row for path in paths for row in files.read_jsonl(path)], None) if all(path.exists() for path in paths) else (None, None)
    source: str | None = reads
    while source is not None:
        path = root / "data" / source / subset / "rows.jsonl"
        if path.exists():
            return files.read_jsonl(path), None if source == reads else source
        source = importlib.import_module(modules[source]).STAGE.reads
    return None, None


def _completed(rows: list[Row], schema: str) -> list[Row]:
    """`rows` with the columns that the stages between will add: as if nothing had changed (corrected_reference = reference), or empty."""
    from stages.core import schemas

    empty: Row = {name: [] if str(dtype).startswith("List") else None for name, dtype in schemas.columns(schema).items()}
    return [{name: row[name] if name in row else row.get(name.partition("_")[2], nothing) for name, nothing in empty.items()} for row in rows]


def lines(works: list[Work], store: Store) -> Iterator[Line]:
    """The plan: for each stage and subset a line for each role, and one for each follow-up."""
    for each in works:
        by_role: dict[str, dict[str, Request]] = defaultdict(dict)
        for request in each.requests:
            by_role[request.role.name][request.key] = request
        rendered = {}
        for name, requests in by_role.items():
            stored = store.replies(list(requests))
            role = next(iter(requests.values())).role
            line = Line(each.stage, each.subset, role, len(requests), len(stored), known=each.estimated_from is None)
            line.bytes_to_ask = sum(len(request.sent) for key, request in requests.items() if key not in stored)
            rendered[name] = line
            yield _estimated(line, store)
        for follow_up in each.follow_ups:
            if (first := rendered.get(follow_up.of)) is not None:
                role = getattr(each.settings, follow_up.role)
                expected = first.to_ask * follow_up.share
                line = Line(each.stage, each.subset, role, expected, 0, first.bytes_to_ask * follow_up.share, known=False, follow_up=True)
                yield _estimated(line, store)


def _estimated(line: Line, store: Store) -> Line:
    averages = store.averages(line.role.name, line.role.model)
    per_byte, per_reply = averages[1:] if averages else (1 / BYTES_PER_TOKEN, min(REPLY_TOKENS, line.role.max_tokens or REPLY_TOKENS))
    line.usage = Usage(round(line.bytes_to_ask * per_byte), 0, round(line.to_ask * per_reply))
    return line


def table(plan: list[Line]) -> list[str]:
    """The plan as aligned text; `~` marks what rests on an assumption."""
    head = ("stage", "subset", "role", "model", "requests", "stored", "to ask", "tokens in", "tokens out", "USD")
    cells: list[tuple[str, ...]] = [head]
    for line in plan:
        cells.append(_cells(line.stage, line.subset, line.role.name + " (second round)" * line.follow_up, line.role.model, [line]))
    for name in sorted({line.role.name for line in plan}):
        of_role = [line for line in plan if line.role.name == name]
        cells.append(_cells("all", "", name, of_role[0].role.model, of_role))
    cells.append(_cells("all", "", "", "", plan))
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    aligned = [str.ljust] * 4 + [str.rjust] * 6
    return ["  ".join(align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)).rstrip() for row in cells]


def _cells(stage: str, subset: str, role: str, model: str, group: list[Line]) -> tuple[str, ...]:
    mark = "" if all(line.known for line in group) else "~"
    cost = sum(usd(line.role, line.usage) for line in group)
    priced = any(line.role.usd_per_million_input is not None or line.role.usd_per_million_output is not None for line in group)
    counts = [sum(line.requests for line in group), sum(line.stored for line in group), sum(line.to_ask for line in group)]
    tokens = [sum(line.usage.prompt_tokens for line in group), sum(line.usage.completion_tokens for line in group)]
    requests, stored, to_ask = (f"{n:,.1f}".removesuffix(".0") for n in counts)
    numbers = (f"{mark}{requests}", stored, f"{mark}{to_ask}", *(f"~{n:,}" if n else "0" for n in tokens))
    return (stage, subset, role, model, *numbers, f"~{cost:,.2f}" if priced else "-")


def main(root: Path = ROOT) -> None:
    works, notes = work(root)
    with Store.open() as store:
        plan = list(lines(works, store))
        spent, path = store.spent_usd(), store.path
        open_requests = len(store.missing())
        measured = sorted({(line.role.name, a[0]) for line in plan if (a := store.averages(line.role.name, line.role.model))})
    print("\n".join(table(plan) if plan else ["Nothing to ask can be rendered yet."]))
    print()
    for stage, source in sorted({(each.stage, each.estimated_from) for each in works if each.estimated_from}):
        subsets = ", ".join(each.subset for each in works if (each.stage, each.estimated_from) == (stage, source))
        notes.append(f"{stage}: {subsets} estimated from the rows of {source}, since the stage's own input does not exist yet.")
    notes += [f"{role}: tokens by the averages of {n} stored replies." for role, n in measured]
    if {line.role.name for line in plan} - {role for role, _ in measured}:
        notes.append(f"Other tokens are assumed: {BYTES_PER_TOKEN} bytes of a request a token, {REPLY_TOKENS} tokens a reply.")
    if any(not line.known for line in plan):
        notes.append("~ requests: second rounds (llm.planned.<stage>.follow_ups) and estimates; they are known once the first replies are there.")
    if any(line.role.usd_per_million_input is None for line in plan):
        notes.append("USD -: the role has no price in the configuration.")
    if open_requests:
        notes.append(f"{open_requests} requests that the last runs wanted have no reply; `python -m stages.llm export --missing` writes them.")
    client = read_config("llm.client", root)
    notes.append(f"Mode {client['mode']}; spent so far ${spent:.2f}, llm.client.max_cost_usd {client.get('max_cost_usd')}; store {path}.")
    print("\n".join(notes))


if __name__ == "__main__":
    exiting(main)
