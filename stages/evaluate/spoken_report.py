"""Report on spoken replies: marks and speech quality of every model, sliced, with intervals, length bias and agreement with people.

    python -m stages.evaluate.spoken_report        what DVC runs: every model of `talkers` in params.yaml, into data/spoken_report/

Source: paper 2506.21875, sections 3.2 to 3.5 and Figures 4 to 6: marks by category and paralinguistic kind, by noise, UTMOS by category, and the
correlation with people for the whole protocol and its ablations. Ours adds: what is missing, silent or unreadable beside every number, a
bootstrap beside the t interval, and how much a mark goes with the length of the reply.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from stages.core import files, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings, watched
from stages.evaluate import human_scores
from stages.evaluate.spoken_statistics import correlate, mean

SLICES = {
    "category": lambda row: row["category"],
    "paralinguistic kind": lambda row: row["kind"],
    "condition": lambda row: row["condition"],
    "noise family": lambda row: row["noise_family"],
    "SNR": lambda row: None if row["snr_db"] is None else f"{row['snr_db']:g} dB",
    "voice": lambda row: f"{row['voice_gender']} {row['voice_age']}" if row["voice_age"] else row["voice_gender"],
}
"""Name of a slice to what a row is in it; None leaves the row out of that slice."""


MADE_BY = {"judge": "judged by", "recognizer": "heard by", "quality_by": "quality predicted by"}
"""Columns that say what the numbers were made with, and how the report calls it."""


class SpokenReportSettings(Settings):
    talkers: list[str]
    human_scores: Annotated[str, watched("data/handwritten", "data/sample/spoken")] | None = None
    """CSV of people's marks (stages/evaluate/human_scores.py)."""
    notice: str | None = None
    """Heads the report of what is not a measurement."""


def summarize(rows: Sequence[Row]) -> dict[str, Any]:
    """The numbers of one set of replies."""
    marks = [row["mark"] for row in rows if row["mark"] is not None]
    quality = [score["overall"] for row in rows if "overall" in (score := json.loads(row["quality"]))]
    return {
        "mark": asdict(mean(marks)),
        "quality": asdict(mean(quality)),
        "n": len(rows),
        "replies": dict(sorted(Counter(row["reply"] for row in rows).items())),
        "wrong_language": sum(row["wrong_language"] for row in rows),
        "unreadable_judgments": sum(mark["mark"] is None for row in rows for mark in row["marks"]),
        "unmarked": len(rows) - len(marks),
        "repeating": sum(row["reply"] == "spoken" and all(one["verdict"] != "kept" for one in row["readings"]) for row in rows),
    }


def of_talker(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything about one model: overall, slices, length bias, transcripts."""
    spoken = [row for row in rows if _comparable(row)]
    sliced: dict[str, dict[str, Any]] = {}
    for name, of in SLICES.items():
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if (value := of(row)) is not None:
                groups[value].append(row)
        sliced[name] = {value: summarize(group) for value, group in sorted(groups.items())}
    return {
        "all": summarize(rows),
        "slices": sliced,
        "length": {
            "words": asdict(mean([float(row["words"]) for row in spoken])),
            "seconds": asdict(mean([row["reply_s"] for row in spoken])),
            "mark_with_words": asdict(correlate([(float(row["words"]), row["mark"]) for row in spoken])),
        },
        "transcripts": {
            "judged": sum(len(row["transcripts"]) for row in rows),
            "alike": sum(len(set(row["transcripts"])) == 1 for row in rows if len(row["transcripts"]) > 1),
            "refused": dict(sorted(Counter(one["verdict"] for row in rows for one in row["readings"] if one["verdict"] != "kept").items())),
        },
    }


def _comparable(row: Row) -> bool:
    """Whether the mark of a row tells of its words: it was spoken, marked, and not held by the language gate."""
    return bool(row["reply"] == "spoken" and row["mark"] is not None and not row["wrong_language"])


def run(chosen: SpokenReportSettings, root: Path) -> Path:
    """Write data/spoken_report/report.json and report.md; returns the latter."""
    from stages.core import schemas

    rows: dict[str, list[Row]] = {}
    for talker in chosen.talkers:
        path = root / "data" / "mark" / talker / "rows.jsonl"
        rows[talker] = files.read_jsonl(path)
        schemas.check(rows[talker], "Marked", str(path.relative_to(root)))
    scorers = {row["scorer"] for of in rows.values() for row in of}
    if len(scorers) > 1:
        raise UserError(f"The models were marked by different protocols ({', '.join(sorted(scorers))}); run `dvc repro` to mark them alike.")
    report: dict[str, Any] = {"notice": chosen.notice, "scorer": next(iter(scorers), None)}
    for name in MADE_BY:
        report[name] = sorted({row[name] for of in rows.values() for row in of if row[name]})
    report["talkers"] = {talker: of_talker(of) for talker, of in rows.items()}
    report["length_over_talkers"] = _length(rows)
    if chosen.human_scores:
        known = {(talker, row["id"]) for talker, of in rows.items() for row in of}
        report["people"] = human_scores.agreement(rows, human_scores.read(root / chosen.human_scores, known))
    folder = root / "data" / "spoken_report"
    files.write_json(folder / "report.json", report)
    files.write_text(folder / "report.md", written(report))
    return folder / "report.md"


def _length(rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Over all models: do longer replies get better marks?"""
    pairs = [(float(row["words"]), row["mark"]) for of in rows.values() for row in of if _comparable(row)]
    return asdict(correlate(pairs))


def written(report: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    lines = ["# Spoken replies", ""]
    if report["notice"]:
        lines += [f"> {report['notice'].strip()}", ""]
    lines += [
        f"Marks from 1 to 10, by {report['scorer']}; {_made_by(report)}. The first interval is Student's, the second a bootstrap over the items, "
        "both 95 %; ± is half of Student's. Quality is the mean of the predictor's overall score, from 1 to 5, over the replies that were heard. n "
        "counts every query; missing and silent replies and those in another language have the lowest mark, and a reply of which no judgment "
        "could be read has no mark and is in no mean. Repeating: every recognition was a loop, and was judged as it is. Brackets hold 95 % "
        "intervals of a bootstrap over the replies. II information inquiry, SR solution request, TC text creation, OE opinion exchange, PF "
        "paralinguistic.", "",
        "| model | mark | 95 % (t) | 95 % (bootstrap) | n | missing | silent | wrong language | repeating | unreadable judgments | no mark | quality "
        "| words |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for talker, told in report["talkers"].items():
        one, replies = told["all"], told["all"]["replies"]
        words = told["length"]["words"]["mean"]
        lines.append(
            f"| {talker} | {_cells(one['mark'])} | {one['n']} | {replies.get('missing', 0)} | {replies.get('silent', 0) + replies.get('unheard', 0)} "
            f"| {one['wrong_language']} | {one['repeating']} | {one['unreadable_judgments']} | {one['unmarked']} "
            f"| {_n(one['quality']['mean'])} | {_n(words)} |"
        )
    for name in SLICES:
        lines += _table(report, name, f"By {name}", "mark")
    lines += _table(report, "category", "Speech quality by category", "quality")
    lines += ["", "## Length", "", "Correlation of a reply's mark with its number of words: a judge that likes length shows here.", ""]
    lines += ["| model | pairs | Pearson | Spearman | Kendall |", "|---|---|---|---|---|"]
    lines += [f"| {talker} | {_correlated(told['length']['mark_with_words'])} |" for talker, told in report["talkers"].items()]
    lines.append(f"| all | {_correlated(report['length_over_talkers'])} |")
    if "people" in report:
        lines += _people(report["people"])
    return "\n".join(lines) + "\n"


def _made_by(report: Mapping[str, Any]) -> str:
    """Several names only where the models were not treated alike."""
    return ", ".join(f"{said} {' and '.join(report[name])}" for name, said in MADE_BY.items() if report[name])


def _table(report: Mapping[str, Any], slices: str, title: str, number: str) -> list[str]:
    """A number of every model in every slice; levels of noise in the order of their ratio."""
    values = sorted({value for told in report["talkers"].values() for value in told["slices"][slices]}, key=_place)
    if not values:
        return []
    lines = ["", f"## {title}", "", "| model | " + " | ".join(values) + " |", "|---|" + "---|" * len(values)]
    for talker, told in report["talkers"].items():
        lines.append(f"| {talker} | " + " | ".join(_sliced(told["slices"][slices].get(value), number) for value in values) + " |")
    return lines


def _place(value: str) -> tuple[float, str]:
    ratio = value.removesuffix(" dB")
    return (float(ratio) if ratio != value else 0.0, value)


def _people(told: Mapping[str, Any]) -> list[str]:
    lines = ["", "## Agreement with people", "", f"{told['n_replies']} replies, annotators {', '.join(told['annotators'])}.", ""]
    lines += ["| protocol | over | pairs | Pearson | Spearman | Kendall |", "|---|---|---|---|---|---|"]
    for name in human_scores.COLUMNS_COMPARED:
        lines.append(f"| {name} | replies | {_correlated(told[name]['per_item'])} |")
        lines += [f"| {name} | replies of {talker} | {_correlated(one)} |" for talker, one in told[name]["per_item_of_talker"].items()]
        lines.append(f"| {name} | means of models | {_correlated(told[name]['per_talker'])} |")
    lines += [f"| {pair} | replies | {_correlated(one)} |" for pair, one in told["between_people"].items()]
    return lines


def _cells(one: Mapping[str, Any]) -> str:
    return f"{_n(one['mean'])} | {_span(one['t_low'], one['t_high'])} | {_span(one['boot_low'], one['boot_high'])}"


def _sliced(one: Mapping[str, Any] | None, number: str) -> str:
    """n is the number of values in the mean."""
    if one is None:
        return ""
    half = one[number]["t_high"]
    spread = f" ± {half - one[number]['mean']:.2f}" if half is not None else ""
    return f"{_n(one[number]['mean'])}{spread} (n {one[number]['n']})"


def _correlated(one: Mapping[str, Any]) -> str:
    cells = [str(one["n"])]
    for name in ("pearson", "spearman", "kendall"):
        span = one["intervals"][name]
        cells.append(_n(one[name]) + (f" [{span[0]:.2f}, {span[1]:.2f}]" if span else ""))
    return " | ".join(cells)


def _n(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def main() -> None:
    if len(sys.argv) > 1:
        raise UserError("python -m stages.evaluate.spoken_report takes no argument; the models are `talkers` of params.yaml.")
    chosen = settings.load(SpokenReportSettings, read_config("spoken_report"), "spoken_report")
    print(run(chosen, ROOT).relative_to(ROOT))


if __name__ == "__main__":
    exiting(main)
