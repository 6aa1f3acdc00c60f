"""The report's page out of its results: what is said, in which order, beside which picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stages.core.files import Row
from stages.evaluate import page as parts
from stages.evaluate.page import Page
from stages.evaluate.tables import Table, hypertext
from stages.evaluate.tabulate import language

if TYPE_CHECKING:
    from stages.evaluate.report import Results

_STORIES = 24
"""Items that the page tells in full: those on which the models differ most."""
_LONG = 1200


def page(results: Results, tables: Sequence[Table], svgs: Mapping[str, str]) -> str:
    from stages.evaluate.report import languages

    source, target = (language(code) for code in languages(results.settings.suite))
    made = Page(results.settings.title, _lead(results))
    by_name = {table.name: table for table in tables}
    if results.settings.notice:
        made.warnings.append(results.settings.notice)
    made.warnings += [f"These runs were not scored alike: {mark}" for mark in results.marks]
    made.tiles = _tiles(results)
    if "benchmarks" in by_name:
        section = made.section("benchmarks", "Benchmarks")
        section.parts += _table(by_name["benchmarks"])
        if "suite" in svgs:
            caption = f"What the {target} suite consists of: task families inside, subsets and capabilities with their number of items outside."
            section.parts.append(parts.figure(svgs["suite"], caption, 46))
    if "gap" in by_name:
        section = made.section("gap", f"{target} minus {source}")
        section.parts.append(parts.figure(svgs["gap"], f"The same items in both languages: how many points a model loses or gains in {target}.", 50))
        section.parts += _table(by_name["gap"])
    _subsets(made, by_name, svgs)
    _ranks(made, results)
    if "judge" in svgs:
        section = made.section("judge", "The judge")
        told = "Answers that were judged several times: where the samples differ, the mark is a matter of chance to that extent."
        section.parts.append(parts.paragraph(told))
        section.parts.append(parts.figure(svgs["judge"], "Agreement of the judge with itself (α: Krippendorff), and the marks that it gave.", 54))
    _sweeps(made, svgs)
    _stories(made, results)
    for name, anchor in (("counts", "counts"), ("provenance", "provenance")):
        if name in by_name:
            made.section(anchor, by_name[name].title).parts += _table(by_name[name])
    made.footer = "Every number can be made again from data/score/<model>/rows.jsonl, which holds each answer and each raw judgment."
    return parts.render(made)


def _lead(results: Results) -> str:
    if not results.rows:
        return "No model has been evaluated: name models under `speechlms` in params.yaml and run `dvc repro`."
    n = max((len(rows) for rows in results.rows.values()), default=0)
    return f"{len(results.rows)} models under test, {n:,} questions each, {len(results.figures)} benchmarks. Scores run from 0 to 100."


def _tiles(results: Results) -> list[tuple[str, str]]:
    tiles = []
    for name, of_benchmark in results.figures.items():
        known = {model: one.value for model, one in of_benchmark.items() if one.value is not None}
        if known:
            best = max(known, key=lambda model: known[model])
            tiles.append((f"{known[best]:.1f}", f"{name}, best: {best}"))
    return tiles


def _table(table: Table) -> list[str]:
    return [hypertext(table), parts.paragraph(table.caption, "caption")]


def _subsets(made: Page, by_name: Mapping[str, Table], svgs: Mapping[str, str]) -> None:
    if "subsets" in by_name:
        section = made.section("subsets", "Subsets")
        section.parts.append(parts.figure(svgs["heat"], "Every subset and model; darker is better.", 40))
        section.parts += _table(by_name["subsets"])
    if "audio_understanding" in by_name:
        made.section("understanding", by_name["audio_understanding"].title).parts += _table(by_name["audio_understanding"])


def _ranks(made: Page, results: Results) -> None:
    kinds = {results.settings.suite.benchmarks[name].kind for name in results.figures}
    if len(kinds) < 2:
        return
    section = made.section("ranks", "Do the two rankings agree?")
    if results.ranks is None:
        section.parts.append(parts.paragraph("Rank agreement between spoken question answering and audio understanding needs at least three models."))
        return
    one = results.ranks
    told = f"Over {one.n} models, Kendall's τ is {one.kendall_tau:.2f} and Spearman's ρ is {one.spearman_rho:.2f}"
    between = "between spoken question answering and audio understanding in the target language; 1 is the same order."
    section.parts.append(parts.paragraph(f"{told} {between}"))


def _sweeps(made: Page, svgs: Mapping[str, str]) -> None:
    told = {
        "cer_gate": "Only questions whose speech was understood at least so well: what is left, and what the models get on it.",
        "invalid_limit": "Judged subsets that stay below a limit on unreadable judgments, in per cent and in number.",
    }
    if drawn := [name for name in told if name in svgs]:
        section = made.section("thresholds", "If the thresholds were others")
        section.parts.append(f"<div class=two>{''.join(parts.figure(svgs[name], told[name], 40) for name in drawn)}</div>")


def _stories(made: Page, results: Results) -> None:
    if len(results.rows) < 2:
        return
    by_id: dict[str, dict[str, Row]] = {}
    for model, rows in results.rows.items():
        for row in rows:
            if row["value"] is not None:
                by_id.setdefault(row["id"], {})[model] = row
    chosen = _differing(by_id)
    if not chosen:
        return
    section = made.section("items", "Where the models differ most")
    for id in chosen:
        any_row = next(iter(by_id[id].values()))
        facts = [("asked", any_row["question"]), ("key", any_row["reference"] or "none")]
        for model, row in by_id[id].items():
            facts.append((f"{model}: {row['value']:.0f}", _cut(row["response"]) + _read(row)))
        values = ", ".join(f"{model} {row['value']:.0f}" for model, row in by_id[id].items())
        section.parts.append(parts.story(id, f"{any_row['protocol']} · {values}", facts))


def _differing(by_id: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Ids of the items with the widest spread of values, taken from the subsets in turn."""
    turns: dict[tuple[str, str], int] = {}
    found = []
    spreads = [(max(row["value"] for row in of.values()) - min(row["value"] for row in of.values()), id) for id, of in by_id.items() if len(of) > 1]
    for spread, id in sorted(spreads, key=lambda one: (-one[0], one[1])):
        if spread > 0:
            row = next(iter(by_id[id].values()))
            turn = turns[row["language"], row["subset"]] = turns.get((row["language"], row["subset"]), 0) + 1
            found.append((turn, -spread, id))
    return [id for _, _, id in sorted(found)[:_STORIES]]


def _cut(text: str | None) -> str:
    text = "(no answer)" if text is None else text or "(empty)"
    return text if len(text) <= _LONG else f"{text[:_LONG]} … ({len(text):,} characters)"


def _read(row: Row) -> str:
    judged = [f"judge {one['sample'] + 1}: {_cut(one['text'])}" for one in row["judgments"] if not one["corrected"]]
    return "".join(f"\n{line}" for line in [f"read as {row['answer']}", *judged])
