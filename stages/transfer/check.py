"""Check transferred items in a file, without building anything.

    python -m stages.transfer.check FILE [--rulebook PATH]

FILE has one JSON object a line: `id`, `source` {benchmark, prompt, answer, aliases, options, instruction_id_list, kwargs} and `target` {action,
category, transcription, options [{label, text}], answer, aliases, instruction_id_list, kwargs, rule_id, reason}; only `id`, the two prompts and
what the item has are needed. Written is one line each, {"id", "failures": [{"check", "detail"}]}. Rule ids of a file are not looked up in the
rulebook: the file may come from another one.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import orjson

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.files import Row, nfc, read_jsonl
from stages.core.paths import ROOT
from stages.languages import load
from stages.transfer.checks import run_checks
from stages.transfer.checks.pair import DELETED, Instruction, Option, Pair, Words, bare_label
from stages.transfer.rules import Item, read_rulebook, without_closing

RULEBOOK = "rulebooks/ko/hypertranslation.yaml"

BENCHMARKS = {
    "alpaca": ("alpacaeval_full", "open"),
    "commoneval": ("commoneval", "open"),
    "wildvoice": ("wildvoice", "open"),
    "openbookqa": ("openbookqa", "multiple_choice"),
    "mmsu": ("mmsu", "multiple_choice"),
    "sdqa": ("sd-qa", "short_answer"),
    "bbh": ("bbh", "bbh"),
    "ifeval": ("ifeval", "ifeval"),
    "advbench": ("advbench", "refusal"),
    "llama": ("llama_questions", "short_answer"),
    "trivia": ("trivia_qa", "short_answer"),
    "web": ("web_questions", "short_answer"),
}
"""How a benchmark's name begins, without punctuation -> subset, format."""
_BBH = ("hyperbaton", "navigate", "sports_understanding", "web_of_lies")
_SOURCE_OPTION = re.compile(r"(?:(?<=\s)|^)(?:([A-Z])[.):]|\(([A-Za-z])\))\s+(?=\S)")


def pair_of(line: Row, words: Words, where: str) -> Pair:
    """A line of the file as a pair. Raises UserError when it lacks what every line must have."""
    source, target = line.get("source"), line.get("target")
    if not isinstance(source, dict) or not isinstance(target, dict):
        raise UserError(f"{where} has no {'target' if isinstance(source, dict) else 'source'} object; every line needs id, source and target.")
    prompt = source.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise UserError(f"{where} has no source.prompt; give the source text of the item.")
    subset, form, task = _kind(str(source.get("benchmark", "")), source)
    answer = str(source.get("answer") or source.get("reference") or "")
    accepted = tuple(map(str, source.get("aliases") or source.get("references") or ([answer] if answer else [])))
    stem = without_closing(words.book, prompt)
    options = _options(source.get("options")) or (_read_options(stem) if form == "multiple_choice" or task == "hyperbaton" else ())
    instructions = _instructions(source, where)
    item = Item(str(line.get("id")), subset, form, task, stem, accepted, tuple(one.id for one in instructions))
    deleted = target.get("action") == "delete" or target.get("category") == DELETED
    aliases = [str(alias) for alias in target.get("aliases") or [] if alias]
    target_answer = str(target.get("answer") or "")
    if form == "short_answer" and aliases and target_answer in aliases:
        aliases.remove(target_answer)
    category = DELETED if deleted else str(target.get("category") or "")
    return Pair(
        item=item,
        source_options=options,
        source_key=bare_label(answer) if form in ("multiple_choice", "bbh") else "",
        source_instructions=instructions,
        category=category,
        prompt="" if deleted else str(target.get("transcription") or target.get("prompt") or ""),
        options=_options(target.get("options")),
        answer=target_answer,
        aliases=tuple(aliases),
        instructions=_instructions(target, where),
        deletion_rule_id=str(target.get("rule_id") or ""),
        deletion_reason=str(target.get("reason") or ""),
        corrected=category == "error_correction",
    )


def _kind(benchmark: str, source: Row) -> tuple[str, str, str]:
    """Subset, format and task by the benchmark's name, or by what the item has."""
    name, _, rest = benchmark.partition("/")
    task = next((known for known in _BBH if known in benchmark), rest)
    plain = re.sub(r"[^a-z]", "", name.lower())
    for known, (subset, form) in BENCHMARKS.items():
        if plain.removeprefix("k").startswith(known) or plain.startswith(known):
            return subset, form, task
    if source.get("instruction_id_list"):
        return name, "ifeval", task
    if source.get("options") or re.fullmatch(r"\(?[A-Za-z]\)?", str(source.get("answer") or "")):
        return name, "multiple_choice", task
    return name, "short_answer" if source.get("aliases") or source.get("answer") else "open", task


def _options(values: Any) -> tuple[Option, ...]:
    if isinstance(values, dict):
        values = [{"label": label, "text": text} for label, text in values.items()]
    return tuple(Option(str(value.get("label", "")), str(value.get("text", ""))) for value in values or [] if isinstance(value, dict))


def _read_options(prompt: str) -> tuple[Option, ...]:
    """Options inside a source text: the longest run of labels in order that begins with A."""
    marks = list(_SOURCE_OPTION.finditer(prompt))
    starts = [place for place, mark in enumerate(marks) if (mark[1] or mark[2]).upper() == "A"]
    best: list[re.Match[str]] = []
    for start in starts:
        run = [marks[start]]
        for mark in marks[start + 1 :]:
            if (mark[1] or mark[2]).upper() == chr(ord("A") + len(run)):
                run.append(mark)
        best = max(best, run, key=len)
    if len(best) < 2:
        return ()
    ends = [mark.start() for mark in best[1:]] + [len(prompt)]
    return tuple(Option(mark[1] or mark[2], prompt[mark.end() : end].strip()) for mark, end in zip(best, ends, strict=True))


def _instructions(side: Row, where: str) -> tuple[Instruction, ...]:
    ids, kwargs = side.get("instruction_id_list") or [], side.get("kwargs") or []
    if isinstance(kwargs, dict):
        kwargs = [kwargs]
    if len(kwargs) not in (0, len(ids)):
        raise UserError(f"{where} has {len(ids)} instruction ids and {len(kwargs)} kwargs; there must be one kwargs object for each id.")
    padded = kwargs or [{}] * len(ids)
    given = [{name: value for name, value in (one or {}).items() if value is not None} for one in padded]
    return tuple(Instruction(str(id), one) for id, one in zip(ids, given, strict=True))


def check_file(path: Path, rulebook: Path) -> list[dict[str, Any]]:
    """The answer lines for the file at `path`, in its order."""
    book = read_rulebook(rulebook)
    words = Words(book, load(book.language))
    lines = []
    for number, line in enumerate(read_jsonl(path), 1):
        failures = run_checks(pair_of(nfc(line), words, f"{path} line {number}"), words)
        lines.append({"id": line.get("id"), "failures": [{"check": failure.check, "detail": failure.detail} for failure in failures]})
    return lines


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m stages.transfer.check", description=__doc__, formatter_class=form)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rulebook", type=Path, default=ROOT / RULEBOOK)
    arguments = parser.parse_args()
    for line in check_file(arguments.file, arguments.rulebook):
        sys.stdout.buffer.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    exiting(main)
