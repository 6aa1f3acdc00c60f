"""What an edit costs: the requests that it touches, and no other. Counted where they arrive, at a server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tests.acceptance.oracle import answer, ask_live
from tests.acceptance.project import Project
from tests.llm.server import Server

RULEBOOK = "rulebooks/ko/hypertranslation.yaml"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(answer=answer) as running:
        yield running


def test_an_added_row_misses_exactly_its_own_request(project: Project) -> None:
    added = {"id": "sports_understanding_77", "prompt": 'Is this plausible? "Mina Kay scored a goal."'}
    project.parquet("bbh", lambda rows: [*rows, rows[0] | added])
    project.build("bbh", "ingest")
    row = project.rows("ingest", "bbh")[-1]
    assert row["prompt"] == added["prompt"]
    result = project.stage("correct", "bbh")
    assert result.code == 1
    assert f"Item {row['id']} has no reply for role reviewer (1 request: reviewer 1 missing)" in result.err
    assert [line.split()[:2] for line in project.run("stages.llm", "show", "--missing").out.splitlines()] == [[row["id"], "reviewer"]]


def test_an_added_row_is_asked_alone(project: Project, server: Server) -> None:
    before = len(project.rows("ingest", "sd-qa"))
    project.parquet("sd-qa", lambda rows: [*rows, rows[0] | {"prompt": "Which city is the capital of Korea?", "reference": "Seoul"}])
    ask_live(project, server.url)
    project.build("sd-qa", "ingest", "correct", "hypertranslate")
    bodies = [orjson.dumps(body).decode() for body in server.requests]
    first_round = [body["response_format"]["json_schema"]["name"] for body in server.requests if len(body["messages"]) == 2]
    assert first_round == ["Review", "ShortAnswerItem"]
    assert all("Which city is the capital of Korea?" in body for body in bodies)
    usage = project.report("correct", "sd-qa")["usage"]["reviewer"]
    assert (usage["from_store"], usage["asked"]) == (before, 1)
    assert project.report("hypertranslate", "sd-qa")["n_in"] == before + 1


@pytest.mark.parametrize("subset", ["sd-qa", "bbh"])
def test_shuffled_rows_ask_nothing(project: Project, server: Server, subset: str) -> None:
    before = {row["prompt"]: row for row in project.rows("hypertranslate", subset)}
    project.parquet(subset, lambda rows: rows[::-1])
    ask_live(project, server.url)
    project.build(subset, "ingest", "correct", "hypertranslate")
    assert server.requests == []
    after = project.rows("hypertranslate", subset)
    assert any(row["id"] != before[row["prompt"]]["id"] for row in after), "they were shuffled"
    assert {row["prompt"]: _said(row) for row in after} == {prompt: _said(row) for prompt, row in before.items()}


def _said(row: dict[str, Any]) -> set[str]:
    """The lines of the Korean question without labels: the place of a minimal pair's key is drawn by the id."""
    return {line[3:] if line[1:3] == ". " else line for line in row["target_prompt"].split("\n")}


def test_an_edited_rule_asks_only_the_items_that_it_is_offered_to(project: Project, server: Server) -> None:
    rows = {row["id"]: row for row in project.rows("hypertranslate", "bbh")}
    offered = Counter(rule for row in rows.values() for rule in row["offered_rule_ids"])
    unasked = {rule for row in rows.values() if row["task"] == "hyperbaton" for rule in row["offered_rule_ids"]}  # made without a model
    rule = next(rule for rule, count in sorted(offered.items()) if rule not in unasked and count < len(rows))
    touched = {id for id, row in rows.items() if rule in row["offered_rule_ids"]}
    text = project.path(RULEBOOK).read_text(encoding="utf-8")
    found = re.search(rf"- id: {re.escape(rule)}\n(?:.*\n)*?      do: (?:>-\n        )?", text)
    assert found, rule
    project.write(RULEBOOK, text[: found.end()] + "Above all: " + text[found.end() :])
    result = project.stage("hypertranslate", "bbh")
    assert result.code == 1
    assert f"({len(touched)} request" in result.err
    shown = project.run("stages.llm", "show", "--missing").out.splitlines()
    assert {line.split()[0] for line in shown} == touched
    assert touched < rows.keys()


def test_an_edit_that_is_not_part_of_a_request_asks_nothing(project: Project) -> None:
    text = project.path(RULEBOOK).read_text(encoding="utf-8")
    project.write(RULEBOOK, re.sub(r"decided_by: \{person: \w+,", "decided_by: {person: Minji Kim,", text))
    assert project.path(RULEBOOK).read_text(encoding="utf-8") != text
    before = project.path("data/hypertranslate/bbh/rows.jsonl").read_bytes()
    project.build("bbh", "hypertranslate")
    assert project.path("data/hypertranslate/bbh/rows.jsonl").read_bytes() == before
