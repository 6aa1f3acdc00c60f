"""BBH: yes or no for sports, navigate and web of lies; (a) or (b) for hyperbaton. Read by rules, the last verdict counts.

What is not read is wrong and counted. compat: VoiceBench's phrases; what they do not read is worth half, the mean of a coin's toss.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.multiple_choice import _parts
from stages.evaluate.scorers.voicebench_bbh import verdict

PAIR = "hyperbaton"


def pair_of(item: Item) -> tuple[tuple[str, str], tuple[str, str]]:
    """The two options of a hyperbaton item, with their texts where the prompt shows them."""
    if len(item.options) == 2:
        return item.options[0], item.options[1]
    return opened(item.language).answers.pair(item.prompt)


def read(item: Item, answer: str, mode: Mode) -> str | None:
    """yes, no, (a), (b) or None."""
    task = item.task or item.id
    if mode == "compat":
        return verdict(answer, task)
    answers = opened(item.language).answers
    if PAIR in task or (item.reference or "").strip().lower() in ("(a)", "(b)"):
        place = answers.choice(answer, pair_of(item))
        return None if place is None else ("(a)", "(b)")[place]
    said = answers.verdict(answer, item.prompt, task)
    return None if said is None else "yes" if said else "no"


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    said = read(item, prediction.text or "", mode)
    if said is None:
        return scored(item, 50.0 if mode == "compat" else 0.0, seen, None, unparsed=not seen.none)
    return scored(item, 100.0 * (said == key(item)), seen, said)


def key(item: Item) -> str | None:
    """The key as yes, no, (a) or (b), in whatever form the row has it. Raises no error: a key that is none of them makes every answer wrong."""
    written = (item.reference or "").strip().strip("()").casefold()
    language = opened(item.language)
    if written in ("yes", "no"):
        return written
    if written in [one.casefold() for one in language.yes]:
        return "yes"
    if written in [one.casefold() for one in language.no]:
        return "no"
    labels = ["a", "b"], [label.casefold() for label in language.option_labels[:2]], [label.casefold() for label, _ in item.options]
    return next((("(a)", "(b)")[one.index(written)] for one in labels if written in one[:2]), None)


SCORER = Scorer(
    name="bbh",
    number=1,
    metric="accuracy",
    item=item,
    parts=_parts,
)
