"""Written questions to questions that a voice can read, by the rulebook of the target language, with the output checked.

Adds `spoken` and `readings` (every change: span, rule, before, after). A question that still holds a digit, a sign or a
lost name after the reading is rejected as `unspeakable`, never passed on to the voice. The options of a multiple-choice
question are part of its text and are read with it; a sign that an IFEval question talks about is named.
Source: paper 2605.27984, section 3.1.3 and appendix C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from stages import languages
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language


class NormalizeSettings(Settings):
    language: str
    """Code of the target language, a package of stages/languages."""
    rulebook: str | None = None
    """Path of the reading rules, relative to the project; None for the language's own."""


def run(rows: list[Row], settings: NormalizeSettings, language: Language) -> Outcome:
    """Every row with `spoken` and `readings`, or rejected with the first check that failed as its rule id."""
    kept: list[Row] = []
    rejected: list[Rejection] = []
    rules: Counter[str] = Counter()
    unsure = unchanged = 0
    for row in rows:
        reading = language.read(row["target_prompt"])
        failures = language.check_spoken(reading.text, reading.kept)
        if failures:
            check = failures[0].partition(":")[0]
            rejected.append(Rejection(row, "unspeakable", check, f"{'; '.join(failures)}; read as {reading.text!r}"))
            continue
        rules.update(change.rule_id for change in reading.changes)
        unsure += bool(reading.unsure)
        unchanged += not reading.changes
        readings = [change._asdict() for change in reading.changes]
        kept.append({**row, "spoken": reading.text, "readings": readings})
    report = {"n_unchanged": unchanged, "n_unsure": unsure, "n_readings": sum(rules.values()), "readings_by_rule": dict(sorted(rules.items()))}
    return Outcome(kept, rejected, report)


@contextmanager
def open_tools(settings: NormalizeSettings, context: Context) -> Iterator[Language]:
    yield languages.load(settings.language, settings.rulebook)


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
