"""Verdicts of the desk as the stages read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.core import verdicts
from stages.core.errors import UserError
from stages.review import decisions


def test_the_last_word_of_each_reviewer_counts_and_a_skip_is_none(tmp_path: Path) -> None:
    """The desk's own writer and this reader agree."""
    for reviewer, queue_id, verdict in [("kim", "a", "reject"), ("kim", "a", "accept"), ("lee", "a", "accept"), ("lee", "b", "skip")]:
        decisions.append(tmp_path, "understanding", reviewer, queue_id, verdict, reason="so")
    found = verdicts.read(tmp_path, "understanding")
    assert {id: [(one.reviewer, one.verdict) for one in given] for id, given in found.items()} == {"a": [("kim", "accept"), ("lee", "accept")]}
    assert verdicts.read(tmp_path, "other") == {}


def test_a_torn_last_line_is_left_out_and_a_damaged_one_before_it_is_named(tmp_path: Path) -> None:
    decisions.append(tmp_path, "understanding", "kim", "a", "edit", edit={"question": "가"})
    path = decisions.path(tmp_path, "understanding", "kim")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    assert [one.edit for one in verdicts.read(tmp_path, "understanding")["a"]] == [{"question": "가"}]
    path.write_bytes(whole[: len(whole) // 2] + b"\n" + whole)
    with pytest.raises(UserError, match=r"kim.jsonl line 1 is not a verdict"):
        verdicts.read(tmp_path, "understanding")


def test_a_file_that_would_be_ignored_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "data/decisions/understanding"
    folder.mkdir(parents=True)
    (folder / "round-kim.yaml").write_text("decisions: []")
    with pytest.raises(UserError, match=r"round-kim.yaml is not a file of the desk"):
        verdicts.read(tmp_path, "understanding")


def test_the_key_of_a_content_changes_with_it() -> None:
    assert verdicts.content_key(["a", "b"]) != verdicts.content_key(["ab"])
    assert verdicts.content_key(["a", "b"]) == verdicts.content_key(iter(["a", "b"]))
