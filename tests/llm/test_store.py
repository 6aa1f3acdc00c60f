from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.llm import Client, ClientSettings, Request, Role
from stages.llm.store import Store
from tests.llm.server import Server

Make = Callable[..., list[Request]]


def run(code: str, cache: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"BENCHFERRY_CACHE": str(cache)}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


def test_a_damaged_store_is_one_sentence_that_tells_how_to_save_it(store_path: Path) -> None:
    store_path.parent.mkdir(parents=True)
    store_path.write_bytes(b"these are not the bytes of a database" * 1000)
    with pytest.raises(UserError, match=r"replies.sqlite is damaged .*move it away.*\.recover"), Store.open():
        pass


def test_damage_inside_is_found_when_it_is_met(store_path: Path, live: ClientSettings, requests: Make) -> None:
    with Client.open(live) as client:
        client.ask(requests(300))
    with sqlite3.connect(store_path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(store_path.read_bytes())
    content[4096 * 3 :] = os.urandom(len(content) - 4096 * 3)
    store_path.write_bytes(content)
    with pytest.raises(UserError, match="is damaged"), Client.open(live) as client:
        client.ask(requests(300))


def test_a_read_only_store_is_one_sentence_and_nothing_is_lost(live: ClientSettings, requests: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, which is closed to the user that the process below becomes
        folder = Path(name)
        monkeypatch.setenv("BENCHFERRY_CACHE", name)
        with Client.open(live) as client:
            client.ask(requests(3))
        before = (folder / "replies.sqlite").read_bytes()
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        nobody = "os.setuid(65534)" if os.geteuid() == 0 else ""  # root may write anything
        done = run(
            f"""
import os
from stages.core.app import exiting
from stages.llm.store import Store
def main():
    with Store.open(): pass
{nobody}
exiting(main)
""",
            folder,
        )
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith(f"error: The reply store {folder}/replies.sqlite cannot be used (attempt to write a readonly database); make")
        assert done.stderr.count("\n") == 1
        assert (folder / "replies.sqlite").read_bytes() == before
        folder.chmod(0o755)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match=r"replies.sqlite cannot be made .*BENCHFERRY_CACHE"), Store.open(tmp_path / "file" / "replies.sqlite"):
        pass


def test_a_full_disk_ends_the_run_with_one_sentence_and_keeps_what_was_stored(tmp_path: Path, requests: Make, role: Role) -> None:
    """RLIMIT_FSIZE stands for the full disk: from there on SQLite's writes fail in the same way."""
    with Server(answer=lambda body: orjson.dumps({"reason": "long " * 2000, "correct": True}).decode()) as server:
        code = f"""
import resource, signal
from stages.core.app import exiting
from stages.llm import Client, ClientSettings, Request, Role
from tests.llm.server import Verdict
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
role = Role(name="reviewer", model="test-model", base_url={server.url!r}, concurrency=4)
asked = [Request(f"sd-qa-{{n:05d}}", role, ({{"role": "user", "content": f"question {{n}}"}},), Verdict) for n in range(1000)]
def main():
    with Client.open(ClientSettings(mode="live")) as client:
        client.ask(asked[:50])
        size = 3_000_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        client.ask(asked)
exiting(main)
"""
        done = run(code, tmp_path / "small")
    assert done.returncode == 1, done.stderr
    assert "free some space and run again: every reply stored so far is kept" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    with sqlite3.connect(tmp_path / "small" / "replies.sqlite") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM replies").fetchone()[0] >= 50


def test_averages_come_from_stored_replies_of_the_role_and_model(requests: Make, live: ClientSettings) -> None:
    with Client.open(live) as client:
        client.ask(requests(5))
    with Store.open() as store:
        averages = store.averages("reviewer", "test-model")
        assert averages is not None
        assert averages[0] == 5
        assert averages[1] == pytest.approx(1 / 4, rel=0.02)
        assert store.averages("reviewer", "another") is None


def test_replies_files_are_taken_once_and_replaced_when_they_change(tmp_path: Path, requests: Make, replay: ClientSettings) -> None:
    file = tmp_path / "replies.jsonl"
    here = replay.model_copy(update={"replies": ["replies.jsonl"]})

    def answer(reasons: list[str]) -> None:
        lines = [{"custom_id": r.key, "content": {"reason": reason, "correct": True}} for r, reason in zip(requests(2), reasons, strict=False)]
        file.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")

    def reasons() -> list[str]:
        with Client.open(here, root=tmp_path) as client:
            return [reply.value.reason for reply in client.ask(requests(2))]  # type: ignore[union-attr]

    answer(["a", "b"])
    assert reasons() == ["a", "b"]
    answer(["c", "d"])
    assert reasons() == ["c", "d"]
    answer(["a", "b"])
    assert reasons() == ["a", "b"], "also back to an earlier version, as by a git checkout"
    answer(["a"])
    with pytest.raises(UserError, match="Item sd-qa-00001 has no reply"):
        reasons()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, r"The replies file replies.jsonl cannot be read \(No such file"), (b"{oops\n", r"replies.jsonl line 1: not valid JSON"),
     (b'\n{"content": "x"}\n', r"replies.jsonl line 2: no custom_id"), (b'{"custom_id": "' + b"0" * 64 + b'"}', r"line 1: no content")],
)  # fmt: skip
def test_a_bad_replies_file_is_one_sentence(tmp_path: Path, replay: ClientSettings, content: bytes | None, sentence: str) -> None:
    if content is not None:
        (tmp_path / "replies.jsonl").write_bytes(content)
    with pytest.raises(UserError, match=sentence), Client.open(replay.model_copy(update={"replies": ["replies.jsonl"]}), root=tmp_path):
        pass
