"""The requests that the benchmarks of the LLM client share: a reviewer's, of about 1.3 kB, with a strict schema."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from stages.llm import Request, Role


class Correction(BaseModel):
    verdict: Literal["correct", "wrong", "unsure"]
    corrected: str
    kind: Literal["none", "restrictive_answer_set", "stale_fact", "wrong_label"]
    reason: str


ROLE = Role(name="reviewer", model="bench", temperature=0)
GUIDE = "Check whether the reference answer is right, complete and current. " * 18


def make_requests(count: int, role: Role) -> list[Request]:
    return [
        Request(
            f"web_questions-{n:05d}",
            role,
            ({"role": "system", "content": GUIDE}, {"role": "user", "content": f"Question {n}: how wide is the Earth?\nReference: 12,742 km"}),
            Correction,
        )
        for n in range(count)
    ]
