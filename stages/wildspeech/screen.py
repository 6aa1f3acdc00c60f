"""Screening by a model: fit for voice, how common and how difficult when spoken, category, topic (paper 2506.21875 §2.1.1).

One request a query. The reply's topic is one of the configured ones by its schema. A query that the screener finds a problem
with, or that is not common or not difficult enough, goes no further; nobody sees the person's other data.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from stages.core.settings import Settings
from stages.llm import Reply, Request, Role
from stages.wildspeech import prompts

Problem = Literal["none", "other_language", "unintelligible", "not_self_contained", "not_for_voice", "private", "harmful"]
Category = Literal["II", "SR", "TC", "OE"]


class ScreenSettings(Settings):
    topics: list[str] = Field(min_length=2)
    min_commonness: int = Field(3, ge=1, le=5)
    min_difficulty: int = Field(2, ge=1, le=5)
    max_candidates: int | None = Field(None, ge=1)
    """At most so many queries are screened, drawn by seed: the cost of a run is bounded before it starts."""


class _Screening(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reasoning: str
    problem: Problem
    commonness: Literal[1, 2, 3, 4, 5]
    difficulty: Literal[1, 2, 3, 4, 5]
    category: Category


class Screening(NamedTuple):
    reasoning: str
    problem: str
    commonness: int
    difficulty: int
    category: str
    topic: str
    request: str
    """Store key."""


@cache
def form(topics: tuple[str, ...]) -> type[BaseModel]:
    """The reply's schema, with the topics that may be named."""
    return cast(type[BaseModel], create_model("Screening", __base__=_Screening, topic=(Literal[topics], ...)))  # type: ignore[arg-type]


def request(id: str, query: str, language: str, role: Role, settings: ScreenSettings) -> Request:
    system = prompts.filled("screen", language=language, topics=", ".join(settings.topics))
    user = prompts.filled("screen_item", query=prompts.fenced(query))
    return Request(id, role, ({"role": "system", "content": system}, {"role": "user", "content": user}), form(tuple(settings.topics)))


def read(reply: Reply) -> Screening:
    value = reply.value
    assert isinstance(value, BaseModel)
    return Screening(**value.model_dump(), request=reply.key)


def objection(screening: Screening, settings: ScreenSettings) -> tuple[str, str] | None:
    """(rule, detail) of what bars a query, or None."""
    if screening.problem != "none":
        return screening.problem, screening.reasoning
    if screening.commonness < settings.min_commonness:
        return "uncommon", f"commonness {screening.commonness} of 5: {screening.reasoning}"
    if screening.difficulty < settings.min_difficulty:
        return "easy", f"difficulty {screening.difficulty} of 5: {screening.reasoning}"
    return None
