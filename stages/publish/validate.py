"""Stage validate: the last gate before a row is released, across all of its columns and its audio.

Paper 2605.27984, appendix B: quality checks on answers, options and labels after the transfer. Every earlier stage checks
its own work; this one trusts none of them and reads the audio itself. A row that fails a check is rejected as `invalid`
with the check's name as rule id. Rows that repeat another row's text are kept and reported when the source repeats itself,
and rejected (all but the first) when the transfer made two questions into one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from stages import languages
from stages.core.app import main
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.shards import iter_audio
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language
from stages.publish import checks


class ValidateSettings(Settings):
    releases: list[str] = Field(min_length=1)
    """The datasets that publish this subset, such as KVoiceBench."""
    language: str
    """Code of the target language, a package of stages/languages."""
    min_duration_s: float = Field(0.3, ge=0)
    max_duration_s: float = Field(180.0, gt=0)
    """The longest clip of the published KVoiceBench lasts 163.76 s."""
    duration_tolerance_s: float = Field(0.01, ge=0)
    """How far the audio's length may lie from the column, which may be rounded."""
    sample_rate_hz: int | None = Field(None, gt=0)
    """The one sample rate allowed; null takes what the row says."""
    audio_format: str = "FLAC"
    """Container of every clip, as libsndfile names it."""


@dataclass(frozen=True)
class Tools:
    audio: Path
    """Folder of the subset's audio shards."""
    language: Language
    progress: Progress


@contextmanager
def open_tools(settings: ValidateSettings, context: Context) -> Iterator[Tools]:
    yield Tools(context.root / "data" / "synthesize" / context.subset, languages.load(settings.language), context.progress)


def run(rows: list[Row], settings: ValidateSettings, tools: Tools) -> Outcome:
    """Check every row. Raises UserError when the audio of a row is missing or its shard is damaged."""
    problems: dict[str, dict[str, str]] = {row["id"]: _text_problems(row, tools.language) for row in rows}
    by_id = {row["id"]: row for row in rows}
    with tools.progress.task("audio", len(rows)) as task:
        for id, audio in iter_audio(tools.audio, by_id):
            problems[id].update(checks.audio_problems(by_id[id], audio, settings))
            task.advance()
    for id in checks.shared_audio(rows, tools.language):
        problems[id]["shared_audio"] = "another row with another text has the very same audio"
    twins = checks.twin_texts([row for row in rows if not problems[row["id"]]], tools.language)
    for group in twins:
        if not group.faithful:
            for id in group.ids[1:]:
                problems[id]["unique_text"] = f"says the same as {group.ids[0]}, though their source questions differ"
    return Outcome(
        kept=[{**row, "released_in": list(settings.releases)} for row in rows if not problems[row["id"]]],
        rejected=[_rejection(row, problems[row["id"]]) for row in rows if problems[row["id"]]],
        report=_report(problems, twins),
    )


def _text_problems(row: Row, language: Language) -> dict[str, str]:
    found = {name: check(row, language) for name, check in checks.TEXT_CHECKS.items()}
    return {name: detail for name, detail in found.items() if detail is not None}


def _rejection(row: Row, problems: dict[str, str]) -> Rejection:
    return Rejection(row, "invalid", next(iter(problems)), "; ".join(f"{name}: {detail}" for name, detail in problems.items()))


def _report(problems: dict[str, dict[str, str]], twins: list[checks.Twins]) -> dict[str, Any]:
    failed: dict[str, int] = {}
    for found in problems.values():
        for name in found:
            failed[name] = failed.get(name, 0) + 1
    return {
        "failed_checks": dict(sorted(failed.items())),
        "repeated_texts": [{"ids": group.ids, "in_source": group.faithful, "same_answer": group.same_answer} for group in twins],
    }


def explain(row: Row) -> list[str]:
    return [f"released in {', '.join(row['released_in'])}"]


STAGE = Stage(
    name="validate",
    run=run,
    settings=ValidateSettings,
    reads="synthesize",
    input_schema="Synthesized",
    output_schema="Validated",
    tools=open_tools,
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
