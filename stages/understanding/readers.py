"""Two models that take a question as a test: one that sees nothing but the question, one that sees the transcript.

The first must not be able to answer, or the question needs no listening; the second must, or it cannot be answered from what
is said (paper 2605.27984, section 3.2.1). Options are numbered in orders that move the right one, so that a liking for a place
counts for neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import Field

from stages.core.files import Row
from stages.core.settings import Settings
from stages.llm import Request, Role
from stages.llm.prompts import fenced
from stages.understanding import draw
from stages.understanding.prompts import PROMPTS
from stages.understanding.replies import Asker, Finding, Guess
from stages.understanding.wording import Written


class Readers(Settings):
    seed: int
    language_name: str
    guesser: Role
    """Sees the question alone."""
    reader: Role | None
    """Sees the transcript; None where the question does not rest on words."""
    guesses: int = Field(2, ge=1, le=4)
    """Orders of the options in which the guesser is asked."""
    max_right_guesses: int = Field(1, ge=0)
    """More right guesses than this, and the question is said to need no listening."""


@dataclass(frozen=True)
class Item:
    """A question to be tried."""

    id: str
    segment: Row
    written: Written


@dataclass(frozen=True)
class Trial:
    """How it went: what disqualifies the question (check to detail), and the requests behind it."""

    problems: dict[str, str]
    requests: list[str]
    guesses: dict[str, int]
    """How often the guesser was asked, and how often it was right."""


def turns(segment: Row) -> str:
    """The transcript with speakers as S1, S2, ... in the order in which they speak."""
    names: dict[str, str] = {}
    return "\n".join(f"{names.setdefault(turn['speaker'] or '', f'S{len(names) + 1}')}: {turn['text']}" for turn in segment["turns"])


def shown(item: Item, seed: int, order: int) -> list[str]:
    """The options in the given order; each order has the right option at another place."""
    wrong = draw.ordered(item.written.distractors, str, seed, item.id)
    size = len(wrong) + 1
    at = (int(draw.rank(seed, "place", item.id)[:8], 16) + order) % size
    return [*wrong[:at], item.written.answer, *wrong[at:]]


def _question(item: Item, seed: int, order: int) -> str:
    listed = "\n".join(f"{number}. {option}" for number, option in enumerate(shown(item, seed, order), 1))
    return f"{item.written.question}\n\n{listed}"


def try_out(items: Sequence[Item], settings: Readers, client: Asker) -> dict[str, Trial]:
    """Item id to its trial; every request of every item is asked together."""
    guesses = {item.id: [_guess(item, settings, order) for order in range(settings.guesses)] for item in items}
    findings = {item.id: _find(item, settings, settings.reader) for item in items} if settings.reader else {}
    requests = [request for asked in guesses.values() for request in asked] + list(findings.values())
    replies = {reply.key: reply.value for reply in client.ask(requests)}
    found: dict[str, Trial] = {}
    for item in items:
        problems: dict[str, str] = {}
        chosen = [cast(Guess, replies[request.key]) for request in guesses[item.id]]
        right = [
            guess
            for order, guess in enumerate(chosen)
            if guess.option <= len(item.written.choices) and shown(item, settings.seed, order)[guess.option - 1] == item.written.answer
        ]
        if len(right) > settings.max_right_guesses:
            problems["guessable"] = f"answered without the recording {len(right)} of {len(chosen)} times: {right[0].reasoning}"
        if item.id in findings:
            problems |= _judged(item, cast(Finding, replies[findings[item.id].key]), settings)
        asked = [*guesses[item.id], *([findings[item.id]] if item.id in findings else [])]
        found[item.id] = Trial(problems, [request.key for request in asked], {"asked": len(chosen), "right": len(right)})
    return found


def _guess(item: Item, settings: Readers, order: int) -> Request:
    system = PROMPTS.filled("guess", language=settings.language_name)
    return Request(item.id, settings.guesser, _messages(system, fenced(_question(item, settings.seed, order))), Guess)


def _find(item: Item, settings: Readers, reader: Role) -> Request:
    system = PROMPTS.filled("read", language=settings.language_name)
    user = PROMPTS.filled("read_item", transcript=fenced(turns(item.segment)), question=fenced(_question(item, settings.seed, settings.guesses)))
    return Request(item.id, reader, _messages(system, user), Finding)


def _judged(item: Item, finding: Finding, settings: Readers) -> dict[str, str]:
    listed = shown(item, settings.seed, settings.guesses)
    if finding.outside_knowledge:
        return {"outside_knowledge": finding.reasoning}
    if not 1 <= finding.option <= len(listed):
        return {"not_answerable": finding.reasoning}
    if listed[finding.option - 1] != item.written.answer:
        return {"other_answer": f"{listed[finding.option - 1]!r} instead: {finding.reasoning}"}
    others = [listed[number - 1] for number in finding.also_right if 1 <= number <= len(listed) and number != finding.option]
    return {"several_right": f"{', '.join(others)} as well: {finding.reasoning}"} if others else {}


def _messages(system: str, user: str) -> tuple[dict[str, str], dict[str, str]]:
    return {"role": "system", "content": system}, {"role": "user", "content": user}
