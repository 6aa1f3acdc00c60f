"""The draw: what it takes depends on names and seed alone."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stages.understanding import draw

ITEMS = [f"{kind}{number}" for kind in "abc" for number in range(10 + 5 * "abc".index(kind))]


def _spread(items: list[str], n: int | None, seed: int = 0) -> list[str]:
    return draw.spread(items, group_of=lambda item: item[0], name=str, n=n, seed=seed)


@given(st.permutations(ITEMS))
def test_the_order_of_the_candidates_does_not_matter(items: list[str]) -> None:
    assert draw.ordered(items, str, 3) == draw.ordered(ITEMS, str, 3)
    assert _spread(items, 7) == _spread(ITEMS, 7)


def test_another_seed_or_purpose_is_another_order() -> None:
    orders = {tuple(draw.ordered(ITEMS, str, seed, purpose)) for seed in (0, 1) for purpose in ("", "options")}
    assert len(orders) == 4


def test_groups_take_turns() -> None:
    sizes = [Counter(item[0] for item in _spread(ITEMS, n)) for n in range(31)]
    assert all(max(size.values(), default=0) - min((size[kind] for kind in "abc"), default=0) <= 1 for size in sizes)


def test_a_larger_draw_keeps_what_a_smaller_one_took() -> None:
    assert _spread(ITEMS, 24)[:9] == _spread(ITEMS, 9)
    assert sorted(_spread(ITEMS, None)) == sorted(ITEMS)
