"""Rows, settings and scripted models for WildSpeech's tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest

from stages.core.files import Row
from stages.llm import Reply, Request, Role
from stages.llm.request import Usage
from stages.wildspeech import checklist, paralinguistic, select
from stages.wildspeech.people import People

ROLE = Role(name="r", model="m")
TOPICS = ["Arts", "Science", "Food & Hospitality"]


class Scripted:
    """Answers requests by a function; counts and checks them as the client does."""

    def __init__(self, answer: Callable[[Request], dict[str, Any]]) -> None:
        self.answer = answer
        self.asked: list[Request] = []

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        self.asked += requests
        replies = []
        for request in requests:
            text = orjson.dumps(self.answer(request)).decode()
            replies.append(Reply(request.key, request.parse(text), text, Usage(), from_store=True))
        return replies

    def usage(self) -> dict[str, Any]:
        return {"r": {"requests": len(self.asked)}}


def gathered(index: int, query: str) -> Row:
    return {
        "id": f"w-{index:07d}", "subset": "w", "source": "s", "source_revision": "v", "licence": "CC0-1.0", "source_file": "f", "source_index": index,
        "conversation_id": "c", "source_model": None, "source_language": "English", "query": query, "n_words": len(query.split()),
    }  # fmt: skip


def screening(**other: Any) -> dict[str, Any]:
    plain = {"reasoning": "Clear.", "problem": "none", "commonness": 4, "difficulty": 3, "category": "II", "topic": "Science"}
    return plain | other


def select_settings(**other: Any) -> select.SelectSettings:
    values: dict[str, Any] = {
        "client": {}, "screener": ROLE.model_dump(), "language": {"code": "en", "name": "English"}, "voice": {"scripts": ["LATIN"]}, "duplicates": {},
        "screen": {"topics": TOPICS}, "targets": {"II": 9, "SR": 9, "TC": 9, "OE": 9}, "review": {"required": False},
    }  # fmt: skip
    return select.SelectSettings.model_validate(values | other)


def paralinguistic_settings(items: str, **other: Any) -> paralinguistic.ParalinguisticSettings:
    values: dict[str, Any] = {
        "client": {}, "query_writer": ROLE.model_dump(), "language": {"code": "en", "name": "English"}, "items": items, "items_licence": "CC0-1.0",
        "topics": TOPICS, "targets": dict.fromkeys(paralinguistic.KINDS, 2), "ask": {"pause": 1}, "review": {"required": False},
    }  # fmt: skip
    return paralinguistic.ParalinguisticSettings.model_validate(values | other)


def checklist_settings(**other: Any) -> checklist.ChecklistSettings:
    values: dict[str, Any] = {
        "client": {}, "checklist_writer": ROLE.model_dump(), "language_name": "English", "points": {"words": "rulebooks/en/checklist.yaml"},
        "review": {"required": False},
    }  # fmt: skip
    return checklist.ChecklistSettings.model_validate(values | other)


def queried(id: str = "w-0000001", query: str = "How do I bake bread?", **other: Any) -> Row:
    return {
        "id": id, "subset": "w", "origin": "wild", "source": "s", "source_revision": "v", "licence": "CC0-1.0", "source_file": "f",
        "source_index": 1, "conversation_id": "c", "language": "en", "original_query": query, "query": query, "category": "II", "topic": "Science",
        "commonness": 4, "difficulty": 3, "screening": "Clear.", "kind": None, "delivery": query, "contrast": None, "meant": None, "other": None,
        "must_notice": None, "needs_recording": False, "query_requests": [], "query_flags": [], "query_decisions": [],
    } | other  # fmt: skip


@pytest.fixture
def nobody() -> People:
    return People()
