"""A month of the source stays the same month; only where it stands as a date, so that a person called June is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_BEFORE = "in|on|of|since|until|till|by|from|every|last|next|this|during|before|after|late|early"
_DATE = re.compile(rf"\b(?:{_BEFORE}) ({'|'.join(_MONTHS)})\b|\b({'|'.join(_MONTHS)}) \d")


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced:
        return
    text = " ".join([pair.prompt, *(option.text for option in pair.options)])
    for name in dict.fromkeys(hit[1] or hit[2] for hit in _DATE.finditer(pair.item.prompt)):
        written = words.lexicon.month.format(n=_MONTHS.index(name) + 1)
        if not re.search(rf"(?<!\d){re.escape(written)}", text) and words.language.read(written).text not in text:
            yield f"{name} of the source is missing (as {written})"
