"""Which questions are asked, with which options, and where the right one stands (paper 2605.27984, section 3.2.1).

A question must be worth nothing to someone who does not listen. So options come from one answer space; within every set of
options that is shown, each option is right equally often (`choose` takes questions in blocks, one for each option of a set);
and the right option stands at each place equally often (`placed`). All of it is a pure function of the candidates and the seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

OptionSet = tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A question that could be asked."""

    key: str
    """Unique, and stable over builds."""
    group: str
    """What it is asked about, a segment; at most one question of a group is taken."""
    answer: str
    option_sets: tuple[OptionSet, ...]
    """The sets that it could be offered with. Each has the answer, and everything else in it is wrong."""


@dataclass(frozen=True)
class Chosen:
    candidate: Candidate
    options: OptionSet


@dataclass(frozen=True)
class Draft:
    """A question whose options are settled, but not their order."""

    key: str
    answer: str
    distractors: tuple[str, ...]


@dataclass(frozen=True)
class Arranged:
    choices: list[str]
    answer_index: int


@cache
def windows(space: OptionSet, answer: str, size: int) -> tuple[OptionSet, ...]:
    """Every run of `size` neighbours in the ordered answer space that has `answer`; none when the space is too small."""
    at = space.index(answer)
    return tuple(space[first : first + size] for first in range(max(0, at - size + 1), min(at, len(space) - size) + 1))


def choose(candidates: Iterable[Candidate], target: int | None, seed: int, tolerance: int = 1) -> list[Chosen]:
    """At most `target` questions (None: all that balance allows), at most one of each group, in order of key.

    Within a set of options the numbers of questions with this or that answer differ by `tolerance` at most. A shortfall is
    not padded. Candidates of scarce answers are taken first, so that a segment is not spent on what any other could give.
    Raises ValueError for a candidate that breaks its promise: two with one key, an answer that is missing in a set or twice.
    """
    pool = _Pool(candidates, seed)
    taken: list[Chosen] = []
    room = target if target is not None else len(pool.candidates)
    for whole in (True, False):
        if not whole and tolerance == 0:
            break
        live = pool.option_sets()
        extra: Counter[OptionSet] = Counter()
        while live and len(taken) < room:
            going = []
            for options in live:
                block = pool.block(options, whole, room - len(taken))
                taken += block
                extra[options] += not whole
                if block and len(taken) < room and (whole or extra[options] < tolerance):
                    going.append(options)
            live = going
    return sorted(taken, key=lambda one: one.candidate.key)


class _Pool:
    """The candidates that are still free, by set of options and answer."""

    def __init__(self, candidates: Iterable[Candidate], seed: int) -> None:
        self.candidates = sorted(candidates, key=lambda one: one.key)
        if len({one.key for one in self.candidates}) < len(self.candidates):
            raise ValueError("two candidates have one key")
        self._used: set[str] = set()
        self._seed = seed
        common = Counter(one.answer for one in self.candidates)
        scarcest: dict[str, int] = {}
        for one in self.candidates:
            scarcest[one.group] = min(common[one.answer], scarcest.get(one.group, common[one.answer]))
        # From the end: first those whose group offers nothing scarcer, then by hash.
        order = {one.key: (scarcest[one.group], digest(seed, one.key)) for one in self.candidates}
        self._free: dict[tuple[OptionSet, str], list[Candidate]] = defaultdict(list)
        for one in sorted(self.candidates, key=lambda one: order[one.key]):
            for options in one.option_sets:
                if options.count(one.answer) != 1 or len(set(options)) < len(options):
                    raise ValueError(f"candidate {one.key} has the answer {one.answer!r} and the options {options}")
                self._free[options, one.answer].append(one)

    def option_sets(self) -> list[OptionSet]:
        """Those with the scarcest answer first."""
        sets = {options for options, _ in self._free}
        return sorted(sets, key=lambda options: (min(self._left(options, answer) for answer in options), digest(self._seed, *options)))

    def _left(self, options: OptionSet, answer: str) -> int:
        return len(self._free.get((options, answer), ()))

    def block(self, options: OptionSet, whole: bool, room: int) -> list[Chosen]:
        """One question for each option of the set; all or none of them when `whole`."""
        found: list[Candidate] = []
        for answer in sorted(options, key=lambda answer: (self._left(options, answer), digest(self._seed, answer, *options))):
            if len(found) == room and not whole:
                break
            one = self._next(options, answer)
            if one is None:
                if whole:
                    for other in found:
                        self._used.discard(other.group)
                        self._free[options, other.answer].append(other)
                    return []
                continue
            self._used.add(one.group)
            found.append(one)
        if whole and len(found) > room:
            for other in found[room:]:
                self._used.discard(other.group)
                self._free[options, other.answer].append(other)
            found = found[:room]
        return [Chosen(one, options) for one in found]

    def _next(self, options: OptionSet, answer: str) -> Candidate | None:
        free = self._free.get((options, answer), [])
        while free:
            one = free.pop()
            if one.group not in self._used:
                return one
        return None


def placed(answers: Mapping[str, tuple[str, OptionSet]], seed: int) -> dict[str, list[str]]:
    """Key to its options in the order in which they are shown; `answers` maps a key to its answer and its options.

    Over all questions with equally many options the right one stands at each place equally often, give or take one, and so it
    does among the questions that share an answer. The wrong ones come in an order drawn for each question.
    """
    by_size: dict[int, list[str]] = defaultdict(list)
    for key, (_, options) in answers.items():
        by_size[len(options)].append(key)
    shown: dict[str, list[str]] = {}
    for size, keys in by_size.items():
        start = int(digest(seed, str(size))[:8], 16)
        for number, key in enumerate(sorted(keys, key=lambda key: (answers[key][0], digest(seed, "place", key)))):
            answer, options = answers[key]
            wrong = sorted((option for option in options if option != answer), key=lambda option: digest(seed, key, option))
            at = (start + number) % size
            shown[key] = [*wrong[:at], answer, *wrong[at:]]
    return shown


def arrange(drafts: Sequence[Draft], seed: int) -> list[Arranged]:
    """The options of each draft in the order in which they are shown, by `placed`; in the drafts' order.

    Raises ValueError, naming the key, for a key that comes twice and for options that are not different and non-empty.
    """
    settled: dict[str, tuple[str, OptionSet]] = {}
    for draft in drafts:
        options = (draft.answer, *draft.distractors)
        trouble = problem(options, draft.answer, len(options)) or ("comes twice" if draft.key in settled else None)
        if trouble:
            raise ValueError(f"question {draft.key} {trouble}")
        settled[draft.key] = (draft.answer, options)
    shown = placed(settled, seed)
    return [Arranged(shown[draft.key], shown[draft.key].index(draft.answer)) for draft in drafts]


def problem(choices: Sequence[str], answer: str, size: int, same: Callable[[str], Hashable] = str.strip) -> str | None:
    """Why `choices` cannot be offered, or None. `same` maps equal answers, however they are written, to one value."""
    if len(choices) != size:
        return f"has {len(choices)} options, needs {size}"
    if any(not choice.strip() for choice in choices):
        return "has an empty option"
    forms: dict[Hashable, str] = {}
    for choice in choices:
        form = same(choice)
        if form in forms:
            return f"has two options that say the same: {forms[form]!r} and {choice!r}"
        forms[form] = choice
    if choices.count(answer) != 1:
        return f"has the answer {answer!r}, which is none of its options"
    return None


def digest(seed: int, *parts: str) -> str:
    """A number between 0 and 2^256 as hex, drawn for `parts`: the same on every machine, and alike for no two."""
    return hashlib.sha256("\x1f".join([str(seed), *parts]).encode()).hexdigest()
