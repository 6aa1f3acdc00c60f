"""The queue for Label Studio and Argilla, and their answers back."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest

from stages.core.errors import UserError
from stages.review import decisions, queue
from stages.review.desk import exchange
from tests.review.desk.builds import ITEM, QUESTION


def task(id: str, verdict: str, by: Any = 7, **texts: str) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    result = [{"from_name": "verdict", "to_name": "title", "type": "choices", "value": {"choices": [verdict]}}]
    result += [{"from_name": name, "to_name": "title", "type": "textarea", "value": {"text": [text]}} for name, text in texts.items()]
    return {"id": 1, "data": {"queue_id": id}, "annotations": [{"completed_by": by, "was_cancelled": False, "result": result}]}


def save(path: Path, lines: list[dict[str, Any]], form: str = "lines") -> Path:
    path.write_bytes(orjson.dumps(lines) if form == "list" else b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


def test_every_entry_has_every_field_in_both_forms(root: Path, tmp_path: Path) -> None:
    for form, fields in (("label-studio", "data"), ("argilla", "fields")):
        file = tmp_path / f"{form}.jsonl"
        assert "7 entries" in exchange.write(root, form, file)
        lines = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        assert len({tuple(sorted(line[fields])) for line in lines}) == 1
        assert {"source_prompt", "target_target_prompt", "target_option_1", "question"} <= lines[0][fields].keys()


def test_the_labeling_interface_names_only_fields_that_tasks_have(root: Path, tmp_path: Path) -> None:
    exchange.write(root, "label-studio", tmp_path / "q.jsonl")
    data = orjson.loads((tmp_path / "q.jsonl").read_bytes().splitlines()[0])["data"]
    view = ElementTree.parse(tmp_path / "q.xml").getroot()
    values = [element.get("value", "") for element in view if element.get("value", "").startswith("$")]
    assert {value[1:] for value in values} <= data.keys()
    named = {element.get("name") for element in view if element.get("name")}
    assert {element.get("toName") for element in view if element.get("toName")} <= named


@pytest.mark.parametrize("form", ["list", "lines"])
def test_answers_from_label_studio_become_verdicts(root: Path, tmp_path: Path, form: str) -> None:
    cancelled = task(ITEM, "accept")
    cancelled["annotations"][0]["was_cancelled"] = True
    answers = [
        task(QUESTION, "delete", reason="다시 만들 수 없다"),
        task(ITEM, "edit", {"email": "Lee.S@lab.example"}, edit_target_answer="아닙니다", edit_target_prompt=""),
        cancelled,
    ]
    answers[1]["annotations"][0]["result"].pop()  # a text that was left alone is not sent
    file = save(tmp_path / "answers.json", answers, form)
    assert "2 answers read, 2 new" in exchange.read(root, "label-studio", file, None)
    last = decisions.read(root).last()
    assert last[QUESTION, "label-studio-7"].reason == "다시 만들 수 없다"
    assert last[ITEM, "lee-s"].edit == {"target_answer": "아닙니다"}
    assert "2 answers read, 0 new" in exchange.read(root, "label-studio", file, None)


def test_answers_from_argilla_become_verdicts(root: Path, tmp_path: Path) -> None:
    exchange.write(root, "argilla", tmp_path / "q.jsonl")
    records = [orjson.loads(line) for line in (tmp_path / "q.jsonl").read_bytes().splitlines()]
    record = next(record for record in records if record["id"] == ITEM)
    user = "7d1f0000-0000-0000-0000-000000000000"
    record["responses"] = {"verdict": [{"value": "reject", "user_id": user}], "reason": [{"value": "11이 12가 되었다", "user_id": user}]}
    exchange.read(root, "argilla", save(tmp_path / "a.jsonl", records), None)
    exchange.read(root, "argilla", save(tmp_path / "a.jsonl", records), "Park")
    last = decisions.read(root).last()
    assert {who for _, who in last} == {"argilla-7d1f0000", "park"}
    assert last[ITEM, "park"].verdict == "reject"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (task("item:bbh:gone", "accept"), "which is not in the queue"),
        (task(ITEM, "approve"), "does not take the verdict 'approve'"),
        (task(ITEM, "reject"), "Say why"),
        ({"data": {}}, "not a task exported by Label Studio"),
        ({"annotations": 3}, "not a task exported by Label Studio"),
    ],
)
def test_one_wrong_answer_changes_nothing(root: Path, tmp_path: Path, line: dict[str, Any], sentence: str) -> None:
    file = save(tmp_path / "answers.jsonl", [task(QUESTION, "delete"), line])
    with pytest.raises(UserError, match=sentence):
        exchange.read(root, "label-studio", file, None)
    assert decisions.read(root).verdicts == []


def test_an_unknown_form_and_a_missing_file_are_sentences(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'label-studio'"):
        exchange.write(root, "labelstudio", tmp_path / "x")
    with pytest.raises(UserError, match="does not exist"):
        exchange.read(root, "argilla", tmp_path / "none.jsonl", None)
    with pytest.raises(UserError, match="queue is empty"):
        exchange.write(tmp_path, "argilla", tmp_path / "x")


def test_others_verdicts_are_never_exported(root: Path) -> None:
    decisions.append(root, "hypertranslation", "kim", ITEM, "reject", reason="비밀 이유")
    for form in exchange.FORMS:
        assert "비밀 이유" not in str(exchange.export(queue.read(root), form))
