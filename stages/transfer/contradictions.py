"""Source items of IFEval that contradict themselves, whatever the language: nobody can follow them, so a person should know.

    "The letter o should appear at least 6 times." with the relation `less than`
    a request to be repeated that has a comma in it, in an answer without commas
    a request to be repeated that has a forbidden word in it
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.core.files import Row
from stages.transfer.checks.pair import Instruction
from stages.transfer.constraints import source_instructions

_TIMES = "times|instances"
_UNITS = {"num_words": "words?", "num_sentences": "sentences?", "frequency": _TIMES, "let_frequency": _TIMES, "capital_frequency": f"{_TIMES}|words"}
_AT_LEAST = (r"at least {n}", r"{n} or more", r"minimum of {n}", r"more than {before}", r"no (?:fewer|less) than {n}")
_LESS_THAN = (r"(?<!no )(?:less|fewer) than {n}", r"at most {before}", r"under {n}", r"no more than {before}", r"{before} or (?:fewer|less)")


def contradictions(row: Row) -> Iterator[str]:
    instructions = source_instructions(row)
    for one in instructions:
        yield from _bounds(one, row["prompt"], instructions)
    repeated = next((str(one.kwargs["prompt_to_repeat"]) for one in instructions if "prompt_to_repeat" in one.kwargs), "")
    if "," in repeated and any(one.id == "punctuation:no_comma" for one in instructions):
        yield "the request to be repeated has a comma, which the answer must not have"
    for word in [word for one in instructions for word in one.kwargs.get("forbidden_words", [])]:
        if re.search(rf"\b{re.escape(word)}\b", repeated, re.IGNORECASE):
            yield f"the request to be repeated has the forbidden word {word!r}"


def _bounds(one: Instruction, prompt: str, instructions: list[Instruction]) -> Iterator[str]:
    relation = next((value for name, value in one.kwargs.items() if name.endswith("relation")), None)
    name = next((name for name in _UNITS if isinstance(one.kwargs.get(name), int)), None)
    if relation is None or name is None or sum(name in other.kwargs for other in instructions) > 1:
        return  # the same unit twice: its bounds cannot be told apart
    said = {"at least": _found(_AT_LEAST, one.kwargs[name], name, prompt), "less than": _found(_LESS_THAN, one.kwargs[name], name, prompt)}
    opposite = said["less than" if relation == "at least" else "at least"]
    if opposite and not said[str(relation)]:
        yield f"{one.id} is {relation} {one.kwargs[name]}, but the question says {opposite!r}"


def _found(patterns: tuple[str, ...], number: int, name: str, prompt: str) -> str | None:
    for pattern in patterns:
        if hit := re.search(rf"\b{pattern.format(n=number, before=number - 1)} (?:\w+ )?(?:{_UNITS[name]})\b", prompt, re.IGNORECASE):
            return hit[0]
    return None
