"""The constraints of an item can be kept together, and each of them can be missed: shown by answers that a program makes.

    keywords [farm], forbidden_words [farm]           no answer keeps both
    no_comma, end_phrase "Well, good night."          no answer keeps both
    frequency at least 0                              every answer keeps it

A constraint that another one implies (a repeated request that contains the title) is judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.core.errors import UserError
from stages.languages import Unsatisfiable
from stages.transfer.checks.pair import RELATIONS, Instruction, Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.instructions or not all(_readable(one) for one in pair.instructions):
        return
    prover = words.language.instructions
    listed = [(one.id, one.kwargs) for one in pair.instructions]
    try:
        prover.witness(listed, pair.prompt)
        for one in listed:
            prover.near_miss([one], 0, pair.prompt)
    except Unsatisfiable as failure:
        yield str(failure.args[0])
    except (UserError, KeyError, TypeError, ValueError, AttributeError) as error:
        yield f"the constraints cannot be checked: {error}"


def _readable(one: Instruction) -> bool:
    """Whether the codes are sound; check constraint_set tells of those that are not."""
    return all(value in RELATIONS for name, value in one.kwargs.items() if name.endswith("relation"))
