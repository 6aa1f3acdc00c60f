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


def _words_between(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    check = opened(language).instructions.check
    low, high = _first(kwargs, "N1", "N"), _first(kwargs, "N2", "N")
    id = "length_constraints:number_words"
    return check(id, {"num_words": low, "relation": "at least"}, answer) and check(id, {"num_words": int(high) + 1, "relation": "less than"}, answer)


def _start(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _flat(answer).startswith(_flat(str(_first(kwargs, "start_phrase", "start"))))


def _end(language: str, kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _flat(answer).endswith(_flat(str(_first(kwargs, "end_phrase", "end"))))


def _flat(text: str) -> str:
    """Without case and surrounding marks, in every script."""
    return " ".join(re.sub(r"^[\W_]+|[\W_]+$", "", text.casefold()).split())


_LIST = {"keywords": "keywords"}
CHECKS: dict[str, Check] = {
    "includekeywords": _ifeval("keywords:existence", _LIST),
    "keywordfrequency": _ifeval("keywords:frequency", {"keyword": "keyword", "N": "frequency"}, relation="at least"),
    "forbiddenwords": _ifeval("keywords:forbidden_words", {"forbidden_words": "forbidden_words"}),
    "numberwordsatleast": _ifeval("length_constraints:number_words", {"N": "num_words"}, relation="at least"),
    "numberwordsatmost": lambda language, kwargs, answer, prompt: _words_between(language, {"N1": 0, "N2": kwargs["N"]}, answer, prompt),
    "numberwordsrange": _words_between,
    "numbersentencesatleast": _ifeval("length_constraints:number_sentences", {"N": "num_sentences"}, relation="at least"),
    "numberparagraphs": _ifeval("length_constraints:number_paragraphs", {"N": "num_paragraphs"}),
    "numberbullets": _ifeval("detectable_format:number_bullet_lists", {"N": "num_bullets"}),
    "numberplaceholder": _ifeval("detectable_content:number_placeholders", {"N": "num_placeholders"}),
    "numberhighlightedsections": _ifeval("detectable_format:number_highlighted_sections", {"N": "num_highlights"}),
    "multiplesections": _ifeval("detectable_format:multiple_sections", {"section_splitter": "section_spliter", "N": "num_sections"}),
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
    "numberofwords": "numberwordsrange",
    "numberwords": "numberwordsrange",
    "wordcount": "numberwordsrange",
    "wordcountrange": "numberwordsrange",
    "minimumnumberwords": "numberwordsatleast",
    "maximumnumberwords": "numberwordsatmost",
    "numbersentences": "numbersentencesatleast",
    "numberbulletlists": "numberbullets",
    "bulletlists": "numberbullets",
    "bulletpoints": "numberbullets",
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
    reads=("stages.languages.ko.instructions", "stages.languages.en.instructions", "stages.languages.en.sentences"),
)
