"""The text was not cut off: where the source ends like a sentence, the target does, too; and nothing is said twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from stages.transfer.checks.negation import stem_of, target_stem_of
from stages.transfer.checks.pair import Pair, Words

_END = re.compile(r"[.?!][\"'”’)]*\s*$")
_SENTENCE = re.compile(r"[^.?!\n]+[.?!]*")
_SHORTEST = 16
"""Characters of a sentence that is not said twice by chance."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    question = target_stem_of(pair).strip()
    if question and _END.search(stem_of(pair)) and not re.search(words.lexicon.finished, question):
        yield f"the question is not finished: {question[-20:]!r}"
    if (twice := _twice(pair.prompt)) and not _twice(pair.item.prompt):
        yield f"the text says twice {twice!r}"


def _twice(text: str) -> str | None:
    sentences = Counter(sentence.strip() for sentence in _SENTENCE.findall(text))
    return next((sentence for sentence, times in sentences.items() if times > 1 and len(sentence) >= _SHORTEST), None)
