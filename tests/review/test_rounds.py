"""Rounds written by hand beside the desk's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.review import decisions
from stages.review.desk.catalog import Catalog

QUESTION = "question:normalization:spelled.ROTC"


def write(root: Path, name: str, text: str) -> Path:
    path = root / "data/decisions/normalization" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def last(root: Path) -> dict[str, tuple[str, str]]:
    return {reviewer: (verdict.verdict, verdict.date) for (_, reviewer), verdict in decisions.read(root, "normalization").last().items()}


def test_a_yaml_round(tmp_path: Path) -> None:
    text = f"date: 2026-11-30\ndecisions:\n  - {{id: '{QUESTION}', verdict: edit, edit: {{reading: 알오티씨}}, asked: said how, reason: so}}\n"
    write(tmp_path, "first-Kim.yaml", text)
    (verdict,) = decisions.read(tmp_path).verdicts
    assert (verdict.queue_id, verdict.verdict, verdict.edit, verdict.reviewer, verdict.date) == (
        QUESTION, "edit", {"reading": "알오티씨"}, "kim", "2026-11-30",
    )  # fmt: skip


def test_a_tsv_round_takes_its_date_from_its_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        "2026-12-01-lee.tsv",
        f'# a comment\nid\tverdict\treason\tedit.reading\n{QUESTION}\tletters\t"so" they say\t\nquestion:normalization:kept.abc\tedit\t\t에이비씨\n',
    )
    first, second = decisions.read(tmp_path).verdicts
    assert (first.verdict, first.reason, first.date, first.edit) == ("letters", '"so" they say', "2026-12-01", {})
    assert second.edit == {"reading": "에이비씨"}


def test_the_later_date_counts_between_a_round_and_the_desk(tmp_path: Path) -> None:
    decisions.append(tmp_path, "normalization", "kim", QUESTION, "letters")
    write(tmp_path, "1999-01-01-kim.tsv", f"id\tverdict\n{QUESTION}\tskip\n")
    assert last(tmp_path)["kim"][0] == "letters"
    write(tmp_path, "2999-01-01-kim.tsv", f"id\tverdict\n{QUESTION}\treject\n")
    assert last(tmp_path)["kim"] == ("reject", "2999-01-01")


def test_the_order_of_the_desks_lines_counts_whatever_its_clock_says(tmp_path: Path) -> None:
    path = decisions.path(tmp_path, "normalization", "kim")
    path.parent.mkdir(parents=True)
    line = '{"queue_id":"%s","verdict":"%s","reviewer":"kim","date":"%s","seq":%d}\n'
    path.write_text(line % (QUESTION, "letters", "2026-12-02", 1) + line % (QUESTION, "skip", "2026-12-01", 2))
    assert last(tmp_path)["kim"][0] == "skip"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("r-kim.yaml", "decisions: [{id: x", "not valid YAML"),
        ("r-kim.yaml", "- a", "a list `decisions`"),
        ("r-kim.yaml", "decisons: []\ndecisions: []", "'decisions'"),
        ("r-kim.yaml", "date: 2026-01-01\ndecisions: [{id: x}]", "decision 1 has no verdict"),
        ("r-kim.yaml", "date: 2026-01-01\ndecisions: [{id: x, verdict: a, verdit: b}]", "'verdict'"),
        ("r-kim.yaml", "decisions: [{id: x, verdict: a}]", "no date"),
        ("r-kim.yaml", "date: yesterday\ndecisions: [{id: x, verdict: a}]", "no date"),
        ("r-kim.yaml", "date: 2026-01-01\ndecisions: [{id: x, verdict: a, edit: text}]", "no mapping"),
        ("2026-01-01-kim.tsv", "id\tverdict\nx", "number of columns"),
        ("2026-01-01-kim.tsv", "id\tverdict\nx\ta\tb", "number of columns"),
        ("2026-01-01-kim.tsv", "id\treason\nx\ta", "no verdict"),
        ("2026-01-01-.yaml", "decisions: []", "reviewer's name"),
    ],
)
def test_a_mistake_names_the_file_and_what_to_do(tmp_path: Path, name: str, text: str, told: str) -> None:
    write(tmp_path, name, text)
    with pytest.raises(UserError, match=told):
        decisions.read(tmp_path)


def test_the_desk_sees_a_round(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    before = catalog.snapshot().version
    write(tmp_path, "2026-12-01-lee.tsv", f"id\tverdict\n{QUESTION}\tletters\n")
    assert catalog.snapshot().version != before
    assert (QUESTION, "lee") in catalog.snapshot().last


def test_the_projects_own_rounds_are_readable() -> None:
    found = decisions.read(ROOT)
    assert not found.torn
    assert {verdict.reviewer for verdict in found.verdicts} >= {"project"}
