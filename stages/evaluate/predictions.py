"""Predictions in files: read, and checked before anything is paid for.

A file has one JSON object a line, `{"id", "prediction"}`; `response`, `pred_answer` and `answer` are taken in the place of
`prediction`, in this order, as the public Korean evaluator does. Ids are those of the released rows.

What can only be a mistake ends the run with its name: an unknown or repeated id, the file of another benchmark or of the other
language (the ids are the same in both). What a model may well do is scored and counted: no row, an empty answer, a very long one,
thoughts before the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.core import files
from stages.core.errors import UserError, nearest
from stages.evaluate.benchmarks import Question

KEYS = ("prediction", "response", "pred_answer", "answer")
_ENOUGH_LETTERS = 12
"""Answers with fewer letters (a label, a number) say nothing about their language."""
_ENOUGH_ANSWERS = 5
_OTHER_SHARE = 0.7
"""When this share of a benchmark's longer answers has no letter of its script, the file is that of another language."""
_THOUGHTS = re.compile(r"^\s*<(think|thinking|thought|reasoning)>.*?(</\1>|$)", re.DOTALL)


@dataclass
class Findings:
    """Ids of the questions by what was found about their answers. What is found is scored all the same."""

    missing: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    long: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return {f"n_{name}": len(ids) for name, ids in vars(self).items()}


def read(path: Path, where: str) -> dict[str, str]:
    """id -> answer in NFC. `where` names the file in errors. Raises UserError for a row without id or answer and for an id that comes twice."""
    answers: dict[str, str] = {}
    for number, row in enumerate(files.read_jsonl(path), 1):
        id, text = row.get("id"), _answer(row)
        if not isinstance(id, str) or not id:
            raise UserError(f'{where} line {number} has no "id"; every line is {{"id": ..., "prediction": ...}}.')
        if text is None:
            found = ", ".join(sorted(row.keys() - {"id"})) or "nothing"
            raise UserError(f"Prediction {id} in {where} has no answer under {', '.join(KEYS)} (it has {found}); rename its key.")
        if id in answers:
            raise UserError(f"Prediction {id} comes twice in {where}; keep one of the lines.")
        answers[id] = text
    return answers


def _answer(row: Mapping[str, Any]) -> str | None:
    """The answer of a row; None where there is none. A null is an empty answer, a number its digits."""
    key = next((key for key in KEYS if key in row), None)
    if key is None or isinstance(row[key], (dict, list)):
        return None
    return "" if row[key] is None else str(row[key])


def strip_thoughts(text: str) -> str:
    """`text` without what a reasoning model thinks aloud before its answer; an answer that never ends its thoughts is empty."""
    return _THOUGHTS.sub("", text)


def match(
    questions: Sequence[Question], answers: Mapping[str, str], where: str, others: Iterable[Question] = (), aside: Iterable[Question] = ()
) -> dict[str, str]:
    """question id -> answer. `questions` are those that the file is for, `others` more of the suite, to tell a mix-up.

    Answers to `aside`, questions of benchmarks that are not scored now, are passed over in a file that answers some of `questions`.
    Raises UserError for any other id that is none of `questions`, and where two of `questions` have the same id in the file.
    """
    by_item: dict[str, Question] = {}
    for question in questions:
        if (other := by_item.setdefault(question.item.id, question)) is not question:
            raise UserError(
                f"{where} would answer {other.id} and {question.id}, whose rows have the same id; "
                "write a file for each language and put {language} into the model's path."
            )
    unknown = [id for id in answers if id not in by_item]
    if unknown:
        unasked = {other.item.id: other.benchmarks[0] for other in aside}
        owners = unasked | {other.item.id: other.benchmarks[0] for other in others}
        asked = ", ".join(sorted({name for question in questions for name in question.benchmarks}))
        wrong = unknown if len(unknown) == len(answers) else [id for id in unknown if id not in unasked]
        first = f"{where} has {len(wrong)} of {len(answers)} ids that are not in {asked}, first {wrong[0]!r}" if wrong else ""
        if elsewhere := Counter(owners[id] for id in wrong if id in owners):
            raise UserError(f"{first}; they belong to {elsewhere.most_common(1)[0][0]}: give the file of the right benchmark.")
        if wrong:
            raise UserError(f"{first}.{nearest(wrong[0], by_item)} Ids are those of the released rows; correct or remove these lines.")
    return {by_item[id].id: text for id, text in answers.items() if id in by_item}


def inspect(questions: Sequence[Question], answers: Mapping[str, str], long_chars: int) -> Findings:
    """What there is to say about the answers (question id -> text) to `questions`, in order of id."""
    found = Findings()
    for question in sorted(questions, key=lambda question: question.id):
        text = answers.get(question.id)
        if text is None:
            found.missing.append(question.id)
        elif not text.strip():
            found.empty.append(question.id)
        else:
            if len(text) > long_chars:
                found.long.append(question.id)
            if _THOUGHTS.match(text):
                found.thoughts.append(question.id)
    return found


def check_language(questions: Sequence[Question], answers: Mapping[str, str], scripts: Mapping[str, str], where: str) -> None:
    """Raise UserError when most longer answers of a language have no letter of its script (`scripts`: language -> LATIN, HANGUL).

    A model that answers in the wrong language now and then is scored; a file that does so throughout is the wrong file.
    """
    for language, script in sorted(scripts.items()):
        judged = [
            (question, share)
            for question in questions
            if question.language == language
            and (share := script_share(answers.get(question.id, ""), script)) is not None
            and not any(id == "language:response_language" for id, _ in question.item.instructions)
        ]
        foreign = [question.item.id for question, share in judged if share == 0]
        if len(judged) >= _ENOUGH_ANSWERS and len(foreign) >= _OTHER_SHARE * len(judged):
            raise UserError(
                f"{len(foreign)} of {len(judged)} longer answers in {where} for questions in {language!r} have no {script.title()} letter, first "
                f"{foreign[0]}: it looks like the run in another language; give the right file, or set any_language: true to score it as it is."
            )


def script_share(text: str, script: str) -> float | None:
    """Share of the letters of `text` that belong to `script`; None below a dozen letters. Only the first 2,000 characters count."""
    letters = [sign for sign in text[:2000] if sign.isalpha()]
    if len(letters) < _ENOUGH_LETTERS:
        return None
    known: dict[str, bool] = {}
    for sign in set(letters):
        known[sign] = unicodedata.name(sign, "").startswith(script)
    return sum(known[sign] for sign in letters) / len(letters)
