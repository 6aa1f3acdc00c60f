"""The desk's queue of questions on recordings: those a model wrote, to be judged, and clips to write about.

    python -m stages.understanding.queue kmmau

Writes data/review/understanding.jsonl from what the stages questions_generated and questions_manual left, after they ran. Then
`make review`; verdicts lie in data/decisions/understanding/, and the next `dvc repro` acts on them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stages.core import files, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.understanding import manual, review, sources
from stages.understanding.manual import ManualSettings
from stages.understanding.wording import Written

FILE = Path("data/review/understanding.jsonl")


def entries(root: Path, unit: str, chosen: ManualSettings, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every entry: questions that wait for a verdict or have one, and clips for people to write about."""
    segments = {segment["id"]: segment for segment in sources.read_segments(root, chosen.corpora)}
    folder = root / "data" / "questions_generated" / unit
    rows = [*files.read_jsonl(folder / "rows.jsonl"), *files.read_jsonl(folder / "rejected.jsonl")]
    for row in rows:
        if row.get("reason") in (None, "unreviewed"):
            yield _judge(unit, row, segments[row["segment"]], asked["judge"])
    clips, _ = manual.offered(list(segments.values()), chosen)
    for clip in clips:
        shown = {"capability": clip.capability, "recording": clip.segment["original_sample_id"]}
        entry = review.entry(
            unit,
            "questions_manual",
            clip.id,
            clip.segment,
            [],
            manual.blank(chosen.capabilities[clip.capability].n_options),
            asked["write"][clip.capability],
            shown,
        )
        yield {**entry, "id": manual.queue_id(unit, clip)}


def _judge(unit: str, row: Row, segment: Row, prompt: dict[str, str]) -> dict[str, Any]:
    """The question as the model wrote it, also where a person has edited it since: the verdict was given on that."""
    evidence = orjson.loads(row["evidence"])
    wrong = tuple(sorted(choice for choice in row["choices"] if choice != row["answer"]))
    texts = evidence.get("proposed") or review.columns(Written(row["question"], row["answer"], wrong))
    written = review.edited(Written("", "", tuple("" for _ in wrong)), texts)
    shown = {"capability": row["capability"], "evidence": "\n".join(evidence["passages"]), "transcript": row["transcript"]}
    return review.entry(unit, "questions_generated", row["id"], segment, written.texts(), texts, prompt, shown)


def main(arguments: list[str], root: Path = ROOT) -> None:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise UserError("python -m stages.understanding.queue takes one unit of params.yaml's `understanding`, such as kmmau.")
    import yaml

    unit = arguments[0]
    values = read_config(f"understanding.{unit}.questions_manual", root)
    chosen = settings.load(ManualSettings, values, f"understanding.{unit}.questions_manual")
    asked = yaml.safe_load((root / chosen.desk).read_text(encoding="utf-8"))
    made = sorted(entries(root, unit, chosen, asked), key=lambda entry: str(entry["id"]))
    files.write_jsonl(root / FILE, made)
    waiting = sum(entry["stage"] == "questions_generated" for entry in made)
    print(f"{FILE}: {waiting} questions to judge, {len(made) - waiting} clips to write about; open the desk with `make review`")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
