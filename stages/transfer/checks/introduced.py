"""No negation comes in: a question without one does not ask for what is not so.

    "Which of these is a mammal?"   -> "Which of these is not a mammal?"
"""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words
from stages.transfer.rules import found

_NEGATIVE = [
    r"n't\b|\b(not|no|none|never|nor|neither|cannot|without|except|least|false|wrong|non\w*|mis\w+|dis\w+|\w+less|un(?!it|der|til|ion|iver|iform|ique)\w+)\b",
    r"\bin(correct|valid|complete|finite|visible|active|abil|suffic|capable|solub|elastic|organic|volunt|accura|adequ|appropr|consist|sensit|freq|toler|vertebr)",
    r"\b(im(poss|mob|mature|perme|perfect|prop|moral)|il(leg|liter|log)|ir(reg|rel|rat|rev))",
    r"\b(lack|fail|avoid|prevent|refus|reject|absen|miss|los[et]|exclu|free|few|little|rare|hardly|seldom|barely|only|other|differ|opposite|unless|error|flaw|odd)",
    r"\b(still|stay|remain|keep|stop|negat|contrary|far|hard|alone|dead|empty|silent|fault|bad|poor|deny|denie)",
]
"""Words of the source that may become a negation in the target."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced or pair.item.format not in ("multiple_choice", "short_answer") or found(_NEGATIVE, stem_of(pair)):
        return
    if negation := found(words.lexicon.introduced_negation, target_stem_of(pair)):
        yield f"the question says {negation.strip()!r}, the source negates nothing"
