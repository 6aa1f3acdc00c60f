"""The report's tables out of its results."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stages.evaluate.pictures import said
from stages.evaluate.tables import Cell, Line, Table, number
from stages.evaluate.totals import COUNTS, Figure, overall

if TYPE_CHECKING:
    from stages.evaluate.report import Results

_KINDS = {"spoken_qa": "Spoken question answering", "audio_understanding": "Audio understanding"}
_LANGUAGES = {"en": "English", "ko": "Korean"}


def tables(results: Results) -> list[Table]:
    """Those that have a line."""
    made = [benchmarks(results), subsets(results), capabilities(results), gaps(results), counts(results), provenance(results)]
    return [table for table in made if table.lines]


def language(code: str) -> str:
    return _LANGUAGES.get(code, code)


def benchmarks(results: Results) -> Table:
    suite = results.settings.suite
    table = Table(
        "benchmarks", "Benchmarks",
        "Scores on 0 to 100 with 95 % bootstrap intervals over items. A benchmark is the mean of its subsets, KMMAU that of its items. "
        "Bold: best of a line; underlined: second-best. English and Korean lines are not over paired items; the language gap is."
        + _absent(results),
        "Benchmark", list(results.rows),
    )  # fmt: skip
    for name, of_benchmark in results.figures.items():
        about = suite.benchmarks[name]
        group = f"{_KINDS[about.kind]}, {language(about.language)}"
        table.lines.append(Line(name, tuple(number(one.value, one.interval) for one in of_benchmark.values()), group))
        if about.protocol in ("voicebench", "kvoicebench"):
            found = [overall(rows, name, about) for rows in results.rows.values()]
            if any(value is not None for value in found):
                table.lines.append(Line(f"{name} Overall, as VoiceBench defines it", tuple(number(value) for value in found), group))
    table.lines.sort(key=lambda line: ("Audio" in line.group, line.group))
    return table


def _absent(results: Results) -> str:
    told = []
    for name, of_benchmark in results.figures.items():
        absent = sorted({subset for one in of_benchmark.values() for subset in one.absent})
        if absent:
            told.append(f"{name} without {', '.join(absent)}")
    return f" Not measured: {'; '.join(told)}." if told else ""


def subsets(results: Results) -> Table:
    suite = results.settings.suite
    table = Table(
        "subsets", "Subsets",
        "Each subset by its protocol: accuracy for multiple choice, reasoning and short answers, judge marks on 0 to 100 for open questions, "
        "mean of prompt and instruction accuracy (strict) for IFEval, refusal rate for AdvBench.",
        "Subset", list(results.rows),
    )  # fmt: skip
    for name, of_benchmark in results.figures.items():
        if suite.benchmarks[name].kind != "spoken_qa":
            continue
        names = [subset for subset in suite.benchmarks[name].subsets if any(subset in one.subsets for one in of_benchmark.values())]
        for subset in names:
            table.lines.append(Line(suite.benchmarks[name].subsets[subset].config, _of_subset(of_benchmark, subset), name))
    return table


def _of_subset(of_benchmark: Mapping[str, Figure], subset: str) -> tuple[Cell, ...]:
    cells = []
    for one in of_benchmark.values():
        score = one.subsets.get(subset)
        cells.append(Cell("-") if score is None else number(score.value, score.interval))
    return tuple(cells)


def capabilities(results: Results) -> Table:
    suite = results.settings.suite
    table = Table("audio_understanding", "Audio understanding by capability", "Accuracy with 95 % intervals.", "Capability", list(results.rows))
    for name, of_benchmark in results.figures.items():
        about = suite.benchmarks[name]
        if about.kind != "audio_understanding":
            continue
        found = sorted({subset for one in of_benchmark.values() for subset in one.subsets})
        family_of = {subset: about.subsets[subset].family if subset in about.subsets else "" for subset in found}
        for subset, family in sorted(family_of.items(), key=lambda one: (one[1], one[0])):
            table.lines.append(Line(said(subset), _of_subset(of_benchmark, subset), " · ".join(filter(None, [name, family]))))
    return table


def gaps(results: Results) -> Table:
    source, target = (language(code) for code in _sides(results))
    table = Table(
        "gap", f"{target} minus {source}",
        f"Differences on the items that both languages share, paired by item; the {source} item counts by its corrected key. In brackets the 95 % "
        "bootstrap interval over pairs; p by a sign-flip test over pairs, Holm-adjusted over a model's families; n pairs.",
        "Task family", list(results.rows),
    )  # fmt: skip
    families = sorted({family for of_model in results.gaps.values() for family in of_model if family != "all"})
    for family in [*families, "all"] if families else []:
        cells = []
        for model in results.rows:
            gap = results.gaps.get(model, {}).get(family)
            cells.append(Cell("-") if gap is None else number(gap.difference, gap.interval, f"p {_p(gap.p_adjusted)}, n {gap.n}", signed=True))
        table.lines.append(Line(said(family), tuple(cells), ranked=False))
    return table


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}".rstrip("0").rstrip(".")


def _sides(results: Results) -> tuple[str, str]:
    from stages.evaluate.report import languages

    return languages(results.settings.suite)


_COUNTED = {
    "n": "questions", "n_missing": "no answer at all", "n_empty": "empty answers", "n_unparsed": "no choice readable", "n_refused": "refusals",
    "n_judge_failed": "not judged", "n_flagged": "judges without a majority", "n_invalid": "unreadable judgments",
    "n_retried": "judgments asked for again",
}  # fmt: skip


def counts(results: Results) -> Table:
    table = Table(
        "counts", "What was not measured",
        "Missing, empty and unreadable answers count as wrong. An answer that was not judged is left out of the mean and counted here. Refusals are "
        "wanted in AdvBench and counted in every subset.",
        "Count", list(results.rows),
    )  # fmt: skip
    for name, of_benchmark in results.figures.items():
        sums = {model: Counter[str]() for model in of_benchmark}
        for model, one in of_benchmark.items():
            for score in one.subsets.values():
                sums[model].update({count: getattr(score, count) for count in COUNTS})
        for count, label in _COUNTED.items():
            if count == "n" or any(sums[model][count] for model in sums):
                cells = tuple(Cell(str(sums[model][count]), sums[model][count]) for model in of_benchmark)
                table.lines.append(Line(label, cells, name, ranked=False))
    return table


def provenance(results: Results) -> Table:
    from stages.evaluate import compare

    table = Table(
        "provenance", "How it was scored",
        "Figures may be compared only where these are the same. A prompt is named by its hash; scorer versions end in a hash of the code that reads "
        "answers.",
        "", list(results.rows),
    )  # fmt: skip
    runs = {model: compare.about(rows, results.judges.get(model)) for model, rows in results.rows.items()}
    answered = {model: ", ".join(sorted({row["model"] for row in rows if row["model"]})) for model, rows in results.rows.items()}
    modality = {model: ", ".join(sorted({row["modality"] for row in rows if row["modality"]})) for model, rows in results.rows.items()}
    for label, told in (("model", answered), ("given to it", modality)):
        table.lines.append(Line(label, tuple(Cell(told[model] or "-") for model in results.rows), ranked=False))
    for key in sorted({key for about in runs.values() for key in about}):
        table.lines.append(Line(key, tuple(Cell(str(runs[model].get(key, "-"))) for model in results.rows), ranked=False))
    return table if results.rows else Table("provenance", "", "", "", [])


def composition(results: Results) -> list[tuple[str, str, int]]:
    """(family, category, items) of the target language's benchmarks, shared items once."""
    target = _sides(results)[1]
    rows: Sequence[Any] = next(iter(results.rows.values()), [])
    found = Counter((row["family"], _category(row)) for row in rows if row["language"] == target)
    return [(family, category, n) for (family, category), n in sorted(found.items())]


def _category(row: Any) -> str:
    """A capability in words, a subset by its name."""
    return said(row["config"]) if row["protocol"] == "option_text" else str(row["config"]).removesuffix("-test")


def long_form(results: Results) -> str:
    """Every figure of every subset and benchmark, one a line, for DVC's plots and other tools."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["model", "benchmark", "subset", "language", "family", "metric", "value", "low", "high", *COUNTS, "scorer", "version", "mode"])
    for name, of_benchmark in results.figures.items():
        about = results.settings.suite.benchmarks[name]
        for model, one in of_benchmark.items():
            for subset, score in one.subsets.items():
                family = about.subsets[subset].family if subset in about.subsets else ""
                numbers = [_rounded(score.value), *(map(_rounded, score.interval or (None, None)))]
                told = [getattr(score, count) for count in COUNTS]
                writer.writerow([model, name, subset, about.language, family, score.metric, *numbers, *told, score.scorer, score.version, score.mode])
            low, high = one.interval or (None, None)
            total = [model, name, "", about.language, "", "mean", _rounded(one.value), _rounded(low), _rounded(high), one.n]
            writer.writerow([*total, *[""] * (len(COUNTS) - 1), "", "", ""])
    return out.getvalue()


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def metrics(results: Results) -> dict[str, Any]:
    """Figures for `dvc metrics`: model, benchmark, number."""
    found: dict[str, Any] = {}
    for model in results.rows:
        of_model: dict[str, Any] = {
            name: round(value, 4) for name, of_benchmark in results.figures.items() if (value := of_benchmark[model].value) is not None
        }
        if gap := results.gaps.get(model, {}).get("all"):
            of_model["language_gap"] = round(gap.difference, 4)
            of_model["pairs"] = gap.n
        found[model] = of_model
    return found
