"""The rows of KMMAU (paper 2605.27984, section 3.2): recordings of speech corpora, cut and asked about. Part of stages.core.schemas.

The rules are the same: a stage adds columns and overwrites none. Import this module lazily (it brings pandera and polars).
"""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

import polars as pl

from stages.core.polars_schemas import pa

Turn = pl.Struct({"speaker": pl.String, "start_s": pl.Float64, "end_s": pl.Float64, "text": pl.String})
"""What one speaker says without another's word between: times in the recording, words without tags."""

KINDS = ["speech", "silence", "noise", "other_speaker", "private", "unintelligible"]
"""What a stretch of a recording holds. `other_speaker` talks without a transcript; `private` is personal data and never used."""
SEGMENT_KINDS = ["utterance", "speaker", "dialogue"]
CAPABILITIES = ["age", "gender", "number_of_speakers", "word_order", "word_frequency_counting"]
CAPABILITIES += ["fact_extraction", "topic_summary", "role_profession", "general_counting"]
METHODS = ["metadata", "transcript", "generated", "manual"]


class _Recorded(pa.DataFrameModel):
    """What every row from a speech corpus says of its source."""

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


RECORDED: tuple[type[pa.DataFrameModel], ...] = (Utterance, Segment, Question, Understood)
