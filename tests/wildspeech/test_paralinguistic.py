"""Paralinguistic items: hand-written ones first, generated ones checked, people last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.stage import Rejection
from stages.wildspeech import paralinguistic, people
from stages.wildspeech.people import People
from tests.wildspeech.conftest import Scripted, paralinguistic_settings

ITEMS = "data/handwritten/items.yaml"
HAND: dict[str, Any] = {
    "number": 1, "kind": "pause", "query": "Help me cook grandma is coming over", "delivery": "Help me cook [pause 0.7] grandma is coming over",
    "contrast": "Help me cook grandma [pause 0.7] is coming over", "meant": "Grandma visits and the speaker wants to cook.",
    "other": "Grandma is what is cooked.", "must_notice": "The answer plans a meal for a guest.", "topic": "Food & Hospitality", "author": "ann",
}  # fmt: skip


def _items_file(root: Path) -> Path:
    (root / ITEMS).parent.mkdir(parents=True, exist_ok=True)
    return root / ITEMS


def written(query: str, **other: Any) -> dict[str, Any]:
    first, _, rest = query.partition(" ")
    return {
        "query": query, "delivery": f"{first} [pause 0.5] {rest}", "contrast": f"{query} [pause 0.5]", "meant": f"This way: {query.upper()[::-1]}",
        "other": "Quite another thing altogether.", "must_notice": "The answer tells the two apart.", "needs_human_voice": False, "topic": "Arts",
    } | other  # fmt: skip


def run(
    root: Path, generated: list[dict[str, Any]], hand: list[dict[str, Any]] | None = None, verdicts: People | None = None, **settings: Any
) -> tuple[list[Row], list[Rejection], dict[str, Any]]:
    _items_file(root).write_text(yaml.safe_dump(hand if hand is not None else [HAND], allow_unicode=True))
    tools = paralinguistic.Tools(Scripted(lambda _: {"items": generated}), verdicts or People(), root, "w")  # type: ignore[arg-type]
    outcome = paralinguistic.run([], paralinguistic_settings(ITEMS, **settings), tools)
    schemas.check(outcome.kept, "Queried", "test")
    return outcome.kept, outcome.rejected, outcome.report


def test_hand_written_items_come_first_and_the_target_is_kept(tmp_path: Path) -> None:
    kept, rejected, report = run(tmp_path, [written("Call me a taxi at noon"), written("Tell Anna the cat is out")])
    assert [row["id"] for row in kept] == ["w-pf-00001", "w-pf-10000"]
    assert [(one.row["id"], one.reason) for one in rejected] == [("w-pf-10001", "over_target")]
    assert report["kinds"]["pause"] == 2
    assert report["short"] == {"stress": 2, "tone": 2, "stutter": 2, "homophone": 2}
    assert kept[1]["query_requests"]
    assert (kept[0]["origin"], kept[0]["source"], kept[1]["origin"]) == ("handwritten", "ann", "generated")


def test_generated_items_that_fail_a_check_or_repeat_are_rejected_with_it(tmp_path: Path) -> None:
    bad = [
        written("Call me a taxi", delivery="Call me a taxi"),
        written("Help me cook grandma is coming over now"),
        written("Tell Anna the cat is out", other=""),
        written("Tell Anna the dog is out"),
        written("Tell Anna the dog is out now"),
    ]
    kept, rejected, report = run(tmp_path, bad, targets={"pause": 9})
    assert [row["id"] for row in kept] == ["w-pf-00001", "w-pf-10003"]
    assert [one.rule_id for one in rejected] == [
        "paralinguistic.unmarked",
        "paralinguistic.repeated",
        "paralinguistic.missing",
        "paralinguistic.repeated",
    ]
    assert report["steps"][0] == {"step": "checks", "before": 6, "removed": 4, "left": 2}


def test_the_numbers_of_generated_items_depend_on_kind_and_request_alone(tmp_path: Path) -> None:
    requests = paralinguistic.plan_requests([], paralinguistic_settings(ITEMS, ask={"pause": 2, "tone": 1}), _items(tmp_path))
    assert [request.item_id for request in requests] == ["pf-10000", "pf-10100", "pf-30000"]
    assert len({request.key for request in requests}) == 3
    assert "cook grandma" in requests[0].messages[1]["content"]
    assert "cook grandma" not in requests[2].messages[1]["content"]


def _items(root: Path) -> Path:
    _items_file(root).write_text(yaml.safe_dump([HAND]))
    return root


def test_where_review_is_required_generated_items_wait_for_acceptance(tmp_path: Path) -> None:
    from stages.review import decisions

    items = [written("Call me a taxi at noon"), written("Tell Anna the cat is out")]
    kept, _, _ = run(tmp_path, items, targets={"pause": 9})
    decisions.append(tmp_path, "wildspeech", "bo", people.paralinguistic_entry(kept[1])["id"], "accept")
    kept, rejected, _ = run(tmp_path, items, targets={"pause": 9}, review={"required": True}, verdicts=people.read(tmp_path))
    assert [row["id"] for row in kept] == ["w-pf-00001", "w-pf-10000"]
    assert [(one.row["id"], one.reason) for one in rejected] == [("w-pf-10001", "awaiting_review")]


def test_an_edit_of_the_delivery_changes_the_query_with_it(tmp_path: Path) -> None:
    from stages.review import decisions

    kept, _, _ = run(tmp_path, [])
    entry = people.paralinguistic_entry(kept[0])
    edit = {"delivery": "Help me cook [pause 0.9] grandma is coming over", "must_notice": "The answer plans a dinner."}
    decisions.append(tmp_path, "wildspeech", "bo", entry["id"], "edit", edit=edit)
    kept, _, _ = run(tmp_path, [], verdicts=people.read(tmp_path))
    assert (kept[0]["delivery"], kept[0]["query"]) == (edit["delivery"], HAND["query"])
    decisions.append(tmp_path, "wildspeech", "bo", entry["id"], "edit", edit={"delivery": "Help me cook, grandma"})
    with pytest.raises(UserError, match="A verdict on w-pf-00001 makes an item that cannot be used: unmarked"):
        run(tmp_path, [], verdicts=people.read(tmp_path))


@pytest.mark.parametrize(
    ("hand", "sentence"),
    [
        ([{**HAND, "kindd": "pause"}], "kindd is unknown. Did you mean 'kind'"),
        ([HAND, HAND], "gives the number 1 2 times"),
        ([{**HAND, "topic": "Nothing"}], "item 1 has the topic 'Nothing'"),
        ([{**HAND, "delivery": "Help me cook"}], r"items\.yaml item 1 cannot be used: other_words"),
        ({"number": 1}, "are no list"),
    ],
)
def test_a_flaw_in_the_hand_written_file_is_one_sentence(tmp_path: Path, hand: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        run(tmp_path, [], hand)


def test_an_unknown_kind_in_the_settings_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="names the kind 'laughter'"):
        run(tmp_path, [], targets={"laughter": 2})
