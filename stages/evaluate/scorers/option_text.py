"""KMMAU, MMAU and the closed part of MMAU-Pro: whether the answer chooses the right one of options that are bare texts.

Letters, positions and the texts are read; a key that is none of the options is an error of the data, found by `check` before anything is scored.
compat: MMAU's comparison of word sets, for which see string_match.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.core.errors import UserError
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.multiple_choice import _parts
from stages.evaluate.scorers.string_match import right


def place_of_key(item: Item) -> int | None:
    """Position of the key among the options: an option's text or its label."""
    key = (item.reference or "").strip().casefold()
    for places in ([text for _, text in item.options], [label for label, _ in item.options]):
        found = [place for place, one in enumerate(places) if one and one.strip().casefold() == key]
        if found:
            return found[0]
    return None


def check(item: Item) -> None:
    """Raises UserError for an item whose key is not among its options."""
    if place_of_key(item) is None:
        raise UserError(f"Item {item.id} has the key {item.reference!r}, which is none of its options; correct the item before scoring.")


def chosen(item: Item, answer: str) -> str | None:
    """The text of the option that `answer` chooses."""
    place = opened(item.language).answers.choice(answer, item.options)
    return None if place is None else item.options[place][1]


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    if mode == "compat":
        match = right(item.reference or "", prediction.text or "", [text for _, text in item.options])
        return scored(item, 100.0 * match, seen, match)
    text = chosen(item, prediction.text or "")
    if text is None:
        return scored(item, 0.0, seen, None, unparsed=not seen.none)
    place = place_of_key(item)
    return scored(item, 100.0 * (place is not None and item.options[place][1] == text), seen, text)


SCORER = Scorer(
    name="option_text",
    number=1,
    metric="accuracy",
    item=item,
    parts=_parts,
)
