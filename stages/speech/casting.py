"""Who says an item, and in which portions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from stages.speech.settings import Voice, Voices


def choose_voice(row_id: str, voices: Voices) -> tuple[str, Voice]:
    """Gender and voice of an item, by its id alone: a new row changes nobody's voice. Balanced over many ids."""
    digest = hashlib.sha256(row_id.encode()).digest()
    gender = "female" if digest[0] % 2 else "male"
    offered: list[Voice] = getattr(voices, gender)
    return gender, offered[digest[1] % len(offered)]


def group(sentences: list[str], at_least: int, length: Callable[[str], int]) -> list[str]:
    """`sentences` with runs of short ones joined until each is `at_least` long; a rest goes with what precedes it.

    Sentences of no length (punctuation alone) are not said.
    """
    groups: list[str] = []
    open_group = False
    for sentence in sentences:
        own = length(sentence)
        if not own:
            continue
        if open_group:
            groups[-1] = _joined(groups[-1], sentence)
        else:
            groups.append(sentence)
        open_group = length(groups[-1]) < at_least
    if open_group and len(groups) > 1:
        short = groups.pop()
        groups[-1] = _joined(groups[-1], short)
    return groups


def _joined(before: str, after: str) -> str:
    """With a full stop between where there is no mark, since options are written as lines and must not run together."""
    return f"{before}. {after}" if before[-1].isalnum() else f"{before} {after}"
