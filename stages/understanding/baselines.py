"""How well one does without hearing: guesses from the texts of the questions alone, with intervals.

Four guessers, none of which hears anything:
chance          any option
majority answer the answer that is right most often in the capability, of those that a question offers
majority place  the place at which the right option stands most often
text            a naive Bayes classifier on the words of question and option and on the option's length and place among the others,
                trained on the other nine tenths of the capability; a proxy for what regularities of the texts give away

To these comes, where questions are written, the model that takes each of them as a test without the recording (`model`). It is scored
on all that it tried, those included that were refused because it was right: on the others it could only be bad.

The first three of all use the answers that they are scored on, so they flatter the guesser: an upper bound. Ties count by their
expectation. A capability is guessable when a guesser's whole 95 % interval (Wilson) lies above chance by more than a margin.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from stages.core import statistics
from stages.core.files import Row
from stages.understanding import draw

FOLDS = 10


@dataclass(frozen=True)
class Score:
    accuracy: float
    low: float
    high: float


def wilson(right: float, n: int) -> Score:
    """Share and its 95 % interval; `right` may be fractional where ties count by expectation."""
    if not n:
        return Score(0.0, 0.0, 1.0)
    return Score(round(right / n, 4), *(round(limit, 4) for limit in statistics.wilson(right / n, n)))


def measure(rows: Sequence[Row], seed: int, margin: float, least: int = 1) -> dict[str, Any]:
    """All guessers on the questions of one capability: n, chance, a score each, and what makes it guessable.

    Fewer than `least` questions are never called guessable: two lucky guesses have an interval above chance, too.
    """
    n = len(rows)
    chance = sum(1 / len(row["choices"]) for row in rows) / n if n else 0.0
    scores = {
        "majority_answer": wilson(_majority_answer(rows), n),
        "majority_place": wilson(_majority_place(rows), n),
        "text": wilson(_text(rows, seed), n),
    }
    guessed = sorted(name for name, score in scores.items() if n >= max(1, least) and score.low > chance + margin)
    return {"n": n, "chance": round(chance, 4), **{name: asdict(score) for name, score in scores.items()}, "guessable": guessed}


def model(rows: Iterable[Row]) -> dict[str, Any] | None:
    """How the guesser did on the questions that it was asked about, by their evidence; None where it was asked about none.

    n counts questions; a question asked in several orders counts by the share of them in which it was answered.
    """
    told = [tried for row in rows if row.get("evidence") and (tried := orjson.loads(row["evidence"]).get("guesses"))]
    return {"n": len(told), **asdict(wilson(sum(tried["right"] / tried["asked"] for tried in told), len(told)))} if told else None


def _expected(rows: Iterable[Row], value: Callable[[Row, int], float]) -> float:
    """Right answers to be expected of one who takes the option of the highest value, any of them where several are equal."""
    right = 0.0
    for row in rows:
        values = [value(row, place) for place in range(len(row["choices"]))]
        best = [place for place, one in enumerate(values) if one >= max(values) - 1e-9]
        right += (row["answer_index"] in best) / len(best)
    return right


def _majority_answer(rows: Sequence[Row]) -> float:
    """An answer that is right only once is no class of answers, and helps nobody."""
    counts = Counter(row["answer"] for row in rows)
    return _expected(rows, lambda row, place: counts[row["choices"][place]] if counts[row["choices"][place]] > 1 else 0)


def _majority_place(rows: Sequence[Row]) -> float:
    counts = Counter(row["answer_index"] for row in rows)
    return _expected(rows, lambda row, place: counts[place])


def _features(row: Row, place: int) -> list[str]:
    option = row["choices"][place]
    sizes = sorted((len(choice), number) for number, choice in enumerate(row["choices"]))
    rank = [number for _, number in sizes].index(place)
    words = sorted(set(re.findall(r"\w+", row["question"])))
    numbers = [int(digits) for digits in re.findall(r"\d+", option)]
    return [
        f"option {option}",
        f"place {place}",
        f"length {rank} of {len(sizes)}",
        f"numbers {len(numbers)}",
        *(f"in {word}" for word in re.findall(r"\w+", option)),
        *(f"{word} then {option}" for word in words),
        f"in question {option in row['question']}",
        f"ends {row['question'].rstrip('?. ’')[-1:]} {option}",
    ]


def _text(rows: Sequence[Row], seed: int) -> float:
    """Right answers of the classifier, each question scored by one that has not seen it."""
    parts: dict[int, list[Row]] = defaultdict(list)
    for number, row in enumerate(draw.ordered(rows, lambda row: row["id"], seed, "folds")):
        parts[number % FOLDS].append(row)
    seen = {(row["id"], place): _features(row, place) for row in rows for place in range(len(row["choices"]))}
    every = _counted(rows, seen)
    wrong = sum(len(row["choices"]) - 1 for row in rows)
    right = 0.0
    for part in parts.values():
        held_out = _counted(part, seen)
        weights = [{feature: count - held_out[kind][feature] for feature, count in every[kind].items()} for kind in (0, 1)]
        totals = [wrong - sum(len(row["choices"]) - 1 for row in part), len(rows) - len(part)]
        right += _expected(part, lambda row, place, weights=weights, totals=totals: _odds(seen[row["id"], place], weights, totals))  # type: ignore[misc]
    return right


def _counted(rows: Iterable[Row], seen: dict[tuple[str, int], list[str]]) -> tuple[Counter[str], Counter[str]]:
    """How often each feature comes with a wrong option, and with a right one."""
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for row in rows:
        for place in range(len(row["choices"])):
            counts[place == row["answer_index"]].update(seen[row["id"], place])
    return counts


def _odds(features: list[str], weights: list[dict[str, int]], totals: list[int]) -> float:
    return sum(
        math.log((weights[1].get(feature, 0) + 0.5) / (totals[1] + 1)) - math.log((weights[0].get(feature, 0) + 0.5) / (totals[0] + 1))
        for feature in features
        if feature in weights[0] or feature in weights[1]
    )
