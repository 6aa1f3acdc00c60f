"""Short answers with one reference (sd-qa): a judge's yes or no, three samples, the majority of the valid ones.

A tie is no pass and is flagged; without a valid vote the item is left out and counted. Beside it stands whether the answer gives one of the
accepted answers (`match`), which takes the place of the PANDA half: it needs no judge and no fetched classifier. VoiceBench's board shows
the mean of both halves (`board`).

compat: votes are compared as they are, in small letters, and only the majority `yes` passes. Where the original leaves it to the order of a
hash table (a tie), the mean of what it may give is the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stages.core.statistics import mean
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.replies import Vote, fields, read_all, read_vote
from stages.evaluate.scorers.voicebench import panda


def majority(votes: Sequence[bool]) -> bool | None:
    """True or False where more votes say so; None for a tie and for none."""
    right = sum(votes)
    return None if 2 * right == len(votes) else 2 * right > len(votes)


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    match = matched(item, prediction.text or "", mode)
    parts = {"match": 100.0 * match}
    if seen.none and not judgments:
        return scored(item, 0.0, seen, {"votes": [], "match": False}, parts=parts)
    votes, invalid = read_all(item, judgments, read_vote)
    answer = {"votes": votes, "match": match}
    if mode == "compat":
        counts = Counter((one.text or "").strip().lower() for one in judgments)
        top = [text for text, count in counts.items() if count == max(counts.values())]
        if counts:
            return scored(item, 100.0 * ("yes" in top) / len(top), seen, answer, parts=parts)
    if not votes:
        return scored(item, None, seen, answer, parts=parts, judge_failed=True, n_invalid=invalid)
    right = majority(votes)
    return scored(item, 100.0 * bool(right), seen, answer, parts=parts, flagged=right is None, n_invalid=invalid)


def matched(item: Item, answer: str, mode: Mode) -> bool:
    """Whether the answer gives an accepted answer."""
    aliases = list(item.references) or ([item.reference] if item.reference else [])
    if mode == "compat":
        return any(panda(alias, answer) for alias in aliases[:1])
    return opened(item.language).answers.matches(answer, aliases, item.prompt)


def _parts(scores: Sequence[ItemScore], mode: Mode) -> dict[str, float]:
    match = mean([score.parts["match"] for score in scores])
    judge = mean([score.value for score in scores if score.value is not None])
    found = {} if match is None else {"match": match}
    return found | ({"board": (match + judge) / 2} if match is not None and judge is not None else {})


SCORER = Scorer(
    name="reference",
    number=1,
    metric="accuracy",
    item=item,
    judge=Judge("reference", 3, Vote, read_vote, fields),
    parts=_parts,
)
