"""The ledger accounts for every source item, and says which one it cannot account for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stages.core import files, ledger
from stages.core.errors import UserError
from stages.core.files import Row
from tests.publish.builds import small


@pytest.fixture
def root(tmp_path: Path) -> Path:
    small(tmp_path)
    return tmp_path


def change(root: Path, path: str, by: Callable[[list[Row]], list[Row]]) -> None:
    files.write_jsonl(root / "data" / path, by(files.read_jsonl(root / "data" / path)))


def test_every_ingested_item_is_in_one_place(root: Path) -> None:
    book = ledger.read(root, "bbh")
    assert [(item.id, item.stage, item.reason, item.released) for item in book.items] == [
        ("bbh-test-00000", "validate", None, True),
        ("bbh-test-00001", "validate", None, True),
        ("bbh-test-00002", "validate", None, True),
        ("bbh-test-00003", "correct", "unresolved", False),
        ("bbh-test-00004", "hypertranslate", "deletion", False),
        ("bbh-test-00005", "validate", None, True),
    ]
    assert "reason" not in book.items[3].row
    assert "correction" not in book.items[3].row


def test_counts_go_from_source_to_release(root: Path) -> None:
    assert ledger.read(root, "bbh").counts() == {
        "source": 6,
        "reviewed": 2,
        "corrected": 1,
        "redesigned": 1,
        "rejected": 2,
        "released": 4,
        "reasons": {"correct: unresolved": 1, "hypertranslate: deletion": 1},
    }


def test_an_item_redesigned_and_then_rejected_counts_in_both(root: Path) -> None:
    change(root, "normalize/mmsu/rows.jsonl", lambda rows: [{**row, "category": "equivalent_replacement"} for row in rows])
    change(root, "synthesize/mmsu/rejected.jsonl", lambda rows: [{**row, "category": "equivalent_replacement"} for row in rows])
    counts = ledger.read(root, "mmsu").counts()
    assert (counts["source"], counts["redesigned"], counts["rejected"], counts["released"]) == (3, 1, 1, 2)


@pytest.mark.parametrize(
    ("path", "by", "sentence"),
    [
        (
            "normalize/bbh/rows.jsonl",
            lambda rows: rows[1:],
            r"bbh-test-00000 came to data/normalize/bbh and is neither kept nor rejected there \(1 such",
        ),
        ("correct/bbh/rejected.jsonl", lambda rows: [], "bbh-test-00003 came to data/correct/bbh and is neither"),
        (
            "validate/bbh/rows.jsonl",
            lambda rows: [*rows, {**rows[0], "id": "bbh-test-00009"}],
            "bbh-test-00009 is in data/validate/bbh but did not come",
        ),
        ("ingest/bbh/rows.jsonl", lambda rows: [*rows, rows[0]], "bbh-test-00000 is in data/ingest/bbh 2 times"),
        ("correct/bbh/rejected.jsonl", lambda rows: [{"id": "bbh-test-00003"}], "data/correct/bbh/rejected.jsonl has a row without 'reason'"),
    ],
)
def test_what_does_not_reconcile_is_named(root: Path, path: str, by: Callable[[list[Row]], list[Row]], sentence: str) -> None:
    change(root, path, by)
    with pytest.raises(UserError, match=sentence):
        ledger.read(root, "bbh")


def test_kept_and_rejected_at_once_is_an_error(root: Path) -> None:
    [kept] = [row for row in files.read_jsonl(root / "data/correct/bbh/rows.jsonl") if row["id"] == "bbh-test-00001"]
    change(root, "correct/bbh/rejected.jsonl", lambda rows: [*rows, {**kept, "reason": "x", "rule_id": "", "detail": ""}])
    with pytest.raises(UserError, match="bbh-test-00001 is in data/correct/bbh 2 times"):
        ledger.read(root, "bbh")


def test_an_unfinished_subset_names_the_missing_file(root: Path) -> None:
    (root / "data/synthesize/bbh/rejected.jsonl").unlink()
    with pytest.raises(UserError, match=r"data/synthesize/bbh/rejected\.jsonl does not exist"):
        ledger.read(root, "bbh")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [("{broken", "line 1 is not valid JSON"), ("[1]", "line 1 is not a JSON object"), ('{"subset": "bbh"}', "has a row without 'id'")],
)
def test_a_damaged_file_is_named(root: Path, line: str, sentence: str) -> None:
    (root / "data/normalize/bbh/rows.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=rf"data/normalize/bbh/rows\.jsonl {sentence}"):
        ledger.read(root, "bbh")


def test_find_gives_an_item_of_any_state(root: Path) -> None:
    released, rejected = ledger.find(root, "mmsu-01003"), ledger.find(root, "mmsu-00007")
    assert released is not None
    assert released.released
    assert released.row["released_in"] == ["KVoiceBench"]
    assert rejected is not None
    assert (rejected.stage, rejected.reason, rejected.subset) == ("synthesize", "unintelligible", "mmsu")
    assert rejected.row["spoken"]
    assert ledger.find(root, "mmsu-00001") is None


def test_find_works_on_a_build_that_has_just_begun(root: Path) -> None:
    for stage in ledger.ORDER[2:]:
        for path in (root / "data" / stage / "mmsu").iterdir():
            path.unlink()
    item = ledger.find(root, "mmsu-01003")
    assert item is not None
    assert (item.stage, item.reason, item.released) == ("correct", None, False)


def test_ids_are_those_of_the_source(root: Path) -> None:
    assert sum(id.startswith("bbh-test-") for id in ledger.ids(root)) == 6
    assert len(list(ledger.ids(root))) == 16
