"""What a program can see of a question that a model or a person has written: form, options, grounds, give-aways.

What a word may not be is the language's to say (rulebooks/<language>/understanding/generated.yaml); the rest is here. A check
says in a few words what is wrong; its name is the rule id of the rejection.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.core.errors import UserError
from stages.core.settings import Settings
from stages.languages import Language
from stages.understanding import options


class Limits(Settings):
    max_question_chars: int = Field(120, ge=1)
    max_option_chars: int = Field(60, ge=1)
    max_stand_out: float = Field(1.6, ge=1)
    """How many times longer than the longest wrong option, or shorter than the shortest, the right one may be."""


@dataclass(frozen=True)
class Written:
    """A question as somebody wrote it."""

    question: str
    answer: str
    distractors: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    """Passages of the transcript that give the answer."""

    @property
    def choices(self) -> tuple[str, ...]:
        return (self.answer, *self.distractors)

    def texts(self) -> list[str]:
        """What makes it this question: the order of the wrong options does not."""
        return [self.question, self.answer, *sorted(self.distractors)]


class Rules:
    """The language's rules on wording, compiled."""

    def __init__(self, path: Path) -> None:
        import yaml

        try:
            book: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
            self.ends = re.compile(book["question"]["ends"])
            self.question = [(rule["id"], re.compile(rule["pattern"])) for rule in book["question"]["not"]]
            self.options = [(rule["id"], re.compile(rule["pattern"])) for rule in book["options"]["not"]]
            self.letters = re.compile(book["letters"])
        except (OSError, yaml.YAMLError, KeyError, TypeError, re.error) as error:
            raise UserError(f"{path} cannot be used ({' '.join(str(error).split())}); restore it or mend it there.") from None


def problems(written: Written, n_options: int, transcript: str | None, rules: Rules, language: Language, limits: Limits) -> dict[str, str]:
    """Check to what is wrong. `transcript` is None where the question does not rest on words, but on what is heard."""
    found: dict[str, str] = {}
    trouble = options.problem(written.choices, written.answer, n_options, language.alias_key)
    if trouble:
        found["options"] = trouble
    if not written.question.strip() or not rules.ends.search(written.question.strip()):
        found["question_form"] = f"{written.question!r} does not end as a question"
    for name, pattern in rules.question:
        if match := pattern.search(written.question):
            found[name] = f"the question says {match[0]!r}"
    for name, pattern in rules.options:
        if spoiled := [choice for choice in written.choices if pattern.search(choice.strip())]:
            found[name] = f"the option {spoiled[0]!r} speaks of the options"
    found |= _lengths(written, limits) | _letters(written, transcript, rules)
    key, asked = language.alias_key(written.answer), language.comparable(written.question)
    if key and key in asked:
        found["leak"] = f"the question says its answer {written.answer!r}"
    if transcript is not None:
        found |= _grounds(written, transcript)
    return found


def _lengths(written: Written, limits: Limits) -> dict[str, str]:
    found: dict[str, str] = {}
    if len(written.question) > limits.max_question_chars:
        found["question_length"] = f"the question has {len(written.question)} characters, {limits.max_question_chars} allowed"
    longest = max(written.choices, key=len)
    if len(longest) > limits.max_option_chars:
        found["option_length"] = f"the option {longest!r} has {len(longest)} characters, {limits.max_option_chars} allowed"
    sizes = [max(1, len(distractor)) for distractor in written.distractors]
    size = max(1, len(written.answer))
    if sizes and (size > limits.max_stand_out * max(sizes) + 2 or min(sizes) > limits.max_stand_out * size + 2):
        found["stands_out"] = f"the right option has {size} characters, the wrong ones {', '.join(map(str, sorted(sizes)))}"
    return found


def _letters(written: Written, transcript: str | None, rules: Rules) -> dict[str, str]:
    allowed = set(transcript or "")
    for text in (written.question, *written.choices):
        strange = [char for char in rules.letters.findall(text) if char not in allowed]
        if strange:
            return {"letters": f"{text!r} has {strange[0]!r}, which is not of the language"}
    return {}


def _grounds(written: Written, transcript: str) -> dict[str, str]:
    lines = [_bare(line) for line in transcript.split("\n")]
    if not any(_bare(passage) for passage in written.evidence):
        return {"evidence": "no passage of the transcript is named"}
    for passage in written.evidence:
        if _bare(passage) and not any(_bare(passage) in line for line in lines):
            return {"evidence": f"{passage!r} is not in the transcript"}
    return {}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)
