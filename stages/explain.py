"""An item's whole story, from its source to the release or to the stage that rejected it.

    python -m stages.explain bbh-test-00012          for a person; plain when piped
    python -m stages.explain bbh-test-00012 --json   every column, for a program

The story is read from the columns that each stage added (stages/core/schemas.py), the rulebooks and the reply store; it works
on whatever has been built so far.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from stages.core import ledger
from stages.core.app import exiting
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.ledger import Item
from stages.core.paths import ROOT, cache_dir


@dataclass
class Chapter:
    """What one stage did: (label, text) lines."""

    title: str
    lines: list[tuple[str, str]] = field(default_factory=list)

    def add(self, label: str, value: Any) -> None:
        """Add a line unless there is nothing to say."""
        if value not in (None, "", [], {}):
            self.lines.append((label, value if isinstance(value, str) else str(value)))


def story(item: Item, rules: dict[str, str], models: dict[str, str]) -> list[Chapter]:
    """The chapters of `item`, one for each stage that kept it, and its end.

    `rules` maps a rule id to what it says, `models` a request key to who answered it.
    """
    tellers = [_ingest, _correct, _hypertranslate, _normalize, _synthesize, _validate]
    chapters = []
    for stage, tell in zip(ledger.ORDER, tellers, strict=True):
        if item.passed(stage) or stage == "ingest":
            chapter = Chapter(stage)
            tell(item.row, chapter, rules, models)
            chapters.append(chapter)
    if item.reason is not None:
        end = Chapter(f"rejected by {item.stage}")
        end.add("reason", item.reason)
        end.add("rule", _rule(item.rule_id, rules))
        end.add("seen", item.detail)
        chapters.append(end)
    elif not item.released:
        chapters.append(Chapter(f"not built further than {item.stage}"))
    return chapters


def _rule(rule_id: str, rules: dict[str, str]) -> str:
    said = rules.get(rule_id)
    return f"{rule_id}: {said}" if said else rule_id


def _options(options: list[Row]) -> str:
    return "   ".join(f"{option['label']}. {option['text']}" for option in options)


def _answers(one: str | None, several: list[str]) -> str:
    return " | ".join(several) if several else one or ""


def _requests(keys: list[str], models: dict[str, str]) -> str:
    return "\n".join(f"{key}  {models.get(key, 'not in the reply store')}" for key in keys)


def _ingest(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("source", f"{row['source']}/{row['source_config']}, split {row['source_split']}, id {row['source_id']}, index {row['source_index']}")
    chapter.add("revision", f"{row['source_revision']}, {row['licence']}")
    chapter.add("task", row["task"])
    chapter.add("question", row["prompt"])
    chapter.add("options", _options(row["options"]))
    chapter.add("answer", _answers(row["reference"], row["references"]))
    chapter.add("constraints", _constraints(row["instructions"]))
    chapter.add("audio", row["source_audio_path"] if row["has_source_audio"] else "none upstream")


def _constraints(instructions: list[Row]) -> str:
    return "\n".join(f"{instruction['id']} {instruction['kwargs']}" for instruction in instructions)


def _correct(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("verdict", row["correction"].replace("_", " "))
    chapter.add("because", ": ".join(part for part in (row["correction_type"], row["correction_reason"]) if part))
    before, after = _answers(row["reference"], row["references"]), _answers(row["corrected_reference"], row["corrected_references"])
    chapter.add("answer", f"{before} -> {after}" if before != after else "")
    chapter.add("requests", _requests(row["correction_requests"], models))


def _hypertranslate(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("category", row["category"].replace("_", " "))
    chapter.add("question", row["target_prompt"])
    chapter.add("options", _options(row["target_options"]))
    chapter.add("answer", _answers(row["target_answer"], row["target_answers"]))
    chapter.add("constraints", _constraints(row["target_instructions"]))
    chapter.add("rules", "\n".join(_rule(rule, rules) for rule in row["rule_ids"]))
    chapter.add("also offered", ", ".join(rule for rule in row["offered_rule_ids"] if rule not in row["rule_ids"]))
    chapter.add("note", row["transfer_note"])
    chapter.add("failed at first", "\n".join(row["transfer_flags"]))
    chapter.add("requests", _requests(row["transfer_requests"], models))


def _normalize(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("spoken", row["spoken"])
    chapter.add("readings", "\n".join(f"{c['before']} -> {c['after']}   ({_rule(c['rule_id'], rules)})" for c in row["readings"]))


def _synthesize(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("voice", f"{row['voice']} ({row['voice_gender']}), {row['synthesizer']}")
    chapter.add("audio", f"{row['duration_s']:.2f} s, {row['sample_rate_hz']} Hz, {row['loudness_lufs']:.1f} LUFS, sha256 {row['speech_sha256']}")
    chapter.add("heard", f"{row['transcript']}   ({row['recognizer']})")
    chapter.add("measures", f"CER {row['cer']:.3f}, WER {row['wer']:.3f}")
    chapter.add("attempts", "\n".join(map(_attempt, row["attempts"])))


def _attempt(attempt: Row) -> str:
    problems = f", {', '.join(attempt['problems'])}" if attempt["problems"] else ""
    kept = "kept" if attempt["kept"] else "dropped"
    what = f"sentence {attempt['sentence']} try {attempt['attempt']}: CER {attempt['cer']:.3f}, {kept}{problems}"
    return f"{what}   {attempt['settings']}   heard: {attempt['transcript']}"


def _validate(row: Row, chapter: Chapter, rules: dict[str, str], models: dict[str, str]) -> None:
    chapter.add("released in", ", ".join(row["released_in"]))


def read_rules(root: Path) -> dict[str, str]:
    """Rule id to what the rulebooks say of it: what to do, and who decided it when."""
    import yaml

    said: dict[str, str] = {}
    for path in sorted((root / "rulebooks").glob("*/*.yaml")):
        for rule in _rules_in(yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            text = rule.get("do") or rule.get("why") or rule.get("title") or ""
            person = rule.get("decided_by")
            who = " ".join(map(str, person.values())) if isinstance(person, dict) else str(person or "")
            said[str(rule["id"])] = " ".join(f"{text}{f' [decided by {who}]' if who else ''}".split())
    return said


def _rules_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _rules_in(part)


def read_models(keys: list[str], path: Path) -> dict[str, str]:
    """Request key to the role and the model that answered it, from the reply store; keys that it does not hold are left out."""
    if not keys or not path.exists():
        return {}
    from stages.llm.store import Store

    with Store.open(path) as store:
        return {key: f"{reply.role}, {reply.model}, {reply.origin}" for key, reply in store.replies(keys).items()}


def show(item: Item, chapters: list[Chapter]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    if item.released:
        state = f"released in {', '.join(item.row['released_in'])}"
    else:
        state = f"{'rejected by' if item.reason is not None else 'built up to'} {item.stage}"
    console.print(Text(f"{item.id}  ({item.subset}): {state}", style="bold"))
    for chapter in chapters:
        console.print(Text(f"\n{chapter.title}", style="bold red" if chapter.title.startswith("rejected") else "bold cyan"))
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", width=16)
        table.add_column(overflow="fold")
        for label, text in chapter.lines:
            table.add_row(Text(f"  {label}"), Text(text))
        console.print(table)


def main(arguments: list[str], root: Path = ROOT) -> None:
    wanted = [argument for argument in arguments if argument != "--json"]
    if len(wanted) != 1 or wanted[0].startswith("-"):
        raise UserError("python -m stages.explain takes one item id, such as bbh-test-00012, and optionally --json.")
    item = ledger.find(root, wanted[0])
    if item is None:
        known = list(ledger.ids(root))
        hint = nearest(wanted[0], known) or (f" Ids look like {known[0]}." if known else " Nothing has been built yet: run `dvc repro`.")
        raise UserError(f"No item {wanted[0]!r} has been ingested.{hint}")
    keys = [key for column in ("correction_requests", "transfer_requests") for key in item.row.get(column, [])]
    rules, models = read_rules(root), read_models(keys, cache_dir() / "replies.sqlite")
    if "--json" in arguments:
        used = {rule: rules[rule] for rule in _used(item) if rule in rules}
        facts = {**asdict(item), "released": item.released, "rules": used, "requests": models}
        sys.stdout.buffer.write(orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    else:
        show(item, story(item, rules, models))


def _used(item: Item) -> set[str]:
    return {item.rule_id, *item.row.get("rule_ids", []), *(change["rule_id"] for change in item.row.get("readings", []))}


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
