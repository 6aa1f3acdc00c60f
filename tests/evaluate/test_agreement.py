from __future__ import annotations

import math

import pytest

from stages.evaluate.agreement import krippendorff


def test_full_agreement_is_one_and_no_spread_is_undefined() -> None:
    assert krippendorff([[1, 1, 1], [4, 4, 4]], nominal=False) == 1
    assert krippendorff([[3, 3], [3, 3]], nominal=False) is None


def test_alpha_by_hand() -> None:
    """Krippendorff's nominal example for two observers: pairs aa, bb, ab give a coincidence matrix with 2, 2 and 2 off the diagonal."""
    assert krippendorff([["a", "a"], ["b", "b"], ["a", "b"]], nominal=True) == pytest.approx(1 - 5 * 2 / (2 * 3 * 3))  # type: ignore[list-item]


def test_interval_alpha_against_its_definition() -> None:
    units = [[1, 2, 3], [4, 4, 5], [2, 2, 2], [5, 3, 4]]
    within = math.fsum((a - b) ** 2 / 2 for unit in units for a in unit for b in unit) / 12
    pooled = [value for unit in units for value in unit]
    between = math.fsum((a - b) ** 2 for a in pooled for b in pooled) / (12 * 11)
    assert krippendorff(units, nominal=False) == pytest.approx(1 - within / between)
