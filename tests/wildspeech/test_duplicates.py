"""Queries that were asked before."""

from __future__ import annotations

import random

import pytest

from stages.wildspeech.duplicates import DuplicateSettings, Seen, bare, jaccard, trigrams


def sift(queries: list[str], **settings: float) -> list[tuple[str, int] | None]:
    """For each query None when it is kept, else the step and the number of the kept one."""
    kept: list[str] = []
    seen = Seen(DuplicateSettings.model_validate(settings), kept.__getitem__)
    found: list[tuple[str, int] | None] = []
    for query in queries:
        twin = seen.same(query) or seen.near(query)
        found.append((twin.step, twin.number) if twin else None)
        if twin is not None:
            seen.repeat(query, twin)
        else:
            seen.keep(query, len(kept))
            kept.append(query)
    return found


def test_the_three_steps_in_their_order() -> None:
    queries = [
        "Why do cats purr?",
        "Why do cats purr?",
        "  why do CATS purr!!".strip(),
        "Why do cats purr so much?",
        "Why do dogs bark at night?",
    ]
    assert sift(queries) == [None, ("same_text", 0), ("same_words", 0), ("near_duplicate", 0), None]


def test_a_repetition_of_what_went_is_counted_as_a_repetition() -> None:
    assert sift(["Why do cats purr?", "Why do cats purr so much?", "Why do cats purr so much?"])[1:] == [("near_duplicate", 0), ("same_text", 0)]


def test_punctuation_inside_words_does_not_hide_a_repetition() -> None:
    assert sift(["What muscles do push-ups work?", "What muscles do pushups work?"])[1] == ("near_duplicate", 0)


def test_korean_is_compared_as_well() -> None:
    assert sift(["비 오는 날은 왜 파전이 먹고 싶을까?", "비 오는 날은 왜 파전이 먹고 싶어질까?", "제주도 3박 4일 일정 짜 줘"]) == [
        None,
        ("near_duplicate", 0),
        None,
    ]


def test_a_twin_is_the_most_similar_of_the_kept() -> None:
    queries = ["How do I change a flat bicycle tire today?", "How do I change a car battery today?", "How do I change a flat bike tire today?"]
    assert sift(queries, min_similarity=0.5)[2] == ("near_duplicate", 0)


def _brute(queries: list[str], least: float) -> list[bool]:
    kept: list[set[str]] = []
    repeated = []
    for query in queries:
        own = trigrams(bare(query))
        again = any(jaccard(own, other) >= least for other in kept)
        repeated.append(again)
        if not again:
            kept.append(own)
    return repeated


@pytest.mark.parametrize("seed", [1, 2])
def test_the_sketch_finds_what_comparing_every_pair_finds(seed: int) -> None:
    """But for pairs at the very edge: fewer than one in a hundred may be missed."""
    rng = random.Random(seed)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("", "lo", "ra", "nt", "ck")]
    bases = [[rng.choice(words) for _ in range(rng.randint(4, 12))] for _ in range(120)]
    queries = [" ".join(rng.choice(words) if rng.random() < 0.2 else word for word in rng.choice(bases)) for _ in range(900)]
    found = [twin is not None for twin in sift(queries)]
    expected = _brute(queries, DuplicateSettings().min_similarity)
    assert sum(expected) > 200
    assert sum(one != other for one, other in zip(found, expected, strict=True)) <= 9


def test_the_same_queries_give_the_same_verdicts() -> None:
    queries = [f"why is number {place % 7} odd or even" for place in range(40)]
    assert sift(queries) == sift(queries)


def test_the_index_of_bands_finds_what_a_dictionary_finds() -> None:
    """Across the merging of its arrays."""
    import numpy as np

    from stages.wildspeech import bands

    rng = np.random.default_rng(4)
    index, plain = bands.Bands(16), dict[int, list[int]]()
    for number in range(3 * bands.WAITING + 100):
        keys = index.keys(rng.integers(0, 40, 32, dtype=np.uint32))
        if number % 61 == 0:
            assert index.sharing(keys) == sorted({one for key in keys.tolist() for one in plain.get(key, ())})
        index.add(number, keys)
        for key in keys.tolist():
            plain.setdefault(key, []).append(number)
    assert len(plain) < 16 * 1600  # the keys repeat, so that there was something to be found
