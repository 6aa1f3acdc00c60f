"""The columns of what models under test answered, and of what their answers are worth. Part of stages.core.schemas."""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

import polars as pl

from stages.core.polars_schemas import pa


class Responded(pa.DataFrameModel):
    """An answer of a model under test."""

    id: str = pa.Field(unique=True)
    """`<language>/<item id>`."""
    item_id: str
    language: str
    benchmarks: pl.List(pl.String)
    config: str
    model: str
    modality: str = pa.Field(isin=["audio", "text", "predictions"])
    response: str
    """As the model gave it, in NFC; empty where it gave an empty answer."""
    heard: str = pa.Field(nullable=True)
    """What a cascade's recognizer made of the question."""
    finish_reason: str
    reply_sha256: str = pa.Field(nullable=True)
    """Of the spoken answer in the shard beside, where there is one."""

    class Config:
        strict = True


Judged = pl.Struct({"sample": pl.Int64, "corrected": pl.Boolean, "text": pl.String, "retried": pl.Boolean})
"""A judge's raw reply; `corrected` where it judged by the corrected key; text null where the judge could not be had; `retried` where an
earlier reply could not be read."""


class Scored(pa.DataFrameModel):
    """What an answer is worth, and everything that the score was made from."""

    id: str = pa.Field(unique=True)
    item_id: str
    language: str
    benchmarks: pl.List(pl.String)
    subset: str
    config: str
    family: str
    task: str
    protocol: str
    version: str
    """Of the scorer."""
    mode: str = pa.Field(isin=["fixed", "compat"])
    item_sha256: str
    """Of the item as it was scored."""
    question: str
    reference: str
    response: str = pa.Field(nullable=True)
    """Null where the model gave no answer."""
    value: float = pa.Field(ge=0, le=100, nullable=True)
    """By the upstream key; null where no judgment was valid."""
    paired_value: float = pa.Field(ge=0, le=100, nullable=True)
    """By the corrected key, for the comparison of languages; the same as `value` where no key was corrected."""
    key_corrected: bool
    answer: str
    """What was read in the response, as JSON."""
    parts: str
    """Further numbers of the item, a JSON object."""
    flags: pl.List(pl.String)
    """Which of missing, empty, unparsed, refused, judge_failed and flagged hold, in this order."""
    n_invalid: int = pa.Field(ge=0)
    cer: float = pa.Field(ge=0, nullable=True)
    """Of the question's own speech."""
    judgments: pl.List(Judged)
    requests: pl.List(pl.String)
    """Store keys behind the judgments, in their order."""
    model: str = pa.Field(nullable=True)
    modality: str = pa.Field(nullable=True)
    heard: str = pa.Field(nullable=True)
    finish_reason: str = pa.Field(nullable=True)

    class Config:
        strict = True


ANSWERS: tuple[type[pa.DataFrameModel], ...] = (Responded, Scored)
