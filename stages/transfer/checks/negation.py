"""A question that turns on a negation still has one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found

_STRONG = [
    r"(?-i:\b(NOT|EXCEPT|LEAST|NEVER|FALSE|INCORRECT)\b)",
    r"\bexcept\b[^.?!]{0,20}$",
    r"\b(which|what|who|where|when)\b[^.?!]{0,60}\b(is|are|was|were|does|do|did|would|can|could|has|have)( \w+)?(n't| not)\b",
    r"\b(don't|do not|without|must not|not allowed|never|avoid|refrain from|no other)\b",
]


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format not in ("multiple_choice", "short_answer", "ifeval"):
        return
    stem = pair.item.prompt.split("\nA.")[0]
    negated = found(_STRONG, stem)
    if negated and not found(words.lexicon.negation, _stem(pair)):
        yield f"the source says {' '.join(negated.split())[-40:]!r}, the question negates nothing"


def _stem(pair: Pair) -> str:
    if pair.options and re.search(re.escape(pair.options[0].label) + r"[.)\s]", pair.prompt):
        return re.split(re.escape(pair.options[0].label) + r"[.)\s]", pair.prompt, maxsplit=1)[0]
    return pair.prompt
