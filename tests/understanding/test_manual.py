"""Questions that people write at the desk while they listen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages import languages
from stages.core import files, schemas, verdicts
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.stage import Outcome
from stages.llm import ClientSettings
from stages.review import decisions, queue
from stages.review.desk.catalog import Catalog
from stages.understanding import manual
from stages.understanding import queue as making
from stages.understanding.manual import ManualSettings, Tools
from stages.understanding.readers import Readers
from stages.understanding.wording import Limits, Rules
from tests.understanding.models import GUESSER, Scripted, picks
from tests.understanding.rows import segment

KOREAN = languages.load("ko")
RULES = Rules(ROOT / "rulebooks/ko/understanding/generated.yaml")
ROLE: Any = "role_profession"
TALK = "A: 어서 오세요, 무엇을 찾으세요?\nB: 국수 한 그릇 주세요."
GOOD = {
    "question": "먼저 말한 사람은 무엇을 하는 사람인가요?", "option_1": "식당 주인", "option_2": "버스 기사", "option_3": "학교 교사",
    "option_4": "은행 직원", "answer": "식당 주인",
}  # fmt: skip


def _settings(**changed: Any) -> ManualSettings:
    values: dict[str, Any] = {
        "language": "ko", "corpora": ["kmsav"], "seed": 0, "capabilities": {ROLE: {"target": 5, "clips": 2}}, "client": ClientSettings(),
        "readers": Readers(seed=0, language_name="Korean", guesser=GUESSER, reader=None),
        "limits": Limits(max_question_chars=120, max_option_chars=60, max_stand_out=1.6), "rulebook": "", "desk": "desk.yaml", **changed,
    }  # fmt: skip
    return ManualSettings.model_validate(values)


def _run(root: Path, guess: str = "버스 기사", segments: list[Row] | None = None) -> Outcome:
    rows = segments or [segment(0, TALK, [ROLE])]
    tools = Tools("kmmau", rows, KOREAN, RULES, Scripted(guess=picks(guess)), verdicts.read(root, "understanding"))
    return manual.run([], _settings(), tools)


def _project(root: Path, segments: list[Row]) -> Path:
    """A folder in which the queue can be made: segments, and what the stages left."""
    files.write_jsonl(root / "data/segments/kmsav/rows.jsonl", segments)
    for name in ("rows", "rejected"):
        files.write_jsonl(root / f"data/questions_generated/kmmau/{name}.jsonl", [])
    files.write_json(root / "data/config.json", {"understanding": {"kmmau": {"questions_manual": _settings().model_dump(mode="json")}}})
    (root / "desk.yaml").write_bytes((ROOT / "rulebooks/ko/understanding/manual.yaml").read_bytes())
    return root


def _desk(root: Path) -> tuple[Catalog, str]:
    """The desk on the queue of one clip, and the entry's id."""
    making.main(["kmmau"], root)
    catalog = Catalog(root)
    [entry] = catalog.summary("kim")["entries"]
    return catalog, entry["id"]


def _judge(catalog: Catalog, id: str, **given: Any) -> None:
    catalog.judge({"id": id, "verdict": "edit", "reason": "", "edit": GOOD, "reviewer": "kim", "seen": catalog.entry(id).fingerprint(), **given})


def test_a_clip_nobody_wrote_about_waits(tmp_path: Path) -> None:
    assert [one.reason for one in _run(tmp_path).rejected] == ["unwritten"]


def test_what_is_written_at_the_desk_is_released(tmp_path: Path) -> None:
    rows = [segment(0, TALK, [ROLE])]
    catalog, id = _desk(_project(tmp_path, rows))
    entry = catalog.entry(id)
    assert (entry.audio.stage, entry.audio.subset, entry.audio.id) == ("segments", "kmsav", rows[0]["id"]) if entry.audio else False
    assert set(entry.target.values()) == {""}
    assert TALK not in str(entry.model_dump())  # who writes must listen
    _judge(catalog, id)
    outcome = _run(tmp_path, segments=rows)
    schemas.check(outcome.kept, "Question", "test")
    [row] = outcome.kept
    assert (row["answer"], sorted(row["choices"]), row["method"]) == ("식당 주인", sorted(GOOD[f"option_{n}"] for n in range(1, 5)), "manual")
    assert row["decisions"] == [f"kim:{id}"]
    assert decisions.path(tmp_path, "understanding", "kim").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"option_2": ""}, "is empty"),
        ({"option_2": "학교 교사"}, "Two options"),
        ({"answer": "요리사"}, "is none of its options"),
        ({"question": ""}, "is empty"),
    ],
)
def test_the_desk_takes_no_half_question(changed: dict[str, str], says: str, tmp_path: Path) -> None:
    catalog, id = _desk(_project(tmp_path, [segment(0, TALK, [ROLE])]))
    with pytest.raises(UserError, match=says):
        _judge(catalog, id, edit={**GOOD, **changed})


def test_a_question_that_can_be_guessed_or_is_badly_put_is_refused(tmp_path: Path) -> None:
    catalog, id = _desk(_project(tmp_path, [segment(0, TALK, [ROLE])]))
    _judge(catalog, id)
    assert [(one.reason, one.rule_id) for one in _run(tmp_path, guess="식당 주인").rejected] == [("failed_trial", "guessable")]
    _judge(catalog, id, edit={**GOOD, "question": "먼저 말한 식당 주인은 누구인가요?"}, after=1)
    assert [(one.reason, one.rule_id) for one in _run(tmp_path).rejected] == [("unfit", "leak")]


def test_a_clip_that_was_rejected_or_has_changed_is_not_used(tmp_path: Path) -> None:
    rows = [segment(0, TALK, [ROLE])]
    catalog, id = _desk(_project(tmp_path, rows))
    _judge(catalog, id)
    changed = [{**rows[0], "content_sha256": "0" * 64}]
    assert [one.reason for one in _run(tmp_path, segments=changed).rejected] == ["unwritten"]
    _judge(catalog, id, verdict="reject", reason="nobody's role is clear", edit={}, after=1)
    assert [one.reason for one in _run(tmp_path, segments=rows).rejected] == ["rejected"]


def test_more_clips_than_wanted_are_left_over_and_the_choice_is_stable(tmp_path: Path) -> None:
    rows = [segment(number, TALK, [ROLE]) for number in range(5)]
    clips, over = manual.offered(rows, _settings())
    again, _ = manual.offered(rows[::-1], _settings())
    assert [clip.segment["id"] for clip in clips] == [clip.segment["id"] for clip in again]
    assert (len(clips), [one.reason for one in over]) == (2, ["not_drawn"] * 3)


def test_every_entry_is_one_that_the_desk_reads(tmp_path: Path) -> None:
    making.main(["kmmau"], _project(tmp_path, [segment(number, TALK, [ROLE]) for number in range(3)]))
    entries = queue.read(tmp_path, "understanding")
    assert len(entries) == 2
    assert all(entry.prompt.ko and entry.topic == "understanding" for entry in entries)
