"""How the original IFEval checkers decide as VoiceBench runs them, for compat: their behaviour, slips included, in code of our own.

Falsy keyword arguments are dropped and replaced at random by the original; such a constraint is taken as kept here. So is what its language
detector, which differs from run to run, would say of a text in the right script. Sentences are those of stages/languages/en/sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.languages import tongues
from stages.languages.en import sentences

Kwargs = Mapping[str, Any]


def check(instruction_id: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """Whether the original calls the constraint kept. An empty answer keeps none. Raises UserError for an id that it does not have."""
    if instruction_id not in _CHECKS:
        raise UserError(f"The original IFEval has no checker for the instruction id {instruction_id!r}.")
    given = {name: value for name, value in kwargs.items() if value}
    try:
        return bool(answer.strip()) and _CHECKS[instruction_id](given, answer, prompt)
    except KeyError:
        return bool(answer.strip())


def _holds(count: int, relation: str, bound: Any) -> bool:
    if relation not in ("less than", "at least"):
        raise UserError(f"The relation {relation!r} is unknown; it must be 'less than' or 'at least'.")
    return count < int(bound) if relation == "less than" else count >= int(bound)


def _existence(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return all(_found(keyword, answer) for keyword in kwargs["keywords"])


def _found(pattern: str, answer: str) -> int:
    try:
        return len(re.findall(pattern, answer, re.IGNORECASE))
    except re.error:
        return len(re.findall(re.escape(pattern), answer, re.IGNORECASE))


def _frequency(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _holds(_found(kwargs["keyword"], answer), kwargs["relation"], kwargs["frequency"])


def _forbidden(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return not any(_found(rf"\b{word}\b", answer) for word in kwargs["forbidden_words"])


def _letter(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    letter = str(kwargs["letter"]).strip().lower()
    # Any other letter is replaced by a random one of a to z, which a text without those does not have.
    count = answer.lower().count(letter) if re.fullmatch("[a-z]", letter) else 0
    return _holds(count, kwargs["let_relation"], kwargs["let_frequency"])


def _language(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return not any(char.isalpha() for char in answer) or tongues.follows(str(kwargs["language"]), answer)


def _words(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _holds(len(re.findall(r"\w+", answer)), kwargs["relation"], kwargs["num_words"])


def _sentences(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _holds(len(sentences.split(re.sub(r"\s*\n\s*", " ", answer))), kwargs["relation"], kwargs["num_sentences"])


def _paragraphs(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    pieces = re.split(r"\s?\*\*\*\s?", answer)
    count = len(pieces)
    for place, piece in enumerate(pieces):
        if not piece.strip():
            if place not in (0, len(pieces) - 1):
                return False
            count -= 1
    return count == int(kwargs["num_paragraphs"])


def _first_word(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    pieces = answer.split("\n\n")
    count = sum(bool(piece.strip()) for piece in pieces)
    nth = int(kwargs["nth_paragraph"])
    if nth > count or not 1 <= nth <= len(pieces) or not pieces[nth - 1].strip():
        return False
    word = pieces[nth - 1].strip().split()[0].lstrip("'").lstrip('"')
    word = re.split(r"[.,?!'\"]", word)[0].lower()
    return count == int(kwargs["num_paragraphs"]) and word == str(kwargs["first_word"]).lower()


def _placeholders(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return len(re.findall(r"\[.*?\]", answer)) >= int(kwargs["num_placeholders"])


def _postscript(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    marker = str(kwargs["postscript_marker"]).strip().lower()
    forms = {"p.p.s": r"\s*p\.\s?p\.\s?s.*$", "p.s.": r"\s*p\.\s?s\..*$"}
    return re.search(forms.get(marker, rf"\s*{re.escape(marker)}.*$"), answer.lower(), re.MULTILINE) is not None


def _bullets(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    count = len(re.findall(r"^\s*\*[^*].*$", answer, re.MULTILINE)) + len(re.findall(r"^\s*-.*$", answer, re.MULTILINE))
    return count == int(kwargs["num_bullets"])


def _highlights(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    single = [one for one in re.findall(r"\*[^\n*]*\*", answer) if one.strip("*").strip()]
    double = [one for one in re.findall(r"\*\*[^\n*]*\*\*", answer) if one.removeprefix("**").removesuffix("**").strip()]
    return len(single) + len(double) >= int(kwargs["num_highlights"])


def _sections(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return len(re.split(rf"\s?{kwargs['section_spliter'].strip()}\s?\d+\s?", answer)) - 1 >= int(kwargs["num_sections"])


def _json(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    text = answer.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        text = text.removeprefix(fence)
    try:
        orjson.loads(text.removesuffix("```").strip())
    except orjson.JSONDecodeError:
        return False
    return True


def _title(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return any(one.lstrip("<").rstrip(">").strip() for one in re.findall(r"<<[^\n]+>>", answer))


def _two(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    pieces = answer.split("******")
    valid = []
    for place, piece in enumerate(pieces):
        if piece.strip():
            valid.append(piece)
        elif place not in (0, len(pieces) - 1):
            return False
    return len(valid) == 2 and valid[0].strip() != valid[1].strip()


def _repeat(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.strip().lower().startswith(str(kwargs["prompt_to_repeat"]).strip().lower())


def _end(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.strip().strip('"').lower().endswith(str(kwargs["end_phrase"]).strip().lower())


def _constrained(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return any(one in answer.strip() for one in ("My answer is yes.", "My answer is no.", "My answer is maybe."))


def _quotation(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    text = answer.strip()
    return len(text) > 1 and text[0] == '"' and text[-1] == '"'


def _capitals(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    words = re.findall(r"'?[\w-]+|[^\w\s]", answer)
    return _holds(sum(word.isupper() for word in words), kwargs["capital_relation"], kwargs["capital_frequency"])


def _upper(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.isupper() and _language({"language": "en"}, answer, prompt)


def _lower(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return answer.islower() and _language({"language": "en"}, answer, prompt)


_CHECKS: dict[str, Callable[[Kwargs, str, str], bool]] = {
    "keywords:existence": _existence,
    "keywords:frequency": _frequency,
    "keywords:forbidden_words": _forbidden,
    "keywords:letter_frequency": _letter,
    "language:response_language": _language,
    "length_constraints:number_sentences": _sentences,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:number_words": _words,
    "length_constraints:nth_paragraph_first_word": _first_word,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:constrained_response": _constrained,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _json,
    "detectable_format:title": _title,
    "combination:two_responses": _two,
    "combination:repeat_prompt": _repeat,
    "startend:end_checker": _end,
    "startend:quotation": _quotation,
    "change_case:capital_word_frequency": _capitals,
    "change_case:english_capital": _upper,
    "change_case:english_lowercase": _lower,
    "punctuation:no_comma": lambda kwargs, answer, prompt: "," not in answer,
}
