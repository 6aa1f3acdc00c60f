"""A model's answers in the format of the public Korean evaluator, one file a subset.

    python -m stages.evaluate.export careful FOLDER

FOLDER/<benchmark>/<config>.jsonl has `{"id", "prediction"}` with the ids of the released rows, FOLDER/<benchmark>/<config>.gt.jsonl
`{"id", "answer"}` and, for IFEval, the constraints, which the released rows do not carry. The other way round, such files are what a
`predictions` model of conf/speechlm/ reads: path: FOLDER/{benchmark}/{config}.jsonl.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from stages.core import files, settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.evaluate.benchmarks import Question, questions
from stages.evaluate.score import ScoreSettings


def write(folder: Path, asked: Sequence[Question], answers: dict[str, str]) -> dict[str, int]:
    """File to number of predictions. A question without an answer has no line, as the evaluator expects."""
    lines: dict[str, list[Row]] = defaultdict(list)
    truths: dict[str, list[Row]] = defaultdict(list)
    for question in asked:
        for benchmark in question.benchmarks:
            name = f"{benchmark}/{question.config}"
            truths[name].append(_truth(question))
            if question.id in answers:
                lines[name].append({"id": question.item.id, "prediction": answers[question.id]})
    for name, truth in truths.items():
        files.write_jsonl(folder / f"{name}.jsonl", lines[name])
        files.write_jsonl(folder / f"{name}.gt.jsonl", truth)
    return {f"{name}.jsonl": len(lines[name]) for name in sorted(truths)}


def _truth(question: Question) -> Row:
    item = question.item
    row: Row = {"id": item.id, "answer": item.reference or ""}
    if item.instructions:
        row |= {"instruction_id_list": [name for name, _ in item.instructions], "kwargs": [dict(given) for _, given in item.instructions]}
    if len(item.references) > 1:
        row["answers"] = list(item.references)
    return row


def main(arguments: Sequence[str], root: Path = ROOT) -> None:
    if len(arguments) != 2:
        raise UserError("python -m stages.evaluate.export takes the name of a model of params.yaml and a folder.")
    name, folder = arguments
    chosen = settings.load(ScoreSettings, read_config(f"speechlms.{name}.score", root), f"speechlms.{name}.score")
    answers = {row["id"]: row["response"] for row in files.read_jsonl(root / "data" / "respond" / name / "rows.jsonl")}
    for path, n in write(Path(folder), questions(chosen.suite, root, chosen.only), answers).items():
        print(f"{n} predictions -> {folder}/{path}")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
