"""The table at the end of a build: what became of every subset's items, what it took, and where the datasets lie.

    python -m stages.summary            prints the table and writes data/summary.json
    python -m stages.summary --quiet    writes data/summary.json alone; a DVC metric, hence counts only and no seconds

The counts come from the ledger and reconcile (source = rejected + released), or this fails and names the item.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stages.core import files, ledger
from stages.core.app import CONFIG, exiting, read_config
from stages.core.errors import UserError
from stages.core.paths import ROOT

COUNTS = ["source", "corrected", "redesigned", "rejected", "released"]


def summarize(root: Path, subsets: Iterable[str]) -> dict[str, Any]:
    """Counts and CER of every subset, and their totals. A subset published in two datasets counts once."""
    rows: dict[str, dict[str, Any]] = {}
    every: list[float] = []
    for subset in sorted(subsets):
        book = ledger.read(root, subset)
        cer = [item.row["cer"] for item in book.items if item.released]
        rows[subset] = {**book.counts(), "mean_cer": _mean(cer)}
        every += cer
    total: dict[str, Any] = {name: sum(row[name] for row in rows.values()) for name in ["reviewed", *COUNTS]}
    return {"subsets": rows, "total": {**total, "mean_cer": _mean(every)}}


def _mean(values: list[float]) -> float | None:
    return round(statistics.fmean(values), 4) if values else None


def costs(root: Path, subset: str) -> dict[str, float]:
    """Seconds, replies (all, and how many came from the store) and dollars of a subset, from its stages' last reports."""
    cost = {"seconds": 0.0, "replies": 0, "from_store": 0, "usd": 0.0}
    for stage in ledger.ORDER:
        path = root / "data" / "reports" / stage / f"{subset}.json"
        report = files.read_json(path) if path.exists() else {}
        cost["seconds"] += report.get("seconds", 0)
        for usage in report.get("usage", {}).values():
            cost["replies"] += usage.get("requests", 0)
            cost["from_store"] += usage.get("from_store", 0)
            cost["usd"] += usage.get("usd") or 0
    return cost


def datasets(root: Path, releases: Iterable[str]) -> list[tuple[str, int, int, int]]:
    """(path, configs, rows, bytes) of every release that has been published to its folder."""
    import pyarrow.parquet as pq

    found = []
    for name in sorted(releases):
        folder = root / "data" / "publish" / name
        parts = sorted(folder.glob("*/*.parquet"))
        if folder.is_dir():
            rows = sum(pq.read_metadata(part).num_rows for part in parts)
            found.append((str(folder.relative_to(root)), len(parts), rows, sum(part.stat().st_size for part in parts)))
    return found


def show(root: Path, summary: dict[str, Any], releases: Iterable[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    piped = not sys.stdout.isatty()
    console = Console(width=120 if piped else None, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold", footer_style="bold", show_footer=True)
    spent = {subset: costs(root, subset) for subset in summary["subsets"]}
    everything = {name: sum(cost[name] for cost in spent.values()) for name in ("seconds", "replies", "from_store", "usd")}
    table.add_column("subset", footer="all")
    for name in COUNTS:
        table.add_column(name, str(summary["total"][name]), justify="right")
    for name, footer in zip(("seconds", "replies", "mean CER"), _tail(everything, summary["total"]["mean_cer"]), strict=True):
        table.add_column(name, footer, justify="right")
    for subset, row in summary["subsets"].items():
        table.add_row(subset, *(str(row[name]) for name in COUNTS), *_tail(spent[subset], row["mean_cer"]))
    console.print(table)
    asked = everything["replies"] - everything["from_store"]
    console.print(f"\n{everything['from_store']:.0f} replies came from the store, {asked:.0f} were asked for (${everything['usd']:.2f}).")
    for path, configs, rows, size in datasets(root, releases):
        console.print(f"{path}: {rows} rows in {configs} configs, {size / 1e6:.1f} MB", soft_wrap=True)
    for name in files.read_json(root / CONFIG).get("wildspeech") or {}:
        if funnel := _funnel(root, name):
            console.print(f"\n{name}", style="bold")
            console.print("\n".join(funnel), soft_wrap=True)
    for name in files.read_json(root / CONFIG).get("understanding") or {}:
        if answered := _questions(root, name):
            console.print(f"\n{name}", style="bold")
            console.print("\n".join(answered), soft_wrap=True)
    console.print("An item's story: python -m stages.explain <id>", soft_wrap=True)


def _tail(cost: dict[str, float], cer: float | None) -> list[str]:
    return [f"{cost['seconds']:.1f}", f"{cost['replies']:.0f}", "-" if cer is None else f"{cer:.3f}"]


def _funnel(root: Path, name: str) -> list[str]:
    """What each step of a benchmark of real queries left, where it has been built."""
    from stages.wildspeech import funnel

    if not any((root / "data" / "reports" / stage / f"{name}.json").exists() for stage in funnel.STAGES):
        return []
    return list(funnel.lines(funnel.read(root, name)))


def _questions(root: Path, name: str) -> list[str]:
    """What came of the questions on recordings, a line each capability, where they have been built."""
    path = root / "data" / "assemble" / name / "summary.json"
    if not path.exists():
        return []
    told = files.read_json(path)
    lines = []
    for capability, one in {**told["capabilities"], "all": told["total"]}.items():
        reasons = ", ".join(f"{count} {reason}" for reason, count in one.get("reasons", {}).items())
        short = f", {one['shortfall']} short of {one['target']}" if one["shortfall"] else ""
        guessed = "; guessable" if capability in told["guessable"] else ""
        lines.append(f"{capability:<24}{one['released']:>5} of {one['candidates']} candidates{f' ({reasons})' if reasons else ''}{short}{guessed}")
    return lines


def main(arguments: list[str], root: Path = ROOT) -> None:
    if unknown := [argument for argument in arguments if argument != "--quiet"]:
        raise UserError(f"python -m stages.summary takes only --quiet, not {unknown[0]}.")
    summary = summarize(root, read_config("subsets", root))
    files.write_json(root / "data" / "summary.json", summary)
    if not arguments:
        show(root, summary, read_config("releases", root))


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
