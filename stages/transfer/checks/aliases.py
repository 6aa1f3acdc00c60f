"""Accepted answers are there, in the target language, and distinct after normalization."""

from __future__ import annotations

from collections.abc import Iterator

from stages.transfer.checks.english import foreign_words
from stages.transfer.checks.pair import Pair, Words


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.format != "short_answer":
        return
    answers = [answer for answer in (pair.answer, *pair.aliases) if answer]
    if not answers:
        yield "there is no accepted answer"
    seen: dict[tuple[str, bool], str] = {}
    for answer in answers:
        form = words.language.alias_key(answer)
        spoken = words.in_script(answer)  # an acronym or a number beside its reading is no repetition
        if not form:
            yield f"{answer!r} has neither a letter nor a digit"
        elif (form, spoken) in seen:
            yield f"{answer!r} is {seen[form, spoken]!r} again, but for spacing, punctuation or a particle"
        else:
            seen[form, spoken] = answer
        if foreign := foreign_words(answer, pair, words):
            yield f"the accepted answer {answer!r} is not in the target language ({', '.join(foreign)})"
