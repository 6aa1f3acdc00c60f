"""What another language has to decide: each rule of the Korean rulebooks that rests on Korean, as a question for the review desk.

The transfer rulebook of a new language is that of Korean with everything language-specific taken out: rules that hold for any
language stay, with who decided them; a rule, a word list or a constraint that rests on Korean becomes an entry of the book's `open`
part and a question in data/review/question.jsonl. What people answer (data/decisions/<topic>/<name>.jsonl, or a round written by
hand is told to the desk first) is put into the book by `answered`, and the entry goes. The stages refuse a book with open entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stages.core.verdicts import Verdict

Tree = dict[str, Any]

SAME, DROP = "same", "drop"
ACTIONS = ("kept", "remapped", "removed")
_SCRIPT = re.compile("[\u3131-\u318e\uac00-\ud7a3]")
_NAMED = re.compile(r"\b(Koreans|Korean|Hangul|Korea)\b")
_RULE_SECTIONS = ("principles", "conversion", "traceability", "benchmarks", "task_designs", "special_cases", "deletions", "quality")
_KEPT = ("id", "scope", "priority", "when", "categories", "may_delete")
"""Fields of a transfer rule that speak of the English source alone."""
_NEVER = "(?!)"
"""A pattern that finds nothing."""


@dataclass(frozen=True)
class Question:
    """One open point of a rulebook."""

    id: str
    """`rule:<rule id>`, `constraint:<IFEval id>`, or `part:<path>` with full stops."""
    title: str
    shown: dict[str, str]
    """How the model's book decides it: columns for the desk."""
    draft: str = ""
    """A wording that may already do; empty where it has to be written."""
    column: str = "do"
    """What a person writes: `do`, `words` (YAML) or `examples`."""
    options: tuple[str, ...] = (DROP,)

    def entry(self, code: str, topic: str, prompts: Mapping[str, Any]) -> Tree:
        """As the desk reads it."""
        kind = prompts[self.column if not self.id.startswith("constraint:") else "constraint"]
        options = [{"id": one, **prompts["options"][one]} for one in self.options]
        stage = "hypertranslate" if topic == "hypertranslation" else "normalize"
        return {
            "id": queue_id(code, topic, self.id), "kind": "question", "stage": stage, "subset": f"language-{code}", "title": self.title,
            "prompt": kind, "source": self.shown, "target": {self.column: self.draft}, "options": options, "affected": [], "rules": [],
            "flags": [f"open: rulebooks/{code}/{topic}.yaml"], "audio": None,
        }  # fmt: skip


def queue_id(code: str, topic: str, id: str) -> str:
    return f"question:language-{code}:{topic}.{id}"


@dataclass
class Book:
    """A transfer rulebook in the making."""

    tree: Tree
    questions: list[Question] = field(default_factory=list)


def hypertranslation(model: Tree, code: str, name: str) -> Book:
    """The skeleton of a transfer rulebook, and what is open in it. `model` is the Korean book."""
    book = Book({"language": code, "open": {}})
    for section in _RULE_SECTIONS:
        part = model[section]
        made: Tree = {"title": part["title"], "text": _renamed(part.get("text", ""), name)}
        made["rules"] = [_rule(rule, name, book) for rule in part.get("rules", [])]
        book.tree[section] = made
    book.tree["conversion"]["composition"] = _parts("conversion.composition", model["conversion"]["composition"], book)
    book.tree["benchmarks"]["constraints"] = [_constraint(one, book) for one in model["benchmarks"]["constraints"]]
    hyperbaton = {key: value for key, value in model["task_designs"]["hyperbaton"].items() if key != "generator"}
    book.tree["task_designs"]["hyperbaton"] = _parts("task_designs.hyperbaton", hyperbaton, book, keep=("rule",))
    quality = book.tree["quality"]
    quality["checklist"] = [_renamed(line, name) for line in model["quality"]["checklist"]]
    quality["addresses_the_model"] = model["quality"]["addresses_the_model"]
    quality["lexicon"] = _parts("quality.lexicon", model["quality"]["lexicon"], book, keep=("allowed_latin",))
    book.tree["questions"] = _english(model["questions"], name)
    book.tree["open"] = {question.id: question.title for question in book.questions}
    return book


def _rests_on_it(text: str) -> bool:
    return bool(_SCRIPT.search(text) or _NAMED.search(text))


def _renamed(text: str, name: str) -> str:
    """`text` on another language; empty where it has Korean words in it."""
    if _SCRIPT.search(text):
        return ""
    words = {"Koreans": f"speakers of {name}", "Korean": name, "Hangul": f"the script of {name}", "Korea": f"the country of {name}"}
    return _NAMED.sub(lambda found: words[found[1]], text)


def _english(value: Any, name: str) -> Any:
    """What people are asked, in English alone."""
    if isinstance(value, dict):
        return {key: _english(inner, name) for key, inner in value.items() if key != "ko"}
    if isinstance(value, list):
        return [_english(inner, name) for inner in value]
    return _renamed(value, name) if isinstance(value, str) else value


def _rule(rule: Tree, name: str, book: Book) -> Tree:
    made = {key: rule[key] for key in _KEPT if key in rule}
    do, why = " ".join(rule["do"].split()), " ".join(rule["why"].split())
    if not _rests_on_it(f"{do} {why}"):
        return {**made, "do": do, "why": why, "decided_by": rule["decided_by"]}
    id = f"rule:{rule['id']}"
    shown = {"rule": do, "why": why, "examples": _listed(rule.get("examples")), "counterexamples": _listed(rule.get("counterexamples"))}
    draft = _renamed(do, name)
    options = (SAME, DROP) if draft else (DROP,)
    book.questions.append(Question(id, f"Rule {rule['id']}", _filled(shown), draft, "do", options))
    return {**made, "do": draft, "why": _renamed(why, name), "decided_by": {"person": "", "date": "", "question": id}}


def _listed(examples: Any) -> str:
    lines = []
    for one in examples or []:
        why = f"  ({one['why']})" if isinstance(one, dict) and one.get("why") else ""
        lines.append(f"{one['in']} => {one['out']}{why}" if isinstance(one, dict) else str(one))
    return "\n".join(lines)


def _filled(texts: dict[str, str]) -> dict[str, str]:
    return {column: text for column, text in texts.items() if text}


def _constraint(entry: Tree, book: Book) -> Tree:
    """An IFEval constraint: kept, remapped or removed is asked for each; texts are asked with it where the model has some."""
    id = f"constraint:{entry['id']}"
    shown = {"constraint": entry["id"], "decided": entry["action"], "rule": entry["rule"]}
    texts = {key: entry[key] for key in ("localize", "fixed", "add") if key in entry}
    shown |= {"texts": _dumped(texts)} if texts else {}
    book.questions.append(Question(id, f"What becomes of {entry['id']}", shown, "", "words", ACTIONS))
    return {"id": entry["id"], "action": entry["action"], "rule": entry["rule"], **{key: value for key, value in texts.items() if key == "localize"}}


def _parts(path: str, part: Tree, book: Book, keep: tuple[str, ...] = ()) -> Tree:
    """A mapping of texts and word lists: what has no word of the model stays, the rest is emptied and asked for."""
    made: Tree = {}
    for key, value in part.items():
        text = _dumped(value)
        if key in keep or not _SCRIPT.search(text):
            made[key] = value
            continue
        made[key] = _emptied(value)
        book.questions.append(Question(f"part:{path}.{key}", f"{path}.{key}", {"decided": text[:4000]}, "", "words", (DROP,)))
    return made


def _emptied(value: Any) -> Any:
    """The same form without words: lists and tables lose their lines, fixed keys in English stay."""
    if isinstance(value, dict):
        fixed = all(isinstance(key, str) and re.fullmatch(r"[a-z ]+", key) for key in value)
        return {key: _emptied(inner) for key, inner in value.items()} if fixed else {}
    return [] if isinstance(value, list) else _NEVER if isinstance(value, str) else value


def normalization(model: Tree, known: set[str]) -> list[Question]:
    """A question for each reading rule of the model, but for those of the ids in `known`, and for each of its tables."""
    questions = []
    for rule in model["rules"]:
        if rule["id"] in known:
            continue
        shown = {"rule": str(rule["when"]), "why": str(rule["why"]), "examples": _listed(rule.get("examples"))}
        questions.append(Question(f"rule:{rule['id']}", f"{rule['id']}: {rule['when']}", _filled(shown), "", "examples"))
    return questions


# ---------------------------------------------------------------- answers


def decided(verdicts: list[Verdict]) -> Verdict | None:
    """The verdict that settles a question; None where nobody has answered, or people answered differently."""
    said = [verdict for verdict in verdicts if verdict.verdict not in ("skip", "reject", "accept")]
    if not said or len({(verdict.verdict, tuple(sorted(verdict.edit.items()))) for verdict in said}) > 1:
        return None
    return max(said, key=lambda verdict: verdict.date)


def answered(tree: Tree, code: str, verdicts: Mapping[str, list[Verdict]]) -> list[str]:
    """Put what was decided into a transfer rulebook (changed in place). Returns a line for each entry that is open no longer, or why not."""
    told = []
    for id in list(tree.get("open") or {}):
        verdict = decided(verdicts.get(queue_id(code, "hypertranslation", id), []))
        if verdict is None:
            continue
        problem = _put(tree, id, verdict, queue_id(code, "hypertranslation", id))
        if not problem:
            del tree["open"][id]
        told.append(f"{id}: {problem or verdict.verdict} ({verdict.reviewer} {verdict.date})")
    return told


def _put(tree: Tree, id: str, verdict: Verdict, question: str) -> str:
    """Apply one verdict; what is wrong with it, if anything."""
    kind, _, name = id.partition(":")
    by = {"person": verdict.reviewer, "date": verdict.date, "question": question}
    if kind == "rule":
        rules = [(tree[section]["rules"], place) for section in _RULE_SECTIONS for place in range(len(tree[section]["rules"]))]
        found = [(section, place) for section, place in rules if section[place]["id"] == name]
        if not found:
            return "the book has no such rule"
        section, place = found[0]
        if verdict.verdict == DROP:
            used = next((one["id"] for one in tree["benchmarks"]["constraints"] if one["rule"] == name), "")
            used = used or ("hyperbaton" if tree["task_designs"]["hyperbaton"]["rule"] == name else "")
            if used:
                return f"{used} needs this rule, so it cannot be dropped; write it"
            del section[place]
            return ""
        section[place].update({"do": verdict.edit.get("do", section[place]["do"]).strip(), "decided_by": by})
        section[place]["why"] = verdict.reason.strip() or section[place]["why"] or "People decided so."
        return ""
    value, problem = _yaml(verdict.edit.get("words", ""))
    if problem:
        return problem
    if kind == "constraint":
        entry = next(one for one in tree["benchmarks"]["constraints"] if one["id"] == name)
        if verdict.verdict in ACTIONS:
            entry["action"] = verdict.verdict
        elif isinstance(value, dict) and set(value) <= {"action", "localize", "fixed", "add"}:
            entry.update(value)
        else:
            return "an edit is YAML with some of action, localize, fixed and add"
        return ""
    if verdict.verdict == DROP:
        return ""
    *path, last = name.split(".")
    part = tree
    for step in path:
        part = part[step]
    if value is None or (part[last] is not None and type(value) is not type(_plain(part[last]))):
        return f"what was written is no {type(_plain(part[last])).__name__}"
    part[last] = value
    return ""


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else str(value) if isinstance(value, str) else value


def _yaml(text: str) -> tuple[Any, str]:
    import yaml

    try:
        return (yaml.safe_load(text) if text.strip() else None), ""
    except yaml.YAMLError as error:
        return None, f"what was written is not valid YAML ({' '.join(str(error).split())[:120]})"


def reading_rules(tree: Tree, model: Tree, code: str, verdicts: Mapping[str, list[Verdict]]) -> Iterator[tuple[str, Tree | None]]:
    """Reading rules that were decided: id and, unless the language has no such thing, the rule with its examples, its pattern still empty."""
    there = {rule.get("id") for rule in tree.get("rules") or []}
    for rule in model["rules"]:
        verdict = decided(verdicts.get(queue_id(code, "normalization", f"rule:{rule['id']}"), []))
        if verdict is None or rule["id"] in there:
            continue
        if verdict.verdict == DROP:
            yield rule["id"], None
            continue
        examples = [line.strip() for line in verdict.edit.get("examples", "").splitlines() if line.strip()]
        kept = {key: rule[key] for key in ("id", "category", "priority", "at")}
        when, why = (_renamed(str(rule[key]), code) for key in ("when", "why"))
        yield rule["id"], {**kept, "when": when, "pattern": "", "do": "", "why": verdict.reason or why, "examples": examples,
                           "decided_by": {"who": verdict.reviewer, "date": verdict.date}}  # fmt: skip


def _dumped(value: Any) -> str:
    import yaml

    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=120)
    return text.removesuffix("...\n").strip()
