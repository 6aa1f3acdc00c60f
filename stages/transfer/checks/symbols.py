"""An option that is nothing but symbols (F/m, Cl2) is the source's option at its place, symbol for symbol.

    F/m, m/F   -> m/F, F/m
    Cl2        -> Cl3
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_WORD = re.compile(r"[a-z]{3,}")
_NAMED = re.compile(r"\b(sin|cos|tan|log|lim|mod|max|min|exp|mol|sec|rad)\b")


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or len(pair.options) != len(pair.source_options):
        return
    for place, (source, target) in enumerate(zip(pair.source_options, pair.options, strict=True), 1):
        if words.in_script(target.text) or not re.search(r"[A-Za-z]", target.text) or _WORD.search(_NAMED.sub("", source.text)):
            continue
        if _flat(source.text) != _flat(target.text):
            yield f"option {place} is {source.text!r} in the source and {target.text!r} here"


def _flat(text: str) -> str:
    """Letters, digits and operators; spaces, brackets of one kind or another and the final full stop are style."""
    return re.sub(r"[\s().\[\]{}$\\]|\u2009", "", text).replace("−", "-").replace("–", "-").replace("×", "*")
