"""WildSpeech: a judge's mark from 1 to 10 on each transcript of a spoken reply, with a checklist; the reply's mark is their mean, times 10.

A reply in another language than the wanted one gets 1 whatever the judge says: by its script and its commonest words, the same on every run.
A transcript without a valid mark is left out; a reply without any is left out of the mean and counted.
compat: the first `Score:` counts, on or off the scale.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.core.statistics import mean
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Mode, Prediction, Scorer
from stages.evaluate.scorers.replies import MarkOfTen, fields, mark_within, read_all

LOW, HIGH, SCALE = 1.0, 10.0, 10.0
TRANSCRIPTS, TRIES = 3, 10
_read = mark_within(LOW, HIGH)
_FIRST_SCORE = re.compile(r"Score: \[?(\d+)")


def in_language(language: str, transcripts: Sequence[str]) -> bool:
    """Whether a reply is in `language`; one without letters is in none but is not held against it."""
    text = " ".join(transcripts[:1])
    follows = opened(language).instructions.check
    return not any(char.isalpha() for char in text) or follows("language:response_language", {"language": language}, text)


def kept_transcripts(outputs: Sequence[str], language: str, mode: Mode = "fixed") -> list[str]:
    """Of the recognitions in order the first three that did not get stuck; the first three as they are where all did."""
    answers = opened(language).answers
    stuck = original_loops if mode == "compat" else lambda text: answers.loops(text) or answers.silence(text)
    good = [one for one in outputs[:TRIES] if not stuck(one)]
    return good[:TRANSCRIPTS] or list(outputs[:TRANSCRIPTS])


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    if seen.none and not judgments:
        return scored(item, SCALE * LOW, seen, LOW, parts={"mark": LOW})
    marks, invalid = read_all(item, judgments, (lambda text, _: original(text)) if mode == "compat" else _read)
    if not marks:
        return scored(item, None, seen, judge_failed=True, n_invalid=invalid)
    mark = sum(marks) / len(marks)
    wrong = not in_language(item.language, prediction.transcripts or (prediction.text or "",))
    mark = LOW if wrong else mark
    return scored(item, SCALE * mark, seen, mark, parts={"mark": mark, "wrong_language": 100.0 * wrong}, n_invalid=invalid)


def original_loops(text: str) -> bool:
    """The same sentence of four characters and more three times in a row, whatever shorter ones stand between."""
    pieces = [piece.strip().lower() for piece in re.split(r"[.!?]", text)]
    pieces = [piece for piece in pieces if len(piece) >= 4]
    return any(pieces[place] == pieces[place + 1] == pieces[place + 2] for place in range(len(pieces) - 2))


def original(reply: str) -> int | None:
    found = _FIRST_SCORE.search(reply)
    return int(found[1]) if found else None


def _parts(scores: Sequence[ItemScore], mode: Mode) -> dict[str, float]:
    marks = mean([score.parts["mark"] for score in scores if "mark" in score.parts])
    wrong = mean([score.parts.get("wrong_language", 0.0) for score in scores])
    return {} if marks is None or wrong is None else {"mark": marks, "wrong_language": wrong}


SCORER = Scorer(
    name="checklist",
    number=1,
    metric="judge_mark",
    item=item,
    judge=Judge("checklist", TRANSCRIPTS, MarkOfTen, _read, fields),
    parts=_parts,
    reads=("answers", "instructions"),
)
