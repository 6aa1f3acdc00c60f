"""Rows and model roles for the tests of correct and hypertranslate; own sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from stages.core.files import Row
from stages.llm import ClientSettings, Reply, Request, Role, Usage
from stages.transfer.correct import CorrectSettings
from stages.transfer.hypertranslate import HypertranslateSettings

RULEBOOK = "rulebooks/ko/hypertranslation.yaml"

CORRECT = CorrectSettings(
    enabled=True,
    client=ClientSettings(),
    reviewer=Role(name="reviewer", model="r"),
    meta_reviewer=Role(name="meta_reviewer", model="m"),
    as_of="2026-11-29",
)
HYPERTRANSLATE = HypertranslateSettings(
    client=ClientSettings(), translator=Role(name="translator", model="t"), rulebook=RULEBOOK, language={"code": "ko", "name": "Korean"}
)

_SUBSETS = {
    "open": "alpacaeval_full", "short_answer": "llama_questions", "multiple_choice": "openbookqa", "bbh": "bbh", "ifeval": "ifeval",
    "refusal": "advbench",
}


class Model:
    """Answers requests with what `answer` returns for them (a dict of the reply's fields), and remembers what it was asked."""

    def __init__(self, answer: Callable[[Request], dict[str, Any]]) -> None:
        self.answer, self.asked = answer, list[Request]()

    def ask(self, requests: list[Request]) -> list[Reply]:
        self.asked += requests
        replies = []
        for request in requests:
            text = json.dumps(self.answer(request), ensure_ascii=False)
            value: BaseModel | str = request.parse(text)
            replies.append(Reply(request.key, value, text, Usage(), True))
        return replies

    def usage(self) -> dict[str, Any]:
        return {}

    def asked_about(self, item_id: str) -> list[Request]:
        return [request for request in self.asked if request.item_id == item_id]


def ingested(
    number: int, form: str, prompt: str, references: list[str] | None = None, *, subset: str = "", task: str = "",
    options: dict[str, str] | None = None, instructions: list[tuple[str, dict[str, Any]]] | None = None,
) -> Row:
    """A row of the schema Ingested."""
    subset = subset or _SUBSETS[form]
    references = references or []
    return {
        "id": f"{subset}-{number:05d}", "subset": subset, "format": form, "source": "voicebench", "source_config": subset, "source_split": "test",
        "source_id": str(number), "source_index": number, "source_revision": "0", "licence": "CC0-1.0", "source_columns": "{}", "task": task,
        "prompt": prompt, "reference": references[0] if len(references) == 1 else None, "references": references,
        "options": [{"label": label, "text": text} for label, text in (options or {}).items()],
        "instructions": [{"id": id, "kwargs": json.dumps(kwargs)} for id, kwargs in (instructions or [])],
        "has_source_audio": False, "source_audio_sha256": None, "source_audio_path": None,
    }


def corrected(number: int, form: str, prompt: str, references: list[str] | None = None, *, now: list[str] | None = None, **more: Any) -> Row:
    """A row of the schema Corrected; `now` are the answers after a correction."""
    row = ingested(number, form, prompt, references, **more)
    answers = row["references"] if now is None else now
    return {
        **row, "correction": "not_reviewed" if now is None else "corrected", "correction_type": None if now is None else "wrong_label",
        "correction_reason": None if now is None else "seen", "correction_requests": [],
        "corrected_reference": answers[0] if len(answers) == 1 else None, "corrected_references": answers,
    }


CLOSING = "\nWhat is the answer to the above multiple choice question? Select one of the following: A, B, C, or D."


def heart(number: int = 0, **more: Any) -> Row:
    """A multiple-choice item with the key C."""
    prompt = "How many chambers does a human heart have?\nA. 2\nB. 3\nC. 4\nD. 5" + CLOSING
    return corrected(number, "multiple_choice", prompt, ["C"], options={"A": "2", "B": "3", "C": "4", "D": "5"}, **more)
