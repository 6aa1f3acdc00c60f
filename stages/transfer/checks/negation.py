"""A question that turns on a negation still has one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found

_STRONG = [
    r"(?-i:\b(NOT|EXCEPT|NEVER|FALSE|INCORRECT)\b)",
    r"\bexcept\b[^.?!]{0,20}$",
    r"\b(which|what|who|where|when|how)\b[^.?!]{0,60}\b(is|are|was|were|does|do|did|would|can|could|has|have)( \w+)?(n't| not)\b",
    r"\b(don't|do not|without|must not|not allowed|never|avoid|refrain from)\b",
]

_RHETORICAL = re.compile(
    r"\b(why|can|could|would|wo|do|did|is|are|was)(n't| not) (you|we|i|it|they)\b|\bnever ?mind\b|without (a )?doubt"
    r"|\b(do not|don't) (worry|hesitate|know|you|get me wrong)\b",
    re.IGNORECASE,
)
"""Negations that a translation need not have."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format == "bbh":
        return
    negated = found(_STRONG, _RHETORICAL.sub("", stem_of(pair)))
    if negated and not found(words.lexicon.negation, target_stem_of(pair)):
        yield f"the source says {' '.join(negated.split())[-40:]!r}, the question negates nothing"


def stem_of(pair: Pair) -> str:
    """The source's question without its options."""
    first = pair.source_options[0].label if pair.source_options else None
    return re.split(rf"(?:^|\s)\(?{re.escape(first)}[.):]\s", pair.item.prompt, maxsplit=1)[0] if first else pair.item.prompt


def target_stem_of(pair: Pair) -> str:
    """The target's question without its options."""
    first = pair.options[0].label if pair.options else None
    return re.split(rf"(?:^|\s){re.escape(first)}\s*[.):]\s", pair.prompt, maxsplit=1)[0] if first else pair.prompt
