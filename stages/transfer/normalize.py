"""Written questions to questions that a voice can read, by the rulebook of the target language, with the output checked.

Adds `spoken` and `readings` (every change: span, rule, before, after). A question that still holds a digit, a sign or a
lost name after the reading is rejected as `unspeakable`, never passed on to the voice. The options of a multiple-choice
question are part of its text and are read with it; a sign that an IFEval question talks about is named. With `model_pass` a
model decides the spans whose context decides nothing (stages.transfer.readings); without it they keep the rules' default.
Source: paper 2605.27984, section 3.1.3 and appendix C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import model_validator

from stages import languages
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language
from stages.llm import Client, ClientSettings, Request, Role
from stages.transfer.readings import decide, requests
from stages.transfer.replies import Asker


class NormalizeSettings(Settings):
    language: str
    """Code of the target language, a package of stages/languages."""
    model_pass: bool = False
    """Ask the normalizer about the spans that the rules leave open."""
    client: ClientSettings | None = None
    normalizer: Role | None = None
    """These two are needed for the model pass only."""

    @model_validator(mode="after")
    def _someone_to_ask(self) -> NormalizeSettings:
        if self.model_pass and (self.normalizer is None or self.client is None):
            raise ValueError("model_pass needs a normalizer and a client; name them, or set model_pass to false")
        return self


@dataclass(frozen=True)
class Tools:
    language: Language
    asker: Asker | None = None
    """None without the model pass."""


def run(rows: list[Row], settings: NormalizeSettings, tools: Tools) -> Outcome:
    """Every row with `spoken` and `readings`, or rejected with the first check that failed as its rule id."""
    language = tools.language
    readings = [language.read(row["target_prompt"]) for row in rows]
    n_unsure = sum(bool(reading.unsure) for reading in readings)
    model: dict[str, Any] = {}
    if settings.model_pass:
        assert tools.asker is not None
        assert settings.normalizer is not None
        decided = decide(rows, readings, settings.normalizer, language, tools.asker)
        readings = [each.reading for each in decided]
        lines = [line for each in decided for line in each.lines]
        counts = Counter(line["outcome"] for line in lines)
        model = {"model_asked": len(lines), **{f"model_{name}": counts[name] for name in ("kept", "changed", "unusable")}}
        model |= {"model_readings": lines, "usage": tools.asker.usage()}
    kept: list[Row] = []
    rejected: list[Rejection] = []
    rules: Counter[str] = Counter()
    unchanged = 0
    for row, reading in zip(rows, readings, strict=True):
        failures = language.check_spoken(reading.text, reading.kept)
        if failures:
            check = failures[0].partition(":")[0]
            rejected.append(Rejection(row, "unspeakable", check, f"{'; '.join(failures)}; read as {reading.text!r}"))
            continue
        rules.update(change.rule_id for change in reading.changes)
        unchanged += not reading.changes
        kept.append({**row, "spoken": reading.text, "readings": [change._asdict() for change in reading.changes]})
    report = {"n_unchanged": unchanged, "n_unsure": n_unsure, "n_readings": sum(rules.values()), "readings_by_rule": dict(sorted(rules.items()))}
    return Outcome(kept, rejected, report | model)


def plan_requests(rows: list[Row], settings: NormalizeSettings, root: Path) -> list[Request]:
    """A request for each span that the rules leave open; none without the model pass."""
    if not settings.model_pass:
        return []
    assert settings.normalizer is not None
    language = languages.load(settings.language)
    return [one for row in rows for one in requests(row, language.read(row["target_prompt"] or ""), settings.normalizer, language)]


@contextmanager
def open_tools(settings: NormalizeSettings, context: Context) -> Iterator[Tools]:
    language = languages.load(settings.language)
    if not settings.model_pass:
        yield Tools(language)
        return
    assert settings.client is not None
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(language, client)


def explain(row: Row) -> list[str]:
    """The spoken question and each reading."""
    lines = [f"spoken: {row['spoken']}"]
    return lines + [f"  {change['before']!r} is read {change['after'].strip()!r} by {change['rule_id']}" for change in row["readings"]]


STAGE = Stage(
    name="normalize",
    run=run,
    settings=NormalizeSettings,
    reads="hypertranslate",
    input_schema="Hypertranslated",
    output_schema="Normalized",
    tools=open_tools,
    explain=explain,
)

if __name__ == "__main__":
    from stages.core.app import main

    main(STAGE)
