"""Where a question on a recording comes from, or what became of an utterance, a segment or a file of a speech corpus.

    python -m stages.understanding.story                          counts by capability and corpus, and what was left out, by reason
    python -m stages.understanding.story age-0003                 a question, its segment, its utterances
    python -m stages.understanding.story seoul_corpus-0110004     an utterance: in which segments it is, or why in none
    python -m stages.understanding.story kmsav/Mr12Gone_xx        a file or recording that could not be read

Everything is read from what the stages left; `python -m stages.explain` tells the same for these ids.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stages.core import files
from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT

QUESTIONS = "questions_*"
CAPABILITIES = ["age", "gender", "number_of_speakers", "word_order", "word_frequency_counting", "fact_extraction", "topic_summary"]
CAPABILITIES += ["role_profession", "general_counting"]
Chapter = tuple[str, list[str]]


def chapters(root: Path, id: str) -> list[Chapter] | None:
    """What the stages say of `id`, the source first; None for an id that no speech corpus has led to."""
    known = {path.name for path in (root / "data" / "corpus").glob("*")} | {*CAPABILITIES}
    if re.split("[-/]", id)[0] not in known:
        return None
    asked = [*_found(root, "assemble/*", id, "*/"), *_found(root, QUESTIONS, id, "*/")]
    question = next((row for name, row in asked if name == "rows"), None) or next((row for _, row in asked if "reason" not in row), None)
    if question:
        return [*_segment(root, question["segment"]), _question(question)]
    refused = next((row for _, row in asked), None)
    if refused and "/" in id:
        return [*_segment(root, id.split("/", 1)[1]), _refused(f"{id.split('/')[0]} is not asked", refused)]
    if refused and "choices" in refused:
        return [*_segment(root, refused["segment"]), _question(refused), _refused("rejected", refused)]
    if told := _segment(root, id):
        about = [row for _, row in _naming(root, QUESTIONS, "*/", id)]
        return [*told, *(_asked(row, id) for row in about)]
    return _source(root, id)


def _segment(root: Path, id: str) -> list[Chapter]:
    for _, row in _found(root, "segments", id, "*/"):
        told = [chapter for utterance in row["utterances"] for chapter in _utterance(root, utterance)]
        lines = [
            f"{row['original_dataset']} {row['recording']}, {row['start_s']:.2f} to {row['end_s']:.2f} s, {', '.join(row['speakers'])}",
            *(f"{turn['speaker']}: {turn['text']}" for turn in row["turns"]),
            f"may be used for {', '.join(row['uses'])}",
            f"sound {row['content_sha256'][:12]}" if row["content_sha256"] else "by reference, the audio is not there",
        ]
        return [*told, (f"segment {row['id']}", lines)]
    return []


def _utterance(root: Path, id: str) -> list[Chapter]:
    for _, row in _found(root, "corpus", id, "*/"):
        who = ", ".join(str(row[key]) for key in ("speaker", "gender", "age_years") if row.get(key) is not None)
        lines = [f"{row['source']} {row['source_revision']} ({row['licence']}): {row['recording']}, {row['start_s']:g} to {row['end_s']:g} s, {who}"]
        lines += [f"text: {row['text']}", *(f"note: {note}" for note in row["notes"])]
        if "reason" in row:
            return [(f"utterance {id}", lines), _refused("rejected by corpus", row)]
        return [(f"utterance {id}", lines)]
    return []


def _source(root: Path, id: str) -> list[Chapter] | None:
    """An utterance and the segments it is in or not in, or a file that was refused."""
    if "/" not in id and (told := _utterance(root, id)):
        used = [row["id"] for _, row in _naming(root, "segments", "*/", id) if id in row.get("utterances", [])]
        left = [row for _, row in _naming(root, "segments", "*/", id) if str(row["id"]).endswith(f"/{id}")]
        lines = [f"in {segment}" for segment in used] + [f"not in a {row['id'].split('/')[0]}: {_why(row)}" for row in left]
        return [*told, ("segments", lines)] if lines else told
    for _, row in _found(root, "corpus", id, "*/"):
        return [(f"{row['corpus']} {row['recording']}", [f"{row['source']} {row['source_revision']}"]), _refused("rejected by corpus", row)]
    return None


def _question(row: Row) -> Chapter:
    options = [f"{'* ' if option == row['answer'] else '  '}{option}" for option in row["choices"]]
    lines = [row["question"], *options, f"from {row['evidence']}", f"rules {', '.join(row['rule_ids'])}"]
    lines += [f"verdict {decision} (data/decisions/understanding)" for decision in row["decisions"]]
    lines += [f"request {key} (python -m stages.llm show {key[:12]})" for key in row["requests"]]
    return f"question {row['id']} ({row['method']})", lines


def _asked(row: Row, segment: str) -> Chapter:
    return _question(row) if "reason" not in row else _refused(f"{row['id'].removesuffix(f'/{segment}')} is not asked", row)


def _refused(title: str, row: Row) -> Chapter:
    return title, [_why(row)]


def _why(row: Row) -> str:
    return f"{row['reason']} ({row['rule_id']})" + (f": {row['detail']}" if row["detail"] else "")


def _found(root: Path, stage: str, id: str, units: str) -> Iterator[tuple[str, Row]]:
    """File stem and row of every line whose id is `id`."""
    return ((name, row) for name, row in _naming(root, stage, units, id) if row["id"] == id)


def _naming(root: Path, stage: str, units: str, text: str) -> Iterator[tuple[str, Row]]:
    """File stem and row of every line in which `text` stands; only these lines are parsed."""
    needle = orjson.dumps(text)[1:-1]
    for path in sorted((root / "data").glob(f"{stage}/{units}*.jsonl")):
        if path.stem in ("rows", "rejected"):
            with path.open("rb") as lines:
                yield from ((path.stem, files.nfc(orjson.loads(line))) for line in lines if needle in line)


def totals(root: Path) -> dict[str, Any]:
    """By capability: made, by corpus, and refused, by reason; by corpus: rows and segments, and refused, by reason."""
    found: dict[str, Any] = {"capabilities": {}, "corpora": {}}
    for path in sorted((root / "data").glob(f"{QUESTIONS}/*/rows.jsonl")):
        for row in files.read_jsonl(path):
            _entry(found["capabilities"], row["capability"])["made"][row["corpus"]] += 1
        for row in files.read_jsonl(path.with_name("rejected.jsonl")):
            _entry(found["capabilities"], row.get("capability") or row["id"].split("/")[0])["refused"][row["reason"]] += 1
    for stage in ("corpus", "segments"):
        for path in sorted((root / "data").glob(f"{stage}/*/rows.jsonl")):
            entry = _entry(found["corpora"], path.parent.name)
            entry["made"][{"corpus": "stretches", "segments": "segments"}[stage]] = len(files.read_jsonl(path))
            entry["refused"].update(f"{stage}: {row['reason']}" for row in files.read_jsonl(path.with_name("rejected.jsonl")))
    return found


def _entry(of: dict[str, Any], name: str) -> dict[str, Counter[str]]:
    entry: dict[str, Counter[str]] = of.setdefault(name, {"made": Counter(), "refused": Counter()})
    return entry


def show_totals(root: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=150 if not sys.stdout.isatty() else None, highlight=False)
    for title, of in totals(root).items():
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in (title, "made", "left out or refused, by reason"):
            table.add_column(column)
        for name, entry in of.items():
            table.add_row(name, _counts(entry["made"]), _counts(entry["refused"]))
        console.print(table)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))) or "-"


def main(arguments: list[str], root: Path = ROOT) -> None:
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        raise UserError("python -m stages.understanding.story takes one id, such as age-0003, or nothing for the counts.")
    if not any((root / "data").glob("corpus/*/rows.jsonl")):
        raise UserError("No speech corpus has been read yet; name it under `corpora` of params.yaml and run `dvc repro`.")
    if not arguments:
        show_totals(root)
        return
    told = chapters(root, files.nfc(arguments[0]))
    if told is None:
        raise UserError(f"No question, segment, utterance or file of a speech corpus has the id {arguments[0]!r}; ids look like age-0003.")
    for title, lines in told:
        print(title)
        for line in lines:
            print("  " + line.replace("\n", "\n    "))


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
