"""WildChat's filters: small steps over one batch of conversations, each with a reason for what it removes.

The paper's four come first, in its order: language, toxicity, length, single turn (2506.21875 §2.1.1). Then what the source
also says: moderation flags, marks on single turns, redaction. Then what no voice could say: an empty query, control
characters. A conversation is removed by the first step that objects; every step reports what it got, removed and left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from stages.core.settings import Settings
from stages.core.steps import Steps

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffd]")
"""Control characters other than tab and line ends, what nobody sees (blanks without width, signs of direction), and the mark of a broken encoding."""
SHOWN_CONTROL = 5


class FilterSettings(Settings):
    source_language: str
    """The language wanted, as upstream names it: English, Korean, ..."""
    max_words: int = Field(50, ge=2)
    """A query has fewer words than this. Words are what stands between white space."""
    unmarked: Literal["reject", "keep"] = "reject"
    """What to do with a conversation of which nothing says whether it is toxic (files without moderation columns)."""


@dataclass(frozen=True)
class Part:
    """A batch of conversations, one entry of every array for each. Nothing here is a text of the model's."""

    file: str
    first: int
    """Index of the first conversation over all files."""
    ids: list[str]
    models: list[str | None]
    languages: list[str]
    first_languages: list[str | None]
    """Of the first turn; None where upstream gives none."""
    queries: list[str | None]
    """The first turn, white space at its ends taken off; None where the conversation has no first turn by a user."""
    n_words: np.ndarray
    n_turns: np.ndarray
    """The larger of what upstream says and the number of turns by the user."""
    toxic: np.ndarray
    toxic_turn: np.ndarray
    flagged: np.ndarray
    redacted: np.ndarray
    marked: np.ndarray
    """Whether anything says if it is toxic."""
    moderated: bool
    """Whether the file has moderation results."""


Verdict = tuple[str, str, str]
"""Reason, rule id, detail."""


class Step(NamedTuple):
    reason: str
    removes: Callable[[Part, FilterSettings], np.ndarray]
    detail: Callable[[Part, int], str]


def judge(part: Part, settings: FilterSettings, steps: Steps) -> list[Verdict | None]:
    """For each conversation, why it is removed, or None."""
    import numpy as np

    verdicts: list[Verdict | None] = [None] * len(part.ids)
    left = np.ones(len(part.ids), dtype=bool)
    for step in STEPS:
        removed = step.removes(part, settings) & left
        steps.count(step.reason, int(left.sum()), int(removed.sum()))
        for row in np.flatnonzero(removed):
            verdicts[row] = (step.reason, f"wildchat.{step.reason}", step.detail(part, int(row)))
        left &= ~removed
    report = steps.report
    report["without_moderation"] = report.get("without_moderation", 0) + (0 if part.moderated else len(part.ids))
    return verdicts


def _no_query(part: Part, _: FilterSettings) -> np.ndarray:
    return _mask(query is None for query in part.queries)


def _language(part: Part, settings: FilterSettings) -> np.ndarray:
    wanted = settings.source_language
    return _mask(
        whole != wanted or (first is not None and first != wanted) for whole, first in zip(part.languages, part.first_languages, strict=True)
    )


def _toxic(part: Part, settings: FilterSettings) -> np.ndarray:
    return part.toxic


def _too_long(part: Part, settings: FilterSettings) -> np.ndarray:
    return part.n_words >= settings.max_words


def _unmarked(part: Part, settings: FilterSettings) -> np.ndarray:
    return ~part.marked if settings.unmarked == "reject" else _mask(False for _ in part.ids)


def _control(part: Part, _: FilterSettings) -> np.ndarray:
    return _mask(bool(query and CONTROL.search(query)) for query in part.queries)


def _shown_control(part: Part, row: int) -> str:
    found = sorted({f"U+{ord(sign):04X}" for sign in CONTROL.findall(part.queries[row] or "")})
    return ", ".join(found[:SHOWN_CONTROL])


def _mask(values: Iterator[bool]) -> np.ndarray:
    import numpy as np

    return np.fromiter(values, dtype=bool)


STEPS = (
    Step("language", _language, lambda part, row: " / ".join(dict.fromkeys(filter(None, [part.languages[row], part.first_languages[row]])))),
    Step("toxic", _toxic, lambda part, row: "upstream marks the conversation as toxic"),
    Step("too_long", _too_long, lambda part, row: f"{part.n_words[row]} words"),
    Step("several_turns", lambda part, _: part.n_turns > 1, lambda part, row: f"{part.n_turns[row]} turns"),
    Step("no_query", _no_query, lambda part, row: "the conversation does not begin with a turn of the user"),
    Step("flagged", lambda part, _: part.flagged, lambda part, row: "flagged by the moderation"),
    Step("toxic_turn", lambda part, _: part.toxic_turn, lambda part, row: "a turn is marked as toxic, the conversation is not"),
    Step("unmarked", _unmarked, lambda part, row: "nothing says whether it is toxic"),
    Step("redacted", lambda part, _: part.redacted, lambda part, row: "personal data were taken out"),
    Step("empty", lambda part, _: part.n_words == 0, lambda part, row: "the query is empty"),
    Step("control_characters", _control, _shown_control),
)


def part(batch: pa.RecordBatch, ids: list[str], file: str, first: int) -> Part:
    """The batch as flat arrays. Conversations of the two released forms come out the same."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    conversation = batch.column("conversation")
    begin, turns = _flat(conversation)
    n_parts = np.diff(begin)
    starts = pa.array(np.minimum(begin[:-1], max(len(turns) - 1, 0)), mask=n_parts == 0)
    of_first = {name: _field(turns, name).take(starts) for name in ("content", "role", "language")}
    of_first["content"] = pc.utf8_trim_whitespace(of_first["content"])
    asked = pc.and_kleene(pc.equal(of_first["role"], "user"), pc.is_valid(of_first["content"]))
    queries = pc.if_else(pc.fill_null(asked, False), of_first["content"], None)
    by_user = pc.fill_null(pc.equal(_field(turns, "role"), "user"), False)
    stated = pc.fill_null(batch.column("turn"), 0).to_numpy(zero_copy_only=False)
    toxic, redacted = _own(batch, "toxic"), _own(batch, "redacted")
    flags = _flags(batch)
    known = [pc.is_valid(column).to_numpy(zero_copy_only=False) for column in [toxic, _any(begin, _field(turns, "toxic")), flags]]
    return Part(
        file=file,
        first=first,
        ids=ids,
        models=batch.column("model").to_pylist() if "model" in batch.schema.names else [None] * len(ids),
        languages=[language or "" for language in batch.column("language").to_pylist()],
        first_languages=of_first["language"].to_pylist(),
        queries=queries.to_pylist(),
        n_words=_words(queries),
        n_turns=np.maximum(stated, _sums(begin, by_user)),
        toxic=_true(toxic),
        toxic_turn=_true(_any(begin, _field(turns, "toxic"))),
        flagged=_true(flags),
        redacted=_true(redacted) | _true(_any(begin, _field(turns, "redacted"))),
        marked=np.logical_or.reduce(known),
        moderated="openai_moderation" in batch.schema.names,
    )


def _flat(lists: pa.ListArray) -> tuple[np.ndarray, pa.Array]:
    """Where each list begins (one more entry than lists), and the elements; a null list is empty."""
    import numpy as np
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(lengths)]), lists.flatten()


def _field(turns: pa.StructArray, name: str) -> pa.Array:
    """A field of every turn; nulls where the files do not have it."""
    import pyarrow as pa

    if turns.type.get_field_index(name) < 0:
        return pa.nulls(len(turns), pa.bool_() if name in ("toxic", "redacted") else pa.string())
    found = turns.flatten()[turns.type.get_field_index(name)]
    return found.cast(pa.bool_()) if pa.types.is_null(found.type) else found


def _own(batch: pa.RecordBatch, name: str) -> pa.Array:
    import pyarrow as pa

    return batch.column(name).cast(pa.bool_()) if name in batch.schema.names else pa.nulls(len(batch), pa.bool_())


def _flags(batch: pa.RecordBatch) -> pa.Array:
    """Whether any part of a conversation was flagged; null where no part was moderated."""
    import pyarrow as pa

    if "openai_moderation" not in batch.schema.names:
        return pa.nulls(len(batch), pa.bool_())
    begin, results = _flat(batch.column("openai_moderation"))
    return _any(begin, _field(results, "flagged"))


def _sums(begin: np.ndarray, values: pa.Array) -> np.ndarray:
    import numpy as np

    total = np.concatenate([[0], np.cumsum(values.to_numpy(zero_copy_only=False).astype(np.int64))])
    return total[begin[1:]] - total[begin[:-1]]


def _any(begin: np.ndarray, values: pa.Array) -> pa.Array:
    """Whether any value of each list is true; null where none is known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = _sums(begin, pc.fill_null(values, False)) > 0
    return pa.array(found, mask=_sums(begin, pc.is_valid(values)) == 0)


def _true(column: pa.Array) -> np.ndarray:
    import pyarrow.compute as pc

    return pc.fill_null(column, False).to_numpy(zero_copy_only=False)


def _words(queries: pa.Array) -> np.ndarray:
    import numpy as np
    import pyarrow.compute as pc

    texts = pc.fill_null(queries, "")
    counts = pc.list_value_length(pc.utf8_split_whitespace(texts)).to_numpy(zero_copy_only=False)
    return np.where(pc.equal(texts, "").to_numpy(zero_copy_only=False), 0, counts)
