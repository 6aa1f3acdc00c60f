"""What people are asked about doubtful items, as the rulebook says it, and the rule that an answer becomes.

A decided rule holds for the items that were asked about, told by their text, since ids shift with the source; it says what
to do, in which category the items may end, and who decided it when, on which question (paper 2605.27984 §3.1.2).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from stages.core.files import nfc
from stages.core.settings import Settings

PRIORITY = 125
"""Of a decided rule: people come before the general rules, and after the one that keeps an item's text from being obeyed."""


class Bilingual(Settings):
    en: str
    ko: str = ""


class Choice(Settings):
    """One answer to a question, and what follows from it."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    label: Bilingual
    consequence: Bilingual
    categories: list[str]
    """In which the items must end; `{rule}` and `{worker}` stand for those of the rule in doubt and of the workers."""
    do: str
    why: str


class Issue(Settings):
    """A kind of doubt."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    when: str
    """For the workers: which doubts are of this kind."""
    title: Bilingual
    ask: Bilingual
    options: list[Choice]


class Questions(Settings):
    issues: list[Issue] = Field(default_factory=list)

    def issue(self, id: str) -> Issue | None:
        return next((issue for issue in self.issues if issue.id == id), None)


def digest(text: str) -> str:
    """16 hex digits that name a source text wherever it stands: SHA-256 of its NFC form."""
    return hashlib.sha256(nfc(text.strip()).encode()).hexdigest()[:16]


def rule_id(question: str, digests: Iterable[str]) -> str:
    """The id of the rule that the answer to `question` about these items becomes."""
    tail = re.sub(r"[^a-z0-9]+", "-", question.rpartition(":")[2].lower()).strip("-")
    return f"decided-{tail}-{digest(' '.join(sorted(digests)))[:6]}"


def rule_of(question: str, items: Mapping[str, str], do: str, why: str, categories: list[str], who: str, date: str) -> dict[str, Any]:
    """A rule in the rulebook's form. `items` maps each affected row's id to its source text."""
    digests = {digest(text): id for id, text in sorted(items.items())}
    return {
        "id": rule_id(question, digests),
        "priority": PRIORITY,
        "when": {"items": digests},
        "categories": categories,
        "may_delete": "deletion" in categories,
        "do": do,
        "why": why,
        "decided_by": {"person": who, "date": date, "question": question},
    }
