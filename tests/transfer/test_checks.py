"""Every check stays silent on good pairs and names the defect that is planted for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stages.core.paths import ROOT
from stages.languages import load
from stages.transfer.check import pair_of
from stages.transfer.checks import ANY, OF_DELETIONS, OF_KEPT, run_checks
from stages.transfer.checks.bounds import numbers_in_digits
from stages.transfer.checks.pair import Words
from stages.transfer.rules import read_rulebook
from tests.transfer.held_out_pairs import HELD_OUT
from tests.transfer.items import RULEBOOK
from tests.transfer.more_pairs import MORE, MORE_DEFECTS
from tests.transfer.pairs import DEFECTS, GOOD

PAIRS = {**GOOD, **MORE, **HELD_OUT}


@pytest.fixture(scope="module")
def words() -> Words:
    book = read_rulebook(ROOT / RULEBOOK)
    return Words(book, load(book.language))


def failures(name: str, words: Words, change: dict[str, Any] | None = None) -> list[str]:
    line = {"id": name, "source": PAIRS[name]["source"], "target": {**PAIRS[name]["target"], **(change or {})}}
    return [str(failure) for failure in run_checks(pair_of(line, words, name), words)]


@pytest.mark.parametrize("name", PAIRS)
def test_a_good_pair_passes(name: str, words: Words) -> None:
    assert failures(name, words) == []


ALL_DEFECTS = DEFECTS + MORE_DEFECTS


@pytest.mark.parametrize(("name", "change", "check"), ALL_DEFECTS, ids=[f"{check}-{place}" for place, (_, _, check) in enumerate(ALL_DEFECTS)])
def test_a_planted_defect_is_named(name: str, change: dict[str, Any], check: str, words: Words) -> None:
    assert check in {failure.partition(":")[0] for failure in failures(name, words, change)}


def test_every_check_has_a_planted_defect() -> None:
    assert {*ANY, *OF_DELETIONS, *OF_KEPT} - {check for _, _, check in ALL_DEFECTS} == {"rule_ids"}


def test_reported_rules_must_have_been_offered(words: Words) -> None:
    pair = pair_of({"id": "x", **GOOD["open"]}, words, "x")
    offered = replace(pair, offered=("same-target",), rule_ids=("same-target",))
    assert run_checks(offered, words) == []
    assert [failure.check for failure in run_checks(replace(offered, rule_ids=("units", "no-such-rule")), words)] == ["rule_ids", "rule_ids"]


def test_a_deletion_needs_an_offered_rule_that_allows_it(words: Words) -> None:
    pair = replace(pair_of({"id": "x", **GOOD["deletion"]}, words, "x"), offered=("design-spelling", "same-target"))
    assert [failure.check for failure in run_checks(pair, words)] == ["deletion"]
    assert run_checks(replace(pair, deletion_rule_id="design-spelling"), words) == []
    assert [failure.check for failure in run_checks(replace(pair, deletion_rule_id="same-target"), words)] == ["deletion"]


def test_equal_options_are_fine_where_the_source_has_them(words: Words) -> None:
    prompt = "How are they chosen?\nA. by all\nB. by all\nC. by one"
    texts = ["모두가", "모두가", "한 사람이"]
    options = [{"label": label, "text": text} for label, text in zip("ㄱㄴㄷ", texts, strict=True)]
    target = {
        "category": "direct_translation", "answer": "ㄱ", "options": options,
        "transcription": "어떻게 뽑나요? " + " ".join(f"{option['label']}. {option['text']}" for option in options),
    }
    line = {"id": "x", "source": {"benchmark": "mmsu", "prompt": prompt, "answer": "A"}, "target": target}
    assert run_checks(pair_of(line, words, "x"), words) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1.5만 명", [15000]), ("1억 2천만 원", [120_000_000]), ("2만 5천 년", [25000]),
        ("1969년 7월 20일", [1969, 7, 20]), ("1,234.5미터", [1234.5]), ("970만 명과 3명", [9_700_000, 3]), ("숫자 없음", []),
    ],
)
def test_numbers_are_read_with_their_scale_words(text: str, values: list[float], words: Words) -> None:
    assert numbers_in_digits(text, words.lexicon.number_scales) == pytest.approx(values)
