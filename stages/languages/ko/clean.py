"""The first touch: NFC, invisible characters out, full-width forms folded, with the way back to the text as it was given."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from stages.languages.base import Candidate, Change, Unsure
from stages.languages.ko.scanner import Hit

_ODD = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffd\U000e0000-\U000e0fff\ud800-\udfff"
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\uff01-\uff5e\uffe0-\uffe6\uff61-\uff65]"
)


class Cleaned(NamedTuple):
    """`text` to read; `nfc` as given, in NFC; `origins[i]` is where character i of `text` stood, None when nothing moved."""

    text: str
    nfc: str
    changed: bool
    origins: list[int] | None
    odd: list[tuple[int, str]]
    """(place in `nfc`, what it became) of every character that was dropped or folded."""

    def inner(self, spans: Mapping[tuple[int, int], Candidate]) -> dict[tuple[int, int], Candidate]:
        """Spans of the given text as spans of `text`."""
        if self.origins is None:
            return dict(spans)
        place = {origin: inner for inner, origin in reversed(list(enumerate(self.origins)))}
        last = {origin: inner for inner, origin in enumerate(self.origins)}
        return {(place[start], last[end - 1] + 1): choice for (start, end), choice in spans.items() if start in place and end - 1 in last}

    def changes(self, hits: list[Hit]) -> tuple[tuple[Change, ...], tuple[Unsure, ...]]:
        """All changes, and the spans for which a default was taken, with spans of the given text."""
        if self.origins is None:
            found = [Change(hit.start, hit.end, hit.rule_id, self.text[hit.start : hit.end], hit.text) for hit in hits]
        else:
            at = [*self.origins, len(self.nfc)]
            found = []
            for hit in hits:
                # An empty span stays empty; any other ends right after its last character.
                start = at[hit.start]
                end = at[hit.end - 1] + 1 if hit.end > hit.start else start
                found.append(Change(start, end, hit.rule_id, self.nfc[start:end], hit.text))
        unsure = tuple(
            Unsure(change.start, change.end, change.before, hit.candidates) for change, hit in zip(found, hits, strict=True) if hit.candidates
        )
        if self.odd:
            covered = [(change.start, change.end) for change in found]
            for place, became in self.odd:
                if not any(start <= place < end for start, end in covered):
                    found.append(Change(place, place + 1, "cleanup.fold" if became else "cleanup.invisible", self.nfc[place], became))
            found.sort()
        return tuple(found), unsure


def clean(text: str) -> Cleaned:
    """`text` ready for the rules. Lone surrogates, control and invisible characters are dropped; full-width forms become narrow."""
    nfc = text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)
    if _ODD.search(nfc) is None:
        return Cleaned(nfc, nfc, False, None, [])
    kept, origins, odd = [], [], []
    for place, char in enumerate(nfc):
        if not _ODD.match(char):
            kept.append(char)
            origins.append(place)
            continue
        folded = unicodedata.normalize("NFKC", char) if "\uff01" <= char <= "\uffe6" else ""
        odd.append((place, folded))
        for part in folded:
            kept.append(part)
            origins.append(place)
    return Cleaned("".join(kept), nfc, True, origins, odd)
