"""Texts to audit: what the build holds, or any JSONL or text file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row

_COLUMNS = ("target_prompt", "text", "prompt", "question")


@dataclass(frozen=True)
class Text:
    """One written text."""

    id: str
    subset: str
    written: str
    """NFC."""
    spoken: str | None = None
    """What the last run of normalize made of it; None where there was none, or where it was rejected."""
    rejected: bool = False
    """normalize rejected it."""


def of_build(root: Path) -> Iterator[Text]:
    """Every question that hypertranslate kept, with what normalize made of it. Raises UserError where nothing is built."""
    found = sorted((root / "data" / "hypertranslate").glob("*/rows.jsonl"))
    if not found:
        raise UserError("There is nothing to audit in data/hypertranslate; run `dvc repro`, or name a file of texts with corpus=PATH.")
    for path in found:
        subset = path.parent.name
        folder = root / "data" / "normalize" / subset
        done = {row["id"]: row["spoken"] for row in _rows(folder / "rows.jsonl")}
        rejected = {row["id"] for row in _rows(folder / "rejected.jsonl")}
        for row in files.read_jsonl(path):
            yield Text(row["id"], subset, row["target_prompt"], done.get(row["id"]), row["id"] in rejected)


def of_file(path: Path) -> Iterator[Text]:
    """The rows of a JSONL file (its `target_prompt`, `text`, `prompt` or `question`), or the lines of any other."""
    if path.suffix == ".jsonl":
        for number, row in enumerate(files.read_jsonl(path), 1):
            column = next((name for name in _COLUMNS if isinstance(row.get(name), str)), None)
            if column is None:
                raise UserError(f"{path} row {number} has none of the texts {', '.join(_COLUMNS)}; name its text one of these.")
            yield Text(str(row.get("id", f"{path.stem}-{number:05}")), path.stem, row[column])
        return
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(f"Cannot read the corpus {path}: {what}; give a JSONL file or a text file, one text a line.") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield Text(f"{path.stem}-{number:05}", path.stem, files.nfc(line))


def _rows(path: Path) -> list[Row]:
    return files.read_jsonl(path) if path.exists() else []
