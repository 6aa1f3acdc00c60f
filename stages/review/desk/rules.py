"""The text of the rules that fired, read from whatever rulebooks there are.

A rulebook is YAML; a rule is any mapping in it with an `id` and a `do` or a `why`. The desk shows rules and never applies
them, so it needs no more than that and works for every rulebook and language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core.errors import UserError

Rule = dict[str, Any]


def read(root: Path) -> dict[str, list[Rule]]:
    """Rule id to its texts: book, id, do, why, examples and counterexamples (each {in, out, why}), decided_by as text."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, list[Rule]] = {}
    for file in sorted((root / "rulebooks").glob("*/*.yaml")):
        try:
            book = yaml.load(file.read_bytes(), Loader=loader)
        except yaml.YAMLError as error:
            raise UserError(f"{file} is not valid YAML ({str(error).splitlines()[0]}); mend it, then reload the page.") from None
        for rule in _rules(book):
            found.setdefault(str(rule["id"]), []).append(_texts(rule, file.relative_to(root / "rulebooks").with_suffix("").as_posix()))
    return found


def _rules(value: Any) -> Iterator[Rule]:
    if isinstance(value, dict):
        if "id" in value and ("do" in value or "why" in value):
            yield value
        else:
            for inner in value.values():
                yield from _rules(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _rules(inner)


def _texts(rule: Rule, book: str) -> Rule:
    return {
        "book": book,
        "id": str(rule["id"]),
        "when": rule["when"] if isinstance(rule.get("when"), str) else "",
        "do": str(rule.get("do", "")),
        "why": str(rule.get("why", "")),
        "examples": [_example(one) for one in rule.get("examples") or []],
        "counterexamples": [_example(one) for one in rule.get("counterexamples") or []],
        "decided_by": _decided(rule.get("decided_by")),
    }


def _example(example: Any) -> dict[str, str]:
    if isinstance(example, dict):
        return {"in": str(example.get("in", "")), "out": str(example.get("out", "")), "why": str(example.get("why", ""))}
    before, _, after = str(example).partition(" → ")
    return {"in": before, "out": after, "why": ""}


def _decided(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(str(part) for part in value.values())
    return "" if value is None else str(value)
