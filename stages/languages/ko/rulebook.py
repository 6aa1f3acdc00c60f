"""The rulebook as the engine needs it: YAML once, then a compiled JSON beside the other caches, found by the file's hash.

Parsing the YAML takes longer than a whole shell pipe may; the compiled form loads in a few milliseconds. Without a
writable cache everything still works, only slower to start.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT, cache_dir

DEFAULT = ROOT / "rulebooks" / "ko" / "normalization.yaml"
_FORM = "6"
"""Changes whenever the compiled form does."""
_MACRO = re.compile(r"\{([a-z_]+)\}")


def load(path: Path | None = None) -> dict[str, Any]:
    """The compiled rulebook. Raises UserError when the file is missing or says something that cannot be used."""
    source = path or DEFAULT
    try:
        content = source.read_bytes()
    except OSError as error:
        raise UserError(f"Cannot read the rulebook {source}: {error.strerror or error}; give the path of a rulebook that exists.") from None
    stored = cache_dir() / "rulebooks" / f"{hashlib.sha256(_FORM.encode() + content).hexdigest()}.json"
    try:
        book: dict[str, Any] = json.loads(stored.read_bytes())
        return book
    except (OSError, ValueError):
        pass
    book = compiled(parse(content, source), source)
    _store(stored, book)
    return book


def parse(content: bytes, source: Path) -> dict[str, Any]:
    """The rulebook's own tree."""
    import yaml

    try:
        tree = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise UserError(f"The rulebook {source} is not valid YAML ({' '.join(str(error).split())}); correct it there.") from None
    if not isinstance(tree, dict) or "rules" not in tree:
        raise UserError(f"The rulebook {source} has no 'rules'; it must have the layout of {DEFAULT.name}.")
    return tree


def compiled(tree: dict[str, Any], source: Path) -> dict[str, Any]:
    """What the engine reads: no reasons, no examples, lists put into the patterns, rules in the order of trial."""
    _check_keys(tree, source)
    _check_rules(tree["rules"], set(tree["categories"]), source)
    lists = {name: _alternatives(words) for name, words in tree.get("lists", {}).items()}
    for name, table in (
        ("lexical_names", "lexical"),
        ("currency_signs", "currencies"),
        ("extension_names", "extensions"),
        ("hanja_word_list", "hanja_words"),
    ):
        lists[name] = _alternatives(list(tree[table]))
    lists["counter_words"] = _alternatives([word for group in tree["counters"] for word in group["words"] if word not in ("월", "일")])
    rules = []
    for rule in sorted(tree["rules"], key=lambda rule: -rule["priority"]):
        forms = _expanded(rule, ("pattern", "left", "not_left"), lists, rule["id"], source)
        otherwise = [{**other, **_expanded(other, ("when", "not_left"), lists, rule["id"], source)} for other in rule.get("otherwise", [])]
        more = {"why": rule["why"], "otherwise": otherwise} if otherwise else {}
        rules.append({"id": rule["id"], "at": rule["at"], "do": rule["do"], "joins": rule.get("joins", False), **forms, **more})
    senses = {
        word: [
            {k: expand(v, lists, word, source) if k in ("left", "right", "not_right", "not_left") else v for k, v in sense.items() if k != "examples"}
            for sense in found
        ]
        for word, found in tree["counter_senses"].items()
    }
    return {
        "rules": rules,
        "lists": lists,
        "senses": senses,
        "counters": {word: ["counter.none", "none", 0, False] for word in tree["not_counters"].split()}
        | {
            word: [group["id"], group["numeral"], group.get("up_to", 99 if group["numeral"] == "native" else 0), group.get("joined", False)]
            for group in tree["counters"]
            for word in group["words"]
        },
        "attached_only": tree["attached_only"].split(),
        "units": {symbol: [group["id"], entry[0]] for group in tree["units"] for symbol, entry in group["symbols"].items()},
        "unit_per": tree["unit_per"],
        "currencies": {symbol: entry[0] for symbol, entry in tree["currencies"].items()},
        "letters": tree["letters"],
        "jamo": tree["jamo"],
        "greek": tree["greek"],
        "acronyms": {written: entry[0] for written, entry in tree["word_acronyms"].items()},
        "extensions": {written: entry[0] for written, entry in tree["extensions"].items()},
        "symbols": tree["symbols"],
        "chat": tree["chat"],
        "elements": tree["elements"].split(),
        "chemistry": tree["chemistry"],
        "lexical": dict(tree["lexical"].items()),
        "hanja": "".join(f"{char}{reading}" for reading, chars in tree["hanja"].items() for char in chars),
        "hanja_words": tree["hanja_words"],
        "math": tree["math"],
    }


_NEEDED = frozenset(["id", "category", "priority", "at", "pattern", "do", "when", "why", "examples", "decided_by"])
_FIELDS = _NEEDED | {"left", "not_left", "joins", "counterexamples", "alternatives", "otherwise"}
_OTHERWISE = frozenset(["rule", "do", "when", "why"])
_CLASSES = frozenset(["digit", "latin", "symbol", "jamo", "hanja"])


def _check_rules(rules: list[dict[str, Any]], categories: set[str], source: Path) -> None:
    """A rule has the fields that every rule has, and no others."""
    for rule in rules:
        name = rule.get("id", "(without id)")
        for field in rule.keys() - _FIELDS:
            raise UserError(f"Rule {name!r} of {source} has the unknown field {field!r}.{nearest(str(field), _FIELDS)}")
        for field in sorted(_NEEDED - rule.keys()):
            raise UserError(f"Rule {name!r} of {source} lacks {field!r}; every rule has it.")
        for kind in sorted(set(rule["at"].split()) - _CLASSES):
            raise UserError(f"Rule {name!r} of {source} starts at {kind!r}; `at` is one or more of {', '.join(sorted(_CLASSES))}.")
        for other in rule.get("otherwise", []):
            if not _OTHERWISE <= other.keys() <= _OTHERWISE | {"not_left"}:
                raise UserError(f"Rule {name!r} of {source} has a reading under 'otherwise' that does not have just {', '.join(sorted(_OTHERWISE))}.")
        if rule["category"] not in categories:
            raise UserError(f"Rule {name!r} of {source} is of the category {rule['category']!r}.{nearest(rule['category'], categories)}")


def _check_keys(tree: dict[str, Any], source: Path) -> None:
    """YAML reads a bare ON, 007 or 7080 as something else than text, and takes a word given twice without a murmur."""
    seen: dict[str, str] = {}
    for group in tree["counters"]:
        for word in group["words"]:
            if word in seen:
                raise UserError(f"The counter {word!r} stands in {seen[word]!r} and in {group['id']!r} of {source}; leave it in one of them.")
            seen[word] = group["id"]
    for name in ("currencies", "word_acronyms", "extensions", "lexical", "symbols", "letters", "jamo", "greek", "hanja"):
        for key in tree[name]:
            if not isinstance(key, str):
                raise UserError(f"The entry {key!r} of {name!r} in {source} is not text to YAML; put it in quotes.")


def _expanded(entry: dict[str, Any], fields: tuple[str, ...], lists: dict[str, str], where: str, source: Path) -> dict[str, str]:
    return {name: expand(entry[name], lists, where, source) for name in fields if name in entry}


def expand(pattern: str, lists: dict[str, str], where: str, source: Path) -> str:
    """`pattern` with `{name}` replaced by the alternatives of the list `name`."""

    def alternatives(match: re.Match[str]) -> str:
        try:
            return lists[match[1]]
        except KeyError:
            raise UserError(
                f"Rule {where!r} of {source} uses the list {match[1]!r}, which is not among its 'lists'; add it or correct the name."
            ) from None

    expanded = _MACRO.sub(alternatives, pattern)
    try:
        re.compile(expanded)
    except re.error as error:
        raise UserError(f"Rule {where!r} of {source} has the pattern {pattern!r}, which is not a regular expression ({error}); correct it.") from None
    return expanded


def _alternatives(words: str | list[str]) -> str:
    """A list is given as words separated by blanks, as a YAML list, or as `re: ...` when it is an expression itself."""
    if isinstance(words, str) and words.startswith("re:"):
        return f"(?:{words[3:].strip()})"
    found = words.split() if isinstance(words, str) else words
    return "(?:" + "|".join(re.escape(word).replace("_", r"\s?") for word in sorted(found, key=len, reverse=True)) + ")"


def _store(path: Path, book: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(book, out, ensure_ascii=False)
        os.replace(temporary, path)
    except OSError:
        pass  # A cache that cannot be written costs time, nothing else.
