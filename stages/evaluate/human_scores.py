"""Marks that people gave to spoken replies, and how the judge's go with them.

A CSV with the columns talker, id, annotator, score (1 to 10), one line a judgment. Paper 2506.21875, appendix B: four annotators, whose marks two
others checked. Agreement is shown for every model and over all models, item by item; over models, mean by mean; between the people themselves;
and for the paper's ablations.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

from stages.core.errors import UserError
from stages.core.files import Row, read_table
from stages.evaluate.spoken_statistics import correlate

_COLUMNS = ("talker", "id", "annotator", "score")
LOW, HIGH = 1.0, 10.0
COLUMNS_COMPARED = {
    "checklist, three transcripts": "mark",
    "checklist, one transcript": "mark_of_one",
    "no checklist, one transcript": "mark_without_checklist",
}
"""What is compared with people: the protocol and the paper's ablations, by column of the rows."""

Scores = dict[tuple[str, str], dict[str, float]]
"""(talker, query id) -> annotator -> score."""


def read(path: Path, known: set[tuple[str, str]]) -> Scores:
    """Raises UserError, naming the line, for a reply that is not among `known`, a mark off the scale, and no annotator or the same twice."""
    found: Scores = defaultdict(dict)
    lines = read_table(path, _COLUMNS, "people's marks")
    if not lines:
        raise UserError(f"{path} holds no mark; add some, or leave spoken.human_scores out.")
    for number, line in lines:
        where = f"{path} line {number}"
        reply = line["talker"], line["id"]
        if reply not in known:
            raise UserError(f"{where} marks the reply of {reply[0]!r} to {reply[1]!r}, which was not judged here; correct it, or take the line out.")
        score = float(line["score"]) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", line["score"], re.ASCII) else 0.0
        if not LOW <= score <= HIGH:
            raise UserError(f"{where} has the score {line['score']!r}; it must be a number from {LOW:g} to {HIGH:g}.")
        if not line["annotator"]:
            raise UserError(f"{where} names no annotator; give every person a name of its own, such as a number.")
        if line["annotator"] in found[reply]:
            raise UserError(f"{where} is a second score of {line['annotator']!r} for the same reply; keep one.")
        found[reply][line["annotator"]] = score
    return dict(found)


def agreement(rows: Mapping[str, Sequence[Row]], scores: Scores) -> dict[str, Any]:
    """Correlations of the judge with people, of people with each other, and of the ablations. `rows`: talker to its marked rows."""
    by_reply = {(talker, row["id"]): row for talker, of_talker in rows.items() for row in of_talker}
    people = {reply: sum(of_reply.values()) / len(of_reply) for reply, of_reply in scores.items()}
    told: dict[str, Any] = {
        "n_replies": len(people),
        "annotators": sorted({name for of_reply in scores.values() for name in of_reply}),
        "between_people": _between(scores),
    }
    for name, column in COLUMNS_COMPARED.items():
        pairs = {reply: (by_reply[reply][column], mark) for reply, mark in people.items() if by_reply[reply][column] is not None}
        per_talker = {talker: [pair for reply, pair in pairs.items() if reply[0] == talker] for talker in rows}
        means = [(_mean(a for a, _ in of), _mean(b for _, b in of)) for of in per_talker.values() if of]
        told[name] = {
            "per_item": asdict(correlate(list(pairs.values()))),
            "per_item_of_talker": {talker: asdict(correlate(of)) for talker, of in per_talker.items() if of},
            "per_talker": asdict(correlate(means)),
        }
    return told


def _between(scores: Scores) -> dict[str, Any]:
    """Every two annotators on the replies that both marked."""
    names = sorted({name for of_reply in scores.values() for name in of_reply})
    found = {}
    for first, second in combinations(names, 2):
        pairs = [(of_reply[first], of_reply[second]) for of_reply in scores.values() if first in of_reply and second in of_reply]
        if pairs:
            found[f"{first} and {second}"] = asdict(correlate(pairs))
    return found


def _mean(values: Any) -> float:
    kept = list(values)
    return sum(kept) / len(kept)
