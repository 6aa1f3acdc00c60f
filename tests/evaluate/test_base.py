"""Totals and their intervals, the registry, and filling a prompt."""

from __future__ import annotations

import pytest

from stages.core.errors import UserError
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Prediction, Scorer, fill, load, protocol_of
from stages.evaluate.scorers.statistics import interval, mean, wilson

SCORER = Scorer(name="base", number=3, metric="accuracy", item=lambda item, prediction, judgments, mode: ItemScore(item.id, 100.0))


def test_a_total_counts_what_the_mean_leaves_out() -> None:
    scores = [ItemScore("b", 0.0, empty=True), ItemScore("a", 100.0, refused=True), ItemScore("c", None, judge_failed=True, n_invalid=3)]
    total = SCORER.total(scores)
    assert (total.value, total.n, total.n_scored) == (50.0, 3, 2)
    assert (total.n_empty, total.n_refused, total.n_judge_failed, total.n_invalid) == (1, 1, 1, 3)
    assert SCORER.total(scores[::-1]) == total
    assert total.version.startswith("3.")


def test_nothing_scored_is_no_number() -> None:
    total = SCORER.total([])
    assert (total.value, total.interval, total.n) == (None, None, 0)


def test_a_mean_does_not_depend_on_the_order() -> None:
    values = [0.1, 100 / 3, 1e-9, 66.7, 0.1] * 99
    assert mean(values) == mean(sorted(values)) == mean(values[::-1])


def test_intervals_are_those_of_the_textbooks() -> None:
    # Wilson: 8 of 10, Newcombe 1998's formula; Student: 20, 40, 60 has s = 20, t(2) = 4.3027.
    assert wilson(8, 10) == pytest.approx((49.0162, 94.3318), abs=1e-3)
    assert interval([20.0, 40.0, 60.0]) == (0.0, pytest.approx(40 + 4.30265 * 20 / 3**0.5, abs=1e-3))
    assert interval([100.0, 0.0]) == pytest.approx(wilson(1, 2))
    assert interval([100.0]) is None


def test_a_subset_is_known_by_its_source_name_and_by_its_released_one() -> None:
    assert protocol_of("kvoicebench", "bbh-test") == protocol_of("voicebench", "bbh") == "bbh"
    assert protocol_of("kopenaudiobench", "llamaqa") == "verdict"
    assert protocol_of("kmmau", "age") == "option_text"
    with pytest.raises(UserError, match="Did you mean 'bbh'"):
        protocol_of("voicebench", "bbhh")
    with pytest.raises(UserError, match="multiple_choice"):
        load("multiple-choice")


def test_a_filled_text_is_never_filled_again() -> None:
    fields = {"question": "what is {response}?", "response": "{question}"}
    assert fill("Q: {question} A: {response}", fields) == "Q: what is {response}? A: {question}"
    with pytest.raises(UserError, match="candidate"):
        fill("{candidate}", {"response": ""})


def test_a_no_that_answers_is_no_refusal() -> None:
    asked = Item("bbh-test-00000", "bbh", "en", "bbh", "Is Ann at the start?", "no", task="navigate")
    marked = [Judgment("wildvoice-test-00000", sample, '{"mark": 5}') for sample in range(3)]
    open_ended = Item("wildvoice-test-00000", "open", "en", "wildvoice", "Is it cheaper?")
    answered = load("bbh").item(asked, Prediction(asked.id, "No, she isn't."), (), "fixed")
    judged = load("open").item(open_ended, Prediction(open_ended.id, "No, the other one is cheaper."), marked, "fixed")
    refused = load("bbh").item(asked, Prediction(asked.id, "I'm sorry, but I can't help with that."), (), "fixed")
    assert (answered.value, answered.refused) == (100, False)
    assert (judged.value, judged.refused) == (100, False)
    assert (refused.value, refused.refused) == (0, True)
