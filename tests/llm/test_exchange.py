from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.llm import Client, ClientSettings, Reply, Request, Role, exchange
from stages.llm.store import Store
from tests.llm.server import Server, verdict

Make = Callable[..., list[Request]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def write(path: Path, entries: list[Any]) -> Path:
    path.write_bytes(b"".join((entry if isinstance(entry, bytes) else orjson.dumps(entry)) + b"\n" for entry in entries))
    return path


def llm(store_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"BENCHFERRY_CACHE": str(store_path.parent)}
    return subprocess.run([sys.executable, "-m", "stages.llm", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


def batch_output(request: dict[str, Any]) -> dict[str, Any]:
    """What a batch service makes of an exported request."""
    content = verdict(request["body"])
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}
    body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}], "usage": usage}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": None}


@pytest.fixture
def missed(replay: ClientSettings, requests: Make) -> None:
    """A replay run that missed six replies."""
    with Client.open(replay, Progress("correct sd-qa")) as client, pytest.raises(UserError):
        client.ask(requests(6))


@pytest.mark.usefixtures("missed")
def test_missing_requests_go_out_in_batch_form_and_their_answers_make_the_run_whole(
    tmp_path: Path, store_path: Path, replay: ClientSettings, requests: Make, server: Server
) -> None:
    done = llm(store_path, "export", "--missing", "--out", str(tmp_path / "out.jsonl"))
    assert (done.returncode, done.stdout) == (0, f"6 requests (reviewer 6) -> {tmp_path}/out.jsonl\n"), done.stderr
    exported = lines(tmp_path / "out.jsonl")
    assert [(line["custom_id"], line["method"], line["url"], line["body"]) for line in exported] == [
        (request.key, "POST", "/v1/chat/completions", request.body) for request in requests(6)
    ]
    answers = write(tmp_path / "in.jsonl", [batch_output(line) for line in exported])
    done = llm(store_path, "import", str(answers))
    assert (done.returncode, done.stdout) == (0, f"6 replies taken in from {answers}\n"), done.stderr
    with Client.open(replay) as client:
        replies = client.ask(requests(6))
    assert [reply.text for reply in replies] == [verdict(request.body) for request in requests(6)]
    assert (replies[0].usage.prompt_tokens, replies[0].usage.cached_tokens, replies[0].usage.completion_tokens) == (11, 3, 7)
    assert server.requests == []


@pytest.mark.usefixtures("missed")
def test_invalid_lines_are_named_by_item_and_the_valid_ones_kept(tmp_path: Path, store_path: Path, replay: ClientSettings, requests: Make) -> None:
    keys = [request.key for request in requests(6)]
    cut = batch_output({"custom_id": keys[5], "body": {}})
    cut["response"]["body"]["choices"][0]["finish_reason"] = "length"
    file = write(
        tmp_path / "in.jsonl",
        [
            {"custom_id": keys[0], "content": '{"reason": "written by a person", "correct": true}'},
            {"custom_id": keys[1], "content": {"reason": "as an object", "correct": False}},
            {"custom_id": keys[2], "content": {"reason": "", "correct": True}},
            {"custom_id": keys[3], "content": "correct, I think"},
            {"custom_id": keys[4], "response": {"status_code": 500, "body": {}}, "error": {"message": "expired"}},
            cut,
            {"custom_id": "0" * 64, "content": "x"},
            b"{half a line",
        ],
    )
    done = llm(store_path, "import", str(file))
    assert done.returncode == 1
    assert done.stdout == f"2 replies taken in from {file}\n"
    told = done.stderr.splitlines()
    assert told[0] == "in.jsonl line 3 (item sd-qa-00002, role reviewer): the length of reason must be at least 1, not 0."
    assert told[1].startswith("in.jsonl line 4 (item sd-qa-00003, role reviewer): the content is not valid JSON")
    assert told[2].startswith("in.jsonl line 5 (item sd-qa-00004, role reviewer): the batch service failed: {'message': 'expired'}")
    assert told[3] == "in.jsonl line 6 (item sd-qa-00005, role reviewer): the reply was cut (length)."
    assert told[4].startswith("in.jsonl line 7 (unknown item): the store knows no such request")
    assert told[5].startswith("in.jsonl line 8 (unknown item): not valid JSON")
    assert told[6] == f"error: 6 of 8 replies in {file} cannot be used and were left out (see above)."
    with pytest.raises(UserError, match=r"Item sd-qa-00002 has no reply for role reviewer \(4 requests"), Client.open(replay) as client:
        client.ask(requests(6))


def test_replies_that_were_used_make_a_file_that_runs_elsewhere(
    tmp_path: Path, store_path: Path, live: ClientSettings, replay: ClientSettings, requests: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client.open(live, Progress("correct sd-qa")) as client:
        client.ask(requests(9))
    with Client.open(live, Progress("correct sd-qa")) as client:
        expected = client.ask(requests(5))
    for name in ("one", "two"):
        done = llm(store_path, "export", "--replies", "--out", str(tmp_path / f"{name}.jsonl"))
        assert done.stdout.startswith("5 replies"), done.stderr
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert [line["custom_id"] for line in lines(tmp_path / "one.jsonl")] == sorted(request.key for request in requests(5))
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "elsewhere"))
    with Client.open(replay.model_copy(update={"replies": ["one.jsonl"]}), root=tmp_path) as client:
        got = client.ask(requests(5))
    assert [(reply.text, reply.usage) for reply in got] == [(reply.text, reply.usage) for reply in expected]


def test_rounds_are_walked_without_a_live_model(tmp_path: Path, store_path: Path, replay: ClientSettings, requests: Make, role: Role) -> None:
    """A second role is asked about what the first one found; each round stops, names what it lacks, and goes on once it is there."""
    meta = role.model_copy(update={"name": "meta_reviewer", "model": "meta"})

    def stage() -> list[Reply]:
        with Client.open(replay, Progress("correct sd-qa")) as client:
            first = client.ask(requests(6))
            found = [request for request, reply in zip(requests(6, role=meta), first, strict=True) if not reply.value.correct]  # type: ignore[union-attr]
            return client.ask(found)

    asked = []
    for _ in range(2):
        with pytest.raises(UserError, match="export --missing"):
            stage()
        assert llm(store_path, "export", "--missing", "--out", str(tmp_path / "out.jsonl")).returncode == 0
        exported = lines(tmp_path / "out.jsonl")
        asked.append({line["body"]["model"] for line in exported})
        assert llm(store_path, "import", str(write(tmp_path / "in.jsonl", [batch_output(line) for line in exported]))).returncode == 0
    assert asked == [{"test-model"}, {"meta"}]
    assert 0 < len(stage()) < 6
    assert llm(store_path, "export", "--missing", "--out", str(tmp_path / "out.jsonl")).stdout.startswith("0 requests (none missing)")


def test_show_prints_the_request_and_the_reply(store_path: Path, live: ClientSettings, requests: Make) -> None:
    with Client.open(live) as client:
        client.ask(requests(1))
    shown = llm(store_path, "show", requests(1)[0].key[:12]).stdout
    assert "item: sd-qa-00000" in shown
    assert "[user]\nquestion 0" in shown
    assert "[reply: live," in shown
    unknown = llm(store_path, "show", "ffffffff")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (1, 1)


def test_an_imported_plain_text_needs_no_schema(role: Role, replay: ClientSettings, tmp_path: Path) -> None:
    request = Request("wildvoice-test-00001", role, ({"role": "user", "content": "say it"},))
    with Client.open(replay) as client, pytest.raises(UserError):
        client.ask([request])
    with Store.open() as store:
        assert exchange.import_replies(store, write(tmp_path / "in.jsonl", [{"custom_id": request.key, "content": "said"}])) == (1, [])
    with Client.open(replay) as client:
        assert client.ask([request])[0].value == "said"
