"""Sentences by Kiwi, which knows where Korean ends a sentence with and without a full stop. One analyser a process, loaded at first use."""

from __future__ import annotations

from functools import cache
from typing import Any

_LONGEST = 4000


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


def split(text: str) -> list[str]:
    """The sentences of `text`, stripped, none empty. A line break always ends a sentence."""
    found = []
    for line in text.splitlines():
        line = line.strip()
        for start in range(0, len(line), _LONGEST):
            piece = line[start : start + _LONGEST]
            if any(char.isalnum() for char in piece):
                found += [sentence.text.strip() for sentence in _kiwi().split_into_sents(piece)]
    return [sentence for sentence in found if any(char.isalnum() for char in sentence)]
