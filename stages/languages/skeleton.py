"""A start for another language: its reading rules and configuration as skeletons, and what they still lack.

    python -m stages.languages.skeleton ja Japanese

Makes rulebooks/<code>/normalization.yaml and conf/language/<code>.yaml where they do not exist, with the categories of the
Korean rulebook, and with the signs, units, currencies and letters that every language has to name. Existing files are never
touched. Then it lists, category by category, how many rules, table lines and examples there are and what is missing; run it
again while the rulebook grows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.files import write_text
from stages.core.paths import ROOT

MODEL = "ko"
TABLES = {
    "consonant_labels": ("jamo",),
    "counters": ("counters", "counter_senses"),
    "currency_percent_units": ("units", "currencies"),
    "mathematics": ("math", "greek"),
    "latin": ("word_acronyms", "letters"),
    "punctuation": ("symbols",),
    "chemistry": ("chemistry",),
    "addresses": ("extensions",),
    "hanja": ("hanja", "hanja_words"),
    "precedence": ("precedence", "non_targets", "bad_input"),
}
"""Which tables of a rulebook belong to which category, besides its rules."""
_NAMED = ("symbols", "units", "currencies", "letters", "greek", "extensions")
"""Tables whose keys are the same in every language; their names are to be filled in."""
_APART = ("id", "why", "decided_by", "numeral", "what", "in", "out", "example", "says")
"""Keys whose texts are no names."""
_CODE = re.compile(r"[a-z]{2,3}")
_ARROW = re.compile(r"\S+.* → .*\S")

_HEAD = """\
# How written {name} is said aloud. Made by `python -m stages.languages.skeleton {code}`, which also lists what is still missing.
# The layout is that of rulebooks/{model}/normalization.yaml, whose head explains it; docs/normalization.md shows that one as a page.
# An empty text is a name to be filled in. A category that the language does not have (Hanja, consonant labels) is taken out.
# Every rule carries examples `in → out`; they are run as tests. A rule looks like this:
#
#   - id: number.plain
#     category: numbers
#     priority: 100
#     at: digit
#     when: A whole number
#     pattern: '\\d+'
#     do: 'call: quantity'
#     why: What makes this the right reading.
#     examples: ["3 → ..."]
#     decided_by: {{who: ..., date: ...}}
"""


@dataclass
class Line:
    """What one category holds."""

    title: str
    rules: int = 0
    entries: int = 0
    """Lines of its tables that are filled in."""
    examples: int = 0
    empty: int = 0
    """Lines of its tables that are not filled in."""
    without_example: list[str] = field(default_factory=list)
    """Ids of rules without one."""

    @property
    def lacks(self) -> list[str]:
        found = [] if self.rules or self.entries else ["rules"]
        found += [] if self.examples else ["examples"]
        found += [f"{self.empty} names"] if self.empty else []
        return found + ([f"examples of {', '.join(self.without_example)}"] if self.without_example else [])


def main() -> None:
    exiting(lambda: run(sys.argv[1:], ROOT))


def run(arguments: list[str], root: Path) -> None:
    """Make what is missing and print what is left to do. Raises UserError."""
    if not 1 <= len(arguments) <= 2 or not _CODE.fullmatch(arguments[0]):
        raise UserError("Give the language's code of two or three letters, and its English name if it is new: `... skeleton ja Japanese`.")
    code, name = arguments[0], arguments[1] if len(arguments) == 2 else arguments[0]
    for path, text in (
        (root / "rulebooks" / code / "normalization.yaml", lambda: rulebook(code, name)),
        (root / "conf" / "language" / f"{code}.yaml", lambda: configuration(code, name)),
    ):
        if path.exists():
            print(f"{path.relative_to(root)} exists and stays as it is")
        else:
            write_text(path, text())
            print(f"{path.relative_to(root)} made")
    lines = survey(_read(root / "rulebooks" / code / "normalization.yaml"))
    print("\n" + "\n".join(table(lines)))
    print("\n" + "\n".join(_next_steps(code, root)))


def rulebook(code: str, name: str) -> str:
    """The skeleton of the reading rules: categories, signs and units of the model, names and rules empty."""
    model = _read(ROOT / "rulebooks" / MODEL / "normalization.yaml")
    parts = [_HEAD.format(name=name, code=code, model=MODEL)]
    sections: dict[str, Any] = {"language": code, "version": 1, "categories": model["categories"]}
    sections |= {"precedence": [], "non_targets": [], "bad_input": [{"what": one["what"], "result": ""} for one in model["bad_input"]]}
    sections |= {"lists": {}, "rules": [], "counters": [], "counter_senses": {}}
    sections |= {name: _emptied(model[name]) for name in _NAMED}
    sections |= {
        "word_acronyms": {},
        "lexical": {},
        "math": {"operators": dict.fromkeys(model["math"]["operators"], "")},
        "elements": model["elements"],
    }
    for section, value in sections.items():
        parts.append(_dumped({section: value}))
    return "\n".join(parts)


def configuration(code: str, name: str) -> str:
    """conf/language/<code>.yaml with the keys of the model's that every language needs."""
    model = _read(ROOT / "conf" / "language" / f"{MODEL}.yaml")
    books = {book: path.replace(f"/{MODEL}/", f"/{code}/") for book, path in model["rulebooks"].items()}
    return f"# {name}. Choose it with the knob `language: {code}`.\n" + _dumped({"code": code, "name": name, "rulebooks": books})


def survey(tree: dict[str, Any]) -> list[Line]:
    """A line for each category of a rulebook."""
    lines = []
    for category, about in (tree.get("categories") or {}).items():
        line = Line(about["title"])
        for rule in tree.get("rules") or []:
            if rule.get("category") == category:
                line.rules += 1
                line.examples += len(rule.get("examples") or [])
                if not rule.get("examples"):
                    line.without_example.append(str(rule.get("id")))
        for name in TABLES.get(category, ()):
            for leaf in _leaves(tree.get(name) or {}):
                if not leaf.strip():
                    line.empty += 1
                elif _ARROW.fullmatch(leaf):
                    line.examples += 1
                else:
                    line.entries += 1
            if name in ("precedence", "non_targets", "bad_input"):
                line.examples += sum(isinstance(one, str) or "example" in one or "in" in one for one in tree.get(name) or [])
        lines.append(line)
    return lines


def table(lines: list[Line]) -> list[str]:
    """The survey as aligned text."""
    cells = [("category", "rules", "table lines", "examples", "lacks")]
    cells += [(line.title, f"{line.rules}", f"{line.entries}", f"{line.examples}", ", ".join(line.lacks) or "nothing") for line in lines]
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    return ["  ".join([row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in (1, 2, 3)), row[4]]) for row in cells]


def _leaves(value: Any) -> Iterator[str]:
    """The texts of a table, its keys left out. A line with a name (`[name, example]`, `{name: ..., said: ...}`) that is empty is one text."""
    if isinstance(value, str):
        yield value
    elif (isinstance(value, list) and all(isinstance(one, str) for one in value)) or (isinstance(value, dict) and "name" in value):
        texts = list(value.values()) if isinstance(value, dict) else value
        yield from [text for text in texts if text.strip()] or [""] * bool(texts)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in _APART:
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def _emptied(value: Any) -> Any:
    """The same keys with empty texts; groups keep their ids."""
    if isinstance(value, dict):
        return {key: inner if key == "id" else _emptied(inner) for key, inner in value.items() if key not in ("decided_by", "why", "alternatives")}
    if isinstance(value, list):
        return [_emptied(one) for one in value] if value and isinstance(value[0], dict) else ["" for _ in value]
    return ""


def _next_steps(code: str, root: Path) -> Iterator[str]:
    yield "Next"
    if not (ROOT / "stages" / "languages" / code / "__init__.py").exists():
        yield f"  stages/languages/{code}/: a package with open_language(rulebook) for the protocol in stages/languages/base.py"
    if not (root / "rulebooks" / code / "hypertranslation.yaml").exists():
        yield f"  rulebooks/{code}/hypertranslation.yaml: the rules of transfer, in the form of rulebooks/{MODEL}/hypertranslation.yaml"
    yield f"  python -m stages.review.audit kind=normalization language={code}: what the rules do not settle yet, on your own texts (corpus=PATH)"


def _dumped(value: Any) -> str:
    import yaml

    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=150)
    return text


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        tree = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not valid YAML ({' '.join(str(error).split())}); correct it there.") from None
    if not isinstance(tree, dict):
        raise UserError(f"{path} is not a mapping of sections; correct it, or take it away to have it made anew.")
    return tree


if __name__ == "__main__":
    main()
