"""OpenAudioBench, the source of the short-answer subsets of KOpenAudioBench.

Source:   baichuan-inc/OpenAudioBench on the Hugging Face Hub; Li et al. 2025, arXiv 2502.17239 (Baichuan-Audio).
Licence:  The Hub card states none. The questions come from the LLaMA test questions, TriviaQA and WebQuestions (CC BY 4.0).
Layout:   `eval_datas/<subset>/<subset>.csv` and `eval_datas/<subset>/audios/<subset>_<n>.mp3`. No splits, no config files.
Columns:  llama_questions   Questions, Answer (one answer), audio_filename
          trivia_qa         question, answer_normalized_aliases (a list), audio_filename
          web_questions     question, answers (a list), audio_filename
          alpaca_eval       instruction, output, audio_filename
Traps:    * a list is a cell that holds a Python literal, `['a', "it's"]`. It is parsed as a literal and never evaluated.
          * a question that itself holds quotation marks was quoted twice (`"Who wrote ""Emma""?"`); the prompt undoes it.
          * questions may begin or end with a space, answers of web_questions may be stale or name just one of several.
          * alpaca_eval has 199 rows. The released config alpacaeval_full-test is made of VoiceBench's 636 instead, so
            alpaca_eval is read here but no benchmark uses it.
"""

from __future__ import annotations

import ast
import csv
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.core.errors import UserError, nearest
from stages.core.files import nfc
from stages.ingest import audio
from stages.ingest.record import Record, inside, refuse_twins

CELL_LIMIT = 1 << 20
"""Characters in a CSV cell: trivia_qa has long alias lists, but a lost quotation mark would swallow the file."""


@dataclass(frozen=True)
class Layout:
    question: str
    answer: str
    is_list: bool = False
    scored: bool = True
    """False where the answer column is a sample reply, not something that a reply is compared with."""


LAYOUTS = {
    "llama_questions": Layout("Questions", "Answer"),
    "trivia_qa": Layout("question", "answer_normalized_aliases", is_list=True),
    "web_questions": Layout("question", "answers", is_list=True),
    "alpaca_eval": Layout("instruction", "output", scored=False),
}
FILE_NAME = "audio_filename"


def records(folder: Path) -> Iterator[Record]:
    """The rows of one subset of OpenAudioBench in the order of its CSV file. Raises UserError for what is not as upstream has it."""
    subset = folder.name
    if subset not in LAYOUTS:
        raise UserError(f"{folder} is no subset of OpenAudioBench known here ({', '.join(LAYOUTS)}).{nearest(subset, LAYOUTS)}")
    path = folder / f"{subset}.csv"
    seen: dict[str, str] = {}
    for index, (where, columns) in enumerate(_rows(path, LAYOUTS[subset])):
        yield _record(index, where, columns, LAYOUTS[subset], folder, seen)


def _rows(path: Path, layout: Layout) -> Iterator[tuple[str, dict[str, str]]]:
    """(place, row) for every row of the CSV file; rows are counted from 0 behind the header."""
    csv.field_size_limit(CELL_LIMIT)
    place = f"{path} header"
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, strict=True)
            names = next(reader, [])
            for name in (layout.question, layout.answer, FILE_NAME):
                if name not in names:
                    raise UserError(f"{path} has no column {name!r}; its columns are {', '.join(names) or 'none'}.{nearest(name, names)}")
            number = -1
            for cells in reader:
                number += 1
                place = f"{path} row {number} (line {reader.line_num})"
                if len(cells) != len(names):
                    raise UserError(f"{place} has {len(cells)} cells, the header has {len(names)}; a comma or a quotation mark is missing there.")
                yield place, nfc(dict(zip(names, cells, strict=True)))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; run `python -m stages.ingest.fetch openaudiobench`, or set `raw` in params.yaml.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); restore the file.") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as UTF-8 CSV after {place.removeprefix(str(path)).strip()} ({error}); restore the file.") from None


def _record(index: int, where: str, columns: dict[str, str], layout: Layout, folder: Path, seen: dict[str, str]) -> Record:
    name = columns[FILE_NAME]
    refuse_twins(seen, name, where)
    clip = _clip(inside(folder / "audios", name, where), name, where)
    return Record(
        index=index,
        where=where,
        split="",
        source_id=Path(name).stem,
        columns=columns,
        prompt=once_quoted(columns[layout.question].strip()),
        answers=_answers(columns[layout.answer], layout, where) if layout.scored else [],
        audio_path=name,
        clip=clip,
    )


def _clip(path: Path, name: str, where: str) -> audio.Clip | None:
    # A file system that keeps names as they were given may hold a decomposed form of the name.
    for candidate in (path, path.with_name(unicodedata.normalize("NFD", path.name))):
        if candidate.is_file():
            return audio.Clip(audio.checked(candidate.read_bytes(), name, where), candidate)
    return None


def once_quoted(text: str) -> str:
    """`text` without a second layer of CSV quoting: outer quotation marks around inner ones that are all doubled."""
    inner = text[1:-1]
    twice = len(text) > 1 and text[0] == text[-1] == '"' and '""' in inner and '"' not in inner.replace('""', "")
    return inner.replace('""', '"').strip() if twice else text


def _answers(cell: str, layout: Layout, where: str) -> list[str]:
    """The accepted answers in `cell`, in upstream order. Raises UserError when a list cell is not a literal list of strings."""
    if not layout.is_list:
        return [cell.strip()] if cell.strip() else []
    values = literal(cell, f"{where} column {layout.answer!r}")
    return list(dict.fromkeys(nfc(value).strip() for value in values if value.strip()))


def literal(cell: str, where: str) -> list[str]:
    """The list of strings that `cell` spells out. Names, calls and everything else that would run raise UserError, and are not run."""
    value: Any
    try:
        value = ast.literal_eval(cell.strip())
        for text in value if isinstance(value, list) else ():
            text.encode("utf-8")  # a literal can spell half of a surrogate pair, which no file can hold
    except (ValueError, SyntaxError, MemoryError, RecursionError, AttributeError, TypeError):
        value = None
    if not isinstance(value, list):
        shown = cell if len(cell) <= 60 else f"{cell[:60]}..."
        raise UserError(f"{where} has {shown!r}, which is not a list of strings such as ['a', 'b']; correct that cell.")
    return value
