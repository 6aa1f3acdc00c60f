"""A judge of answers: n samples an answer through the one LLM client, every raw reply kept.

Source: paper 2605.27984, section 5.1 (a judge model on a 100-point scale, the same criterion in both languages) and the protocols of
VoiceBench and OpenAudioBench. A reply in which no mark or vote can be read is asked for again, a bounded number of times; what stays
unreadable, and what the endpoint never answers, is left out by the scorers and counted, and the run fails above a limit. Scores are
made from the raw replies alone, so they can be made again without any call.

Prompts are data: <folder>/<language>/<name>.md, a system message, a line of three dashes, the question. `{name}` is a placeholder;
`{tag}` differs from answer to answer, so that no answer can close the tag that it stands in. The hash of a prompt is kept with the
scores. A prompt of somebody else, for comparison, is given by its path (`originals`): a plain user message, its reply free text.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from stages.core.errors import UserError, nearest
from stages.core.files import nfc
from stages.core.progress import Progress
from stages.core.settings import BelowRoot, Settings
from stages.evaluate.scorers import Item, Judgment, fill, load
from stages.evaluate.scorers.base import Judge
from stages.llm import Client, ClientSettings, Request, Role
from stages.llm.request import InvalidReply


class JudgeSettings(Settings):
    client: ClientSettings
    role: Role
    prompts: str = "conf/judge"
    """Folder of the prompts, relative to the project's root."""
    originals: dict[str, BelowRoot] = Field(default_factory=dict)
    """Prompt name, or `<language>/<name>`, to a file below `prompts` with a prompt of somebody else, used word for word."""
    samples: Annotated[int, Field(ge=1)] | dict[str, Annotated[int, Field(ge=1)]] | None = None
    """Replies to each answer, one number or one for a prompt name or `<language>/<name>`; where there is none, the protocol's number."""
    max_retries: int = Field(default=2, ge=0)
    """How often a sample without a readable mark is asked for again."""
    max_invalid_share: float = Field(default=0.01, ge=0, le=1)
    """The run fails when more of the judgments are missing or unreadable."""
    max_answer_chars: int = Field(default=20_000, ge=1)
    """A longer answer is judged by its beginning; how many there were is counted."""


@dataclass(frozen=True)
class Case:
    """One answer to be judged."""

    key: str
    """Unique; the judgments come back under it."""
    item: Item
    answer: str
    first: int = 0
    """Number of its first sample: recognitions of one reply are cases of their own, and two that are alike are judged twice all the same."""
    of: int | None = None
    """How many samples its siblings and it have together, where `first` counts over them; retries are numbered beyond."""


@dataclass
class Judged:
    judgments: dict[str, list[Judgment]] = field(default_factory=dict)
    """Case key to its judgments, in the order of the samples. The text is None where the endpoint gave no answer."""
    requests: dict[str, list[str]] = field(default_factory=dict)
    """Case key to the store keys behind its judgments."""
    report: dict[str, Any] = field(default_factory=dict)


class _Raw(Request):
    """A request whose reply is kept as it comes: a structured form is asked for, the scorer reads what was given."""

    def parse(self, text: str) -> BaseModel | str:
        if not text.strip():
            raise InvalidReply("the reply is empty")
        return text


@dataclass(frozen=True)
class Prompt:
    system: str | None
    user: str
    sha256: str
    original: bool

    def messages(self, fields: dict[str, str]) -> tuple[dict[str, str], ...]:
        fields = {**fields, "tag": hashlib.sha256("\x00".join(fields[name] for name in sorted(fields)).encode()).hexdigest()[:8]}
        user = {"role": "user", "content": fill(self.user, fields)}
        return (user,) if self.system is None else ({"role": "system", "content": fill(self.system, fields)}, user)


def judge(cases: Sequence[Case], settings: JudgeSettings, root: Path, progress: Progress) -> Judged:
    """Ask about every case whose protocol has a judge. Raises UserError above `max_invalid_share`, when all that came is stored."""
    judged = Judged()
    wanted = [(case, scorer) for case in cases if (scorer := load(case.item.protocol).judge) is not None]
    if not wanted:
        return judged
    used = sorted({(one.prompt, case.item.language) for case, one in wanted})
    prompts = {(name, language): prompt(settings, name, language, root) for name, language in used}
    counts: Counter[str] = Counter()
    samples: dict[str, list[_Sample]] = {}
    for case, one in wanted:
        counts["n_cut"] += len(case.answer) > settings.max_answer_chars
        chosen = prompts[one.prompt, case.item.language]
        messages = chosen.messages(one.fields(case.item, case.answer[: settings.max_answer_chars]))
        n = samples_of(settings, one.prompt, case.item.language, one.samples)
        samples[case.key] = [
            _Sample(case, one, case.first + number, case.of or n, messages, None if chosen.original else one.reply) for number in range(n)
        ]
    with Client.open(settings.client, progress, root) as client:
        todo = [sample for of_case in samples.values() for sample in of_case]
        counts["n_judgments"] = len(todo)
        for attempt in range(settings.max_retries + 1):
            todo = _asked(client, todo, settings.role, attempt)
            if not todo:
                break
            if attempt < settings.max_retries:
                counts["n_retried"] += len(todo)
        usage = client.usage()
    for key, of_case in samples.items():
        judged.judgments[key] = [Judgment(one.case.item.id, one.number, one.text, one.retried) for one in of_case]
        judged.requests[key] = [one.request for one in of_case]
    counts["n_invalid"] = sum(not one.valid and one.text is not None for of_case in samples.values() for one in of_case)
    counts["n_dead"] = sum(one.text is None for of_case in samples.values() for one in of_case)
    names = ("n_judgments", "n_retried", "n_invalid", "n_dead", "n_cut")
    failed = {"dead": _named(samples, dead=True), "invalid": _named(samples, dead=False)}
    judged.report = {**{name: counts[name] for name in names}, **failed, "usage": usage}
    _check_share(judged.report, settings)
    return judged


@dataclass
class _Sample:
    """One judgment on its way."""

    case: Case
    judge: Judge
    number: int
    of: int
    messages: tuple[dict[str, str], ...]
    reply: type[BaseModel] | None
    text: str | None = None
    valid: bool = False
    retried: bool = False
    request: str = ""
    problem: str = ""


def _asked(client: Client, samples: list[_Sample], role: Role, attempt: int) -> list[_Sample]:
    """Ask for the samples; returns those whose reply cannot be read. What the endpoint did not answer is not asked again: it was, already.

    A retry without an answer, such as one that no replay has, leaves what was said before.
    """
    requests = [_Raw(one.case.key, role, one.messages, one.reply, one.number + one.of * attempt) for one in samples]
    unread = []
    for one, request, reply in zip(samples, requests, client.ask_some(requests, optional=attempt > 0), strict=True):
        if isinstance(reply, str):
            if not attempt:
                one.request = request.key
                one.problem = reply
            continue
        one.request = request.key
        one.retried = attempt > 0
        one.text = reply.text
        one.valid = one.judge.read(reply.text, one.case.item.language) is not None
        if not one.valid:
            unread.append(one)
    return unread


def samples_of(settings: JudgeSettings, name: str, language: str, usual: int) -> int:
    if not isinstance(settings.samples, dict):
        return settings.samples or usual
    return settings.samples.get(f"{language}/{name}") or settings.samples.get(name) or usual


def _named(samples: dict[str, list[_Sample]], dead: bool) -> list[str]:
    """The first cases without an answer (`dead`) or without a readable one, and why."""
    found = []
    for key, of_case in samples.items():
        for one in of_case:
            if not one.valid and (one.text is None) == dead:
                found.append(f"{key} sample {one.number}: {one.problem or ' '.join((one.text or '').split())[:120]}")
    return found[:20]


def _check_share(report: dict[str, Any], settings: JudgeSettings) -> None:
    bad = report["n_invalid"] + report["n_dead"]
    if bad > settings.max_invalid_share * report["n_judgments"]:
        first = (report["dead"] + report["invalid"])[0]
        raise UserError(
            f"{bad} of {report['n_judgments']} judgments are missing or unreadable, more than max_invalid_share = {settings.max_invalid_share:g}; "
            f"first {first}. All replies are stored: look at them with `python -m stages.llm show`, correct the judge or its prompt, and run again."
        )


def prompt(settings: JudgeSettings, name: str, language: str, root: Path) -> Prompt:
    """The prompt `name` in `language`. Raises UserError when there is none."""
    path = settings.originals.get(f"{language}/{name}") or settings.originals.get(name)
    known = {place.stem for place in (root / settings.prompts).glob("*/*.md")}
    samples = settings.samples if isinstance(settings.samples, dict) else {}
    for option, key in [("originals", key) for key in settings.originals] + [("samples", key) for key in samples]:
        if key.rpartition("/")[2] not in known:
            told = f"{nearest(key, known)} Known: {', '.join(sorted(known))}."
            raise UserError(f"judge.{option} names the prompt {key!r}, which no scorer uses.{told}")
    return _prompt(root / settings.prompts / path, True) if path else _prompt(root / settings.prompts / language / f"{name}.md", False)


@cache
def _prompt(path: Path, original: bool) -> Prompt:
    try:
        text = nfc(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The judge prompt {path} cannot be read ({error}); put it there, or correct judge.prompts or judge.originals.") from None
    digest = hashlib.sha256(text.encode()).hexdigest()
    if original:
        return Prompt(None, text.strip(), digest, True)
    system, line, user = text.partition("\n---\n")
    if not line:
        raise UserError(f"The judge prompt {path} has no line of three dashes between its system message and its question; add it.")
    return Prompt(system.strip(), user.strip(), digest, False)


def provenance(settings: JudgeSettings, used: set[tuple[str, str, int]], root: Path) -> dict[str, Any]:
    """What a score has to say of its judge: model, settings, and hash and samples of every prompt used (name, language, samples)."""
    role = settings.role.model_dump(include={"model", "temperature", "top_p", "max_tokens", "seed", "extra_body", "structured"})
    hashes: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for name, language, samples in sorted(used):
        hashes[f"{language}/{name}"] = prompt(settings, name, language, root).sha256[:12]
        numbers[f"{language}/{name}"] = samples_of(settings, name, language, samples)
    return {**role, "prompts": hashes, "samples": numbers, "max_retries": settings.max_retries}
