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
    """Whether the source's question has the answer in it already: all of it, each of its words, or a name that is part of it."""
    words = [word for word in re.findall(r"\w+", answer) if len(word) > 3 or word.isdigit()]
    if not answer or not question:
        return False
    whole = _flat(answer) in _flat(question) or (bool(words) and all(_flat(word) in _flat(question) for word in words))
    return whole or any(word[0].isupper() and re.search(rf"\b{re.escape(word)}\b", question) for word in words)
