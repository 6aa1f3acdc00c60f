"""What all ways of making questions share: reading the segments of several corpora, and the row of a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson

from stages.core import files
from stages.core.files import Row
from stages.core.stage import Rejection

_SAME = [
    "corpus", "source", "source_revision", "licence", "recording", "start_s", "end_s", "original_dataset", "original_sample_id", "has_audio",
    "duration_s", "content_sha256", "transcript",
]  # fmt: skip


def read_segments(root: Path, corpora: Iterable[str]) -> list[Row]:
    """The segments of `corpora` in order of their ids. Raises UserError when they are not there or not as the schema has them."""
    from stages.core import schemas

    rows: list[Row] = []
    for corpus in corpora:
        path = root / "data" / "segments" / corpus / "rows.jsonl"
        found = files.read_jsonl(path)
        schemas.check(found, "Segment", str(path.relative_to(root)))
        rows += found
    return sorted(rows, key=lambda row: row["id"])


def question_row(
    segment: Row,
    *,
    id: str,
    capability: str,
    method: str,
    question: str,
    choices: Sequence[str],
    answer_index: int,
    evidence: dict[str, Any],
    rule_ids: Sequence[str],
    requests: Sequence[str] = (),
    decisions: Sequence[str] = (),
) -> Row:
    """A row of the schema Question about `segment`."""
    return {
        **{column: segment[column] for column in _SAME},
        "id": id,
        "capability": capability,
        "method": method,
        "question": question,
        "choices": list(choices),
        "answer": choices[answer_index],
        "answer_index": answer_index,
        "segment": segment["id"],
        "evidence": orjson.dumps(evidence, option=orjson.OPT_SORT_KEYS).decode(),
        "rule_ids": list(rule_ids),
        "requests": list(requests),
        "decisions": list(decisions),
    }


def refused(segment: Row, capability: str, reason: str, rule_id: str, detail: str = "") -> Rejection:
    """Why no question of `capability` is asked about `segment`."""
    return Rejection({**segment, "id": f"{capability}/{segment['id']}"}, reason, rule_id, detail)
