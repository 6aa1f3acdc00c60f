"""Writes docs/normalization.md from the rulebook, so that a native speaker can read and correct the rules without programming.

python -m stages.languages.ko.docs
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core.paths import ROOT
from stages.languages.ko import rulebook
from stages.languages.ko.examples import examples, pair

PAGE = ROOT / "docs" / "normalization.md"
_HEAD = """# How written Korean is said aloud

This page is made from [rulebooks/ko/normalization.yaml](../rulebooks/ko/normalization.yaml) by
`python -m stages.languages.ko.docs`. Correct the YAML, not this page: the reader, the tests and this page all follow it.
Try a sentence with `echo "5번 버스를 5번 탔다." | python -m stages.languages.ko.read`.

The file holds {rules} rules, {counters} counters, {units} unit symbols, {acronyms} acronyms said as words and {hanja} Hanja.
Its {examples} examples are run as tests.

To correct a reading: find the rule or the table below, change its line in the YAML, add an example `in → out`, run
`make test`. A new counter, unit, acronym, extension or name is one line in its table. Where Korean allows several readings
one is chosen; the others are listed as alternatives.
"""
_ANOTHER_LANGUAGE = """## Another language

`python -m stages.languages.skeleton <code>` makes a rulebook and a configuration to start from and lists what they lack.
Make a package `stages/languages/<code>` with `open_language(rulebook)` that returns an object with the methods of
`stages/languages/base.py`, a rulebook `rulebooks/<code>/normalization.yaml` with the eleven categories of this page, and
`conf/language/<code>.yaml`. Nothing outside these knows the language."""


def page(tree: dict[str, Any]) -> str:
    """The whole page."""
    lines = [
        _HEAD.format(
            rules=len(tree["rules"]),
            counters=sum(len(group["words"]) for group in tree["counters"]),
            units=sum(len(group["symbols"]) for group in tree["units"]),
            acronyms=len(tree["word_acronyms"]),
            hanja=sum(len(chars) for chars in tree["hanja"].values()),
            examples=sum(1 for _ in examples(tree)),
        )
    ]
    for name, category in tree["categories"].items():
        lines += [f"## {category['title']}", "", category["about"], ""]
        lines += _rules(tree, name)
        lines += _tables(tree, name)
    lines += ["## Input that should not occur", "", "| input | result | example |", "|---|---|---|"]
    lines += [f"| {entry['what']} | {entry['result']} | {_shown(entry['in'])} → {_shown(entry['out'])} |" for entry in tree["bad_input"]]
    lines += ["| A lone surrogate (in memory) or bytes that are no UTF-8 (in the shell filter) | dropped | |"]
    lines += ["| A line of a megabyte | read like any other, in time proportional to its length | |", ""]
    lines += [_ANOTHER_LANGUAGE]
    return "\n".join(lines).rstrip() + "\n"


def _rules(tree: dict[str, Any], category: str) -> Iterator[str]:
    for rule in sorted((rule for rule in tree["rules"] if rule["category"] == category), key=lambda rule: -rule["priority"]):
        yield f"**`{rule['id']}`** (priority {rule['priority']}). {_sentence(rule['when'])} {_sentence(rule['why'])}"
        yield ""
        yield from (f"- {_example(example)}" for example in rule.get("examples", []))
        yield from (f"- but {_example(example)}" for example in rule.get("counterexamples", []))
        if rule.get("alternatives"):
            yield f"- also heard: {'; '.join(rule['alternatives'])}"
        decided = rule["decided_by"]
        yield f"- decided by {decided['who']}, {decided['date']}"
        yield ""


def _tables(tree: dict[str, Any], category: str) -> Iterator[str]:
    if category == "counters":
        for group in tree["counters"]:
            limit = f", up to {group['up_to']}" if "up_to" in group else ""
            yield f"**`{group['id']}`** ({group['numeral']} numerals{limit}). {_sentence(group['why'])}"
            yield ""
            if group.get("alternatives"):
                yield f"Also heard: {'; '.join(group['alternatives'])}."
                yield ""
            if group["numeral"] != "context":
                yield "; ".join(_example(example) for example in group["words"].values()) + "."
                yield ""
        yield from ("| counter | role | numerals | why | examples |", "|---|---|---|---|---|")
        for word, senses in tree["counter_senses"].items():
            for sense in senses:
                shown = "; ".join(_cell(_example(example)) for example in sense["examples"])
                yield f"| {word} | {sense['sense']} | {sense['numeral']} | {_cell(sense['why'])} | {shown} |"
        yield ""
    elif category == "currency_percent_units":
        for group in tree["units"]:
            yield f"**`{group['id']}`**: " + "; ".join(_example(example) for _, example in group["symbols"].values()) + "."
            yield ""
        yield "**Currency signs**: " + "; ".join(_example(example) for _, example in tree["currencies"].values()) + "."
        yield ""
        yield "**After 퍼**: " + ", ".join(f"{symbol} {name}" for symbol, name in tree["unit_per"].items()) + "."
        yield ""
    elif category == "consonant_labels":
        yield "**Names of letters**: " + ", ".join(f"{letter} {name}" for letter, name in tree["jamo"].items()) + "."
        yield ""
    elif category == "latin":
        yield "**Letters**: " + ", ".join(f"{letter} {name}" for letter, name in tree["letters"].items()) + "."
        yield ""
        yield "**Said as words**: " + "; ".join(_example(example) for _, example in tree["word_acronyms"].values()) + "."
        yield ""
    elif category == "addresses":
        yield "**File extensions**: " + ", ".join(f".{extension} {name}" for extension, (name, _) in tree["extensions"].items()) + "."
        yield ""
    elif category == "mathematics":
        yield "**Greek letters**: " + ", ".join(f"{letter} {name}" for letter, name in tree["greek"].items()) + "."
        yield ""
        yield "**Operators**: " + ", ".join(f"`{sign}` {name}" for sign, name in tree["math"]["operators"].items()) + "."
        yield ""
    elif category == "punctuation":
        yield from ("| sign | name when it is talked about | said otherwise |", "|---|---|---|")
        for sign, entry in tree["symbols"].items():
            said = entry.get("said")
            yield f"| `{sign.replace('|', chr(92) + '|')}` | {entry['name']} | {'a pause' if said == ',' else said or 'nothing'} |"
        yield ""
    elif category == "hanja":
        yield "; ".join(f"{reading} {chars}" for reading, chars in tree["hanja"].items()) + "."
        yield ""
    elif category == "precedence":
        yield from (f"- {_sentence(entry['says'])} {_example(entry['example'])}" for entry in tree["precedence"])
        yield ""
        yield "**Numbers that became names**: " + "; ".join(f"{written} → {spoken}" for written, spoken in tree["lexical"].items()) + "."
        yield ""
        yield "**Left as they are**:"
        yield ""
        yield from (f"- {_shown(text)}" for text in tree["non_targets"])
        yield ""


def _example(example: str | dict[str, str]) -> str:
    written, spoken = pair(example)
    return f"{_shown(written)} → {_shown(spoken)}"


def _shown(text: str) -> str:
    """`text` so that Markdown does not take its signs for its own, and invisible characters can be seen."""
    visible = "".join(char if char.isprintable() and not "\u1100" <= char <= "\u11ff" else f"\\u{ord(char):04X}" for char in text)
    plain = visible and not any(sign in visible for sign in "*#_<>`|\\[]~$&@")
    return visible if plain else f"`` {visible} ``" if "`" in visible else f"`{visible}`" if visible else "(nothing)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def main(path: Path = PAGE) -> None:
    from stages.core.files import write_text

    write_text(path, page(rulebook.parse(rulebook.DEFAULT.read_bytes(), rulebook.DEFAULT)))


if __name__ == "__main__":
    main()
