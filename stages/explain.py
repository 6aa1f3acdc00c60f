"""An item's whole story, from its source to the release or to the stage that rejected it.

    python -m stages.explain bbh-test-00012          for a person; plain when piped
    python -m stages.explain bbh-test-00012 --json   every column, for a program

Each stage tells its own part (`Stage.explain`) from the columns that it added; to that come the rules in their rulebooks'
words with the person who decided them, and the model behind each request. It works on whatever has been built so far.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from stages.compose import GROUPS
from stages.core import errata, files, ledger
from stages.core.app import CONFIG, exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.ledger import Item
from stages.core.paths import ROOT, cache_dir
from stages.core.stage import Stage
from stages.understanding import story as recorded


@dataclass
class Chapter:
    """What one stage did."""

    title: str
    lines: list[str]
    rules: list[str] = field(default_factory=list)
    """Ids of the rules that it applied."""
    requests: list[str] = field(default_factory=list)
    """Store keys of what it asked."""


def story(item: Item, stages: list[Stage]) -> list[Chapter]:
    """A chapter for each of `stages` that kept `item`, and its end. `stages` reach to the one where it ended."""
    chapters = []
    for stage in stages:
        if item.passed(stage.name):
            lines = stage.explain(item.row) if stage.explain else _columns(item.row, stage)
            chapters.append(Chapter(stage.name, lines, *_evidence(item.row, stage)))
    if item.reason is not None:
        lines = [f"{item.reason}: {item.detail}" if item.detail else item.reason]
        if not chapters:
            lines.append(f"prompt: {item.row.get('prompt', item.row.get('query', '(not kept)'))}")
        rules, requests = _evidence(item.row, stages[-1])
        chapters.append(Chapter(f"rejected by {item.stage}", lines, [item.rule_id, *(rule for rule in rules if rule != item.rule_id)], requests))
    elif not item.released:
        chapters.append(Chapter(f"not built further than {item.stage}", []))
    return chapters


Told = tuple[Item, dict[str, str]]
"""An item, and the modules of the stages that it may pass: those of the subsets, or of a chain of `stages_of`."""
ANSWERS = "talkers"
"""The group of what models answered to an item; it stands behind the item's own story."""


def locate(root: Path, id: str) -> list[Told]:
    """The item `id`, and every model's answer to it.

    A variant and a reply have the id of the item that they were made from; groups are searched as they are built, so that it comes first.
    """
    if (item := ledger.find(root, id)) is not None:
        return [(item, read_config("stages", root))]
    groups = files.read_json(root / CONFIG).get("stages_of") or {} if (root / CONFIG).exists() else {}
    found: list[Told] = []
    for name in (name for name in GROUPS if name in groups and (name == ANSWERS or not found)):
        of_group = groups[name]
        for order in chains([importlib.import_module(module).STAGE for module in of_group.values()]):
            items = list(ledger.find_all(root, id, order))
            found += [(item, of_group) for item in (items if name == ANSWERS else items[:1])]
            if items:
                break
    return found


def chains(stages: list[Stage]) -> list[tuple[str, ...]]:
    """The ways that rows take through `stages`: from each that reads none to the last that reads them."""
    found = []
    for first in stages:
        if first.reads is None:
            order = [first.name]
            while following := next((stage for stage in stages if order[-1] in _sources(stage) and stage.name not in order), None):
                order.append(following.name)
            found.append(tuple(order))
    return found


def _sources(stage: Stage) -> tuple[str, ...]:
    return (stage.reads,) if isinstance(stage.reads, str) else stage.reads or ()


def _added(stage: Stage) -> dict[str, Any]:
    """Column that `stage` adds to its polars dtype."""
    from stages.core import schemas

    before = schemas.columns(stage.input_schema) if stage.input_schema else {}
    return {column: dtype for column, dtype in schemas.columns(stage.output_schema).items() if column not in before}


def _columns(row: Row, stage: Stage) -> list[str]:
    return [f"{column}: {row[column]}" for column in _added(stage) if row[column] not in (None, "", [])]


def _evidence(row: Row, stage: Stage) -> tuple[list[str], list[str]]:
    """Rule ids and request keys in the columns that `stage` added; a rejected row may have only some of these."""
    import polars as pl

    from stages.core.schemas import Change

    rules: dict[str, None] = {}
    requests: list[str] = []
    for column, dtype in _added(stage).items():
        if column not in row:
            continue
        if column == "rule_ids":
            rules.update(dict.fromkeys(row[column]))
        elif dtype == pl.List(Change):
            rules.update(dict.fromkeys(change["rule_id"] for change in row[column]))
        elif column.endswith("_requests"):
            requests += row[column]
    return list(rules), requests


def read_rules(root: Path) -> dict[str, str]:
    """Rule id to what the rulebooks say of it: what to do, and who decided it when. Raises UserError for bad YAML.

    A family of reading rules (the first part of an id such as counter.context.times) has the words of its category.
    """
    import yaml

    said: dict[str, str] = {}
    for path in sorted((root / "rulebooks").glob("*/*.yaml")):
        try:
            book = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except yaml.YAMLError as error:
            raise UserError(f"The rulebook {path} is not valid YAML ({' '.join(str(error).split())}); correct it there.") from None
        for rule in _rules_in(book):
            # A reading rule's `do` is a template for the engine; its `why` is for people.
            text = rule.get("why" if "pattern" in rule else "do") or rule.get("why") or rule.get("title") or ""
            person = rule.get("decided_by")
            who = " ".join(map(str, person.values())) if isinstance(person, dict) else str(person or "")
            said[str(rule["id"])] = " ".join(f"{text}{f' [decided by {who}]' if who else ''}".split())
        families, titles = (book.get("families"), book.get("categories")) if isinstance(book, dict) else (None, None)
        if isinstance(families, dict) and isinstance(titles, dict):
            for family, category in families.items():
                title = titles.get(category) or {}
                said.setdefault(str(family), f"{title.get('title', category)}: {title.get('about', '')} ({path.relative_to(root)})")
    return said


def said_of(rule: str, rules: dict[str, str]) -> str:
    """What `rules` say of one id, or of the nearest family that it belongs to."""
    name = rule.removeprefix("model:")
    while name not in rules and "." in name:
        name = name.rpartition(".")[0]
    return rules.get(name, "what the stage's program found, no rule of a rulebook")


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


def show(item: Item, chapters: list[Chapter], rules: dict[str, str], models: dict[str, str]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    if item.released:
        state = f"released in {', '.join(item.row['released_in'])}" if "released_in" in item.row else f"kept by {item.stage}"
    else:
        state = f"{'rejected by' if item.reason is not None else 'built up to'} {item.stage}"
    console.print(Text(f"{item.id} ({item.subset}): {state}", style="bold"))
    for chapter in chapters:
        console.print(Text(f"\n{chapter.title}", style="bold red" if chapter.title.startswith("rejected") else "bold cyan"))
        lines = [Text(line) for line in chapter.lines]
        lines += [Text(f"rule {rule}: {said_of(rule, rules)}", style="dim") for rule in chapter.rules if rule]
        lines += [Text(f"request {key}: {models.get(key, 'not in the reply store')}", style="dim") for key in chapter.requests]
        for line in lines:
            if console.is_terminal:
                console.print(Padding(line, (0, 0, 0, 2)))
            else:  # a line a fact, for grep and diff
                console.print("  " + line.plain.replace("\n", "\n    "), markup=False, soft_wrap=True)


def _decided(root: Path, wanted: str) -> list[str]:
    return [errata.note(verdict) for (_, id), verdict in errata.decided(root).items() if id == wanted]


def _show_recorded(told: list[tuple[str, list[str]]], as_json: bool) -> None:
    """A question on a recording, or a piece of a speech corpus: what stages.understanding.story tells."""
    if as_json:
        sys.stdout.buffer.write(orjson.dumps([{"title": title, "lines": lines} for title, lines in told], option=orjson.OPT_APPEND_NEWLINE))
        return
    for title, lines in told:
        print("\n".join([title, *("  " + line.replace("\n", "\n    ") for line in lines)]))


def main(arguments: list[str], root: Path = ROOT) -> None:
    wanted = [argument for argument in arguments if argument != "--json"]
    if len(wanted) != 1 or wanted[0].startswith("-"):
        raise UserError("python -m stages.explain takes one item id, such as bbh-test-00012, and optionally --json.")
    if told := recorded.chapters(root, wanted[0]):
        _show_recorded([*told, *(("erratum", lines) for lines in [_decided(root, wanted[0])] if lines)], "--json" in arguments)
        return
    found = locate(root, wanted[0])
    if not found:
        known = list(ledger.ids(root))
        hint = nearest(wanted[0], known) or (f" Ids look like {known[0]}." if known else " Nothing has been built yet: run `dvc repro`.")
        raise UserError(f"No item {wanted[0]!r} has been ingested.{hint}")
    rules = read_rules(root)
    facts = []
    for number, (item, modules) in enumerate(found):
        chapters = _chapters(item, modules, root)
        models = read_models([key for chapter in chapters for key in chapter.requests], cache_dir() / "replies.sqlite")
        if "--json" not in arguments:
            print("\n" if number else "", end="")
            show(item, chapters, rules, models)
            continue
        used = {rule: rules[rule] for chapter in chapters for rule in chapter.rules if rule in rules}
        facts.append({**asdict(item), "released": item.released, "rules": used, "requests": models})
    if facts:
        answers = {"answers": facts[1:]} if facts[1:] else {}
        options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        sys.stdout.buffer.write(orjson.dumps({**facts[0], **answers}, option=options))


def _chapters(item: Item, modules: dict[str, str], root: Path) -> list[Chapter]:
    reached = item.order[: item.order.index(item.stage) + 1]
    chapters = story(item, [importlib.import_module(modules[name]).STAGE for name in reached])
    if decided := _decided(root, item.id):
        chapters.append(Chapter("erratum", decided))
    return chapters


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
