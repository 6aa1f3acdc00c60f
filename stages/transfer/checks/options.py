"""Options are complete, distinct, labelled in the language's order, and stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    count, expected = len(pair.options), len(pair.source_options)
    if count != expected:
        yield f"{count} options where the source has {expected}"
    if not pair.options:
        return
    labels = [option.label for option in pair.options]
    wanted = words.language.option_labels[:count]
    if labels != wanted:
        yield f"the labels are {' '.join(labels)}, not {' '.join(wanted)}"
    if any(not option.text for option in pair.options):
        yield "an option has no text"
    yield from _repeated(pair, words)
    yield from _missing_in_text(pair)


def _repeated(pair: Pair, words: Words) -> Iterator[str]:
    """Equal options, unless the source has them equal at the same places."""
    sources = [" ".join(option.text.split()).casefold() for option in pair.source_options]
    seen: dict[str, int] = {}
    for place, option in enumerate(pair.options):
        form = " ".join(option.text.split()).casefold()
        first = seen.setdefault(form, place)
        equal_before = len(sources) == len(pair.options) and sources[first] == sources[place]
        if form and first != place and not equal_before:
            yield f"options {first + 1} and {place + 1} are the same: {option.text}"


def _missing_in_text(pair: Pair) -> Iterator[str]:
    start = 0
    for option in pair.options:
        if not option.text:
            continue
        labelled = re.compile(rf"{re.escape(option.label)}\s*[.):,]?\s*{re.escape(option.text)}").search(pair.prompt, start)
        if labelled is None:
            yield f"option {option.label} ({option.text}) does not stand in the text in its place, behind its label"
        else:
            start = labelled.end()
