"""The bar for the checks: defects planted by program are found, good pairs are left alone."""

from __future__ import annotations

import pytest

from benchmarks.check_mutations import PAIRS, Result, measure, table
from tests.transfer.mutations import KINDS, all_mutants, planted


@pytest.fixture(scope="module")
def result() -> Result:
    return measure(planted(PAIRS, 200))


def test_pairs_are_of_every_format() -> None:
    assert len(PAIRS) >= 60
    benchmarks = {line["source"]["benchmark"] for line in PAIRS.values()}
    assert benchmarks >= {"openbookqa", "mmsu", "sd-qa", "triviaqa", "llamaq", "webq", "alpacaeval", "commoneval", "wildvoice", "ifeval", "advbench"}
    tasks = ("hyperbaton", "navigate", "sports_understanding", "web_of_lies")
    assert {name for name in benchmarks if name.startswith("bbh/")} == {f"bbh/{task}" for task in tasks}


def test_200_defects_of_many_kinds_are_planted_evenly() -> None:
    drawn = planted(PAIRS, 200)
    assert len(drawn) == 200
    assert {mutant.kind for mutant in drawn} == set(KINDS)
    assert all(mutant.line != PAIRS[mutant.pair] for mutant in drawn)
    assert drawn == planted(PAIRS, 200)
    assert drawn != planted(PAIRS, 200, seed=1)


def test_at_least_95_percent_are_found(result: Result) -> None:
    assert result.recall >= 0.95, table(result)


def test_at_most_2_percent_of_good_pairs_are_alarmed(result: Result) -> None:
    assert result.alarm_rate <= 0.02, table(result)


def test_no_kind_is_missed_altogether(result: Result) -> None:
    assert {mutant.kind for mutant in result.missed} <= {mutant.kind for mutant, _ in result.found}


def test_every_kind_applies_somewhere() -> None:
    assert {mutant.kind for mutant in all_mutants(PAIRS)} == set(KINDS)
