"""The stage checklist, and what the review command puts to people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import files, schemas
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.stage import Rejection
from stages.llm import Request
from stages.review import queue
from stages.wildspeech import checklist, people, review
from stages.wildspeech.people import People
from tests.wildspeech.conftest import Scripted, checklist_settings, queried
from tests.wildspeech.test_points import GOOD

PAN = "The answer names one kind of pan or says what else to bake in."
SIGN = "The answer names a sign of done bread."
ROWS = [queried("w-0000001"), queried("w-0000002", "How do I bake rye bread?")]


def run(
    rows: list[Row], first: list[str], second: list[str] | None = None, verdicts: People | None = None, **settings: Any
) -> tuple[list[Row], list[Rejection], dict[str, Any], Scripted]:
    def answer(request: Request) -> dict[str, Any]:
        return {"reasoning": "r", "points": first if len(request.messages) == 2 else second}

    client = Scripted(answer)
    outcome = checklist.run(rows, checklist_settings(**settings), checklist.Tools(client, verdicts or People(), "w"))  # type: ignore[arg-type]
    schemas.check(outcome.kept, "Checklisted", "test")
    return outcome.kept, outcome.rejected, outcome.report, client


def test_each_query_gets_its_points() -> None:
    kept, rejected, report, client = run(ROWS, [f"  {GOOD[0]} ", *GOOD[1:], ""])
    assert [row["checklist"] for row in kept] == [GOOD, GOOD]
    assert rejected == []
    assert report["asked_again"] == 0
    assert len(client.asked) == 2


def test_a_flawed_checklist_is_asked_for_once_more_with_what_was_wrong() -> None:
    kept, _, report, client = run(ROWS[:1], [*GOOD, "The answer is helpful."], GOOD)
    assert kept[0]["checklist"] == GOOD
    assert kept[0]["checklist_flags"][0].startswith("vague: 'is helpful'")
    assert len(kept[0]["checklist_requests"]) == 2
    assert "is helpful" in client.asked[1].messages[3]["content"]
    assert report["flaws"] == {"vague": 1}


def test_one_that_stays_flawed_is_rejected_with_its_flaw() -> None:
    kept, rejected, _, _ = run(ROWS[:1], GOOD[:1], ["The answer is good.", *GOOD[:1]])
    assert kept == []
    assert (rejected[0].reason, rejected[0].rule_id) == ("checklist_unusable", "points.count")


def test_the_request_holds_the_query_and_how_it_was_said_and_nothing_else() -> None:
    row = queried(
        kind="tone", delivery="[tone sad] How do I bake bread?", meant="Sad.", other="Glad.", must_notice="Notices.", contrast="x", topic="Arts"
    )
    plain, said = checklist.plan_requests([ROWS[0], row], checklist_settings(), Path())
    assert "[tone sad]" not in plain.messages[1]["content"]
    assert "[tone sad] How do I bake bread?" in said.messages[1]["content"]
    assert "Arts" not in said.messages[1]["content"] + said.messages[0]["content"]


def test_people_mend_and_reject_points(tmp_path: Path) -> None:
    from stages.review import decisions

    before, _, _, _ = run(ROWS, [*GOOD, PAN])
    decisions.append(
        tmp_path,
        "wildspeech",
        "ann",
        people.checklist_entry(before[0])["id"],
        "edit",
        edit={"point_1": "", "point_2": SIGN},
    )
    decisions.append(tmp_path, "wildspeech", "ann", people.checklist_entry(before[1])["id"], "reject", reason="Too narrow.")
    kept, rejected, report, _ = run(ROWS, [*GOOD, PAN], verdicts=people.read(tmp_path))
    assert kept[0]["checklist"] == [
        SIGN,
        GOOD[2],
        PAN,
    ]
    assert rejected[0].detail == "ann: Too narrow."
    assert report["review"] == {"with_verdicts": 2, "unused": []}


def test_an_edit_that_leaves_too_few_points_is_one_sentence(tmp_path: Path) -> None:
    from stages.review import decisions

    before, _, _, _ = run(ROWS[:1], GOOD)
    decisions.append(tmp_path, "wildspeech", "ann", people.checklist_entry(before[0])["id"], "edit", edit={"point_1": "", "point_2": ""})
    with pytest.raises(UserError, match="on the checklist of w-0000001 makes points that cannot be used: count: 1 points"):
        run(ROWS[:1], GOOD, verdicts=people.read(tmp_path))


def test_where_review_is_required_an_unjudged_checklist_waits() -> None:
    kept, rejected, _, _ = run(ROWS, GOOD, review={"required": True})
    assert kept == []
    assert {one.reason for one in rejected} == {"awaiting_review"}


def test_the_review_command_makes_entries_that_the_desk_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_json(tmp_path / "data/config.json", {"wildspeech": {"w": {}}})
    kept, _, _, _ = run([*ROWS, queried("w-pf-00001", kind="tone", **_said())], [*GOOD, "The answer shows that annoyance was heard."])
    for stage, rows in (("select", ROWS), ("paralinguistic", [kept[2]]), ("checklist", kept)):
        files.write_jsonl(tmp_path / f"data/{stage}/w/rows.jsonl", rows)
        files.write_jsonl(tmp_path / f"data/{stage}/w/rejected.jsonl", [])
    waiting = {**ROWS[1], "id": "w-0000009", "reason": "awaiting_review", "rule_id": "", "detail": ""}
    gone = {**ROWS[1], "id": "w-0000010", "reason": "over_target", "rule_id": "", "detail": ""}
    files.write_jsonl(tmp_path / "data/select/w/rejected.jsonl", [waiting, gone])
    review.main(["w"], tmp_path)
    entries = queue.read(tmp_path, "item")
    assert len(entries) == 7
    assert {entry.topic for entry in entries} == {"wildspeech"}
    assert any("w-0000009" in entry.id for entry in entries)
    assert not any("w-0000010" in entry.id for entry in entries)
    review.main(["w"], tmp_path)
    assert len(queue.read(tmp_path, "item")) == 7
    assert all(entry.prompt.ko and entry.prompt.en for entry in entries)


def _said() -> dict[str, str]:
    return {
        "delivery": "[tone annoyed] How do I bake bread?", "meant": "The speaker is annoyed.", "other": "The speaker is glad.",
        "must_notice": "The answer notices the annoyance.", "contrast": "[tone glad] How do I bake bread?",
    }  # fmt: skip


def test_a_benchmark_that_is_not_built_says_so(tmp_path: Path) -> None:
    files.write_json(tmp_path / "data/config.json", {"wildspeech": {"w": {}}})
    with pytest.raises(UserError, match="Nothing of w has been built yet"):
        review.main(["w"], tmp_path)
    with pytest.raises(UserError, match="takes one of w, got v"):
        review.main(["v"], tmp_path)
