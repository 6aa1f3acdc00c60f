"""The key is one of the options, and where it was in the source (a redesigned item may move it only by program)."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words, bare_label


def check(pair: Pair, words: Words) -> Iterator[str]:
    if not pair.source_options or not pair.options:
        return
    labels = [option.label for option in pair.options]
    if pair.answer not in labels:
        yield f"the answer {pair.answer!r} is not one of {' '.join(labels)}"
        return
    place = pair.key_index
    if place is not None and not pair.replaced and not pair.corrected and labels.index(pair.answer) != place:
        yield f"the key moved from option {place + 1} to option {labels.index(pair.answer) + 1}"
    if pair.key_claimed and pair.item.format == "multiple_choice" and pair.key_claimed != bare_label(pair.source_key):
        numbers = [bare_label(option.label) for option in pair.source_options]
        claimed = numbers.index(pair.key_claimed) + 1 if pair.key_claimed in numbers else pair.key_claimed
        yield f"right_option is {claimed}, but the key of the item is option {numbers.index(bare_label(pair.source_key)) + 1}"
