"""English sentences by their marks: abbreviations, initials, decimals and list numbers end none."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|inc|ltd|co|corp|no|fig|approx|dept|est|gen|gov|sen|rep|rev|hon|capt|lt|col|"
    r"sgt|mt|ave|blvd|rd|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k|ph\.d|cf|al)|\b[a-z]|"
    r"^\s*\d{1,3})\.$",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+[\"'”’)\]*_]*(?=\s|$)|\n[ \t]*\n+|…(?=\s|$)")


def split(text: str) -> list[str]:
    """The sentences of `text`, stripped, none empty. A blank line ends one, and so does a line break before a list item."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.end()]
        if match[0].startswith(".") and match[0].rstrip("\"'”’)]*_") == "." and _ABBREVIATION.search(piece.rstrip("\"'”’)]*_")):
            following = text[match.end() :].lstrip()
            initial = re.search(r"\b[A-Z]\.$|\b(?:etc|a\.m|p\.m|u\.s|inc|co|ltd)\.$", piece.strip(), re.IGNORECASE)
            if not (initial and following[:1].isupper() and re.search(r"(?:etc|a\.m|p\.m|inc|ltd)\.$", piece.strip(), re.IGNORECASE)):
                continue
        found.append(piece)
        start = match.end()
    found.append(text[start:])
    return [piece.strip() for piece in found if any(char.isalnum() for char in piece)]


def count(text: str) -> int:
    """How many sentences: those with a mark at their end, and the last piece of the answer also without; headings and bare list items are none."""
    pieces = split(text)
    marked = [re.search(r"[.!?…][\"'”’)\]*_]*$", piece) is not None for piece in pieces]
    return sum(mark or place == len(pieces) - 1 for place, mark in enumerate(marked))
