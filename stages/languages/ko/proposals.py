"""The Korean rulebook in the loop with people: which category a reading belongs to, and the entry that follows from a decision."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

from stages.languages.base import Decision, Entry, Language
from stages.languages.ko import rulebook

_HANGUL_TAIL = r"(?![가-힣])"
_STRONGER = 1


class KoreanRulebook:
    """See stages.languages.base.Rulebook."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or rulebook.DEFAULT

    @cached_property
    def tree(self) -> dict[str, Any]:
        return rulebook.parse(self._path.read_bytes(), self._path)

    @property
    def categories(self) -> dict[str, str]:
        return {name: category["title"] for name, category in self.tree["categories"].items()}

    @cached_property
    def _category_of(self) -> dict[str, str]:
        return {rule["id"]: rule["category"] for rule in self.tree["rules"]}

    def category(self, rule_id: str) -> str:
        rule_id = rule_id.removeprefix("model:")
        known = self._category_of.get(rule_id)
        if known:
            return known
        family = rule_id.partition(".")[0]
        told: str | None = self.tree["families"].get(family)
        return told or next((category for name, category in self._category_of.items() if name.startswith(f"{family}.")), "precedence")

    def propose(self, decision: Decision) -> Entry | None:
        example = " → ".join(decision.example)
        if decision.kind == "word":
            return Entry("word_acronyms", decision.written, [decision.reading, example])
        if decision.kind == "sign":
            entry = {"name": self.tree["symbols"].get(decision.written, {}).get("name") or decision.reading or "기호"}
            return Entry("symbols", decision.written, entry | ({"said": decision.reading} if decision.reading else {}))
        family, _, sense = decision.candidate.rpartition(".")
        if family == "counter.context":
            return self._sense(decision, sense, example)
        return self._rule(decision, example)

    def _sense(self, decision: Decision, sense: str, example: str) -> Entry | None:
        """One more sense of a counter, for what stands after it. It goes before the senses without a condition."""
        after = decision.after.lstrip()
        word = max((word for word in self.tree["counter_senses"] if after.startswith(word)), key=len, default=None)
        known = next((one for one in self.tree["counter_senses"].get(word, []) if one["sense"] == sense), None)
        if word is None or known is None:
            return None
        value: dict[str, Any] = {"sense": sense, "numeral": known["numeral"]}
        rest = after[len(word) :].rstrip()
        value["right"] = _pattern(rest) if rest else r"\s*\Z"
        value |= {"why": known["why"], "examples": [example], "decided_by": dict(decision.decided_by)}
        return Entry("counter_senses", word, value)

    def _rule(self, decision: Decision, example: str) -> Entry | None:
        """A rule like the default's, stronger, for what stands after it, with the reading of the candidate."""
        default = next((rule for rule in self.tree["rules"] if rule["id"] == decision.default), None)
        other = next((one for one in (default or {}).get("otherwise", []) if one["rule"] == decision.candidate), None)
        if default is None or other is None:
            return None
        ahead = _pattern(decision.after.rstrip()) if decision.after.strip() else r"\s*\Z"
        value = {
            "id": ".".join([decision.candidate, re.sub(r"\W+", "_", decision.after.strip()) or "end"]),
            "category": self.category(decision.candidate),
            "priority": default["priority"] + _STRONGER,
            "at": default["at"],
            "when": f"As {decision.default}, before {decision.after.strip() or 'the end'}",
            "pattern": f"(?:{default['pattern']})(?={ahead})",
            **({"not_left": default["not_left"]} if "not_left" in default else {}),
            "do": other["do"],
            "why": other["why"],
            "examples": [example],
            "decided_by": dict(decision.decided_by),
        }
        return Entry("rules", value["id"], value)

    def with_entry(self, entry: Entry) -> Language:
        """The language with `entry` in its rulebook: a new sense and a new rule come first, a table's line replaces the old one."""
        from stages.languages.ko.language import Korean
        from stages.languages.ko.reader import Reader

        tree = dict(self.tree)
        if entry.section == "rules":
            tree["rules"] = [entry.value, *tree["rules"]]
        elif entry.section == "counter_senses":
            tree["counter_senses"] = tree["counter_senses"] | {entry.key: [entry.value, *tree["counter_senses"][entry.key]]}
        else:
            tree[entry.section] = tree[entry.section] | {entry.key: entry.value}
        language = Korean(str(self._path))
        language.reader = Reader(book=rulebook.compiled(tree, self._path))
        return language


def _pattern(text: str) -> str:
    """`text` as an expression: its blanks optional, and no Hangul after it."""
    return re.sub(r"(?:\\\s)+", r"\\s?", re.escape(text)) + (_HANGUL_TAIL if re.search(r"[가-힣]\Z", text) else "")
