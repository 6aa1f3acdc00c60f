"""IFEval: does the answer keep the constraints of its item, strictly and loosely, by item (prompt) and by constraint (instruction).

Strict is the answer as it is. Loose forgives an opening or closing line and asterisks: a constraint holds if it holds for one of eight variants.
The headline is the mean of strict prompt and strict instruction level; `final4`, the mean of all four, is what VoiceBench prints. The instruction
level pools all constraints of the set; `instruction_by_item` is the mean of the items' own shares, as some tools have it.

An item's value is the mean of its two strict parts, so that items can be paired; the set's value is not the mean of those.
compat: Google's checkers as VoiceBench runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stages.core.statistics import mean
from stages.evaluate.scorers import ifeval_original
from stages.evaluate.scorers.answering import flags, opened, scored
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Mode, Prediction, Scorer

Check = Callable[[str], bool]


def strict(item: Item, answer: str, mode: Mode) -> list[bool]:
    """For each constraint whether the answer keeps it."""
    return [check(answer) for check in _checks(item, mode)]


def loose(item: Item, answer: str, mode: Mode) -> list[bool]:
    """For each constraint whether one of the variants of the answer keeps it."""
    tries = variants(answer)
    return [any(check(one) for one in tries) for check in _checks(item, mode)]


def _checks(item: Item, mode: Mode) -> list[Check]:
    if mode == "compat":
        return [lambda answer, id=id, kwargs=kwargs: ifeval_original.check(id, kwargs, answer, item.prompt) for id, kwargs in item.instructions]  # type: ignore[misc]
    check = opened(item.language).instructions.check
    return [lambda answer, id=id, kwargs=kwargs: check(id, kwargs, answer, item.prompt) for id, kwargs in item.instructions]  # type: ignore[misc]


def variants(answer: str) -> list[str]:
    """The answer; without its first, its last, its first and last line; each also without asterisks. Equal and empty ones once or never."""
    lines = answer.split("\n")
    cut = [answer, "\n".join(lines[1:]).strip(), "\n".join(lines[:-1]).strip(), "\n".join(lines[1:-1]).strip()]
    return [one for one in dict.fromkeys([*cut, *(one.replace("*", "") for one in cut)]) if one.strip()]


def item(item: Item, prediction: Prediction, judgments: Sequence[Judgment], mode: Mode) -> ItemScore:
    seen = flags(item, prediction)
    answer = "" if seen.none else prediction.text or ""
    kept = strict(item, answer, mode)
    # What holds strictly holds loosely: the answer itself is the first variant.
    tries = kept if all(kept) else loose(item, answer, mode)
    n = len(kept)
    parts = {
        "strict_prompt": 100.0 * all(kept),
        "loose_prompt": 100.0 * all(tries),
        "n_instructions": float(n),
        "n_strict": float(sum(kept)),
        "n_loose": float(sum(tries)),
    }
    value = (parts["strict_prompt"] + (100.0 * sum(kept) / n if n else 100.0)) / 2 if answer else 0.0
    return scored(item, value, seen, kept, parts=parts)


def _parts(scores: Sequence[ItemScore], mode: Mode) -> dict[str, float]:
    if not scores:
        return {}
    n = sum(score.parts["n_instructions"] for score in scores)
    parts = {
        "strict_prompt": mean([score.parts["strict_prompt"] for score in scores]) or 0.0,
        "strict_instruction": 100.0 * sum(score.parts["n_strict"] for score in scores) / n if n else 0.0,
        "loose_prompt": mean([score.parts["loose_prompt"] for score in scores]) or 0.0,
        "loose_instruction": 100.0 * sum(score.parts["n_loose"] for score in scores) / n if n else 0.0,
    }
    by_item = mean([100.0 * score.parts["n_strict"] / score.parts["n_instructions"] for score in scores if score.parts["n_instructions"]])
    return parts | {"final4": sum(parts.values()) / 4} | ({} if by_item is None else {"instruction_by_item": by_item})


def _value(scores: Sequence[ItemScore], mode: Mode) -> float | None:
    parts = _parts(scores, mode)
    return (parts["strict_prompt"] + parts["strict_instruction"]) / 2 if parts else None


SCORER = Scorer(
    name="ifeval",
    number=1,
    metric="instruction_accuracy",
    item=item,
    parts=_parts,
    value=_value,
    reads=("answers", "instructions"),
)
