from __future__ import annotations

from collections import Counter

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages import load
from stages.transfer import minimal_pairs
from stages.transfer.checks import contrast, minimal_pair
from stages.transfer.hypertranslate import Tools, run
from stages.transfer.rules import Design, Generator, design_of, read_rulebook
from stages.transfer.target import right_place
from tests.transfer.items import HYPERTRANSLATE, RULEBOOK, corrected

BOOK = read_rulebook(ROOT / RULEBOOK)
DESIGNS = BOOK.task_designs.hyperbaton.designs
GENERATED = HYPERTRANSLATE.model_copy(update={"minimal_pairs": "generated"})


class NobodyToAsk:
    def ask(self, requests: list[object]) -> list[object]:
        assert not requests
        return []

    def usage(self) -> dict[str, object]:
        return {}


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.id)
def test_every_pair_of_a_design_differs_as_the_design_says_and_in_one_place(design: Design) -> None:
    count = minimal_pairs.ways(BOOK, design.id)
    assert count >= 48
    for number in range(0, count, max(1, count // 200)):
        right, wrong = minimal_pairs.nth(BOOK, design.id, number)
        assert contrast.fits(design, right, wrong), (right, wrong)
        assert 0 < minimal_pair.edit_distance(right, wrong) <= minimal_pair.MAX_EDIT, (right, wrong)
        assert not minimal_pair.differs_twice(right, wrong), (right, wrong)
        assert not set("[]{}|()") & set(right + wrong)
        assert len(right.split()) >= 3


def test_the_pairs_of_a_design_are_all_different() -> None:
    for design in DESIGNS:
        count = minimal_pairs.ways(BOOK, design.id)
        if count < 1000:
            assert len({minimal_pairs.nth(BOOK, design.id, number) for number in range(count)}) == count


def test_the_whole_benchmark_gets_distinct_pairs_with_balanced_keys_and_a_reason_without_a_model() -> None:
    rows = [
        corrected(number, "bbh", f"Which order is right: (a) big old car {number} (b) old big car {number}?", ["(a)"], task="hyperbaton",
                  options={"(a)": f"big old car {number}", "(b)": f"old big car {number}"})
        for number in range(250)
    ]  # fmt: skip
    result = run(rows, GENERATED, Tools(NobodyToAsk(), BOOK, load("ko")))  # type: ignore[arg-type]
    assert (len(result.kept), result.rejected) == (250, [])
    assert len({row["target_prompt"] for row in result.kept}) == 250
    keys = Counter(row["target_answer"] for row in result.kept)
    assert keys == {"ㄱ": 125, "ㄴ": 125}
    used = Counter(design_of(BOOK, row["prompt"]).name for row in result.kept)
    assert used.keys() >= {"particle", "ending", "numeral", "register"}
    for row in result.kept:
        design = design_of(BOOK, row["prompt"])
        assert row["transfer_note"] == f"{design.id}: {' '.join(design.do.split())}"
        assert row["target_options"][right_place(row["id"])]["label"] == row["target_answer"]
        assert (row["category"], row["transfer_requests"], row["rule_ids"]) == ("equivalent_replacement", [], ["bbh-hyperbaton"])


def test_a_pair_follows_from_the_text_alone_and_a_taken_one_is_passed_over() -> None:
    first = minimal_pairs.made(BOOK, "Which is right: red big car?", set())
    assert minimal_pairs.made(BOOK, "Which is right: red big car?", set()) == first
    other = minimal_pairs.made(BOOK, "Which is right: red big car?", {first.right_sentence})
    assert other.right_sentence != first.right_sentence


def test_a_generator_that_runs_dry_or_has_a_hole_says_so() -> None:
    taken: set[str] = set()
    small = Generator(words={"who": ["a", "b"]}, frames={design.id: ["{who} was [here|there] once"] for design in DESIGNS})
    hyperbaton = BOOK.task_designs.hyperbaton.model_copy(update={"generator": small})
    book = BOOK.model_copy(update={"task_designs": BOOK.task_designs.model_copy(update={"hyperbaton": hyperbaton})})
    assert [minimal_pairs.made(book, "x", taken).right_sentence for _ in range(2)] in (
        ["a was here once", "b was here once"], ["b was here once", "a was here once"],
    )  # fmt: skip
    with pytest.raises(UserError, match=r"has only 2 pairs of the design [\w-]+, and all are taken"):
        minimal_pairs.made(book, "x", taken)
    with pytest.raises(UserError, match=r"no words for \{whom\}"):
        minimal_pairs.size("{whom} was [here|there]", small)
    with pytest.raises(UserError, match="has 2 places"):
        minimal_pairs.sentences("[a|b] and [c|d]")
