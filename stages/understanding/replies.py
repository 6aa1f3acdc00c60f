"""What the models must reply: flat, strict JSON objects. Reasoning comes before the decision that it supports."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from stages.llm import Reply, Request


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Proposal(_Reply):
    note: str
    suitable: bool
    evidence: list[str]
    question: str
    answer: str
    distractors: list[str]


class Guess(_Reply):
    reasoning: str
    option: int = Field(ge=1, le=9)
    sure: bool


class Finding(_Reply):
    reasoning: str
    option: int = Field(ge=0, le=9)
    also_right: list[int]
    outside_knowledge: bool


class Asker(Protocol):
    """What the stages need of the client."""

    def ask(self, requests: list[Request]) -> list[Reply]: ...

    def usage(self) -> dict[str, Any]: ...
