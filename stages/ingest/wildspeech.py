"""WildSpeech-Bench in its released form, a source like any other: its general queries can be carried into another language.

Source:   tencent/WildSpeech-Bench on the Hugging Face Hub; Zhang et al. 2025, arXiv 2506.21875. The release of our own WildSpeech
          (data/publish/WildSpeech) has the same columns, and can be read here in its place.
Licence:  CC BY 4.0; what derives from WildChat ODC-BY.
Layout:   `<split>-<shard>-of-<shards>.parquet`, upstream one split, `train`.
Columns:  audio, user_query, taskType, checklist (one string), conversation_hash, modification_type, additional_info; any others are kept.
Traps:    * a paralinguistic item (taskType `prosodical`) is about how it is said, in English: its text alone carries nothing of it
            into another language, so it is rejected here with that reason.
          * audio of noisy rows has the noise in it; modification_type tells which.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core.files import nfc
from stages.ingest import parquet, voicebench
from stages.ingest.record import Record

COLUMNS = {"audio": "audio", "user_query": "string", "taskType": "string", "checklist": "string"}
PARALINGUISTIC = "prosodical"


def records(folder: Path, splits: list[str] | None) -> Iterator[Record]:
    """The rows in the order of the files. Raises UserError for files that are not as upstream has them."""
    index = 0
    for split, path in voicebench.files(folder, splits):
        with parquet.opened(path) as file:
            parquet.check_columns(file, path, COLUMNS)
            for row, columns in enumerate(parquet.rows(file)):
                yield _record(index, split, path, row, columns)
                index += 1


def _record(index: int, split: str, path: Path, row: int, columns: dict[str, Any]) -> Record:
    sound = columns.pop("audio") or {}
    columns = nfc(columns)
    where = f"{path} row {row}"
    task = (columns["taskType"] or "").strip()
    told = columns.get("additional_info") or "unnamed trait"
    return Record(
        index=index,
        where=where,
        split=split,
        source_id=f"{split}/{row}",
        columns=columns,
        prompt=(columns["user_query"] or "").strip(),
        answers=[],
        task=task,
        audio_path=nfc(sound.get("path")),
        clip=voicebench.clip(sound, path, row, where),
        unfit=f"paralinguistic ({told}): how it is said in English is not in its text" if task == PARALINGUISTIC else "",
    )
