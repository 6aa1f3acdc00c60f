"""How a query is said, as marks in its text: pauses, stress, tone and stutter (paper 2506.21875 §2.1.2).

    I saw [pause 0.6] her duck.        a pause of 0.6 s; [pause] alone leaves its length to the voice
    *I* did not take it.               stressed words
    [tone sarcastic] Oh, great job.    the tone of all that follows
    I [stutter w 2] want that.         the sound before the next word is repeated: "w- w- want"

Taken out, the marks leave the query itself. The marks are the same for every language.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from stages.core.errors import UserError

Kind = Literal["pause", "stress", "tone", "stutter"]


class Mark(NamedTuple):
    """A mark and where it stands in the plain text: [start, end) of the stressed words, or a place (start = end)."""

    kind: Kind
    start: int
    end: int
    value: str = ""
    """The tone's name, the sound repeated; empty for pause and stress."""
    amount: float | None = None
    """Seconds of a pause (None: not said), times a sound is repeated."""


class Delivery(NamedTuple):
    text: str
    """The query without marks."""
    marks: list[Mark]
    """In the order of the text."""


_MARK = re.compile(
    r"\[pause(?: (?P<seconds>\d+(?:\.\d+)?))?\] ?"
    r"|\[tone (?P<tone>[^\]\[]+)\] ?"
    r"|\[stutter (?P<sound>[^\]\[\s]+)(?: (?P<times>\d))?\] ?"
    r"|\*(?P<stressed>[^*\[\]]+)\*"
)
MAX_PAUSE_S = 3.0


def parse(text: str, where: str) -> Delivery:
    """The plain text and the marks of `text`. Raises UserError, naming `where`, for a mark that is none of these."""
    plain = ""
    marks: list[Mark] = []
    end = 0
    for found in _MARK.finditer(text):
        plain += _unmarked(text[end : found.start()], where)
        place = len(plain)
        end = found.end()
        if (stressed := found["stressed"]) is not None:
            plain += stressed
            marks.append(Mark("stress", place, place + len(stressed)))
        elif found["tone"] is not None:
            marks.append(Mark("tone", place, place, found["tone"].strip()))
        elif found["sound"] is not None:
            marks.append(Mark("stutter", place, place, found["sound"], float(found["times"] or 2)))
        else:
            seconds = float(found["seconds"]) if found["seconds"] else None
            if seconds is not None and not 0 < seconds <= MAX_PAUSE_S:
                raise UserError(f"{where} has a pause of {seconds:g} s; give one above 0 and up to {MAX_PAUSE_S:g} s.")
            marks.append(Mark("pause", place, place, amount=seconds))
    plain += _unmarked(text[end:], where)
    return Delivery(plain.strip(), marks)


def _unmarked(text: str, where: str) -> str:
    if found := re.search(r"\[[^\]]*\]?|[*\]]", text):
        raise UserError(f"{where} has {found[0]!r}, which is no mark of delivery; write [pause 0.5], [tone ...], [stutter w 2] or *stressed words*.")
    return text
