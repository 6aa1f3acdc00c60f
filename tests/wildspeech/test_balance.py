"""Balancing categories and topics."""

from __future__ import annotations

import random
from collections import Counter

from stages.wildspeech.balance import Candidate, choose


def many(n: int, seed: int = 0) -> list[Candidate]:
    rng = random.Random(seed)
    topics = ["Arts"] * 8 + ["Science"] * 3 + ["Food"] * 2 + ["Law"]
    return [Candidate(f"w-{place:07d}", rng.choice(["II", "SR", "TC", "OE"]), rng.choice(topics), rng.randint(5, 10)) for place in range(n)]


def test_targets_are_met_exactly_and_topics_are_even_where_there_are_enough() -> None:
    found = choose(many(2_000), {"II": 40, "SR": 36, "TC": 20, "OE": 4}, seed=1)
    assert {category: sum(topics.values()) for category, topics in found.topics.items()} == {"II": 40, "SR": 36, "TC": 20, "OE": 4}
    over_topics = sum((Counter(topics) for topics in found.topics.values()), Counter())
    assert max(over_topics.values()) - min(over_topics.values()) <= 1
    assert found.short == {}
    assert found.chosen == sorted(set(found.chosen))


def test_a_shortage_is_told_and_takes_all_there_are() -> None:
    candidates = [Candidate(f"w-{place}", "OE", "Arts", 5) for place in range(3)]
    found = choose(candidates, {"OE": 5, "II": 2}, seed=1)
    assert (found.chosen, found.short) == (["w-0", "w-1", "w-2"], {"II": 2, "OE": 2})


def test_the_more_telling_query_comes_first() -> None:
    candidates = [Candidate("a", "II", "Arts", 6), Candidate("b", "II", "Arts", 9), Candidate("c", "II", "Arts", 7)]
    assert choose(candidates, {"II": 1}, seed=3).chosen == ["b"]


def test_the_choice_depends_on_the_seed_and_not_on_the_order() -> None:
    candidates = many(300)
    shuffled = random.Random(5).sample(candidates, len(candidates))
    targets = {"II": 10, "SR": 10}
    assert choose(candidates, targets, 1) == choose(shuffled, targets, 1)
    assert choose(candidates, targets, 1).chosen != choose(candidates, targets, 2).chosen


def test_a_query_that_is_taken_out_changes_few_others() -> None:
    """So that a reviewer's rejection does not turn the rest of the benchmark over."""
    candidates = many(600)
    targets = {"II": 30, "SR": 30, "TC": 20, "OE": 10}
    before = choose(candidates, targets, 1).chosen
    after = choose([one for one in candidates if one.id != before[7]], targets, 1).chosen
    assert len(set(before) - set(after)) <= 5
