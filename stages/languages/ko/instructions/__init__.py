"""The constraints of IFEval on a Korean answer: a checker for each instruction id that is kept, and answers that prove them.

    check(id, kwargs, answer, prompt)     does the answer keep the constraint
    witness(instructions, prompt)         an answer that keeps all of them: proof that an item can be answered
    near_miss(instructions, at, prompt)   an answer that keeps all but the one at `at`: proof that it is checked

Everything is a pure function of its arguments. What is counted how, and why, stands in the module of each kind. The table of kept ids
follows facts that hold for Korean: letters are Hangul letters, words are 어절, a particle belongs to the word before it, and case does
not exist, so the change_case ids have no checker.
"""

from __future__ import annotations

from stages.languages.ko.instructions.checkers import CHECKS, check
from stages.languages.ko.instructions.witness import near_miss, stand_in, witness

__all__ = ["CHECKS", "check", "near_miss", "stand_in", "witness"]
