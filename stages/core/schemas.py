"""The columns of a row from source to release, checked by pandera at every stage.

Each stage adds columns and never overwrites one, so a row tells its own story: a class is the one before it plus what its
stage adds. SpokenQA is here; recordings, queries, speech and answers are in the files beside. Texts are NFC. A column that can
be absent for a row is nullable; a list is empty, never null.
Import this module lazily (it brings pandera and polars).
"""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

from typing import Any

import polars as pl

from stages.core.answer_schemas import ANSWERS
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.polars_schemas import only_polars, pa
from stages.core.query_schemas import QUERIES, Checklisted
from stages.core.recording_schemas import RECORDED
from stages.core.speech_schemas import SPEECH_REPLIES, InNoise, InVoices

Instruction = pl.Struct({"id": pl.String, "kwargs": pl.String})
"""An IFEval constraint: its instruction id and its keyword arguments as a JSON object (ragged, hence text)."""
Option = pl.Struct({"label": pl.String, "text": pl.String})
Change = pl.Struct({"start": pl.Int64, "end": pl.Int64, "rule_id": pl.String, "before": pl.String, "after": pl.String})
"""One reading: the span [start, end) of the written text in characters, the rule, the text before and after."""
Attempt = pl.Struct(
    {
        "sentence": pl.Int64,
        "attempt": pl.Int64,
        "settings": pl.String,
        "transcript": pl.String,
        "cer": pl.Float64,
        "wer": pl.Float64,
        "kept": pl.Boolean,
        "audio_sha256": pl.String,
        "problems": pl.List(pl.String),
    }
)
"""One synthesis of one sentence: its varied settings (JSON), what the recognizer heard, and whether it was kept."""

FORMATS = ["open", "short_answer", "multiple_choice", "bbh", "ifeval", "refusal"]
CATEGORIES = ["direct_translation", "format_conversion", "equivalent_replacement", "deletion", "error_correction"]


class Ingested(pa.DataFrameModel):
    id: str = pa.Field(unique=True, str_matches=r"^[a-z0-9_-]+-\d{5}$")
    """`<released config>-NNNNN`, from the index in the source; it never shifts."""
    subset: str
    format: str = pa.Field(isin=FORMATS)
    source: str
    source_config: str
    source_split: str
    source_id: str
    source_index: int = pa.Field(ge=0)
    source_revision: str
    licence: str
    source_columns: str
    """Every upstream column but the audio, as one JSON object, untouched."""
    task: str
    """The upstream sub-task: BBH task, MMSU domain, SD-QA region; empty where there is none."""
    prompt: str = pa.Field(str_length={"min_value": 1})
    """The upstream question text, all of it, options included."""
    reference: str = pa.Field(nullable=True)
    """The upstream answer where there is just one: a letter, yes/no, or a short answer."""
    references: pl.List(pl.String)
    """All upstream answers accepted for a short-answer item; `[reference]` where there is one; empty where there is none."""
    options: pl.List(Option)
    """Multiple-choice options read out of the prompt; empty for other formats."""
    instructions: pl.List(Instruction)
    has_source_audio: bool
    source_audio_sha256: str = pa.Field(nullable=True)
    source_audio_path: str = pa.Field(nullable=True)
    """The upstream file name of the audio. Data only, never opened as a path."""

    class Config:
        strict = True


class Corrected(Ingested):
    correction: str = pa.Field(isin=["not_reviewed", "correct", "corrected"])
    """Unresolved items are rejected, so they are not here."""
    correction_type: str = pa.Field(nullable=True)
    correction_reason: str = pa.Field(nullable=True)
    correction_requests: pl.List(pl.String)
    """Store keys of the reviewer's and the meta-reviewer's requests."""
    corrected_reference: str = pa.Field(nullable=True)
    corrected_references: pl.List(pl.String)


class Hypertranslated(Corrected):
    category: str = pa.Field(isin=CATEGORIES)
    target_prompt: str = pa.Field(str_length={"min_value": 1})
    """The question in the target language as a person would write it, options included."""
    target_options: pl.List(Option)
    target_answer: str = pa.Field(nullable=True)
    target_answers: pl.List(pl.String)
    target_instructions: pl.List(Instruction)
    rule_ids: pl.List(pl.String)
    """The hypertranslation rules that the translator reports as applied."""
    offered_rule_ids: pl.List(pl.String)
    """The rules that this item triggered and that its request therefore contained."""
    transfer_note: str
    transfer_requests: pl.List(pl.String)
    transfer_flags: pl.List(pl.String)
    """Checks that failed at the first try, `check: detail`, all of which pass on what is kept; and `notice: …` for a person to see."""


class Normalized(Hypertranslated):
    spoken: str = pa.Field(str_length={"min_value": 1})
    """The question as it is said aloud: no digit, no written-only symbol."""
    readings: pl.List(Change)


class Synthesized(Normalized):
    voice: str
    voice_gender: str = pa.Field(isin=["female", "male"])
    synthesizer: str
    recognizer: str
    speech_sha256: str
    sample_rate_hz: int = pa.Field(gt=0)
    duration_s: float = pa.Field(gt=0)
    loudness_lufs: float
    transcript: str
    cer: float = pa.Field(ge=0)
    wer: float = pa.Field(ge=0)
    attempts: pl.List(Attempt)


class Validated(Synthesized):
    released_in: pl.List(pl.String)
    """The datasets that publish this row, such as KVoiceBench."""


class Spoken(Checklisted, InVoices):
    """A query of WildSpeech in one of many voices."""


class Perturbed(Spoken, InNoise):
    """The same in the noise that was drawn for it."""


class SpokenAgain(Normalized, InVoices):
    """A finished item of any SpokenQA subset in one of many voices."""


class PerturbedAgain(SpokenAgain, InNoise):
    """The same in noise."""


_ALL: tuple[type[pa.DataFrameModel], ...] = (Ingested, Corrected, Hypertranslated, Normalized, Synthesized, Validated)
_ALL += (*RECORDED, *QUERIES, Spoken, Perturbed, SpokenAgain, PerturbedAgain, *SPEECH_REPLIES, *ANSWERS)
SCHEMAS: dict[str, type[pa.DataFrameModel]] = {cls.__name__: cls for cls in _ALL}


def columns(name: str) -> dict[str, pl.DataType]:
    """Column name to polars dtype of the schema `name`."""
    return {column: dtype.type for column, dtype in SCHEMAS[name].to_schema().dtypes.items()}


def check(rows: list[Row], name: str, where: str) -> None:
    """Raise UserError, naming the item and the column, unless `rows` satisfy the schema `name`. `where` names the file."""
    expected = columns(name)
    for row in rows:
        if row.keys() != expected.keys():
            missing, extra = expected.keys() - row.keys(), row.keys() - expected.keys()
            what = f"lacks the column {sorted(missing)[0]!r}" if missing else f"has the unknown column {sorted(extra)[0]!r}"
            item = row.get("id", "(without id)")
            raise UserError(f"Item {item} in {where} {what}; a row of {name} has exactly the columns of stages/core/schemas.py.")
    if not rows:
        return
    frame = _frame(rows, expected, where)
    try:
        with only_polars():
            SCHEMAS[name].validate(frame, lazy=True)
    except pa.errors.SchemaErrors as error:
        raise UserError(_first_failure(error.failure_cases, rows, where)) from None


def _frame(rows: list[Row], expected: dict[str, pl.DataType], where: str) -> pl.DataFrame:
    columns = {}
    for column, dtype in expected.items():
        try:
            columns[column] = _series(column, [row[column] for row in rows], dtype)
        except (TypeError, pl.exceptions.PolarsError):
            row = next(row for row in rows if not _fits(row[column], dtype))
            raise UserError(f"Item {row.get('id')} in {where} has {row[column]!r} in column {column!r}, which must be {dtype}.") from None
    return pl.DataFrame(columns)


def _series(column: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    """As the constructor, which makes a series of each list; several times as fast for lists of texts and of objects."""
    inner = dtype.inner if isinstance(dtype, pl.List) else None
    if inner is not None and all(type(value) is list for value in values):
        if inner == pl.String and all(type(item) is str for value in values for item in value):
            return _lists(column, values)
        if isinstance(inner, pl.Struct) and all(type(item) is dict for value in values for item in value):
            return pl.from_dicts([{column: value} for value in values], schema={column: dtype}, strict=True)[column]
    return pl.Series(column, values, dtype=dtype, strict=True)


def _lists(column: str, values: list[list[str]]) -> pl.Series:
    whose = [number for number, value in enumerate(values) for _ in value]
    flat = pl.DataFrame({"row": whose, column: [item for value in values for item in value]}, schema={"row": pl.Int64, column: pl.String})
    rows = pl.DataFrame({"row": range(len(values))}, schema={"row": pl.Int64})
    lists = rows.join(flat.group_by("row").agg(column), on="row", how="left", maintain_order="left")[column]
    return lists.fill_null([]) if lists.null_count() else lists


def _fits(value: Any, dtype: pl.DataType) -> bool:
    try:
        pl.Series([value], dtype=dtype, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return False
    return True


def _first_failure(cases: pl.DataFrame, rows: list[Row], where: str) -> str:
    case = cases.row(0, named=True)
    index = case["index"]
    item = rows[index]["id"] if index is not None and index < len(rows) else "(unknown)"
    also = f" ({len(cases)} failures in all)" if len(cases) > 1 else ""
    if case["check"] == "field_uniqueness":
        return f"Two rows in {where} have the id {item}; ids must be unique{also}."
    return f"Item {item} in {where} has {case['failure_case']!r} in column {case['column']!r}, which fails the check {case['check']}{also}."
