"""The constraints of IFEval on an English answer: a checker for each of the 25 instruction ids.

Marks, JSON, separators and languages are checked as in every language (stages/languages: markup, wholes, tongues). English are: words
between blanks (don't and 1,000 are one), sentences by their marks, keywords as whole words with their plural or possessive, and case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from stages.core.errors import UserError, nearest
from stages.languages import markup, tongues, wholes
from stages.languages.constraints import (
    EXISTENCE,
    FIRST_WORD,
    FORBIDDEN,
    FREQUENCY,
    LETTER,
    PARAGRAPHS,
    SENTENCES,
    WORDS,
    Kwargs,
    holds,
    needed,
    relation,
)  # fmt: skip
from stages.languages.en.sentences import count as sentences
from stages.languages.en.tongue import is_english

CAPITALS, UPPER, LOWER = "change_case:capital_word_frequency", "change_case:english_capital", "change_case:english_lowercase"
CHOICES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_DASH = re.compile(r"\s+|—|--+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’&-]*[A-Za-z]|[A-Za-z]")


@lru_cache(maxsize=4096)
def pattern(word: str) -> re.Pattern[str]:
    """What finds a keyword as plain text and whole words; blanks within it are any blanks."""
    word = unicodedata.normalize("NFC", word).strip()
    body = r"\s+".join(map(re.escape, word.split()))
    left = r"(?<!\w)" if word[:1].isalnum() else ""
    right = r"(?!\w)" if word[-1:].isalnum() else ""
    return re.compile(left + body + right if word else "(?!)", re.IGNORECASE)


def count(word: str, text: str) -> int:
    return len(pattern(word).findall(text))


def existence(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return all(count(word, answer) for word in needed(kwargs, "keywords", EXISTENCE))


def frequency(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    found = count(needed(kwargs, "keyword", FREQUENCY), answer)
    return holds(found, relation(kwargs, "relation", FREQUENCY), int(needed(kwargs, "frequency", FREQUENCY)))


def forbidden(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return not any(count(word, answer) for word in needed(kwargs, "forbidden_words", FORBIDDEN))


def letter_frequency(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """Upper and lower case are one, and a letter with an accent is that letter."""
    letter = unicodedata.normalize("NFD", str(needed(kwargs, "letter", LETTER)).strip()).casefold()
    found = unicodedata.normalize("NFD", answer).casefold().count(letter) if letter else 0
    return holds(found, relation(kwargs, "let_relation", LETTER), int(needed(kwargs, "let_frequency", LETTER)))


def words(text: str) -> int:
    return sum(any(char.isalnum() for char in word) for word in _DASH.split(text))


def number_words(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return holds(words(answer), relation(kwargs, "relation", WORDS), int(needed(kwargs, "num_words", WORDS)))


def number_sentences(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return holds(sentences(answer), relation(kwargs, "relation", SENTENCES), int(needed(kwargs, "num_sentences", SENTENCES)))


def first_word(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """The nth paragraph opens with the word, and there are as many paragraphs as asked for; blank lines are none."""
    found = [piece for piece in re.split(r"\n[ \t]*\n\s*", answer.strip()) if piece.strip()]
    nth = int(needed(kwargs, "nth_paragraph", FIRST_WORD))
    if len(found) != int(needed(kwargs, "num_paragraphs", FIRST_WORD)) or not 1 <= nth <= len(found):
        return False
    word = re.escape(str(needed(kwargs, "first_word", FIRST_WORD)).strip())
    return re.match(rf"[\s\"'“‘(<\[*#_]*{word}(?![\w'’])", found[nth - 1], re.IGNORECASE) is not None


def constrained_response(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return wholes.constrained_response({"options": kwargs.get("options") or CHOICES}, answer, prompt)


def repeat_prompt(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return wholes.repeat_prompt({"prompt_to_repeat": kwargs.get("prompt_to_repeat") or prompt}, answer, prompt)


def capital_words(text: str) -> int:
    """Words all of whose letters are capitals; `I` and `A` are words, too."""
    return sum(word.isupper() for word in _WORD.findall(text))


def capital_frequency(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return holds(capital_words(answer), relation(kwargs, "capital_relation", CAPITALS), int(needed(kwargs, "capital_frequency", CAPITALS)))


def language(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    code = str(needed(kwargs, "language", tongues.ID))
    return is_english(answer) if code.lower().split("-")[0] == "en" else tongues.follows(code, answer)


def upper(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.isupper() and is_english(answer)


def lower(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.islower() and is_english(answer)


CHECKS: dict[str, Callable[[Kwargs, str, str], bool]] = {
    EXISTENCE: existence,
    FREQUENCY: frequency,
    FORBIDDEN: forbidden,
    LETTER: letter_frequency,
    tongues.ID: language,
    WORDS: number_words,
    SENTENCES: number_sentences,
    PARAGRAPHS: wholes.number_paragraphs,
    FIRST_WORD: first_word,
    markup.PLACEHOLDERS: markup.placeholders,
    markup.POSTSCRIPT: markup.postscript,
    markup.BULLETS: markup.bullets,
    markup.HIGHLIGHTS: markup.highlights,
    markup.SECTIONS: markup.sections,
    markup.TITLE: markup.title,
    markup.COMMA: markup.no_comma,
    markup.QUOTATION: markup.quotation,
    wholes.JSON: wholes.json_format,
    wholes.CHOICE: constrained_response,
    wholes.TWO: wholes.two_responses,
    wholes.REPEAT: repeat_prompt,
    wholes.END: wholes.end_checker,
    CAPITALS: capital_frequency,
    UPPER: upper,
    LOWER: lower,
}


def check(instruction_id: str, kwargs: Mapping[str, Any], answer: str, prompt: str = "") -> bool:
    """Whether `answer` keeps the constraint, strictly. An empty answer keeps none.

    Raises UserError for an id without a checker, a missing keyword argument, or a relation that is not one of the two.
    """
    if instruction_id not in CHECKS:
        raise UserError(f"There is no English checker for the instruction id {instruction_id!r}.{nearest(instruction_id, CHECKS)}")
    answer = unicodedata.normalize("NFC", answer)
    return bool(answer.strip()) and CHECKS[instruction_id](kwargs, answer, unicodedata.normalize("NFC", prompt))
