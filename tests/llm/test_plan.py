from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stages.core import files
from stages.core.errors import UserError
from stages.llm import Client, ClientSettings, Role, plan
from stages.llm.store import Store
from tests.llm.server import Server
from tests.llm.toy_stage import plan_requests

INGEST = SimpleNamespace(STAGE=SimpleNamespace(reads=None))


@pytest.fixture
def build(tmp_path: Path, role: Role, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with a configuration of two stages and three subsets, of which two are ingested."""
    monkeypatch.setitem(sys.modules, "tests.llm.toy_ingest", INGEST)  # type: ignore[arg-type]
    priced = role.model_copy(update={"usd_per_million_input": 10.0, "usd_per_million_output": 100.0}).model_dump()
    meta, translator = priced | {"name": "meta_reviewer", "model": "meta"}, priced | {"name": "translator", "model": "tr"}
    values = {"correct": {"enabled": True, "reviewer": priced, "meta_reviewer": meta}, "hypertranslate": {"translator": translator}}
    config: dict[str, Any] = {
        "llm": {
            "client": {"mode": "live", "max_cost_usd": 3},
            "planned": {"correct": {"follow_ups": [{"role": "meta_reviewer", "of": "reviewer", "share": 0.2}]}, "hypertranslate": None},
        },
        "stages": {"ingest": "tests.llm.toy_ingest", "correct": "tests.llm.toy_stage", "hypertranslate": "tests.llm.toy_translate"},
        "subsets": {"bbh": values, "sd-qa": values, "mmsu": {"correct": values["correct"] | {"enabled": False}, "hypertranslate": None}},
    }
    files.write_json(tmp_path / "data/config.json", config)
    for subset, count in (("bbh", 10), ("mmsu", 4)):
        rows = [{"id": f"{subset}-{n:05d}", "prompt": f"question {n}"} for n in range(count)]
        files.write_jsonl(tmp_path / f"data/ingest/{subset}/rows.jsonl", rows)
    return tmp_path


def correct_requests(build: Path) -> list[Any]:
    work, _ = plan.work(build, ["correct"], ["bbh"])
    return work[0].requests


def test_plan_counts_what_is_stored_and_says_what_it_cannot_know(build: Path, live: ClientSettings, capsys: pytest.CaptureFixture[str]) -> None:
    with Client.open(live) as client:
        client.ask(correct_requests(build)[:4])
    plan.main(build)
    shown = capsys.readouterr().out
    table = {tuple(line.split()[:3]): line.replace(" (second round)", "").split()[3:] for line in shown.splitlines() if line}
    assert table[("correct", "bbh", "reviewer")][1:4] == ["10", "4", "6"]
    assert table[("correct", "bbh", "meta_reviewer")][1:4] == ["~1.2", "0", "~1.2"], "0.2 of 6"
    assert table[("hypertranslate", "bbh", "translator")][1:4] == ["~10", "0", "~10"]
    assert "correct: sd-qa not counted, data/ingest/<subset>/rows.jsonl does not exist yet" in shown
    assert "hypertranslate: bbh estimated from the rows of ingest" in shown
    assert "reviewer: tokens by the averages of 4 stored replies" in shown
    assert "llm.client.max_cost_usd 3" in shown
    assert "mmsu" not in shown.split("\n\n")[0], "a subset that asks nothing has no line"


def test_the_estimate_is_close_to_what_is_then_paid(build: Path, live: ClientSettings) -> None:
    with Client.open(live) as client:
        client.ask(correct_requests(build)[:4])
    with Store.open() as store:
        line = next(iter(plan.lines(plan.work(build, ["correct"], ["bbh"])[0], store)))
        expected = plan.usd(line.role, line.usage)
    with Client.open(live) as client:
        client.ask(correct_requests(build))
        paid = client.usage()["reviewer"]["usd_spent"]
    assert expected == pytest.approx(paid, rel=0.15)


def test_a_misspelt_stage_or_subset_is_one_sentence(build: Path) -> None:
    with pytest.raises(UserError, match=r"There is no subset 'bhb' here. Did you mean 'bbh'"):
        plan.work(build, None, ["bhb"])
    with pytest.raises(UserError, match=r"There is no stage 'corect' here. Did you mean 'correct'"):
        plan.work(build, ["corect"])


def test_planned_requests_are_those_that_the_stage_asks(build: Path, server: Server, live: ClientSettings) -> None:
    with Client.open(live) as client:
        client.ask(correct_requests(build))
    rows = files.read_jsonl(build / "data/ingest/bbh/rows.jsonl")
    settings = plan.work(build, ["correct"], ["bbh"])[0][0].settings
    with Client.open(live) as client:
        client.ask(plan_requests(rows, settings, build))
    assert len(server.requests) == 10


def test_export_leaves_out_what_is_stored_and_what_is_only_estimated(
    build: Path, live: ClientSettings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from stages.llm import __main__ as command

    with Client.open(live) as client:
        client.ask(correct_requests(build)[:4])
    expected = [request.key for request in correct_requests(build)[4:]]
    work: Callable[..., Any] = plan.work
    monkeypatch.setattr(command.plan, "work", lambda **chosen: work(build, **chosen))
    monkeypatch.setattr("sys.argv", ["llm", "export", "--out", str(build / "out.jsonl"), "--subset", "bbh"])
    command.main()
    printed = capsys.readouterr()
    assert "6 requests (reviewer 6)" in printed.out
    assert "hypertranslate bbh: left out" in printed.err
    assert [line["custom_id"] for line in files.read_jsonl(build / "out.jsonl")] == expected
