"""The one runner: read, check, call, check, account for every row, write.

Output of a stage for a subset, below data/<stage>/<subset>/: rows.jsonl (sorted by id), rejected.jsonl (the row so far
plus reason, rule_id, detail) and, for a stage that takes in or makes audio, audio-NNNNN.parquet. All of it is a pure function of
the inputs. The report, which holds seconds, lies apart in data/reports/<stage>/<subset>.json.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from pathlib import Path
from typing import Any

from stages.core import errata, files, settings
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Flow, Outcome, Stage

GC_ALLOCATIONS = 100_000
"""Rows are hundreds of thousands of objects that live to the end and hold no cycles: Python's 700 would search them again
and again, for a tenth of the time."""


def run_stage(stage: Stage, subset: str, values: dict[str, Any], root: Path, folder: Path | None = None) -> dict[str, Any]:
    """Run `stage` on `subset` and write its output; returns the report.

    `values` are the stage's settings, `folder` replaces data/<stage>/<subset> for a sweep. Raises UserError for bad
    settings or rows; then nothing is written, and whatever was paid for is in the stores.
    """
    gc.set_threshold(GC_ALLOCATIONS)
    out = folder or root / "data" / stage.name / subset
    report_path = folder / "report.json" if folder else root / "data" / "reports" / stage.name / f"{subset}.json"
    values, corrections = errata.split(values)
    chosen = settings.load(stage.settings, values, f"{stage.group}.{subset}.{stage.name}")
    if stage.streamed:
        return _run_streamed(stage, subset, chosen, root, out, report_path)
    rows = _read(stage, subset, root)
    started = time.monotonic()
    with stage.tools(chosen, Context(subset, root, Progress(f"{stage.name} {subset}"))) as tools:
        outcome = stage.run(rows, chosen, tools)
    assert isinstance(outcome, Outcome)
    outcome = errata.apply(stage, rows, outcome, corrections)
    seconds = time.monotonic() - started
    _reconcile(stage, rows, outcome)
    _write(stage, outcome, out)
    report = _report(rows, outcome, seconds)
    files.write_json(report_path, report)
    return report


def summary(report: dict[str, Any]) -> str:
    """The report's counts in a few words."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in report["reasons"].items())
    return f"{report['n_kept']} of {report['n_in']} kept" + (f" ({reasons})" if reasons else "")


def _run_streamed(stage: Stage, subset: str, chosen: Settings, root: Path, out: Path, report_path: Path) -> dict[str, Any]:
    from stages.core import streams

    started = time.monotonic()
    paths = [root / "data" / name / subset / "rows.jsonl" for name in _sources(stage)]
    with stage.tools(chosen, Context(subset, root, Progress(f"{stage.name} {subset}"))) as tools:
        source = streams.Source(paths, stage.input_schema, root)
        flow = stage.run(iter(source), chosen, tools)
        assert isinstance(flow, Flow)
        counts = streams.write(flow, out, stage.output_schema, source if paths else None)
    report = _counted(flow.report, counts.ids.count, counts.kept, counts.reasons, time.monotonic() - started)
    files.write_json(report_path, report)
    return report


def _sources(stage: Stage) -> tuple[str, ...]:
    return (stage.reads,) if isinstance(stage.reads, str) else stage.reads or ()


def _read(stage: Stage, subset: str, root: Path) -> list[Row]:
    rows: list[Row] = []
    for name in _sources(stage):
        path = root / "data" / name / subset / "rows.jsonl"
        found = files.read_jsonl(path)
        _check(found, stage.input_schema, path, root)
        rows += found
    return rows


def _check(rows: list[Row], schema: str | None, path: Path, root: Path) -> None:
    if schema is not None:
        from stages.core import schemas

        schemas.check(rows, schema, str(path.relative_to(root)) if path.is_relative_to(root) else str(path))


def _reconcile(stage: Stage, rows: list[Row], outcome: Outcome) -> None:
    """A lost or invented row is a bug of the stage, never something to be passed on."""
    if stage.reads is None:
        return
    before = Counter(row["id"] for row in rows)
    after = Counter([row["id"] for row in outcome.kept] + [rejection.row["id"] for rejection in outcome.rejected])
    if before != after:
        differing = sorted((before - after) + (after - before))
        raise AssertionError(f"stage {stage.name} does not account for every row: {differing[:5]}")


def _write(stage: Stage, outcome: Outcome, out: Path) -> None:
    kept = sorted(outcome.kept, key=lambda row: row["id"])
    rejected = sorted(
        ({**r.row, "reason": r.reason, "rule_id": r.rule_id, "detail": r.detail} for r in outcome.rejected),
        key=lambda row: row["id"],
    )
    _check(kept, stage.output_schema, out / "rows.jsonl", out)
    if outcome.audio is not None:
        from stages.core import shards

        shards.write_shards(out, outcome.audio)
    files.write_jsonl(out / "rejected.jsonl", rejected)
    files.write_jsonl(out / "rows.jsonl", kept)


def _report(rows: list[Row], outcome: Outcome, seconds: float) -> dict[str, Any]:
    reasons = Counter(rejection.reason for rejection in outcome.rejected)
    return _counted(outcome.report, len(rows) or len(outcome.kept) + len(outcome.rejected), len(outcome.kept), reasons, seconds)


def _counted(report: dict[str, Any], n_in: int, n_kept: int, reasons: Counter[str], seconds: float) -> dict[str, Any]:
    return {
        **report,
        "n_in": n_in,
        "n_kept": n_kept,
        "n_rejected": reasons.total(),
        "reasons": dict(sorted(reasons.items())),
        "seconds": round(seconds, 2),
    }
