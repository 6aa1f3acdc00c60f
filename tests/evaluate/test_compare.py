from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.evaluate import compare


def _row(id: str, language: str, value: float | None, paired: float | None = None, family: str = "binary") -> dict[str, Any]:
    paired = value if paired is None else paired
    return {"id": f"{language}/{id}", "item_id": id, "language": language, "value": value, "paired_value": paired, "family": family, "subset": family}


def test_only_items_that_both_languages_share_are_compared() -> None:
    rows = [_row("a-1", "en", 100), _row("a-1", "ko", 0), _row("a-2", "en", 100), _row("a-3", "ko", 100)]
    rows += [_row("a-4", "en", None), _row("a-4", "ko", 0)]
    (pair,) = compare.pairs(rows, "en", "ko")
    assert (pair.item_id, pair.source, pair.target) == ("a-1", 100, 0)


def test_the_source_counts_by_its_corrected_key() -> None:
    rows = [_row("a-1", "en", 0, paired=100), _row("a-1", "ko", 100)]
    assert compare.gaps(compare.pairs(rows, "en", "ko"))["all"].difference == 0


def test_a_gap_is_that_of_the_pairs_and_not_of_the_sets() -> None:
    rows = [_row(f"a-{n}", "en", 100) for n in range(10)] + [_row(f"a-{n}", "ko", 100 if n % 2 else 0) for n in range(8)]
    gap = compare.gaps(compare.pairs(rows, "en", "ko"))["binary"]
    assert (gap.n, gap.source, gap.target, gap.difference) == (8, 100, 50, -50)
    assert gap.interval is not None
    assert gap.interval[0] < -50 < gap.interval[1] <= 0


def test_few_pairs_are_tested_exactly() -> None:
    differences = np.array([20.0, -20.0, 60.0, 0.0, 40.0])
    sizes = [20, 20, 60, 40]
    sums = [abs(sum(size * sign for size, sign in zip(sizes, signs, strict=True))) for signs in itertools.product((1, -1), repeat=4)]
    assert compare.sign_flip_p(differences) == pytest.approx(sum(one >= 100 for one in sums) / 16)
    assert compare.sign_flip_p(np.zeros(5)) == 1.0


def test_many_pairs_agree_with_the_normal_approximation() -> None:
    from scipy.stats import norm

    random = np.random.default_rng(1)
    differences = random.choice([-100.0, 0.0, 100.0], size=400, p=[0.14, 0.76, 0.1])
    z = differences.sum() / np.sqrt((differences**2).sum())
    assert compare.sign_flip_p(differences) == pytest.approx(2 * norm.sf(abs(z)), abs=0.02)


def test_holm_by_hand() -> None:
    assert compare.holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})


def test_ranks_need_three_models() -> None:
    assert compare.ranks({"a": 1, "b": 2}, {"a": 1, "b": 2}) is None
    same = compare.ranks({"a": 1, "b": 2, "c": 3}, {"a": 10, "b": 20, "c": 30})
    turned = compare.ranks({"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 1})
    assert same is not None
    assert turned is not None
    assert (same.kendall_tau, turned.kendall_tau, turned.spearman_rho) == pytest.approx((1, -1, -1))


def _scored(version: str = "1.a", mode: str = "fixed") -> list[dict[str, Any]]:
    return [{"protocol": "bbh", "version": version, "mode": mode}]


def test_runs_scored_alike_may_be_compared() -> None:
    judge = {"model": "m", "prompts": {"en/open": "1"}}
    runs = {"one": compare.about(_scored(), judge), "two": compare.about(_scored(), judge)}
    compare.require_same(runs, [])


@pytest.mark.parametrize(
    ("rows", "judge", "told"),
    [
        (_scored("2.b"), {"model": "m", "prompts": {"en/open": "1"}}, "scorer bbh differs: 1.a (one); 2.b (two)"),
        (_scored(mode="compat"), {"model": "m", "prompts": {"en/open": "1"}}, "mode differs: compat (two); fixed (one)"),
        (_scored(), {"model": "other", "prompts": {"en/open": "1"}}, "judge model differs: m (one); other (two)"),
        (_scored(), {"model": "m", "prompts": {"en/open": "2"}}, "judge prompt en/open differs: 1 (one); 2 (two)"),
        (_scored(), None, "judge model differs: None (two); m (one)"),
    ],
)
def test_runs_scored_otherwise_are_refused_with_the_reason(rows: list[dict[str, Any]], judge: Any, told: str) -> None:
    runs = {"one": compare.about(_scored(), {"model": "m", "prompts": {"en/open": "1"}}), "two": compare.about(rows, judge)}
    with pytest.raises(UserError) as error:
        compare.require_same(runs, [])
    assert told in str(error.value)
    assert "anyway=true" in str(error.value)
