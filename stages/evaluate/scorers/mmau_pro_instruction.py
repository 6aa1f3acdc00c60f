"""Instruction items of MMAU-Pro: does the answer keep the constraint that its task identifier names, by the checkers of IFEval.

The identifiers are words of a sentence (`Include Keywords`, `Number Words`, ...), compared without case, blanks and marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stages.core.errors import UserError, nearest
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer

Kwargs = Mapping[str, Any]
Check = Callable[[str, Kwargs, str, str], bool]


def _ifeval(id: str, names: Mapping[str, str], **fixed: Any) -> Check:
    """By a checker of IFEval, with the keyword arguments under their names there."""

    def check(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
        given = {there: kwargs[here] for here, there in names.items() if kwargs.get(here) is not None} | fixed
        return opened(language).instructions.check(id, given, answer, prompt)

    return check


def _first(kwargs: Kwargs, *names: str) -> Any:
    return next((kwargs[name] for name in names if kwargs.get(name) is not None), None)


def _texts(value: Any) -> list[str]:
    """A list, or texts with commas between them."""
    return [one.strip() for one in (value.split(",") if isinstance(value, str) else value) if one.strip()]


def _keywords(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return opened(language).instructions.check("keywords:existence", {"keywords": _texts(kwargs["keywords"])}, answer)


def _forbidden(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return opened(language).instructions.check("keywords:forbidden_words", {"forbidden_words": _texts(kwargs["forbidden_words"])}, answer)


def _between(id: str, name: str, relation: str = "relation", **bounds: str) -> Check:
    """Whether a count of IFEval's lies within the bounds, both included."""

    def check(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
        one = opened(language).instructions.check
        low, high = kwargs.get(bounds.get("low", "")), kwargs.get(bounds.get("high", ""))
        if low is None and high is None:
            raise UserError(f"The constraint {id} lacks the keyword argument {' and '.join(bounds.values())}; give it with the item.")
        enough = low is None or one(id, {name: int(low), relation: "at least"}, answer)
        return enough and (high is None or one(id, {name: int(high) + 1, relation: "less than"}, answer))

    return check


_LOW: dict[str, str] = {"low": "N"}
_HIGH: dict[str, str] = {"high": "N"}
_RANGE: dict[str, str] = {"low": "N1", "high": "N2"}
_EXACTLY: dict[str, str] = {"low": "N", "high": "N"}


def _frequency(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """The keyword stands exactly N times."""
    check, n = opened(language).instructions.check, int(kwargs["N"])
    given = {"keyword": kwargs["keyword"]}
    enough = check("keywords:frequency", given | {"frequency": n, "relation": "at least"}, answer)
    return enough and check("keywords:frequency", given | {"frequency": n + 1, "relation": "less than"}, answer)


def _paragraphs(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """Separated by three asterisks where there are any, else by blank lines."""
    if "***" in answer:
        return opened(language).instructions.check("length_constraints:number_paragraphs", {"num_paragraphs": kwargs["N"]}, answer)
    return sum(bool(piece.strip()) for piece in re.split(r"\n\s*\n", answer)) == int(kwargs["N"])


def _sections(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """The pieces around the splitter that are not empty are N."""
    pieces = re.split(re.escape(str(_first(kwargs, "section_splitter", "section_spliter")).strip()), answer.strip(), flags=re.IGNORECASE)
    return sum(any(char.isalnum() for char in piece) for piece in pieces) == int(kwargs["N"])


def _start(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return f"{_flat(answer)} ".startswith(f"{_flat(str(_first(kwargs, 'start_phrase', 'start')))} ")


def _end(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return f" {_flat(answer)}".endswith(f" {_flat(str(_first(kwargs, 'end_phrase', 'end')))}")


def _flat(text: str) -> str:
    """Without case and marks, in every script."""
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


_WORDS, _SENTENCES = "length_constraints:number_words", "length_constraints:number_sentences"
_CAPITALS = ("change_case:capital_word_frequency", "capital_frequency", "capital_relation")
CHECKS: dict[str, Check] = {
    "includekeywords": _keywords,
    "keywordfrequency": _frequency,
    "forbiddenwords": _forbidden,
    "numberwordsatleast": _between(_WORDS, "num_words", **_LOW),
    "numberwordsatmost": _between(_WORDS, "num_words", **_HIGH),
    "numberwordsrange": _between(_WORDS, "num_words", **_RANGE),
    "numberwords": _between(_WORDS, "num_words", **_EXACTLY),
    "numbersentencesatleast": _between(_SENTENCES, "num_sentences", **_LOW),
    "numbersentencesatmost": _between(_SENTENCES, "num_sentences", **_HIGH),
    "numbersentencesrange": _between(_SENTENCES, "num_sentences", **_RANGE),
    "numbersentences": _between(_SENTENCES, "num_sentences", **_EXACTLY),
    "allcapitalwordsatleast": _between(*_CAPITALS, **_LOW),
    "allcapitalwordsatmost": _between(*_CAPITALS, **_HIGH),
    "allcapitalwordsrange": _between(*_CAPITALS, **_RANGE),
    "numberparagraphs": _paragraphs,
    "numberbullets": _ifeval("detectable_format:number_bullet_lists", {"N": "num_bullets"}),
    "numberplaceholder": _ifeval("detectable_content:number_placeholders", {"N": "num_placeholders"}),
    "numberhighlightedsections": _ifeval("detectable_format:number_highlighted_sections", {"N": "num_highlights"}),
    "multiplesections": _sections,
    "repeatprompt": lambda language, kwargs, answer, prompt: _flat(answer).startswith(_flat(str(kwargs.get("prompt_to_repeat") or prompt))),
    "postscript": _ifeval("detectable_content:postscript", {"postscript_marker": "postscript_marker"}),
    "startchecker": _start,
    "endchecker": _end,
    "startandendchecker": lambda *args: _start(*args) and _end(*args),
    "title": _ifeval("detectable_format:title", {}),
    "jsonformat": _ifeval("detectable_format:json_format", {}),
    "quotation": _ifeval("startend:quotation", {}),
    "nocommas": _ifeval("punctuation:no_comma", {}),
    "alluppercase": _ifeval("change_case:english_capital", {}),
    "alllowercase": _ifeval("change_case:english_lowercase", {}),
    "tworesponses": _ifeval("combination:two_responses", {}),
}
_SAME = {
    "keywords": "includekeywords",
    "keywordexistence": "includekeywords",
    "existence": "includekeywords",
    "frequency": "keywordfrequency",
    "numberofwords": "numberwords",
    "wordcount": "numberwords",
    "wordcountrange": "numberwordsrange",
    "minimumnumberwords": "numberwordsatleast",
    "maximumnumberwords": "numberwordsatmost",
    "numberbulletlists": "numberbullets",
    "bulletlists": "numberbullets",
    "bulletpoints": "numberbullets",
    "minimumnumberhighlightedsection": "numberhighlightedsections",
    "numberhighlightedsection": "numberhighlightedsections",
    "highlightedsections": "numberhighlightedsections",
    "numberplaceholders": "numberplaceholder",
    "placeholders": "numberplaceholder",
    "sections": "multiplesections",
    "endphrase": "endchecker",
    "startphrase": "startchecker",
    "startend": "startandendchecker",
    "startendphrase": "startandendchecker",
    "startendchecker": "startandendchecker",
    "startandend": "startandendchecker",
    "endstart": "startandendchecker",
    "nocomma": "nocommas",
    "json": "jsonformat",
    "capital": "alluppercase",
    "uppercase": "alluppercase",
    "lowercase": "alllowercase",
    "paragraphs": "numberparagraphs",
    "forbidden": "forbiddenwords",
    "excludekeywords": "forbiddenwords",
}


def kept(item: Item, answer: str) -> bool:
    """Whether `answer` keeps the constraint. Raises UserError for a task identifier without a checker."""
    name = re.sub(r"[\W_]+|minimum(?=number)|of(?=words)", "", item.task.rpartition(":")[2].casefold())
    check = CHECKS.get(name) or CHECKS.get(_SAME.get(name, ""))
    if check is None:
        raise UserError(f"Item {item.id} has the task identifier {item.task!r}, for which there is no checker.{nearest(name, CHECKS)}")
    kwargs = item.extra.get("kwargs") or {}
    return bool(answer.strip()) and check(item.language, kwargs, answer, item.prompt)


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    right = not seen.none and kept(item, prediction.text or "")
    return scored(item, 100.0 * right, seen, right)


SCORER = Scorer(
    name="mmau_pro_instruction",
    number=1,
    metric="accuracy",
    item=item,
    reads=("answers", "instructions"),
)
