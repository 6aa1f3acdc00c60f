"""Options: unique, balanced in set and place, the same for the same seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stages.understanding.options import Candidate, Draft, arrange, choose, placed, problem, windows

SPACE = tuple("123456")


def _candidates(counts: dict[str, int], size: int = 4) -> list[Candidate]:
    return [Candidate(f"{a}-{n:03d}", f"{a}-{n:03d}", a, windows(SPACE, a, size)) for a, many in counts.items() for n in range(many)]


def test_windows_are_neighbours_with_the_answer() -> None:
    assert windows(SPACE, "1", 4) == (tuple("1234"),)
    assert windows(SPACE, "3", 4) == (tuple("1234"), tuple("2345"), tuple("3456"))
    assert windows(SPACE, "6", 4) == (tuple("3456"),)
    assert windows("ab", "a", 3) == ()


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_whoever_sees_only_the_options_does_no_better_than_chance(seed: int) -> None:
    """However skewed the answers are, the best guess for every set of options is right once in four."""
    chosen = choose(_candidates({"1": 400, "2": 90, "3": 40, "4": 30, "5": 11, "6": 2}), None, seed, tolerance=0)
    by_set: dict[tuple[str, ...], Counter[str]] = {}
    for one in chosen:
        by_set.setdefault(one.options, Counter())[one.candidate.answer] += 1
    assert len(by_set) == 3
    for options, right in by_set.items():
        assert set(right) == set(options)
        assert len(set(right.values())) == 1


def test_the_tolerance_is_the_largest_difference_within_a_set() -> None:
    for tolerance in (0, 1, 3):
        chosen = choose(_candidates({"1": 50, "2": 9, "3": 5, "4": 2}), None, 0, tolerance)
        assert sum(one.candidate.answer == "4" for one in chosen) == 2
        for options in {one.options for one in chosen}:
            right = Counter(one.candidate.answer for one in chosen if one.options == options)
            assert max(right.values()) - min(right[answer] for answer in options) <= tolerance


def test_no_group_is_asked_about_twice_and_the_scarce_answer_gets_it() -> None:
    """Each of ten segments could give the answer 1 as well; only two others can give nothing else."""
    rich = [Candidate(f"s{n}#{a}", f"s{n}", a, (tuple("1234"),)) for n in range(10) for a in "1234"[: 2 + n % 3]]
    poor = [Candidate(f"p{n}#1", f"p{n}", "1", (tuple("1234"),)) for n in range(2)]
    chosen = choose([*rich, *poor], None, 3, tolerance=0)
    groups = [one.candidate.group for one in chosen]
    assert len(groups) == len(set(groups))
    assert Counter(one.candidate.answer for one in chosen) == {"1": 3, "2": 3, "3": 3, "4": 3} or len(chosen) == 8
    assert {"p0", "p1"} <= set(groups)


@pytest.mark.parametrize("target", [0, 1, 4, 7, 30])
def test_the_target_is_never_exceeded_and_a_shortfall_is_not_padded(target: int) -> None:
    candidates = _candidates({"1": 5, "2": 5, "3": 5, "4": 5})
    assert len(choose(candidates, target, 0)) == min(target, 20)
    assert len(choose([], 5, 0)) == 0


def test_the_order_of_the_candidates_does_not_matter_and_the_seed_does() -> None:
    candidates = _candidates({"1": 60, "2": 30, "3": 20, "4": 20, "5": 9})
    shuffled = candidates[:]
    random.Random(5).shuffle(shuffled)
    assert choose(candidates, 24, 1) == choose(shuffled, 24, 1)
    assert choose(candidates, 24, 1) != choose(candidates, 24, 2)


def test_the_right_option_stands_at_each_place_equally_often_also_within_an_answer() -> None:
    answers = {f"q{n}": (a, tuple("1234")) for n, a in enumerate("1234" * 25)}
    shown = placed(answers, 0)
    places = Counter(shown[key].index(a) for key, (a, _) in answers.items())
    assert set(places.values()) == {25}
    for wanted in "1234":
        within = Counter(shown[key].index(a) for key, (a, _) in answers.items() if a == wanted)
        assert max(within.values()) - min(within.values()) <= 1
    assert all(sorted(options) == list("1234") for options in shown.values())
    assert len({tuple(options) for options in shown.values()}) > 12


def test_questions_of_different_sizes_are_balanced_apart() -> None:
    drafts = [Draft(f"a{n}", "x", ("y",)) for n in range(10)] + [Draft(f"b{n}", "x", ("y", "z")) for n in range(9)]
    arranged = arrange(drafts, 0)
    assert Counter(one.answer_index for one in arranged[:10]) == {0: 5, 1: 5}
    assert Counter(one.answer_index for one in arranged[10:]) == {0: 3, 1: 3, 2: 3}
    assert all(one.choices[one.answer_index] == "x" for one in arranged)


@pytest.mark.parametrize(
    ("choices", "answer", "says"),
    [
        (["a", "b"], "a", "has 2 options, needs 3"),
        (["a", "b", " "], "a", "has an empty option"),
        (["a", "b", "a "], "b", "two options that say the same: 'a' and 'a '"),
        (["a", "b", "c"], "d", "none of its options"),
        (["a", "b", "c"], "c", None),
    ],
)
def test_unfit_options_are_named(choices: list[str], answer: str, says: str | None) -> None:
    found = problem(choices, answer, 3)
    assert (found is None) if says is None else says in str(found)


def test_a_draft_that_breaks_its_promise_is_named() -> None:
    with pytest.raises(ValueError, match="question q1 has two options that say the same"):
        arrange([Draft("q1", "x", ("y", "x"))], 0)
    with pytest.raises(ValueError, match="question q1 comes twice"):
        arrange([Draft("q1", "x", ("y",)), Draft("q1", "x", ("z",))], 0)
    with pytest.raises(ValueError, match="two candidates have one key"):
        choose([Candidate("k", "g", "a", (("a", "b"),))] * 2, None, 0)
    with pytest.raises(ValueError, match="has the answer 'c'"):
        choose([Candidate("k", "g", "c", (("a", "b"),))], None, 0)
