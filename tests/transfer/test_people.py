"""What people decide at the review desk about single items and disputed keys, and what the stages make of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.stage import Outcome
from stages.core.verdicts import disagreement_entry, item_entry
from stages.core.verdicts import read as read_verdicts
from stages.languages import load
from stages.llm import Request
from stages.review import decisions
from stages.transfer import correct, hypertranslate
from stages.transfer.hypertranslate import Tools
from stages.transfer.replies import Review
from stages.transfer.rules import read_rulebook
from tests.transfer.items import CORRECT, HYPERTRANSLATE, RULEBOOK, Model, corrected, heart, ingested

BOOK = read_rulebook(ROOT / RULEBOOK)
HEART = {
    "note": "", "category": "direct_translation", "rule_ids": [], "question": "사람의 심장에는 방이 몇 개 있나요?", "deletion_rule_id": "",
    "deletion_reason": "", "option_texts": ["2개", "3개", "4개", "5개"], "right_option": 3,
}  # fmt: skip
MOON = {
    "note": "", "category": "direct_translation", "rule_ids": [], "question": "달에 사람이 처음 간 해는 언제인가요?", "deletion_rule_id": "",
    "deletion_reason": "", "answer": "1969년", "aliases": [],
}  # fmt: skip
Judge = Callable[[Row, str, str, dict[str, str], str], None]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Saves a verdict just as the desk does."""

    def save(row: Row, reviewer: str, verdict: str, edit: dict[str, str], reason: str) -> None:
        decisions.append(tmp_path, "hypertranslation", reviewer, item_entry(row), verdict, edit=edit, reason=reason, seen="", after=None)

    return save


def carried(root: Path, row: Row, reply: dict[str, Any]) -> Outcome:
    tools = Tools(Model(lambda request: reply), BOOK, load("ko"), read_verdicts(root, "hypertranslation", rounds=True))
    result = hypertranslate.run([row], HYPERTRANSLATE, tools)
    schemas.check(result.kept, "Hypertranslated", "the test")
    return result


def moon() -> Row:
    return corrected(0, "short_answer", "In which year did people first walk on the Moon?", ["1969"])


def test_an_edit_replaces_the_text_and_names_the_person(tmp_path: Path, judge: Judge) -> None:
    (first,) = carried(tmp_path, moon(), MOON).kept
    better = "사람이 처음으로 달 위를 걸은 해는 몇 년인가요?"
    judge(first, "kim", "edit", {"target_prompt": better, "target_answers": "1969년\n1969"}, "more natural")
    (row,) = carried(tmp_path, moon(), MOON).kept
    assert (row["target_prompt"], row["target_answer"], row["target_answers"]) == (better, "1969년", ["1969년", "1969"])
    assert [flag for flag in row["transfer_flags"] if flag.startswith("person: kim")]
    assert "more natural" in row["transfer_flags"][-1]
    judge(row, "lee", "reject", {}, "wrong after all")
    (rejection,) = carried(tmp_path, moon(), MOON).rejected
    assert (rejection.reason, rejection.row["target_prompt"]) == ("reviewed_out", better)
    assert rejection.detail.startswith("lee ")
    assert rejection.detail.endswith("wrong after all")


def test_a_verdict_on_another_text_does_not_count(tmp_path: Path, judge: Judge) -> None:
    (first,) = carried(tmp_path, moon(), MOON).kept
    judge(first, "kim", "reject", {}, "odd")
    assert carried(tmp_path, moon(), MOON).rejected
    assert carried(tmp_path, moon(), MOON | {"question": "사람이 달을 처음 걸은 것은 몇 년도인가요?"}).kept


def test_reviewers_with_different_texts_change_nothing(tmp_path: Path, judge: Judge) -> None:
    (first,) = carried(tmp_path, moon(), MOON).kept
    judge(first, "kim", "edit", {"target_prompt": "사람이 달을 처음 걸은 해는 언제인가요?"}, "")
    judge(first, "lee", "edit", {"target_prompt": "달을 사람이 처음 걸은 해는 언제인가요?"}, "")
    (row,) = carried(tmp_path, moon(), MOON).kept
    assert row["target_prompt"] == first["target_prompt"]
    assert "different texts" in row["transfer_flags"][-1]


def test_options_are_read_from_the_edited_text_and_checked(tmp_path: Path, judge: Judge) -> None:
    (first,) = carried(tmp_path, heart(), HEART).kept
    edited = first["target_prompt"].replace("ㄴ. 3개", "ㄴ. 세 개")
    judge(first, "kim", "edit", {"target_prompt": edited}, "")
    (row,) = carried(tmp_path, heart(), HEART).kept
    assert row["target_options"][1] == {"label": "ㄴ", "text": "세 개"}
    assert row["target_answer"] == "ㄷ"
    judge(row, "kim", "edit", {"target_prompt": edited.replace("ㄴ. 세 개\n", "")}, "")
    (rejection,) = carried(tmp_path, heart(), HEART).rejected
    assert (rejection.reason, rejection.rule_id) == ("failed_checks", "options")


def test_a_person_keeps_what_a_check_refuses(tmp_path: Path, judge: Judge) -> None:
    wrong = MOON | {"question": "사람이 처음으로 달 위를 걸은 해는 NASA에 따르면 언제인가요? year?"}
    (rejection,) = carried(tmp_path, moon(), wrong).rejected
    assert rejection.reason == "failed_checks"
    judge(rejection.row, "kim", "keep", {}, "")
    (row,) = carried(tmp_path, moon(), wrong).kept
    assert row["transfer_flags"][-1].startswith("person: kim")
    assert row["transfer_flags"][-1].endswith("keep")


def test_a_deleted_item_comes_back_with_a_text_of_a_person(tmp_path: Path, judge: Judge) -> None:
    rhyme = corrected(2, "short_answer", "Which of these words rhymes with moon: spoon or chair?", ["spoon"])
    gone = MOON | {"category": "deletion", "question": "", "answer": "", "deletion_rule_id": "delete-untranslatable", "deletion_reason": "영어 운율"}
    (rejection,) = carried(tmp_path, rhyme, gone).rejected
    assert rejection.reason == "deleted"
    rebuilt = {"target_prompt": "'나무'와 끝소리가 같은 낱말은 '고무'와 '의자' 중 무엇인가요?", "target_answers": "고무"}
    judge(rejection.row, "kim", "edit", rebuilt, "")
    (row,) = carried(tmp_path, rhyme, gone).kept
    assert (row["category"], row["target_answers"]) == ("equivalent_replacement", ["고무"])


def test_rounds_of_questions_beside_the_desks_lines_are_no_verdicts_on_items(tmp_path: Path) -> None:
    folder = tmp_path / "data/decisions/hypertranslation"
    folder.mkdir(parents=True)
    (folder / "2026-11-30-r1-kim.yaml").write_text("decisions: []\n")
    assert read_verdicts(tmp_path, "hypertranslation", rounds=True) == {}
    with pytest.raises(UserError, match="is not a file of the desk"):
        read_verdicts(tmp_path, "hypertranslation")


# ---- disputed keys


def disputed(root: Path, proposal: list[str]) -> Outcome:
    row = ingested(4, "short_answer", "How many countries are there in the world?", ["196"])

    def answer(request: Request) -> dict[str, Any]:
        if request.schema is Review:
            return {"reasoning": "too narrow", "verdict": "wrong", "error_type": "restrictive_answer_set", "proposed_answers": proposal}
        return {"reason": "not sure", "decision": "reject"}

    result = correct.run([row], CORRECT, correct.Tools(Model(answer), read_verdicts(root, "correct")))
    schemas.check(result.kept, "Corrected", "the test")
    return result


@pytest.mark.parametrize(
    ("verdict", "edit", "answers", "correction"),
    [
        ("key", {}, ["196"], "correct"),
        ("proposal", {}, ["196", "195"], "corrected"),
        ("edit", {"corrected_references": "195\n 193 \n"}, ["195", "193"], "corrected"),
    ],
)
def test_people_settle_a_disputed_key(tmp_path: Path, verdict: str, edit: dict[str, str], answers: list[str], correction: str) -> None:
    (rejection,) = disputed(tmp_path, ["196", "195"]).rejected
    entry = disagreement_entry(rejection.row, ["196", "195"])
    decisions.append(tmp_path, "correct", "kim", entry, verdict, edit=edit, reason="counted", seen="", after=None)
    result = disputed(tmp_path, ["196", "195"])
    (row,) = result.kept
    assert (row["corrected_references"], row["correction"]) == (answers, correction)
    assert row["correction_reason"].startswith("decided by kim ")
    assert row["correction_reason"].endswith("counted")
    assert result.report["settled_by_people"] == [row["id"]]
    assert disputed(tmp_path, ["196", "197"]).rejected, "a verdict on another proposal"


def test_people_who_disagree_settle_nothing(tmp_path: Path) -> None:
    (rejection,) = disputed(tmp_path, ["196", "195"]).rejected
    entry = disagreement_entry(rejection.row, ["196", "195"])
    for reviewer, verdict in (("kim", "key"), ("lee", "proposal")):
        decisions.append(tmp_path, "correct", reviewer, entry, verdict, edit={}, reason="", seen="", after=None)
    (rejection,) = disputed(tmp_path, ["196", "195"]).rejected
    assert "people: they disagree" in rejection.detail


def test_the_story_of_an_item_tells_the_person() -> None:
    flags = ["person: kim 2026-11-30: edit, natural", "numbers: 11 is missing"]
    row = {"category": "direct_translation", "target_prompt": "글", "transfer_flags": flags}
    assert hypertranslate.explain(row)[1:] == ["judged by kim 2026-11-30: edit, natural", "asked again because of numbers: 11 is missing"]
