"""The funnel of a benchmark of real queries: what every step got, removed and left, and why, from source to checklists.

    python -m stages.wildspeech.funnel wildspeech

Read from the stages' reports and held against the rows: every removed row is there with its reason, and what one stage left
is what the next one got. `python -m stages.explain <id>` tells the story of one query.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from stages.core import files
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT

STAGES = ("wildchat", "select", "paralinguistic", "checklist")
GETS = {"select": ("wildchat",), "checklist": ("select", "paralinguistic")}
"""Where a stage's rows come from, of those that take rows."""


@dataclass(frozen=True)
class Part:
    """One stage of the funnel."""

    stage: str
    steps: list[dict[str, int | str]]
    rules: dict[str, int]
    """Rule id to the rows that it removed."""
    n_in: int
    n_kept: int


def read(root: Path, name: str) -> list[Part]:
    """The parts that have been built. Raises UserError where nothing is, or where reports and rows disagree."""
    parts: list[Part] = []
    kept: dict[str, int] = {}
    for stage in STAGES:
        path = root / "data" / "reports" / stage / f"{name}.json"
        if not path.exists():
            continue
        report = files.read_json(path)
        rules = Counter(orjson.loads(line)["rule_id"] for line in _lines(root / "data" / stage / name / "rejected.jsonl"))
        part = Part(stage, report["steps"], dict(sorted(rules.items())), report["n_in"], report["n_kept"])
        kept[stage] = part.n_kept
        _reconcile(part, rules.total(), sum(1 for _ in _lines(root / "data" / stage / name / "rows.jsonl")), kept)
        parts.append(part)
    if not parts:
        raise UserError(f"Nothing of {name} has been built yet; run `dvc repro`.")
    return parts


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as lines:
            yield from lines
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); run `dvc repro` to make it again.") from None


def _reconcile(part: Part, n_rejected: int, n_rows: int, kept: dict[str, int]) -> None:
    before = sum(kept[stage] for stage in GETS.get(part.stage, ()) if stage in kept)
    removed = sum(int(step["removed"]) for step in part.steps)
    if part.stage in GETS and before != part.n_in:
        raise UserError(f"{part.stage} got {part.n_in} rows, but the stages before it left {before}; run `dvc repro`.")
    if not (part.n_in - part.n_kept == n_rejected == removed and part.n_kept == n_rows):
        told = f"its report removes {removed} and keeps {part.n_kept}, its rows are {n_rejected} and {n_rows}"
        raise UserError(f"The counts of {part.stage} do not add up ({told}); run `dvc repro -f` for it.")


def lines(parts: list[Part]) -> Iterator[str]:
    """The funnel as aligned text."""
    yield f"{'step':<22}{'before':>12}{'removed':>12}{'left':>12}"
    for part in parts:
        yield f"{part.stage}"
        for step in part.steps:
            yield f"  {step['step']:<20}{step['before']:>12,}{step['removed']:>12,}{step['left']:>12,}"
        if part.rules:
            yield "    removed by " + ", ".join(f"{rule} {count:,}" for rule, count in part.rules.items())


def main(arguments: list[str], root: Path = ROOT) -> None:
    known = read_config("wildspeech", root)
    if len(arguments) != 1 or arguments[0] not in known:
        given = " ".join(arguments) or "nothing"
        raise UserError(f"python -m stages.wildspeech.funnel takes one of {', '.join(known) or 'params.yaml'}, got {given}.{nearest(given, known)}")
    print("\n".join(lines(read(root, arguments[0]))))


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
