"""A start for another language: its reading rules and configuration as skeletons, and what they still lack.

    python -m stages.languages.skeleton ja Japanese

Makes rulebooks/<code>/hypertranslation.yaml, rulebooks/<code>/normalization.yaml and conf/language/<code>.yaml where they do not
exist: with the categories of the Korean rulebooks, the rules of transfer that hold for any language, and the signs, units,
currencies and letters that every language has to name. Each rule that rests on Korean becomes a question for the review desk
(stages.languages.open_questions). Then it lists, category by category, how many rules, table lines and examples there are and
what is missing. Run it again while the rulebooks grow: it puts into them what was answered at the desk, and touches nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from stages.core import files, verdicts
from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.files import write_text
from stages.core.paths import ROOT
from stages.languages import open_questions

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


_TRANSFER_HEAD = """\
# How benchmarks are carried over into {name}. Made by `python -m stages.languages.skeleton {code} {name}` from
# rulebooks/{model}/hypertranslation.yaml. `open` lists what rests on Korean there and has to be decided: at the review desk
# (`make review`; run the command again to put the answers here), or by hand: write the rule, and take its line out of `open`.
# A build refuses the book while something is open.
# `examples` (in, out) and `counterexamples` of a rule stand in the translator's requests and are run as tests.
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
    code = arguments[0]
    name = arguments[1] if len(arguments) == 2 else _name(root, code)
    for path, text in (
        (root / "rulebooks" / code / "hypertranslation.yaml", lambda: transfer(code, name)),
        (root / "rulebooks" / code / "normalization.yaml", lambda: rulebook(code, name)),
        (root / "conf" / "language" / f"{code}.yaml", lambda: configuration(code, name)),
    ):
        if path.exists():
            print(f"{path.relative_to(root)} exists and stays as it is")
        else:
            write_text(path, text())
            print(f"{path.relative_to(root)} made")
    told = _answers(root, code)
    lines = survey(_read(root / "rulebooks" / code / "normalization.yaml"))
    print("\n" + "\n".join(table(lines)))
    if told:
        print("\nDecided at the desk\n" + "\n".join(f"  {line}" for line in told))
    if code != MODEL:
        print("\n" + _ask(root, code, name))
    print("\n" + "\n".join(_next_steps(code, root)))


def _name(root: Path, code: str) -> str:
    path = root / "conf" / "language" / f"{code}.yaml"
    return str(_read(path).get("name") or code) if path.exists() else code


def transfer(code: str, name: str) -> str:
    """The skeleton of the transfer rulebook: what holds for any language, and the list of what is open."""
    book = open_questions.hypertranslation(_model("hypertranslation.yaml"), code, name)
    head = _TRANSFER_HEAD.format(name=name, code=code, model=MODEL)
    return head + "\n" + "\n".join(_dumped({section: value}) for section, value in book.tree.items())


def _answers(root: Path, code: str) -> list[str]:
    """Put what people decided into both rulebooks, comments and all else as they were; a line for each."""
    if code == MODEL:
        return []
    path = root / "rulebooks" / code / "hypertranslation.yaml"
    given = verdicts.read(root, "hypertranslation", rounds=True)
    told = open_questions.answered(_read(path), code, given)
    if told:
        tree, write = _editable(path)
        open_questions.answered(tree, code, given)
        write(tree)
    path = root / "rulebooks" / code / "normalization.yaml"
    model = _model("normalization.yaml")
    rules = dict(open_questions.reading_rules(_read(path), model, code, verdicts.read(root, "normalization", rounds=True)))
    made = [rule for rule in rules.values() if rule]
    if made:
        tree, write = _editable(path)
        tree["rules"] = [*(tree.get("rules") or []), *made]
        write(tree)
    return told + [f"reading rule {id}: {'its examples stand in the book' if rule else 'dropped'}" for id, rule in rules.items()]


@cache
def _model(book: str) -> dict[str, Any]:
    """A rulebook of the model language; not to be changed."""
    return _read(ROOT / "rulebooks" / MODEL / book)


def _editable(path: Path) -> tuple[dict[str, Any], Callable[[Any], None]]:
    """A YAML file to be changed with its comments kept, and what writes it back."""
    import io

    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 150

    def write(tree: Any) -> None:
        out = io.StringIO()
        yaml.dump(tree, out)
        write_text(path, out.getvalue())

    return yaml.load(path.read_text(encoding="utf-8")), write


def _ask(root: Path, code: str, name: str) -> str:
    """Put what is still open into the desk's queue, in the place of what was there of this language; say how much it is."""
    prompts = _read(ROOT / "conf" / "review" / "new_language.yaml")
    book = open_questions.hypertranslation(_model("hypertranslation.yaml"), code, name)
    still = _read(root / "rulebooks" / code / "hypertranslation.yaml").get("open") or {}
    asked = [question.entry(code, "hypertranslation", prompts) for question in book.questions if question.id in still]
    reading = _read(root / "rulebooks" / code / "normalization.yaml")
    given = verdicts.read(root, "normalization", rounds=True)
    model = _model("normalization.yaml")
    known = {str(rule.get("id")) for rule in reading.get("rules") or []}
    known |= {id for id, rule in open_questions.reading_rules(reading, model, code, given) if rule is None}
    questions = open_questions.normalization(model, known)
    asked += [question.entry(code, "normalization", prompts) for question in questions]
    path = root / "data" / "review" / "question.jsonl"
    others = [entry for entry in files.read_jsonl(path) if entry["subset"] != f"language-{code}"] if path.exists() else []
    files.write_jsonl(path, sorted([*others, *asked], key=lambda entry: str(entry["id"])))
    return f"{len(still)} open questions of transfer and {len(questions)} of reading aloud -> {path.relative_to(root)} (`make review` shows them)"


def rulebook(code: str, name: str) -> str:
    """The skeleton of the reading rules: categories, signs and units of the model, names and rules empty."""
    model = _model("normalization.yaml")
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
    if code != MODEL and _read(root / "rulebooks" / code / "hypertranslation.yaml").get("open"):
        yield f"  make review, and then this command again: what is open in rulebooks/{code}/ (docs/new-language.md)"
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
