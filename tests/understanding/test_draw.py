"""The draw: what it takes depends on names and seed alone."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stages.understanding import draw

ITEMS = [f"{kind}{number}" for kind in "abc" for number in range(10 + 5 * "abc".index(kind))]


def _balanced(items: list[str], n: int | None, seed: int = 0) -> list[str]:
    return draw.balanced(items, class_of=lambda item: item[0], name=str, n=n, seed=seed)


@given(st.permutations(ITEMS))
def test_the_order_of_the_candidates_does_not_matter(items: list[str]) -> None:
    assert draw.ordered(items, str, 3) == draw.ordered(ITEMS, str, 3)
    assert _balanced(items, 7) == _balanced(ITEMS, 7)


def test_another_seed_or_purpose_is_another_order() -> None:
    orders = {tuple(draw.ordered(ITEMS, str, seed, purpose)) for seed in (0, 1) for purpose in ("", "options")}
    assert len(orders) == 4


@given(st.integers(0, 60))
def test_classes_are_of_one_size(n: int) -> None:
    taken = _balanced(ITEMS, n)
    sizes = Counter(item[0] for item in taken)
    assert len(taken) == min(n, 30)
    assert max(sizes[kind] for kind in "abc") - min(sizes[kind] for kind in "abc") <= 1


def test_without_a_number_the_rarest_class_decides() -> None:
    assert Counter(item[0] for item in _balanced(ITEMS, None)) == {"a": 10, "b": 10, "c": 10}


def test_a_larger_draw_keeps_what_a_smaller_one_took() -> None:
    assert set(_balanced(ITEMS, 9)) <= set(_balanced(ITEMS, 24))


def test_nothing_comes_of_nothing() -> None:
    assert _balanced([], 5) == []
