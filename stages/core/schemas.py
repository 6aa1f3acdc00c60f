"""The columns of a row from source to release, checked by pandera at every stage.

Each stage adds columns and never overwrites one, so a row tells its own story: every class below is the one before it
plus what its stage adds. Texts are NFC. A column that can be absent for a row is nullable; a list is empty, never null.
Import this module lazily (it brings pandera and polars).
"""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

from typing import Any

import polars as pl

from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.polars_schemas import only_polars, pa
from stages.core.query_schemas import QUERIES, Checklisted
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


Turn = pl.Struct({"speaker": pl.String, "start_s": pl.Float64, "end_s": pl.Float64, "text": pl.String})
"""What one speaker says without another's word between: times in the recording, words without tags."""

KINDS = ["speech", "silence", "noise", "other_speaker", "private", "unintelligible"]
"""What a stretch of a recording holds. `other_speaker` talks without a transcript; `private` is personal data and never used."""
SEGMENT_KINDS = ["utterance", "speaker", "dialogue"]
CAPABILITIES = ["age", "gender", "number_of_speakers", "word_order", "word_frequency_counting"]
CAPABILITIES += ["fact_extraction", "topic_summary", "role_profession", "general_counting"]
METHODS = ["metadata", "transcript", "generated", "manual"]


class _Recorded(pa.DataFrameModel):
    """What every row from a speech corpus says of its source (paper 2605.27984, section 3.2)."""

    corpus: str
    source: str
    source_revision: str
    licence: str
    recording: str
    """The recording's name in the corpus."""
    start_s: float = pa.Field(ge=0)
    end_s: float = pa.Field(ge=0)
    """In the recording."""


class Utterance(_Recorded):
    """One annotated stretch of a recording, speech or not."""

    id: str = pa.Field(unique=True, str_matches=r"^[a-z0-9_]+-\d{5,}$")
    """`<corpus>-<number>`, made of the names and numbers that the source uses; it never shifts."""
    audio_path: str = pa.Field(nullable=True)
    """Below the folder that `audio_in` names; null when the audio is not there."""
    audio_in: str = pa.Field(isin=["source", "unpacked"], nullable=True)
    audio_sha256: str = pa.Field(nullable=True)
    recording_s: float = pa.Field(gt=0, nullable=True)
    sample_rate_hz: int = pa.Field(gt=0, nullable=True)
    index: int = pa.Field(ge=0)
    """Place in the recording's own list, before sorting by time."""
    kind: str = pa.Field(isin=KINDS)
    speaker: str = pa.Field(nullable=True)
    """Unique in the corpus."""
    gender: str = pa.Field(isin=["female", "male"], nullable=True)
    age_years: int = pa.Field(ge=0, le=120, nullable=True)
    domain: str = pa.Field(nullable=True)
    split: str
    participants: int = pa.Field(ge=0, nullable=True)
    """How many people the source says take part in the recording."""
    text: str
    """As the source has it, in NFC."""
    words: str
    """The spoken words, tags taken out; empty where nothing was said or understood."""
    pronunciation: str = pa.Field(nullable=True)
    translation: str = pa.Field(nullable=True)
    tags: pl.List(pl.String)
    """The tags that were found in the text, in their order."""
    overlaps: bool
    """Whether another utterance overlaps it in time."""
    notes: pl.List(pl.String)
    """Inconsistencies of the source that did not bar the row."""

    class Config:
        strict = True


class Segment(_Recorded):
    """A piece of a recording that a question can be asked about."""

    id: str = pa.Field(unique=True, str_matches=r"^[a-z0-9_]+-[a-z]+-\d{5,}$")
    """`<corpus>-<kind>-<number of its first utterance>`."""
    kind: str = pa.Field(isin=SEGMENT_KINDS)
    uses: pl.List(pl.String)
    """The capabilities whose length limits it keeps."""
    original_dataset: str
    original_sample_id: str
    has_audio: bool
    audio_path: str = pa.Field(nullable=True)
    audio_in: str = pa.Field(isin=["source", "unpacked"], nullable=True)
    duration_s: float = pa.Field(gt=0)
    sample_rate_hz: int = pa.Field(gt=0, nullable=True)
    content_sha256: str = pa.Field(nullable=True)
    """Of the samples as 16-bit mono, hence the same whatever the container."""
    transcript: str = pa.Field(str_length={"min_value": 1})
    """The words of all turns, one line a turn."""
    turns: pl.List(Turn)
    speakers: pl.List(pl.String)
    participants: int = pa.Field(ge=0, nullable=True)
    gender: str = pa.Field(isin=["female", "male"], nullable=True)
    age_years: int = pa.Field(ge=0, le=120, nullable=True)
    domain: str = pa.Field(nullable=True)
    split: str
    utterances: pl.List(pl.String)
    tags: pl.List(pl.String)

    class Config:
        strict = True


class Question(_Recorded):
    """A multiple-choice question about a segment."""

    id: str = pa.Field(unique=True, str_matches=r"^[a-z_]+-\d{4,}$")
    """`<capability>-NNNN`."""
    capability: str = pa.Field(isin=CAPABILITIES)
    method: str = pa.Field(isin=METHODS)
    question: str = pa.Field(str_length={"min_value": 1})
    """Without the options."""
    choices: pl.List(pl.String)
    answer: str = pa.Field(str_length={"min_value": 1})
    """The text of the right option."""
    answer_index: int = pa.Field(ge=0)
    segment: str
    """Id of the segment, whose audio lies in data/segments/<corpus>."""
    original_dataset: str
    original_sample_id: str
    has_audio: bool
    duration_s: float = pa.Field(gt=0)
    content_sha256: str = pa.Field(nullable=True)
    transcript: str
    evidence: str
    """A JSON object: what the answer was derived from."""
    rule_ids: pl.List(pl.String)
    requests: pl.List(pl.String)
    """Store keys of the model requests behind it."""
    decisions: pl.List(pl.String)
    """Ids of the human verdicts behind it."""

    class Config:
        strict = True


class Understood(Question):
    """A question that passed the last gate, in its released form."""

    shown: str = pa.Field(str_length={"min_value": 1})
    """Question and options as released."""
    released_in: pl.List(pl.String)
    audio_sha256: str
    """Of the encoded clip in data/segments/<corpus>."""
    sample_rate_hz: int = pa.Field(gt=0)

    class Config:
        strict = True


class Spoken(Checklisted, InVoices):
    """A query of WildSpeech in one of many voices."""


class Perturbed(Spoken, InNoise):
    """The same in the noise that was drawn for it."""


class SpokenAgain(Normalized, InVoices):
    """A finished item of any SpokenQA subset in one of many voices."""


class PerturbedAgain(SpokenAgain, InNoise):
    """The same in noise."""


_ALL: tuple[type[pa.DataFrameModel], ...] = (Ingested, Corrected, Hypertranslated, Normalized, Synthesized, Validated)
_ALL += (Utterance, Segment, Question, Understood, *QUERIES, Spoken, Perturbed, SpokenAgain, PerturbedAgain, *SPEECH_REPLIES)
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


from stages.core import answers  # noqa: E402

SCHEMAS.update(answers.SCHEMAS)
