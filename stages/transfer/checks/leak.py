"""The question does not give its answer away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.replaced and pair.item.format != "short_answer":
        return
    if pair.item.format == "short_answer":
        question, answers, source_answers = pair.prompt, [pair.answer, *pair.aliases], list(pair.item.answers)
    elif pair.item.format == "multiple_choice" and pair.answer in [option.label for option in pair.options] and pair.key_index is not None:
        place = [option.label for option in pair.options].index(pair.answer)
        question = target_stem_of(pair)
        answers, source_answers = [pair.options[place].text], [pair.source_options[min(place, len(pair.source_options) - 1)].text]
    else:
        return
    if any(_within(answer, stem_of(pair)) for answer in source_answers):  # "spoon or chair?" offers its answer, and so may what replaces it
        return
    flat = _flat(question)
    for answer in answers:
        if len(_flat(answer)) >= 2 and _flat(answer) in flat and not _flat(answer).isdigit():
            yield f"the question contains the answer {answer!r}"
            return


def _flat(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def _within(answer: str, question: str) -> bool:
    """Whether the source's question has the answer, or a word of it, in it already."""
    flat = _flat(question)
    parts = [part for part in re.findall(r"\w+", answer) if len(part) > 3]
    return bool(answer) and (_flat(answer) in flat or any(_flat(part) in flat for part in parts))
