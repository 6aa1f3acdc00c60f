"""Publishing with the real clients to a Hub on this machine: what readers see, what is sent again, and what happens when it breaks."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from stages.core import files
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.publish import diff, folder, hub
from tests.hub import Fault, Hub, serve
from tests.hub.server import TOKEN
from tests.publish.builds import Build, small, synthesized
from tests.publish.test_folder import settings

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=<...>':DeprecationWarning")

REPO = "local/KVoiceBench"
LARGE = "PUT /lfs/"


def configure(root: Path, **changes: Any) -> None:
    """Set the release's configuration and build it."""
    chosen = settings(**{"hub": {"target": "hub", "namespace": "local"}, **changes})
    files.write_json(root / "data/config.json", {"releases": {"KVoiceBench": chosen.model_dump()}})
    folder.publish(chosen, root)


class Desk:
    """A build, its configuration, and the Hub that it is published to."""

    def __init__(self, root: Path, server: Hub) -> None:
        self.root, self.server = root, server

    def configure(self, **changes: Any) -> None:
        configure(self.root, **changes)

    def publish(self, *arguments: str) -> None:
        hub.main(["KVoiceBench", *arguments], self.root)

    def process(self) -> subprocess.Popen[str]:
        code = "import sys; from pathlib import Path; from stages.publish import hub; from stages.core.app import exiting;"
        code += "exiting(lambda: hub.main(['KVoiceBench'], Path(sys.argv[1])))"
        environment = {**os.environ, **self.server.environment(), "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            [sys.executable, "-c", code, str(self.root)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def visible(self) -> tuple[list[str], list[str]]:
        """(titles of commits, newest first; tags): what a reader can see."""
        repository = self.server.storage.repositories.get(REPO)
        return ([commit.title for _, commit in repository.history()], sorted(repository.tags)) if repository else ([], [])

    def change_item(self) -> None:
        """Another right answer for one item of bbh."""
        rows = [synthesized("bbh", index) for index in range(6)]
        rows[1] |= {"correction": "corrected", "correction_type": "wrong_label", "corrected_reference": "no", "target_answer": "아니요"}
        rows[2] |= {"category": "equivalent_replacement"}
        rows[5] |= {"target_answer": "아니요"}
        refused = {"bbh-test-00003": ("correct", "unresolved"), "bbh-test-00004": ("hypertranslate", "deletion")}
        Build(self.root).subset("bbh", rows, refused)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built")
    small(root)
    files.write_text(root / "rulebooks/ko/one.yaml", "version: 3\nrules: [{id: a, do: 세다}]\n")
    files.write_text(root / "conf/prompt/p.txt", "prompt\n")
    configure(root)
    return root


@pytest.fixture
def desk(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    root = tmp_path / "project"
    shutil.copytree(built, root)
    monkeypatch.setattr("time.sleep", _short)
    with serve(tmp_path / "hub") as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield Desk(root, server)


_sleep = time.sleep


def _short(seconds: float) -> None:
    """The pauses between tries, here and in the library, need not be sat out."""
    _sleep(min(seconds, 0.02))


Loaded = dict[str, list[list[list[str]]]]


def load_every_config(desk: Desk, tmp_path: Path, *revisions: str) -> dict[str, Loaded]:
    """With the real `datasets`, in a process of its own: revision to config to [rows read whole, rows read as a stream].

    A row is [id, answer, the audio's sha256, its path].
    """
    script = """
import hashlib, json, sys
from datasets import Audio, get_dataset_config_names, load_dataset
def told(rows):
    rows = rows.cast_column("audio", Audio(decode=False))
    return [[r["id"], r["answer"], hashlib.sha256(r["audio"]["bytes"]).hexdigest(), r["audio"]["path"]] for r in rows]
seen = {}
for revision in sys.argv[2:]:
    for config in get_dataset_config_names(sys.argv[1], revision=revision):
        whole, stream = (load_dataset(sys.argv[1], config, split="test", revision=revision, streaming=flag) for flag in (False, True))
        seen.setdefault(revision, {})[config] = [told(whole), told(stream)]
print(json.dumps(seen))
"""
    environment = {**desk.server.environment(), "HF_HOME": str(tmp_path / "hf"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", script, REPO, *revisions], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def packed(desk: Desk) -> dict[str, list[list[str]]]:
    """Config to rows of the build in its folder, as above."""
    found = {}
    for path in sorted((desk.root / "data/publish/KVoiceBench").glob("*/*.parquet")):
        rows = pq.read_table(path).to_pylist()
        found[path.parent.name] = [[r["id"], r["answer"], hashlib.sha256(r["audio"]["bytes"]).hexdigest(), r["audio"]["path"]] for r in rows]
    return found


def test_publish_load_change_diff_publish_and_both_versions_load(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk.publish()
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])
    first = packed(desk)
    assert {config: len(rows) for config, rows in first.items()} == {"alpacaeval_full-test": 2, "bbh-test": 4, "ifeval-test": 2, "mmsu": 2}

    requests = len(desk.server.log)
    desk.publish()
    assert "published already; nothing to do" in capsys.readouterr().out
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])
    assert {method for method, _, _ in desk.server.log[requests:]} == {"GET"}

    desk.change_item()
    desk.configure()
    diff.main(["KVoiceBench", "--json"], desk.root)
    facts = json.loads(capsys.readouterr().out.partition("{")[2].join(["{", ""]))
    assert [(change["id"], change["kind"], change["fields"], change["audio"]) for change in facts["changes"]] == [
        ("bbh-test-00005", "changed", {"answer": ["예", "아니요"]}, False)
    ]
    assert (facts["level"], facts["told"]) == ("minor", [])
    with pytest.raises(UserError, match=r"has published 1\.0\.0 already with other content \(1 rows changed .* to 1\.1\.0 in"):
        desk.publish()
    desk.configure(version="1.0.1")
    with pytest.raises(UserError, match=r"has minor changes since 1\.0\.0, so it cannot be released as 1\.0\.1; set .*version in .* to 1\.1\.0"):
        desk.publish()
    assert desk.visible()[1] == ["v1.0.0"]

    desk.configure(version="1.1.0")
    sent = len(desk.server.asked(LARGE))
    desk.publish()
    assert desk.visible() == (["KVoiceBench 1.1.0", "KVoiceBench 1.0.0", "initial commit"], ["v1.0.0", "v1.1.0"])
    assert len(desk.server.asked(LARGE)) == sent + 1
    second = packed(desk)
    assert [row[1] for row in second["bbh-test"]] == ["예", "아니요", "예", "아니요"]
    loaded = load_every_config(desk, tmp_path, "v1.0.0", "v1.1.0")
    assert loaded["v1.0.0"] == {config: [rows, rows] for config, rows in first.items()}
    assert loaded["v1.1.0"] == {config: [rows, rows] for config, rows in second.items()}
    tree = desk.server.repository(REPO).history()[0][1].tree
    notes = desk.server.storage.content(tree["releases/v1.1.0.md"].sha256).decode()
    assert "| `bbh-test-00005` | answer: 예 → 아니요 | same | hypertranslate: target_answer |" in notes
    assert "releases/v1.0.0.md" in tree


def test_a_dry_run_prints_what_would_change_and_changes_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.publish("--dry-run")
    said = capsys.readouterr().out
    assert "create the dataset local/KVoiceBench (private, gated: no)" in said
    assert desk.visible() == ([], [])
    assert {method for method, _, _ in desk.server.log} == {"GET"}
    desk.publish()
    requests = len(desk.server.log)
    desk.change_item()
    desk.configure(version="1.1.0")
    capsys.readouterr()
    desk.publish("dry_run=true")
    said = capsys.readouterr().out
    would = {" ".join(line.split()[:2]) for line in said.split("\n\n")[0].splitlines()[1:]}
    assert would == {
        "change README.md", "change bbh-test/test-00000-of-00001.parquet", "change croissant.json", "change provenance/bbh-test.jsonl",
        "add releases/v1.1.0.md", "make one", "rows since", "tag it",
    }  # fmt: skip
    assert "rows since v1.0.0: 1 rows changed (audio of 0)" in said
    assert not [method for method, path, _ in desk.server.log[requests:] if method != "GET" and "paths-info" not in path]
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_a_file_that_is_no_longer_built_is_deleted_and_a_lost_config_is_a_major_change(desk: Desk) -> None:
    desk.publish()
    parts = {name: part for name, part in settings().model_dump()["subsets"].items() if name != "mmsu"}
    desk.configure(version="1.1.0", subsets=parts)
    with pytest.raises(UserError, match=r"has major changes since 1\.0\.0"):
        desk.publish()
    desk.configure(version="2.0.0", subsets=parts)
    desk.publish()
    tree = desk.server.repository(REPO).history()[0][1].tree
    assert not [path for path in tree if "mmsu" in path]
    assert {".gitattributes", "releases/v1.0.0.md", "releases/v2.0.0.md"} <= tree.keys()


def test_a_gated_dataset_is_closed_until_its_gate_stands(desk: Desk) -> None:
    desk.publish("private=false", "gated=manual")
    repository = desk.server.repository(REPO)
    assert (repository.private, repository.gated) == (False, "manual")
    order = [f"{method} {path.rpartition('/')[2]}" for method, path, status in desk.server.log if method in ("POST", "PUT") and status < 300]
    assert order.index("PUT settings") < order.index("POST main") < len(order) - 1
    assert order[0] == "POST create"
    assert order[-1] == "PUT settings"


def test_a_dataset_is_private_as_configured(desk: Desk) -> None:
    desk.publish()
    assert desk.server.repository(REPO).private is True
    desk.publish("private=false")
    assert desk.server.repository(REPO).private is False
    assert desk.visible()[1] == ["v1.0.0"]


def test_a_public_dataset_is_closed_before_its_next_release_is_sent(desk: Desk) -> None:
    desk.publish("private=false")
    desk.change_item()
    desk.configure(version="1.1.0")
    requests = len(desk.server.log)
    desk.publish("private=true")
    assert desk.server.repository(REPO).private is True
    done = [(method, path) for method, path, status in desk.server.log[requests:] if method in ("POST", "PUT") and status < 300]
    order = [f"{method} {path.rpartition('/')[2]}" for method, path in done]
    assert order.index("PUT settings") < order.index("POST main")
    assert order.count("PUT settings") == 1


def untouched(desk: Desk) -> bool:
    """No reader sees anything of the release."""
    return desk.visible() in (([], []), (["initial commit"], []))


def test_a_publisher_killed_in_mid_upload_goes_on_where_it_stopped(desk: Desk) -> None:
    desk.server.faults.append(Fault(LARGE, hang_s=20, skip=3, times=9))
    process = desk.process()
    try:
        for _ in range(600):
            if len(desk.server.asked(LARGE)) == 3 or process.poll() is not None:
                break
            _sleep(0.05)
        assert process.poll() is None, process.communicate()
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert untouched(desk)
    desk.server.faults.clear()
    desk.publish()
    assert len(desk.server.asked(LARGE)) == 5
    assert len(set(desk.server.asked(LARGE))) == 5
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


@pytest.mark.parametrize(
    "fault",
    [
        Fault("GET /api/datasets/local/KVoiceBench$", status=429, retry_after_s=1, times=2),
        Fault("POST /api/repos/create", status=503),
        Fault("POST .*/preupload/", status=429, retry_after_s=1),
        Fault("POST .*/lfs/objects/batch", status=504),
        Fault(LARGE, status=504, times=2),
        Fault(LARGE, cut_after_bytes=1000),
        Fault("POST .*/commit/main", status=429, retry_after_s=1, times=2),
        Fault("POST .*/commit/main", status=504),
        Fault("POST .*/tag/", status=502),
    ],
    ids=lambda fault: f"{fault.status or 'cut'} {fault.match}",
)
def test_a_bad_moment_of_the_hub_is_sat_out(desk: Desk, fault: Fault) -> None:
    desk.server.faults.append(fault)
    desk.publish()
    assert fault.times == 0
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_a_commit_whose_answer_is_lost_is_not_made_twice(desk: Desk) -> None:
    desk.server.faults.append(Fault("POST .*/commit/main", lose_answer=True))
    desk.publish()
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_a_tag_whose_answer_is_lost_is_not_taken_for_somebody_elses(desk: Desk) -> None:
    desk.server.faults.append(Fault("POST .*/tag/", lose_answer=True))
    desk.publish()
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_two_publishers_of_one_build_make_one_release(desk: Desk) -> None:
    processes = [desk.process() for _ in range(2)]
    said = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_a_tag_that_stands_on_another_commit_is_not_moved(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = hub._upload

    def meanwhile(*arguments: Any) -> None:
        upload(*arguments)
        repository = desk.server.repository(REPO)
        repository.tags.setdefault("v1.0.0", repository.history()[-1][0])

    monkeypatch.setattr(hub, "_upload", meanwhile)
    with pytest.raises(UserError, match=r"did not tag local/KVoiceBench \(409\)"):
        desk.publish()
    repository = desk.server.repository(REPO)
    assert repository.tags["v1.0.0"] == repository.history()[-1][0]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (Fault(LARGE, flip=True, times=9), r"did not take the files \(400\): .*does not have the announced sha256.*; run again"),
        (Fault(LARGE, status=504, times=99), r"did not take the files \(504\): .*what was uploaded is kept"),
        (Fault("POST .*/commit/main", status=429, times=99), r"did not take the commit \(429\): .*limit of requests is reached"),
        (Fault("POST .*/commit/main", status=500, times=99), r"did not take the commit \(500\)"),
        (Fault("POST .*/lfs/objects/batch", status=413, message="quota"), r"did not take the files \(413\): .*; free or buy storage"),
        (Fault("POST .*/repos/create", status=403, message="no rights"), r"did not create local/KVoiceBench \(403\): .*account and a token"),
    ],
    ids=lambda value: getattr(value, "match", None),
)
def test_what_the_hub_refuses_is_one_sentence_and_nothing_is_visible(desk: Desk, fault: Fault, sentence: str) -> None:
    desk.server.faults.append(fault)
    with pytest.raises(UserError, match=sentence) as error:
        desk.publish()
    assert "\n" not in str(error.value)
    assert TOKEN not in str(error.value)
    assert untouched(desk)
    desk.server.faults.clear()
    desk.publish()
    assert desk.visible() == (["KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])


def test_a_full_account_stops_before_anything_is_visible(desk: Desk) -> None:
    desk.server.quota_bytes = 20_000
    with pytest.raises(UserError, match=r"did not take the files \(403\): .*Storage limit reached"):
        desk.publish()
    assert untouched(desk)


def test_somebody_elses_commit_meanwhile_is_not_overwritten(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.publish()
    desk.change_item()
    desk.configure(version="1.1.0")
    upload = hub._upload

    def meanwhile(*arguments: Any) -> None:
        upload(*arguments)
        repository = desk.server.repository(REPO)
        desk.server.storage.commit(repository, "main", dict(repository.history()[0][1].tree), "another hand", "")

    monkeypatch.setattr(hub, "_upload", meanwhile)
    with pytest.raises(UserError, match=r"did not take the commit \(412\): .*somebody else changed the repository"):
        desk.publish()
    assert desk.visible()[0][0] == "another hand"
    assert desk.visible()[1] == ["v1.0.0"]


def pushed(desk: Desk, **changes: bytes | None) -> None:
    """Somebody else commits to the dataset: file to its content, or None where it is deleted."""
    repository = desk.server.repository(REPO)
    tree = dict(repository.history()[0][1].tree)
    for path, content in changes.items():
        tree.pop(path, None)
        if content is not None:
            tree[path] = desk.server.storage.small(content)
    desk.server.storage.commit(repository, "main", tree, "another hand", "")


@pytest.mark.parametrize("changes", [{"README.md": b"theirs"}, {"notes.txt": b"theirs"}, {"cer.png": None}])
def test_what_others_committed_since_the_last_release_is_undone_only_on_demand(desk: Desk, changes: dict[str, bytes | None]) -> None:
    desk.publish()
    pushed(desk, **changes)
    desk.change_item()
    desk.configure(version="1.1.0")
    [path] = changes
    with pytest.raises(UserError, match=rf"was changed since v1\.0\.0, and publishing would undo that in 1 files, such as {path}; nothing was sent"):
        desk.publish()
    assert desk.visible() == (["another hand", "KVoiceBench 1.0.0", "initial commit"], ["v1.0.0"])
    desk.publish("replace=true")
    tree = desk.server.repository(REPO).history()[0][1].tree
    built = {
        p.relative_to(desk.root / "data/publish/KVoiceBench").as_posix() for p in (desk.root / "data/publish/KVoiceBench").rglob("*") if p.is_file()
    }
    assert set(tree) == built | {".gitattributes", "releases/v1.0.0.md", "releases/v1.1.0.md"}


def test_a_dataset_of_others_is_not_emptied_because_of_its_name(desk: Desk) -> None:
    desk.server.storage.create(REPO, True)
    pushed(desk, **{"data/train-00000.parquet": b"precious"})
    with pytest.raises(UserError, match=r"holds files of no release of ours, .* such as data/train-00000\.parquet; .*replace=true"):
        desk.publish()
    assert "data/train-00000.parquet" in desk.server.repository(REPO).history()[0][1].tree
    desk.publish("replace=true")
    assert desk.visible()[1] == ["v1.0.0"]


def test_a_branch_that_others_changed_after_the_release_is_told(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.publish()
    pushed(desk, **{"README.md": b"theirs"})
    desk.publish()
    said = capsys.readouterr().out
    assert (
        "published already; nothing to do.\nIts branch main was changed since in 1 files, such as README.md; who loads it by revision=v1.0.0" in said
    )


def test_a_release_without_a_row_is_not_sent(desk: Desk) -> None:
    for name, count in (("bbh", 6), ("mmsu", 2), ("ifeval", 2), ("alpacaeval_full", 2)):
        rows = [synthesized(name, index) for index in range(count)]
        Build(desk.root).subset(name, rows, {row["id"]: ("synthesize", "unintelligible") for row in rows})
    desk.configure()
    with pytest.raises(UserError, match="KVoiceBench has no row, since every item was rejected"):
        desk.publish()
    assert desk.server.log == []


def test_a_wrong_token_is_said_and_not_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrongwrongwrongwrongwrong")
    with pytest.raises(UserError, match=r"\(401\)") as error:
        desk.publish()
    assert "hf_wrong" not in str(error.value)


def test_bad_rows_stop_the_release_before_the_hub_is_asked(desk: Desk) -> None:
    path = desk.root / "data/publish/KVoiceBench/README.md"
    path.write_text(path.read_text() + f"\n{'sk-' + 'a1' * 20}\n")
    with pytest.raises(UserError, match=r"secret: README\.md"):
        desk.publish()
    assert desk.server.log == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["KVoicebench"], "Did you mean 'KVoiceBench'"),
        (["KVoiceBench", "--dryrun"], "not --dryrun. Did you mean '--dry-run'"),
        (["KVoiceBench", "privat=true"], "not privat. Did you mean 'private'"),
        (["KVoiceBench", "dry_run=1"], "dry_run=1 must be true or false"),
        (["KVoiceBench", "dry_run=yes"], "dry_run=yes must be true or false"),
        (["KVoiceBench", "gated=perhaps"], "gated=perhaps must be false, auto or manual"),
        (["KVoiceBench", "replace=yes"], "replace=yes must be true or false"),
        (["KVoiceBench", "repo=KVoiceBench"], "must be OWNER/NAME"),
        (["KVoiceBench", "repo=lo cal/K~"], "repo=lo cal/K~ must be OWNER/NAME"),
        (["KVoiceBench", "repo=local/K--M"], "without '--'"),
        (["KVoiceBench", "repo=/KVoiceBench"], "must be OWNER/NAME"),
        ([], "just one"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(desk: Desk, arguments: list[str], sentence: str) -> None:
    with pytest.raises(UserError, match=re.escape(sentence)):
        hub.main(arguments, desk.root)


def test_a_release_that_stays_in_a_folder_is_not_sent_by_mistake(desk: Desk) -> None:
    desk.configure(hub={"target": "folder"})
    with pytest.raises(UserError, match="keeps the release in data/publish/KVoiceBench; choose `hub: private`"):
        desk.publish()
    desk.publish(f"repo={REPO}")
    assert desk.visible()[1] == ["v1.0.0"]
