"""A colleague's route: clone, pull, build. Nothing is asked or spoken again, from a folder remote and from S3."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from stages import code
from stages.core.paths import ROOT
from tests.acceptance.live import SUBSET, LiveBuild
from tests.acceptance.project import Project, Result

TARGET = "publish@KVoiceBench"
IDENTITY = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
S3 = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


def git(project: Project, *arguments: str) -> None:
    environment = IDENTITY | {"PATH": "/usr/bin:/bin", "HOME": str(project.folder)}
    subprocess.run(["git", *arguments], cwd=project.folder, env=environment, check=True, capture_output=True)


def well(result: Result) -> Result:
    assert result.code == 0, result.out + result.err
    return result


def hashes(project: Project) -> dict[str, str]:
    """Every file of the build, by name, but for what each clone writes itself."""
    found = (path for path in project.path("data").rglob("*") if path.is_file() and path.suffix in (".jsonl", ".json", ".parquet", ".md", ".png"))
    all_files = {path.relative_to(project.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
    return {name: content for name, content in all_files.items() if name != "data/code.json"}


@pytest.fixture
def ours(live_build: LiveBuild, tmp_path: Path) -> Project:
    """The live build of one subset, recorded by DVC and pushed; its endpoint is gone and its models too."""
    project = Project(tmp_path / "ours")
    shutil.copytree(live_build.folder, project.folder, symlinks=True, ignore=shutil.ignore_patterns("weights"))
    git(project, "init", "-q")
    with project.path(".gitignore").open("a") as ignored:
        ignored.write("/cache/\n")
    well(project.run("dvc", "commit", "-q", "-f", "--with-deps", TARGET))
    assert "sentences" in well(project.run("stages.stores", "push")).out
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "built")
    return project


def clone(ours: Project, name: str) -> Project:
    git(ours, "clone", "-q", ".", str(ours.folder.parent / name))
    return Project(ours.folder.parent / name)


@pytest.fixture
def bucket() -> Iterator[str]:
    """The address of a local S3 server with an empty bucket."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        import boto3

        session = boto3.Session("test", "test", region_name="us-east-1")
        client = session.client("s3", endpoint_url=f"http://{host}:{port}")
        client.create_bucket(Bucket="benchferry")
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def test_a_colleague_pulls_and_builds_without_paying_again(ours: Project, bucket: str) -> None:
    assert os.listdir(ours.folder.parent / "benchferry-shared"), "the default remote is a folder beside the checkout"
    colleague = clone(ours, "colleague")
    assert not colleague.path(f"data/synthesize/{SUBSET}").exists()
    said = well(colleague.run("stages.stores", "pull")).out
    assert "were new to this machine" in said
    assert hashes(colleague) == hashes(ours)

    built = well(colleague.run("dvc", "repro", TARGET))
    assert re.findall(r"Running stage '(.+)'", built.out) == ["compose"]
    assert hashes(colleague) == hashes(ours)
    # What stages read of other stages as a whole is there, even if this build has none of it: DVC refuses a missing dependency.
    pipeline = code.pipeline(ROOT)
    deps = {dep for step in pipeline.values() for dep in step.get("do", step).get("deps", ())}
    whole = [dep for dep in deps if "$" not in dep and (dep.split("/")[1:2] == ["reports"] or dep.removeprefix("data/") in pipeline)]
    assert len(whole) > 8
    assert [dep for dep in sorted(whole) if not colleague.path(dep).exists()] == []

    # A reported item: one stage of one subset, and what comes after it. Every reply and sentence is in the stores: the endpoint is gone, and
    # so are the models.
    row = colleague.rows("validate", SUBSET)[0]
    well(colleague.run("stages.errata", row["id"], 'answer=["고침"]', "reason=reported by a reader", "reporter=kim"))
    ran = set(re.findall(r"Running stage '(.+)'", well(colleague.run("dvc", "repro", TARGET)).out))
    assert ran == {"compose", *(f"{stage}@{SUBSET}" for stage in ("hypertranslate", "normalize", "synthesize", "validate")), TARGET}
    assert sum(role["asked"] for role in colleague.report("hypertranslate", SUBSET)["usage"].values()) == 0
    assert colleague.report("hypertranslate", SUBSET)["errata"] == {"applied": [row["id"]], "without_row": []}
    against = f"against={ours.path('data/publish/KVoiceBench')}"
    facts = orjson.loads(well(colleague.run("stages.publish.diff", "KVoiceBench", against, "--json")).out)
    [change] = facts["changes"]
    assert (change["id"], list(change["fields"]), change["audio"], facts["level"]) == (row["id"], ["answer"], False, "minor")
    assert change["reason"].startswith("erratum of ")
    assert "by kim: corrected target_answer, target_answers, reported by a reader" in change["reason"]

    ours.env |= S3
    with ours.path(".dvc/config").open("a") as remotes:  # as `dvc remote add` and `dvc remote modify` write it
        remotes.write(f"['remote \"s3\"']\n    url = s3://benchferry/release\n    endpointurl = {bucket}\n")
    well(ours.run("stages.stores", "push", "s3"))
    git(ours, "commit", "-q", "-a", "-m", "a remote in S3")
    shutil.rmtree(ours.folder.parent / "benchferry-shared")
    another = clone(ours, "another")
    another.env |= S3
    well(another.run("stages.stores", "pull", "s3"))
    assert hashes(another) == hashes(ours)
