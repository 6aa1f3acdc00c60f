"""DVC and Hydra on a project of two subsets: an edit re-runs what depends on it, and experiments and sweeps are commands."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import orjson
import pytest

from tests.acceptance.project import Project, Result

TARGETS = ("correct@bbh", "correct@sd-qa")


@pytest.fixture
def repository(project: Project) -> Project:
    """`project` under git, with the stages up to correct built by DVC and all of it committed."""
    project.only("bbh", "sd-qa")
    project.env |= {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    project.replace(".gitignore", ".cache/", ".cache/\n/cache/")
    git(project, "init", "-q")
    git(project, "add", ".")
    assert ran(project.run("dvc", "repro", *TARGETS)) == {"compose", "ingest@bbh", "ingest@sd-qa", *TARGETS}
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "built")
    return project


def git(project: Project, *arguments: str) -> str:
    environment = project.env | {"PATH": "/usr/bin:/bin", "HOME": str(project.folder)}
    return subprocess.run(["git", *arguments], cwd=project.folder, env=environment, check=True, capture_output=True, text=True).stdout


def ran(result: Result) -> set[str]:
    """The stages that DVC ran."""
    assert result.code == 0, result.out + result.err
    return set(re.findall(r"Running stage '(.+)'", result.out))


def config(project: Project) -> dict[str, dict[str, float]]:
    return dict(orjson.loads(project.path("data/config.json").read_bytes()))


def test_an_edit_reruns_what_depends_on_it_and_an_experiment_is_one_command(repository: Project) -> None:
    repository.replace("conf/benchmark/sd-qa.yaml", "enabled: true", "enabled: false")
    assert ran(repository.run("dvc", "repro", *TARGETS)) == {"compose", "correct@sd-qa"}, "one subset's config"

    git(repository, "commit", "-q", "-a", "-m", "edited")
    assert ran(repository.run("dvc", "exp", "run", "-n", "looser", "-S", "speech.max_cer=0.25", *TARGETS)) == {"compose"}
    assert config(repository)["speech"]["max_cer"] == 0.25
    assert "looser" in repository.run("dvc", "exp", "list").out


def test_a_sweep_of_one_stage_writes_beside_the_build(project: Project) -> None:
    before = project.all_bytes()
    result = project.run("stages.transfer.normalize", "-m", "subset=bbh,sd-qa")
    assert result.code == 0, result.err
    assert [line.partition(":")[0] for line in result.out.splitlines()] == ["subset=bbh", "subset=sd-qa"]
    for number, subset in enumerate(("bbh", "sd-qa")):
        swept = Path(project.folder, ".cache/multirun/normalize", str(number), "rows.jsonl").read_bytes().splitlines()
        assert {orjson.loads(line)["id"] for line in swept} <= {row["id"] for row in project.rows("hypertranslate", subset)}
        assert orjson.loads(swept[0])["spoken"]
    assert project.all_bytes() == before
