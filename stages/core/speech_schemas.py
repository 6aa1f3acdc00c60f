"""Columns that speech in many voices and noise add to a row, whatever the row is. Part of stages.core.schemas."""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

import polars as pl

from stages.core.polars_schemas import pa

HeardMark = pl.Struct({"kind": pl.String, "start_s": pl.Float64, "end_s": pl.Float64, "wanted": pl.String, "measured": pl.String, "ok": pl.Boolean})
"""A mark of delivery in the audio: where it lies, what was wanted and what was measured there."""
CONDITIONS = ["clean", "human_noise", "natural_noise"]
"""As the release of WildSpeech-Bench names them (`modification_type`); clean is any other name there."""


class InVoices(pa.DataFrameModel):
    said: str = pa.Field(str_length={"min_value": 1})
    """The words as they were given to the voice."""
    voice: str
    """Name of the voice profile, or of the speaker of an imported recording."""
    voice_gender: str = pa.Field(isin=["female", "male"])
    voice_age: str = pa.Field(nullable=True)
    voice_age_basis: str = pa.Field(nullable=True)
    """What the age rests on: `recorded` for a speaker of known age, else what was done to the voice."""
    speech_origin: str = pa.Field(isin=["synthesized", "recorded"])
    speech_licence: str = pa.Field(nullable=True)
    """Of an imported recording."""
    synthesizer: str = pa.Field(nullable=True)
    recognizer: str
    speech_sha256: str
    """Of the clean clip, which stays below data/speak/."""
    sample_rate_hz: int = pa.Field(gt=0)
    duration_s: float = pa.Field(gt=0)
    loudness_lufs: float
    transcript: str
    cer: float = pa.Field(ge=0)
    speech_marks: pl.List(HeardMark)
    speech_flags: pl.List(pl.String)
    """What a person should know: a tone that no voice here has, a mark that the audio does not carry, a mispronounced near-homophone."""
    n_takes: int = pa.Field(ge=0)


class InNoise(pa.DataFrameModel):
    condition: str = pa.Field(isin=CONDITIONS)
    noise_family: str = pa.Field(nullable=True)
    noise_kind: str = pa.Field(nullable=True)
    noise_file: str = pa.Field(nullable=True)
    noise_sha256: str = pa.Field(nullable=True)
    noise_source: str = pa.Field(nullable=True)
    noise_author: str = pa.Field(nullable=True)
    noise_licence: str = pa.Field(nullable=True)
    noise_start_s: float = pa.Field(nullable=True)
    snr_db: float = pa.Field(nullable=True)
    """Declared; over the parts where somebody speaks."""
    snr_measured_db: float = pa.Field(nullable=True)
    """Measured on the 16-bit clip that is kept, against the clean one."""
    mix_gain_db: float = pa.Field(nullable=True)
    """What the mixture was turned down by so that nothing clips."""
    room: str = pa.Field(nullable=True)
    """Room response, as a JSON object."""
    perturbed_sha256: str
    """Of the clip with noise, below data/perturb/; of the clean clip where nothing was added."""
    noisy_transcript: str
    noisy_cer: float = pa.Field(ge=0)


HeardReading = pl.Struct({"lead_s": pl.Float64, "tempo": pl.Float64, "text": pl.String, "verdict": pl.String})
"""One recognition of a reply: what was done to the clip, what was heard, and `kept`, `loop`, `silence` or `spare`."""
REPLIES = ["spoken", "silent", "missing", "unheard"]
"""A reply of which something is heard; one without speech; none at all; one whose recognitions were all refused."""


class Transcribed(pa.DataFrameModel):
    """What a model answered in speech to one query, and how it was understood."""

    id: str = pa.Field(unique=True)
    """Of the query."""
    talker: str
    benchmark: str
    query: str
    language: str
    category: str
    topic: str
    kind: str = pa.Field(nullable=True)
    condition: str
    noise_family: str = pa.Field(nullable=True)
    snr_db: float = pa.Field(nullable=True)
    voice_gender: str
    voice_age: str = pa.Field(nullable=True)
    must_notice: str = pa.Field(nullable=True)
    checklist: pl.List(pl.String)
    reply: str = pa.Field(isin=REPLIES)
    reply_text: str = pa.Field(nullable=True)
    """The model's own text, where it gave one; never judged."""
    reply_sha256: str = pa.Field(nullable=True)
    reply_s: float = pa.Field(ge=0)
    speech_s: float = pa.Field(ge=0)
    """Of which somebody speaks, by voice activity detection."""
    transcripts: pl.List(pl.String)
    """The recognitions that are judged, in order."""
    readings: pl.List(HeardReading)
    recognizer: str
    quality: str
    """Scores of the speech quality predictor, as a JSON object; empty object where it was not asked."""
    quality_by: str = pa.Field(nullable=True)

    class Config:
        strict = True


Marks = pl.Struct({"transcript": pl.Int64, "mark": pl.Float64, "request": pl.String})
"""A judge's mark on one transcript (null: unreadable) and the store key of the request."""


class Marked(Transcribed):
    mark: float = pa.Field(nullable=True, ge=1, le=10)
    """Mean over the transcripts; 1 for no reply and for a reply in another language; null where no judgment could be read."""
    marks: pl.List(Marks)
    marks_without_checklist: pl.List(Marks)
    """The ablation, where it was asked for."""
    mark_without_checklist: float = pa.Field(nullable=True)
    mark_of_one: float = pa.Field(nullable=True)
    """By the first transcript alone: the other ablation."""
    wrong_language: bool
    words: int = pa.Field(ge=0)
    """Of the first transcript, for the length bias."""
    scorer: str
    judge: str
    """The model that judged."""


SPEECH_REPLIES: tuple[type[pa.DataFrameModel], ...] = (Transcribed, Marked)
