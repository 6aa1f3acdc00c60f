"""Sentences by Kiwi, which knows where Korean ends a sentence with and without a full stop. One analyser a process, loaded at first use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

_LONGEST = 4000
"""Characters of one line that the analyser gets at once."""
_CUT = re.compile(r"[.?!…]\s|\s")


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1, load_multi_dict=False, load_typo_dict=False)  # neither is needed to split, and they take most of the start


def split(text: str) -> list[str]:
    """The sentences of `text`, stripped, none empty. A line break always ends a sentence."""
    found = []
    for line in text.splitlines():
        for piece in _pieces(line.strip()):
            if any(char.isalnum() for char in piece):
                found += [sentence.text.strip() for sentence in _kiwi().split_into_sents(piece)]
    return [sentence for sentence in found if any(char.isalnum() for char in sentence)]


def _pieces(line: str) -> Iterator[str]:
    """`line` in pieces of bearable length, cut behind a sentence where there is one, else at a space."""
    while len(line) > _LONGEST:
        head = line[:_LONGEST]
        ends = [cut.end() for cut in _CUT.finditer(head)]
        marked = [cut.end() for cut in _CUT.finditer(head) if len(cut[0]) == 2]
        end = (marked or ends or [_LONGEST])[-1]
        yield line[:end]
        line = line[end:]
    yield line


def is_finished(text: str) -> bool:
    """Whether `text`, which has no mark at its end, ends in a final ending (간다, 가요) and so is a whole sentence.

    The note form -음 ends none: 감 may be a note (`goes`) and a persimmon.
    """
    words = [token for token in _kiwi().tokenize(text) if not token.tag.startswith("S")]
    return bool(words) and words[-1].tag == "EF" and words[-1].form not in ("음", "ᆷ", "ㅁ")
