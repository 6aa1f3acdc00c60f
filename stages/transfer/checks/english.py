"""No English is left beyond what speakers of the target language write so themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import DELETED, REPLACED, Pair, Words, in_third_language
from stages.transfer.rules import found

_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f'’+#-]*(?:[./_@:-][A-Za-z0-9\u00c0-\u024f][A-Za-z0-9_\u00c0-\u024f./@:#?=&%+-]*)*")
_LONE_LETTERS = re.compile(r"(?<![A-Za-z])(?:[a-z][ ,]+){3,}[a-z](?![A-Za-z])")


def check(pair: Pair, words: Words) -> Iterator[str]:
    texts = [_without_symbols(pair, words), *(option.text for option in pair.options if not _symbols_only(option.text, words))]
    seen = dict.fromkeys(word for text in texts for word in foreign_words(text, pair, words))
    if seen:
        yield f"untranslated: {', '.join(list(seen)[:8])}"
    if letters := next((hit[0] for text in texts if (hit := _LONE_LETTERS.search(text)) and "=" not in text), None):
        yield f"a row of Latin letters: {letters!r}"
    task = found(words.lexicon.english_grammar, pair.prompt)
    if task and not in_third_language(pair.source_instructions, words.book) and (pair.item.format == "ifeval" or _about_form(pair, words)):
        yield f"the question is still about English: {task!r}"


def _without_symbols(pair: Pair, words: Words) -> str:
    """The whole text but for options that are formulas."""
    text = pair.prompt
    for option in pair.options:
        if _symbols_only(option.text, words):
            text = text.replace(f"{option.label}. {option.text}", option.label, 1)
    return text


def _symbols_only(text: str, words: Words) -> bool:
    """Whether `text` is a formula without a word in it, which check symbols compares with the source."""
    return not words.in_script(text) and re.search(r"[A-Za-z]{3,}|[a-z]+ [a-z]+", text) is None


def _about_form(pair: Pair, words: Words) -> bool:
    """Whether the source's task rests on English form."""
    return any(DELETED in rule.categories or rule.categories == [REPLACED] for rule in words.triggered(pair))


def foreign_words(text: str, pair: Pair, words: Words) -> list[str]:
    """Latin words of `text` that neither the rulebook nor a rule triggered by the source lets stand."""
    allowed = _allowed(words)
    kept = [re.compile(pattern) for rule in words.triggered(pair) for pattern in rule.keeps_latin]
    third = in_third_language(pair.source_instructions, words.book)
    source = " ".join([pair.item.prompt, *pair.item.answers, *(option.text for option in pair.source_options)])
    found_words = []
    for match in _LATIN.finditer(text):
        word = match[0].rstrip("'’-.")
        stays = [] if third and _translatable(word, pair) else kept
        if not any(_stands(form, allowed, stays, source) for form in (word, word.rstrip("+"))):  # H+ is H with a charge, C++ is a name
            found_words.append(word)
    return found_words


def _stands(word: str, allowed: re.Pattern[str], kept: list[re.Pattern[str]], source: str) -> bool:
    if all(allowed.fullmatch(part) for part in re.split(r"[/·]", word)):
        return True
    return word in source and any(pattern.fullmatch(word) for pattern in kept)


def _translatable(word: str, pair: Pair) -> bool:
    """Whether `word` is the source's own English, in an item whose answer is to be in a third language: neither quoted nor part of a constraint."""
    values = [value for one in pair.source_instructions for value in one.kwargs.values()]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    quoted = re.findall(r"[\"“'‘«]([^\"”'’»\n]+)[\"”'’»]", pair.item.prompt)
    return word.isascii() and not any(word in text for text in [*texts, *quoted])


def _allowed(words: Words) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in words.lexicon.allowed_latin))
