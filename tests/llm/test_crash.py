"""kill -9 in the middle of a run, and what a run writes about its secrets."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from stages.core.paths import ROOT
from tests.llm.server import Fault, Server

IN_FLIGHT = 16
COUNT = 400
SCRIPT = """
import sys
from pathlib import Path
from stages.core import files
from stages.core.app import exiting
from stages.core.progress import Progress
from stages.llm import Client, ClientSettings, Request, Role
from tests.llm.server import Verdict

def main():
    url, out, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    role = Role(name="reviewer", model="test-model", base_url=url, concurrency=16, api_key_env="BENCHFERRY_TEST_KEY", max_attempts=3)
    asked = [Request(f"sd-qa-{n:05d}", role, ({"role": "user", "content": f"question {n}"},), Verdict) for n in range(count)]
    with Client.open(ClientSettings(mode="live", backoff_s=0.01), Progress("correct sd-qa")) as client:
        replies = client.ask(asked)
        files.write_json(out, {"replies": [reply.value.model_dump() for reply in replies], "requests": client.usage()["reviewer"]["requests"]})
exiting(main)
"""
SECRET = "sk-live-8c1f0e7d5b"


def start(server: Server, cache: Path, out: Path, count: int = COUNT) -> subprocess.Popen[bytes]:
    env = os.environ | {"BENCHFERRY_CACHE": str(cache), "BENCHFERRY_TEST_KEY": SECRET}
    command = [sys.executable, "-c", SCRIPT, server.url, str(out), str(count)]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stored(cache: Path) -> int:
    if not (cache / "replies.sqlite").exists():
        return 0
    with sqlite3.connect(f"file:{cache}/replies.sqlite?mode=ro", uri=True) as db:
        try:
            return int(db.execute("SELECT count(*) FROM replies").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_kill_9_twice_repeats_at_most_what_was_in_flight_and_gives_the_same_result(tmp_path: Path) -> None:
    with Server(latency_s=0.02) as server:
        calm = start(server, tmp_path / "calm", tmp_path / "calm.json")
        assert calm.wait(60) == 0
        calm.communicate()
        server.requests.clear()
        for mark in (COUNT // 4, COUNT // 2):
            process = start(server, tmp_path / "killed", tmp_path / "killed.json")
            deadline = time.monotonic() + 30
            while stored(tmp_path / "killed") < mark and time.monotonic() < deadline:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert mark <= stored(tmp_path / "killed") < COUNT, "the kill came in the middle"
        assert not (tmp_path / "killed.json").exists()
        last = start(server, tmp_path / "killed", tmp_path / "killed.json")
        assert last.wait(60) == 0
        last.communicate()
        calls = Counter(orjson.dumps(body) for body in server.requests)
    assert len(calls) == COUNT
    assert sum(calls.values()) - COUNT <= 2 * IN_FLIGHT, "two kills, 16 requests in flight at each"
    assert (tmp_path / "killed.json").read_bytes() == (tmp_path / "calm.json").read_bytes()


def test_no_file_and_no_output_holds_the_key_even_when_the_endpoint_echoes_it(tmp_path: Path) -> None:
    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        question = body["messages"][0]["content"]
        if question == "question 1":
            return Fault(content=f'{{"reason": "you sent {SECRET}", "correct": true}}')
        if question == "question 2":
            return Fault(400, raw=orjson.dumps({"error": {"message": f"Incorrect API key provided: {SECRET}"}}))
        if question == "question 3":
            return Fault(raw=f"<html>Bearer {SECRET}</html>".encode())
        return None

    with Server(misbehave) as server:
        process = start(server, tmp_path / "cache", tmp_path / "out.json", count=8)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert any(headers.get("Authorization") == f"Bearer {SECRET}" for headers in server.headers)
    assert b"[key]" in err
    assert SECRET.encode() not in out + err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "replies.sqlite" for path in files)
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
        assert b"Bearer" not in path.read_bytes(), path
    with sqlite3.connect(tmp_path / "cache" / "replies.sqlite") as db:
        echoed = [text for (text,) in db.execute("SELECT text FROM replies WHERE text LIKE '%you sent%'")]
    assert echoed == ['{"reason": "you sent [key]", "correct": true}']
