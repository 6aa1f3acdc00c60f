"""Models for tests, scripted: what a writer, a guesser and a reader reply, and what they were shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from stages.llm import Reply, Request, Role, Usage
from stages.understanding.replies import Finding, Guess, Proposal

WRITER, GUESSER, READER = (Role(name=name, model=name) for name in ("question_writer", "question_guesser", "question_reader"))


def listed(request: Request) -> list[str]:
    """The options that a request shows, in their order."""
    return re.findall(r"^\d\. (.+)$", str(request.messages[1]["content"]), re.MULTILINE)


class Scripted:
    """`write`, `guess` and `read` get a request and give the fields of a reply."""

    def __init__(
        self,
        write: Callable[[Request], dict[str, Any]] | None = None,
        guess: Callable[[Request], dict[str, Any]] | None = None,
        read: Callable[[Request], dict[str, Any]] | None = None,
    ) -> None:
        self.by_role = {"question_writer": (write, Proposal), "question_guesser": (guess, Guess), "question_reader": (read, Finding)}
        self.asked: list[Request] = []

    def ask(self, requests: list[Request]) -> list[Reply]:
        self.asked += requests
        replies = []
        for request in requests:
            script, form = self.by_role[request.role.name]
            assert script is not None, f"{request.role.name} was not to be asked"
            value = form.model_validate(script(request))
            replies.append(Reply(request.key, value, json.dumps(value.model_dump()), Usage(), from_store=True))
        return replies

    def usage(self) -> dict[str, Any]:
        return {}


def proposal(**changed: Any) -> dict[str, Any]:
    return {
        "note": "the place", "suitable": True, "evidence": ["강릉으로 여행을 갔어요"], "question": "여행을 간 곳은 어디인가요?", "answer": "강릉",
        "distractors": ["부산", "여수", "속초"], **changed,
    }  # fmt: skip


def picks(text: str) -> Callable[[Request], dict[str, Any]]:
    """A guesser that takes the option of this text, wherever it stands."""
    return lambda request: {"reasoning": "so", "option": listed(request).index(text) + 1, "sure": False}


def finds(text: str, also: tuple[str, ...] = (), outside: bool = False) -> Callable[[Request], dict[str, Any]]:
    """A reader that finds the option of this text; none where it is empty."""

    def reply(request: Request) -> dict[str, Any]:
        options = listed(request)
        number = options.index(text) + 1 if text else 0
        return {"reasoning": "as said", "option": number, "also_right": [options.index(one) + 1 for one in also], "outside_knowledge": outside}

    return reply
