"""Choosing for balance: so many queries of each category, spread evenly over the topics (paper 2506.21875 §2.1.1, §2.3).

Categories with the least to spare choose first. Each choice goes to the topic that has the fewest queries so far, over all
categories, among those that have one to give; within a topic the more telling query comes first (commonness + difficulty),
then the draw of the seed. One candidate more changes little: the draw of a query depends on its id and the seed alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Candidate(NamedTuple):
    id: str
    category: str
    topic: str
    merit: int
    """Commonness + difficulty."""


class Balance(NamedTuple):
    chosen: list[str]
    short: dict[str, int]
    """Category to how many queries its target lacks."""
    topics: dict[str, dict[str, int]]
    """Category to topic to count, of the chosen."""


def draw(id: str, seed: int) -> str:
    """A place in the seed's order that depends on nothing but the id."""
    return hashlib.sha256(f"{seed}:{id}".encode()).hexdigest()


def choose(candidates: Sequence[Candidate], targets: Mapping[str, int], seed: int) -> Balance:
    """The chosen ids in order of id. Categories without a target give none."""
    waiting: dict[str, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(candidates, key=lambda one: (-one.merit, draw(one.id, seed)), reverse=True):
        waiting[one.category][one.topic].append(one)  # the best is the last, to be popped
    available = {category: sum(map(len, topics.values())) for category, topics in waiting.items()}
    over_topics: Counter[str] = Counter()
    chosen: dict[str, list[Candidate]] = {category: [] for category in targets}
    for category in sorted(targets, key=lambda category: (available.get(category, 0) - targets[category], category)):
        topics = waiting.get(category, {})
        while len(chosen[category]) < targets[category] and topics:
            topic = min(topics, key=lambda topic: (over_topics[topic], topic))
            chosen[category].append(topics[topic].pop())
            over_topics[topic] += 1
            if not topics[topic]:
                del topics[topic]
    return Balance(
        sorted(one.id for ones in chosen.values() for one in ones),
        {category: targets[category] - len(ones) for category, ones in sorted(chosen.items()) if len(ones) < targets[category]},
        {category: dict(sorted(Counter(one.topic for one in ones).items())) for category, ones in sorted(chosen.items())},
    )
