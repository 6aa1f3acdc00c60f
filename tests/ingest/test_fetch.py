from __future__ import annotations

from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from stages.core import settings
from stages.core.errors import UserError
from stages.ingest import fetch

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def chosen(**change: Any) -> fetch.SourceSettings:
    return fetch.SourceSettings(**{"repo_id": "own/voicebench", "revision": COMMIT, "allow_patterns": ["bbh/*"], **change})


def test_the_request_names_one_commit_one_folder_and_the_files_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_own")
    request = fetch.request("voicebench", chosen(allow_patterns=["bbh/*", "sd-qa/usa-*"]), tmp_path)
    assert request == {
        "repo_id": "own/voicebench",
        "repo_type": "dataset",
        "revision": COMMIT,
        "allow_patterns": ["bbh/*", "sd-qa/usa-*"],
        "local_dir": tmp_path / "data" / "raw" / "voicebench",
        "token": "hf_own",
        "max_workers": fetch.WORKERS,
    }


def test_without_a_token_in_the_environment_a_stored_login_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert fetch.request("voicebench", chosen(), tmp_path)["token"] is False


@pytest.mark.parametrize("revision", ["main", "98f8fa0", COMMIT.upper(), COMMIT + "0", "", "refs/pr/1", COMMIT + "\n"])
def test_a_revision_that_can_move_is_refused_before_any_request(revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda **_: pytest.fail("a request was made"))
    with pytest.raises(UserError, match=r"sources\.voicebench\.revision is .*, not a commit of 40 hexadecimal digits"):
        fetch.fetch("voicebench", chosen(revision=revision), tmp_path)


def test_what_is_fetched_stays_without_the_library_s_own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(local_dir: Path, **_: Any) -> str:
        for name in ("bbh/test-00000-of-00001.parquet", ".cache/huggingface/download/note"):
            (local_dir / name).parent.mkdir(parents=True)
            (local_dir / name).write_bytes(b"x")
        return str(local_dir)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    folder = fetch.fetch("voicebench", chosen(), tmp_path)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()] == ["bbh/test-00000-of-00001.parquet"]


def test_patterns_that_match_nothing_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda local_dir, **_: str(local_dir))
    with pytest.raises(UserError, match=r"no file that matches sources\.voicebench\.allow_patterns"):
        fetch.fetch("voicebench", chosen(), tmp_path)
    with pytest.raises(UserError, match="allow_patterns is empty"):
        fetch.fetch("voicebench", chosen(allow_patterns=[]), tmp_path)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), LocalEntryNotFoundError("cannot connect\nmore"), TimeoutError("slow")])
def test_a_failed_download_is_one_sentence_without_the_token(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(**_: Any) -> str:
        raise error

    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(UserError, match=f"own/voicebench at {COMMIT} could not be fetched") as caught:
        fetch.fetch("voicebench", chosen(), tmp_path)
    assert "\n" not in str(caught.value)
    assert "hf_secret" not in str(caught.value)


def test_a_misspelt_source_key_is_named() -> None:
    with pytest.raises(UserError, match=r"sources\.voicebench\.revison is unknown\. Did you mean 'revision'\?"):
        settings.load(fetch.SourceSettings, {"repo_id": "a/b", "revison": COMMIT, "allow_patterns": []}, "sources.voicebench")
