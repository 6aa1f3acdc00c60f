"""Agreement of two reviewers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.review import decisions, queue
from stages.review.desk import agreement

LABELS = st.sampled_from(["accept", "edit", "reject"])


def test_kappa_of_a_table_worked_by_hand() -> None:
    # 50 entries: both accept 20, both reject 15, they differ on 5 and 10. p_o = 0.7, p_e = 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    pairs = [("a", "a")] * 20 + [("a", "r")] * 5 + [("r", "a")] * 10 + [("r", "r")] * 15
    value, low, high = agreement.kappa(pairs)
    assert value == pytest.approx(0.4)
    # Wilson's interval of 35 in 50 is [0.5624, 0.8090], by the table of any statistics package.
    assert (low, high) == (pytest.approx((0.5624 - 0.5) / 0.5, abs=2e-4), pytest.approx((0.8090 - 0.5) / 0.5, abs=2e-4))


def test_the_interval_does_not_vanish_where_two_people_always_agree() -> None:
    value, low, high = agreement.kappa([("accept", "accept"), ("reject", "reject")])
    assert (value, high) == (1, 1)
    assert low is not None
    assert low < 0


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_kappa_is_symmetric_and_one_only_for_full_agreement(pairs: list[tuple[str, str]]) -> None:
    value, low, high = agreement.kappa(pairs)
    assert agreement.kappa([(b, a) for a, b in pairs])[0] == (value if value is None else pytest.approx(value))
    if value is not None and low is not None and high is not None:
        assert -1 <= low <= value + 1e-9 <= high + 2e-9 <= 1 + 1e-8
        assert (value == pytest.approx(1)) == all(a == b for a, b in pairs)


def test_without_entries_or_without_variety_there_is_no_kappa() -> None:
    assert agreement.kappa([]) == (None, None, None)
    assert agreement.kappa([("accept", "accept")] * 9) == (None, None, None)


def test_skips_and_verdicts_on_changed_texts_do_not_count(root: Path) -> None:
    entries = queue.read(root)
    first, second, third = (entry for entry in entries if entry.kind in ("item", "disagreement"))
    for entry, kim, lee, seen in ((first, "accept", "accept", ""), (second, "accept", "skip", ""), (third, "accept", "reject", "older")):
        decisions.append(root, entry.topic, "kim", entry.id, kim)
        decisions.append(root, entry.topic, "lee", entry.id, lee, seen=seen)
    (line,) = agreement.table(entries, decisions.read(root).last())
    assert (line.first, line.second, line.kind, line.n, line.observed) == ("kim", "lee", "item", 1, 1.0)


def test_questions_have_a_share_of_equal_answers_and_no_kappa(root: Path) -> None:
    entries = queue.read(root, "question")
    for entry, kim, lee in zip(entries, ("particles", "eojeol"), ("particles", "morpheme"), strict=True):
        decisions.append(root, entry.topic, "kim", entry.id, kim)
        decisions.append(root, entry.topic, "lee", entry.id, lee)
    (line,) = agreement.table(entries, decisions.read(root).last())
    assert (line.n, line.observed, line.kappa, line.differing) == (2, 0.5, None, (entries[1].id,))
