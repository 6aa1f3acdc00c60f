"""How OpenAudioBench's own evaluation reads a judge's reply, for compat. JSON is parsed, never run; what it gave eval() is read as a literal."""

from __future__ import annotations

import ast
import re

_DOUBLE = re.compile(r"\[\[(\d+)\]\]")
_SINGLE = re.compile(r"\[([0-5])\]")
_SCORE_IS = re.compile(r"[Tt]he score is \[(Correct|Incorrect|correct|incorrect)\]")


def mark_of_ten(reply: str) -> int | None:
    """The first mark in double brackets. One off the scale ended the original; it is no mark here."""
    found = _DOUBLE.search(reply)
    return int(found[1]) if found and 1 <= int(found[1]) <= 10 else None


def mark_of_five(reply: str) -> int | None:
    """The last mark in brackets, 0 included."""
    found = _SINGLE.findall(reply)
    return int(found[-1]) if found else None


def bracketed(reply: str) -> bool | None:
    found = _SCORE_IS.search(reply)
    return found[1].lower() == "correct" if found else None


def judgment(reply: str) -> bool | None:
    """`judgment` of what stands between the first brace that opens and the first that closes."""
    try:
        value = ast.literal_eval(reply[reply.find("{") : reply.find("}") + 1])
        return str(value["judgment"].lower()) == "correct"
    except (ValueError, SyntaxError, TypeError, KeyError, AttributeError, MemoryError, RecursionError):
        return None
