"""Every text of a constraint is in the target language and stands in the question as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stages.transfer.checks.pair import ENUMS, Pair, Words, neutral


def check(pair: Pair, words: Words) -> Iterator[str]:
    third_language = _other_language(pair, words)
    for one in pair.instructions:
        for name, value in one.kwargs.items():
            if name in ENUMS:
                continue
            for text in _texts(value):
                if text not in pair.prompt:
                    yield f"{one.id} has {name} {text!r}, which does not stand in the question as it is"
                if not neutral(text) and not words.in_script(text) and not is_letter(text, words) and not third_language:
                    yield f"{one.id} has {name} {text!r}, which is not in the target language"


def is_letter(text: str, words: Words) -> bool:
    """Whether `text` is one letter of the target language's alphabet, such as a jamo."""
    return len(text) == 1 and text.isalpha() and not text.isascii() and bool(words.language.decompose(text))


def _texts(value: Any) -> list[str]:
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _other_language(pair: Pair, words: Words) -> bool:
    """Whether the answer is to be in a third language, so that its words stay in that language."""
    return any(".+" in rule.keeps_latin and rule.scope.formats == ["ifeval"] for rule in words.triggered(pair))
