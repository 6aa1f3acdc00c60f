"""The rows of WildSpeech (paper 2506.21875): real queries on their way into a benchmark. Part of stages.core.schemas.

The rules are the same: a stage adds columns and overwrites none. Import this module lazily (it brings pandera and polars).
"""
# mypy: disable-error-code="valid-type"
# No `from __future__ import annotations` here: pandera reads the annotations at class creation.

import polars as pl

from stages.core.polars_schemas import pa

QUERY_CATEGORIES = ["II", "SR", "TC", "OE", "PF"]
"""Information inquiry, solution request, text creation, opinion exchange, paralinguistic-featured (paper 2506.21875 §2.1)."""
PARALINGUISTIC_KINDS = ["pause", "stress", "tone", "stutter", "homophone"]


class Gathered(pa.DataFrameModel):
    """A query of a real conversation that passed the filters on what its source says of it."""

    id: str = pa.Field(unique=True, str_matches=r"^[a-z0-9_-]+-\d{7}$")
    """`<benchmark>-NNNNNNN`, from the index over all rows of the source; it never shifts."""
    subset: str
    source: str
    source_revision: str
    licence: str
    source_file: str
    source_index: int = pa.Field(ge=0)
    conversation_id: str
    source_model: str = pa.Field(nullable=True)
    source_language: str
    query: str = pa.Field(str_length={"min_value": 1})
    """The person's first turn, without white space at its ends."""
    n_words: int = pa.Field(ge=1)

    class Config:
        strict = True


class Queried(pa.DataFrameModel):
    """A query of the benchmark: chosen from real conversations, or made for a paralinguistic trait."""

    id: str = pa.Field(unique=True, str_matches=r"^[a-z0-9_-]+-\d{5,7}$")
    """`<benchmark>-NNNNNNN` from the source, `<benchmark>-pf-NNNNN` for paralinguistic items."""
    subset: str
    origin: str = pa.Field(isin=["wild", "generated", "handwritten"])
    source: str
    source_revision: str
    licence: str
    source_file: str = pa.Field(nullable=True)
    source_index: int = pa.Field(nullable=True)
    conversation_id: str = pa.Field(nullable=True)
    language: str
    """Code of the language it is asked in, such as en."""
    original_query: str
    """As in the source, or as generated."""
    query: str = pa.Field(str_length={"min_value": 1})
    """As asked: the original, or what a reviewer made of it."""
    category: str = pa.Field(isin=QUERY_CATEGORIES)
    topic: str
    commonness: int = pa.Field(nullable=True, ge=1, le=5)
    difficulty: int = pa.Field(nullable=True, ge=1, le=5)
    screening: str
    """What the screening model said; empty for an item that was not screened."""
    kind: str = pa.Field(nullable=True, isin=PARALINGUISTIC_KINDS)
    """Of a paralinguistic item; null for the others."""
    delivery: str
    """The query with marks for how it is said (stages/core/delivery.py); the query itself where nothing is marked."""
    contrast: str = pa.Field(nullable=True)
    """The same words with other marks, or the words that a homophone is taken for; how the item would be misheard."""
    meant: str = pa.Field(nullable=True)
    """What the speaker means, of a paralinguistic item."""
    other: str = pa.Field(nullable=True)
    """What the same words (or near-homophones) would mean otherwise."""
    must_notice: str = pa.Field(nullable=True)
    """What a right answer shows to have been heard."""
    needs_recording: bool
    """No synthesizer can be trusted with it: a person's recording is to be imported."""
    query_requests: pl.List(pl.String)
    """Store keys of the requests that screened, classified or generated it."""
    query_flags: pl.List(pl.String)
    query_decisions: pl.List(pl.String)
    """`reviewer date: verdict`, of every person who judged it."""

    class Config:
        strict = True


class Checklisted(Queried):
    checklist: pl.List(pl.String)
    """What a good answer to this very query does; three general points are added when it is judged."""
    checklist_requests: pl.List(pl.String)
    checklist_flags: pl.List(pl.String)
    checklist_decisions: pl.List(pl.String)


QUERIES: tuple[type[pa.DataFrameModel], ...] = (Gathered, Queried, Checklisted)
