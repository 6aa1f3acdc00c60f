"""Nothing wrong is sent: every planted defect stops the release, and all of them are told in one run."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row
from stages.publish import folder, gate, traces
from stages.publish.release import ReleaseSettings
from tests.publish.builds import Build, flac, synthesized
from tests.publish.test_folder import settings

KEY = "sk-proj-abcdefghijklmnop0123456789"
PARTS = {"mmsu": {"config": "mmsu", "capability": "knowledge"}}


def small_settings(**changes: Any) -> ReleaseSettings:
    return settings(**{"subsets": PARTS, "rulebooks": [], "prompts": [], "sample_rate_hz": 24_000, **changes})


def shard(root: Path, subset: str, clips: dict[str, bytes]) -> None:
    """Audio as a damaged or foreign writer would leave it: what ours refuses to write."""
    path = root / f"data/synthesize/{subset}/audio-00000.parquet"
    table = pq.read_table(path)
    audio = [clips.get(id, clip) for id, clip in zip(table["id"].to_pylist(), table["audio"].to_pylist(), strict=True)]
    hashes = [hashlib.sha256(clip).hexdigest() for clip in audio]
    pq.write_table(pa.table([table["id"], pa.array(audio, pa.binary()), pa.array(hashes)], schema=table.schema), path)


def rows_of(root: Path, subset: str, change: Any) -> None:
    path = root / f"data/validate/{subset}/rows.jsonl"
    rows = files.read_jsonl(path)
    files.write_jsonl(path, change(rows))


def test_every_planted_defect_stops_the_release_and_all_are_listed_in_one_run(tmp_path: Path) -> None:
    Build(tmp_path).subset("mmsu", [synthesized("mmsu", index) for index in range(12)])
    text = b"this is text, though it is called .wav"
    shard(tmp_path, "mmsu", {"mmsu-00001": b"", "mmsu-00002": flac(2, rate=16_000), "mmsu-00003": text})

    def plant(rows: list[Row]) -> list[Row]:
        rows[4]["target_answer"] = "ㄹ"
        rows[5]["transfer_note"] = "/home/kim/recordings/5.flac"
        rows[6]["licence"] = "unknown"
        return [*rows, rows[7]]

    rows_of(tmp_path, "mmsu", plant)
    with pytest.raises(UserError) as error:
        folder.publish(small_settings(split="test-ko", description=f"Made with {KEY}."), tmp_path)
    told = str(error.value)
    for sentence in (
        r"audio_bytes: mmsu-00001: has 0 bytes of audio",
        r"sample_rate: mmsu-00002: the audio has 16000 Hz, sample_rate_hz of its provenance is 24000 Hz",
        r"audio_readable: mmsu-00003: the audio cannot be decoded .*it begins with b'this is '",
        r"unique_id: mmsu-00007: comes 2 times in mmsu",
        r"ledger: mmsu: Item mmsu-00007 is in data/validate/mmsu 2 times",
        r"names: .*releases.KVoiceBench.split: the split 'test-ko' can be pushed but not loaded",
        r"answer: mmsu-00004: the answer 'ㄹ' is none of the options ㄱ, ㄴ",
        r"absolute_path: provenance/mmsu.jsonl line 6 \(mmsu-00005\): has the absolute path '/home/kim/recordings/5.flac'",
        r"licence: mmsu-00006: the licence unknown states no licence whose terms are known",
        r"secret: README.md, croissant.json: contains what looks like a key or token",
    ):
        assert re.search(sentence, told), f"{sentence}\nis not in\n{told}"
    assert KEY not in told
    assert not (tmp_path / "data/publish/KVoiceBench").exists()


def test_a_clean_release_passes(tmp_path: Path) -> None:
    Build(tmp_path).subset("mmsu", [synthesized("mmsu", index) for index in range(3)])
    assert gate.problems(folder.publish(small_settings(), tmp_path), small_settings()) == []


@pytest.fixture
def release(tmp_path: Path) -> Path:
    Build(tmp_path).subset("mmsu", [synthesized("mmsu", index) for index in range(3)])
    return folder.publish(small_settings(), tmp_path)


def tampered(release: Path, change: Any) -> list[str]:
    """What the gate says of a folder in which the rows were changed after it was built."""
    path = release / "mmsu/test-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    return [f"{p.check}: {p.where}: {p.what}" for p in gate.problems(release, small_settings())]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: rows[1]["audio"].update(path="/data/kim/mmsu-00001.flac"), "audio_path: mmsu-00001: the audio's name is '/data/kim"),
        (lambda rows: rows[1]["audio"].update(path="mmsu-00000.flac"), "audio_path: mmsu-00001: the audio's name is 'mmsu-00000.flac'"),
        (lambda rows: rows[1]["audio"].update(path="mmsu-00001.wav"), "audio_path: mmsu-00001: the audio is called 'mmsu-00001.wav', but"),
        (lambda rows: rows[1]["audio"].update(bytes=flac(5)), "audio_hash: mmsu-00001: the audio is not the one of its provenance"),
        (
            lambda rows: rows[1]["audio"].update(bytes=flac(1, seconds=0.7)),
            "duration: mmsu-00001: the audio lasts 0.700 s, its provenance says 0.500 s",
        ),
        (lambda rows: rows[1].update(audio=None), "audio_bytes: mmsu-00001: has 0 bytes of audio"),
        (lambda rows: rows[1].update(answer=None), "columns: mmsu-00001: has nothing in the column answer"),
        (lambda rows: rows[1].update(transcription=" "), "columns: mmsu-00001: the column transcription is empty"),
        (lambda rows: rows[1].update(id="mmlu-00001"), "names: mmlu-00001: does not begin with the name of its config mmsu"),
        (lambda rows: rows.pop(), "provenance: mmsu-00002: is in provenance/mmsu.jsonl, but not in the data"),
    ],
)
def test_a_folder_that_was_changed_after_it_was_built_is_refused(release: Path, change: Any, sentence: str) -> None:
    told = tampered(release, change)
    assert any(line.startswith(sentence) for line in told), told


def test_what_the_card_says_of_files_must_hold(release: Path) -> None:
    card = release / "README.md"
    card.write_text(card.read_text().replace("- split: test", "- split: te-st").replace("mmsu/*.parquet", "mmlu/*.parquet"))
    told = {(p.check, p.what) for p in gate.problems(release, small_settings())}
    assert ("names", "the split 'te-st' can be pushed but not loaded; use letters, digits and '_'") in told
    assert ("card", "no file is called mmlu/*.parquet") in told


def test_the_card_is_read_as_the_hub_reads_it(release: Path) -> None:
    """A title that ends in dashes does not end the head, so what is said of the files is still looked at."""
    card = release / "README.md"
    card.write_text(card.read_text().replace("pretty_name: ", "pretty_name: a ---\nold_name: ").replace("mmsu/*.parquet", "mmlu/*.parquet"))
    assert ("card", "no file is called mmlu/*.parquet") in {(p.check, p.what) for p in gate.problems(release, small_settings())}


def test_a_number_that_is_none_is_told() -> None:
    found = list(gate._row_problems({"id": "age-0001", "start_s": float("nan")}, {}, "age"))
    assert [p.what for p in found] == ["has nan in the column start_s, which is no number"]


def test_a_folder_that_is_no_config_and_a_link_are_named(release: Path) -> None:
    (release / "notes").mkdir()
    (release / "provenance/link.txt").symlink_to("/etc/hostname")
    told = {(p.check, p.where) for p in gate.problems(release, small_settings())}
    assert told == {("names", "notes/"), ("absolute_path", "provenance/link.txt")}


@pytest.mark.parametrize(
    "secret",
    [
        "hf_" + "a1B2" * 8, "hf_secret_c41d9", "sk-secret-5f0c2d9a71",
        "hf_" + "AbCdEfGhIj" * 3 + "KlMn", "api_org_" + "AbCdEfGhIj" * 3 + "KlMn", "https://kim:hunter2@example.org/x",
        KEY, "AKIA" + "ABCDEFGH12345678", "ASIA" + "ABCDEFGH12345678", "ghp_" + "x" * 36, "-----BEGIN RSA PRIVATE KEY-----",
        "Bearer abcdefghijklmnopqrstuvwx", 'api_key: "abcdefgh12345678"',
    ],
)  # fmt: skip
def test_keys_are_found_by_their_shape_and_not_shown(tmp_path: Path, secret: str) -> None:
    files.write_text(tmp_path / "README.md", f"text {secret} text")
    files.write_jsonl(tmp_path / "a.jsonl", [{"id": "a-1", "note": secret}])
    found = list(traces.problems(tmp_path))
    assert [p.check for p in found] == ["secret", "secret"]
    assert not any(secret in p.what for p in found)


def test_a_secret_of_the_environment_is_found_by_its_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "correct-horse-battery")
    pq.write_table(pa.table({"id": ["a-1"], "transcription": ["correct-horse-battery"]}), tmp_path / "a.parquet")
    assert [(p.check, p.where) for p in traces.problems(tmp_path)] == [("secret", "a.parquet (a-1)")]


def test_the_users_name_is_found_in_paths_and_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "hkim")
    files.write_text(tmp_path / "a.md", "built by hkim@server")
    files.write_text(tmp_path / "b.md", "see data/hkim/rows")
    files.write_text(tmp_path / "c.md", "hkim is a name, 010-hkim-2")
    files.write_text(tmp_path / "decisions/errata/hkim.jsonl", '{"verdict":"reject"}\n')
    files.write_text(tmp_path / "e.json", '{"reviewer": "hkim"}')
    files.write_jsonl(tmp_path / "f.jsonl", [{"reviewer": "hkim"}])
    found = [(p.check, p.where) for p in traces.problems(tmp_path)]
    assert found == [("user_name", name) for name in ("a.md", "b.md", "decisions/errata/hkim.jsonl", "e.json", "f.jsonl line 1")]


@pytest.mark.parametrize("place", ["file:///home/kim/voice.bin", '"/data/kim/voice.bin"', "`~/voice.bin`"])
def test_a_value_that_is_a_path_is_found_in_quotes_and_as_an_address(tmp_path: Path, place: str) -> None:
    files.write_jsonl(tmp_path / "a.jsonl", [{"id": "a-1", "voice": place}])
    assert [(p.check, p.where) for p in traces.problems(tmp_path)] == [("absolute_path", "a.jsonl line 1 (a-1)")]


def test_the_builds_own_words_on_an_item_name_no_folder(tmp_path: Path) -> None:
    files.write_jsonl(tmp_path / "a.jsonl", [{"id": "a-1", "detail": "cannot read /home/kim/a.wav: no such file"}])
    assert [(p.check, p.where) for p in traces.problems(tmp_path)] == [("absolute_path", "a.jsonl line 1 (a-1)")]


def test_texts_may_speak_of_folders(tmp_path: Path) -> None:
    texts = {"prompt": "What does the command `ls /home/user` print?", "note": "and/or a/b, hf_hub_download, sk-learn, task-2024-00012"}
    files.write_jsonl(tmp_path / "rows.jsonl", [{"id": "a-1", **texts}])
    files.write_text(tmp_path / "rulebooks/ko/reading.yaml", "examples: [{in: /home/user, out: 슬래시 홈 슬래시 유저}]")
    assert list(traces.problems(tmp_path)) == []
    files.write_text(tmp_path / "README.md", "built in /home/user/data")
    assert [(p.check, p.where) for p in traces.problems(tmp_path)] == [("absolute_path", "README.md")]


@pytest.mark.parametrize(
    ("source", "release", "why"),
    [
        ("CC-BY-NC-SA-4.0", "apache-2.0", "must be passed on under the same licence"),
        ("CC BY-NC-SA 4.0", "cc-by-nc-sa-4.0", None),
        ("CC-BY-NC-2.0", "cc-by-nc-sa-4.0", None),
        ("CC-BY-NC-4.0", "apache-2.0", "forbids commercial use, which apache-2.0 permits"),
        ("CC-BY-SA-4.0", "cc-by-nc-sa-4.0", "must be passed on under the same licence"),
        ("CC-BY-SA-4.0", "cc-by-4.0", "must be passed on under the same licence"),
        ("CC-BY-SA-3.0", "cc-by-sa-4.0", None),
        ("CC-BY-SA-4.0", "cc-by-sa-3.0", "must be passed on under the same licence"),
        ("Apache-2.0", "apache-2.0", None),
        ("Apache 2.0", "cc-by-nc-sa-4.0", None),
        ("CC-BY-4.0", "cc0-1.0", "demands attribution"),
        ("CC-BY-ND-4.0", "other", "forbids adaptations"),
        ("ODC-BY", "cc-by-4.0", None),
        ("CC-BY-NC-4.0", "other", None),
        ("CC-BY-NC-4.0 AND CC-BY-SA-4.0", "other", "no single licence satisfies"),
        ("ODC-BY-1.0 AND CC0-1.0", "cc-by-4.0", None),
        ("CC-BY-NC-4.0 AND CC0-1.0", "cc-by-4.0", "forbids commercial use"),
        ("unstated", "apache-2.0", "states no licence whose terms are known"),
        ("", "other", "carries no licence"),
        ("Apache-2.0", "my-own", "cannot be compared"),
    ],
)
def test_what_licences_permit(source: str, release: str, why: str | None) -> None:
    from stages.publish import licences

    said = licences.refusal(source, release)
    assert (said is None) == (why is None)
    assert why is None or why in str(said)


def test_a_source_without_a_licence_is_for_a_person_to_allow_and_never_relicensed() -> None:
    from stages.publish.release import licence_problem

    assert licence_problem("unstated", small_settings(licence="other", allowed_licences=["unstated"])) is None
    assert licence_problem("unstated", small_settings(licence="other")) is not None
    assert licence_problem("unstated", small_settings(licence="apache-2.0", allowed_licences=["unstated"])) is not None
    assert "not among allowed_licences" in str(licence_problem("MIT", small_settings()))


def test_another_kind_of_release_declares_its_rows_audio_and_columns(tmp_path: Path) -> None:
    """As KMMAU does: several corpora, clips shared by questions, options in a list, other stages."""
    from stages.core.shards import write_shards

    for corpus in ("kss", "kmsav"):
        write_shards(tmp_path / f"data/segments/{corpus}", [(f"{corpus}-{n:05d}", flac(n + len(corpus))) for n in range(3)])
    rows: list[Row] = []
    for index, (corpus, n) in enumerate([("kss", 2), ("kmsav", 1), ("kss", 2)]):
        audio = flac(n + len(corpus))
        rows.append(
            {
                "id": f"age-{index:04d}", "corpus": corpus, "segment_id": f"{corpus}-{n:05d}", "question": "몇 살인가요?", "answer": "십 대",
                "choices": ["십 대", "사십 대"], "start_s": 1.5, "licence": "CC-BY-NC-SA-4.0", "original_dataset": corpus.upper(),
                "original_sample_id": f"s{n}", "audio_sha256": hashlib.sha256(audio).hexdigest(), "duration_s": 0.5, "sample_rate_hz": 24_000,
            }
        )  # fmt: skip
    files.write_jsonl(tmp_path / "data/questions/age/rows.jsonl", rows)
    refused = [{**rows[0], "id": "age-0009", "reason": "short", "rule_id": "length", "detail": ""}]
    files.write_jsonl(tmp_path / "data/questions/age/rejected.jsonl", refused)
    columns = {"id": "id", "audio": "@audio", "question": "question", "answer": "answer", "choices": "choices", "start_s": "start_s"}
    chosen = ReleaseSettings.model_validate(
        {
            "name": "KMMAU", "title": "KMMAU", "description": "x", "language": "ko", "subsets": {"age": {"config": "age", "capability": "age"}},
            "stages": ["questions"], "audio": {"folder": "data/segments/{corpus}", "id": "segment_id"}, "columns": columns,
            "types": {"choices": "list<string>", "start_s": "float64"}, "licence": "cc-by-nc-sa-4.0", "rulebooks": [],
            "provenance": ["id", "original_dataset", "original_sample_id", "licence", "audio_sha256", "duration_s", "sample_rate_hz"],
        }
    )  # fmt: skip
    out = folder.publish(chosen, tmp_path)
    released = pq.read_table(out / "age/test-00000-of-00001.parquet").to_pylist()
    assert [(row["id"], row["audio"]["bytes"] == flac(2 + 3), row["choices"]) for row in released] == [
        ("age-0000", True, ["십 대", "사십 대"]), ("age-0001", False, ["십 대", "사십 대"]), ("age-0002", True, ["십 대", "사십 대"])
    ]  # fmt: skip
    assert "| `age` | age | 4 | 1 | 3 | 0.0 |" in (out / "README.md").read_text()
    rows[1]["answer"] = "삼십 대"
    files.write_jsonl(tmp_path / "data/questions/age/rows.jsonl", rows)
    with pytest.raises(UserError, match="answer: age-0001: the answer '삼십 대' is none of the choices"):
        folder.publish(chosen, tmp_path)


def test_a_large_split_is_cut_into_files_that_are_read_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stages.publish import hub_parquet

    monkeypatch.setattr("stages.core.shards.ROWS_PER_GROUP", 4)
    rows = [{"id": f"mmsu-{n:05d}", "audio": {"bytes": flac(n), "path": f"mmsu-{n:05d}.flac"}, "transcription": "말", "answer": "ㄱ",
             "capability": "k"} for n in range(10)]  # fmt: skip
    paths = hub_parquet.write(tmp_path, iter(rows), small_settings(), bytes_per_file=1)
    assert [path.name for path in paths] == [f"test-0000{n}-of-00003.parquet" for n in range(3)]
    assert [id for path in paths for id in pq.read_table(path)["id"].to_pylist()] == [row["id"] for row in rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)
