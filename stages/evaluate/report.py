"""Report: the tables, the pictures and the page of an evaluation.

    python -m stages.evaluate.report        what DVC runs: every model of params.yaml, into data/report/

Source: paper 2605.27984, section 5.2 and appendix F (benchmark-level and sub-benchmark tables, KMMAU by capability, best and second-best
marked), Figure 1 (what the suite consists of). Ours adds intervals, the language gap on the items that both languages share with a paired
test, rank agreement between spoken question answering and audio understanding, the judge's agreement with itself, and what was not
measured. Runs that were not scored alike are refused, or marked where `anyway` is set.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.core import figures, files, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings
from stages.evaluate import compare, pages, pictures, tabulate, thresholds
from stages.evaluate.agreement import Agreement, agreements
from stages.evaluate.benchmarks import Suite
from stages.evaluate.compare import Gap, Ranks
from stages.evaluate.tables import Table, write_all
from stages.evaluate.totals import Figure, figure


class ReportSettings(Settings):
    suite: Suite
    models: list[str]
    title: str
    notice: str | None = None
    """Heads the page of what is not a measurement."""
    anyway: bool = False
    """Show runs that were scored differently side by side, marked, instead of refusing."""
    max_cer: float
    """The gate in use, for its sweep."""
    max_invalid_share: float
    steps: int = 100
    """Steps of the threshold sweeps."""


@dataclass(frozen=True)
class Results:
    """Everything that tables, pictures and page are made of."""

    settings: ReportSettings
    rows: Mapping[str, list[Row]]
    """Model to its scored rows."""
    judges: Mapping[str, Mapping[str, Any] | None]
    marks: list[str]
    """Differences between the runs; empty unless `anyway`."""
    figures: Mapping[str, Mapping[str, Figure]]
    """Benchmark to model to figure; only benchmarks that have rows."""
    gaps: Mapping[str, Mapping[str, Gap]]
    """Model to family to gap."""
    ranks: Ranks | None
    agreements: Mapping[str, list[Agreement]]


def gather(chosen: ReportSettings, rows: Mapping[str, list[Row]], judges: Mapping[str, Mapping[str, Any] | None]) -> Results:
    """Raises UserError for runs that were scored differently, unless `anyway`."""
    runs = {model: compare.about(of_model, judges.get(model)) for model, of_model in rows.items()}
    old = compare.outdated(row for of_model in rows.values() for row in of_model)
    if not chosen.anyway:
        compare.require_same(runs, old)
    found: dict[str, dict[str, Figure]] = {}
    for name, benchmark in chosen.suite.benchmarks.items():
        of_benchmark = {model: figure(of_model, name, benchmark) for model, of_model in rows.items()}
        if any(one.n for one in of_benchmark.values()):
            found[name] = of_benchmark
    gaps: dict[str, dict[str, Gap]] = {}
    for model, of_model in rows.items():
        pairs = compare.pairs(of_model, *languages(chosen.suite))
        if of_gaps := compare.gaps(pairs):
            gaps[model] = of_gaps
    return Results(
        chosen, rows, judges, [*old, *compare.differences(runs)], found, gaps, rank_agreement(chosen.suite, found),
        {model: of_judge for model, of_model in rows.items() if (of_judge := agreements(of_model))},
    )  # fmt: skip


def languages(suite: Suite) -> tuple[str, str]:
    """(language of the sources, language of what was made of them)."""
    made = [benchmark for benchmark in suite.benchmarks.values() if benchmark.source]
    if not made:
        return "en", "ko"
    return suite.benchmarks[str(made[0].source)].language, made[0].language


def rank_agreement(suite: Suite, found: Mapping[str, Mapping[str, Figure]]) -> Ranks | None:
    """Of spoken question answering and audio understanding in the target language."""
    target = languages(suite)[1]
    sides: dict[str, dict[str, list[float]]] = {"spoken_qa": {}, "audio_understanding": {}}
    for name, of_benchmark in found.items():
        benchmark = suite.benchmarks[name]
        if benchmark.language == target:
            for model, one in of_benchmark.items():
                if one.value is not None:
                    sides[benchmark.kind].setdefault(model, []).append(one.value)
    means = {kind: {model: sum(values) / len(values) for model, values in of_kind.items()} for kind, of_kind in sides.items()}
    return compare.ranks(means["spoken_qa"], means["audio_understanding"])


def run(chosen: ReportSettings, root: Path) -> dict[str, str]:
    """Write everything to data/report/ and the metrics to data/evaluation.json; returns what was written, by name."""
    rows = {model: files.read_jsonl(root / "data" / "score" / model / "rows.jsonl") for model in chosen.models}
    judges = {model: files.read_json(root / "data" / "reports" / "score" / f"{model}.json").get("judge") for model in chosen.models}
    results = gather(chosen, rows, judges)
    folder = root / "data" / "report"
    made = tabulate.tables(results)
    for table in made:
        for suffix, text in write_all(table).items():
            files.write_text(folder / f"{table.name}{suffix}", text)
    files.write_text(folder / "report.md", "\n".join(write_all(table)[".md"] for table in made) or "No model has been evaluated.\n")
    files.write_text(folder / "scores.csv", tabulate.long_form(results))
    drawn = draw(results, made)
    for name, one in drawn.items():
        files.write_text(folder / f"{name}.svg", figures.svg(one))
    gates = {"cer_gate": chosen.max_cer, "invalid_limit": chosen.max_invalid_share}
    drawn |= thresholds.write(folder / "thresholds", rows, gates, chosen.steps)
    files.write_text(folder / "index.html", pages.page(results, made, {name: figures.svg(one) for name, one in drawn.items()}))
    files.write_json(root / "data" / "evaluation.json", tabulate.metrics(results))
    return {"page": "data/report/index.html", "tables": "data/report/report.md", "metrics": "data/evaluation.json"}


def draw(results: Results, made: Sequence[Table]) -> dict[str, Any]:
    """The pictures that there is something to draw in, by name."""
    by_name = {table.name: table for table in made}
    drawn: dict[str, Any] = {}
    if counts := tabulate.composition(results):
        centre = f"{tabulate.language(languages(results.settings.suite)[1])} items"
        drawn["suite"] = figures.draw(lambda canvas: pictures.sunburst(canvas, counts, centre), 8.4, 6.2)
    if results.gaps:
        families = [*sorted({family for of_model in results.gaps.values() for family in of_model if family != "all"}), "all"]
        height = 1.4 + len(families) * max(0.42, 0.16 * len(results.gaps))
        source, target = map(tabulate.language, languages(results.settings.suite))
        drawn["gap"] = figures.draw(lambda canvas: pictures.gap_chart(canvas, results.gaps, families, source, target), 8, height)
    if table := by_name.get("subsets"):
        drawn["heat"] = figures.draw(lambda canvas: pictures.heat_map(canvas, table), 3.4 + 1.1 * len(table.columns), 1 + 0.3 * len(table.lines))
    if results.agreements:
        bars = sum(len([one for one in of_model if one.n]) for of_model in results.agreements.values())
        drawn["judge"] = figures.draw(lambda canvas: pictures.judge_chart(canvas, results.agreements), 9.2, max(2.8, 0.8 + 0.42 * bars))
    return drawn


def main(arguments: Sequence[str], root: Path = ROOT) -> None:
    if arguments and arguments != ["anyway=true"]:
        raise UserError(f"python -m stages.evaluate.report takes only anyway=true, not {arguments[0]!r}; the rest is in conf/evaluation/.")
    values = {**read_config("evaluation.report", root), **({"anyway": True} if arguments else {})}
    for what, where in run(settings.load(ReportSettings, values, "evaluation.report"), root).items():
        print(f"{what}: {where}")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
