"""A release folder: what the Hub's own reader makes of it, what it says, and what it refuses to publish."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import soundfile
import yaml

from stages.core import files
from stages.core.errors import UserError
from stages.core.settings import load
from stages.publish import folder
from stages.publish.release import ReleaseSettings, check_config
from tests.publish import builds
from tests.publish.builds import flac

PARTS = {
    "bbh": {"config": "bbh-test", "capability": "reasoning"},
    "mmsu": {"config": "mmsu", "capability": "knowledge"},
    "ifeval": {"config": "ifeval-test", "capability": "instruction_following"},
    "alpacaeval_full": {"config": "alpacaeval_full-test", "capability": "open_ended"},
    "sd-qa": {"config": "sd-qa", "capability": "knowledge"},
}


def settings(**changes: Any) -> ReleaseSettings:
    values: dict[str, Any] = {
        "name": "KVoiceBench",
        "title": "KVoiceBench",
        "description": "Spoken questions.",
        "language": "ko",
        "subsets": PARTS,
        "built": ["bbh", "mmsu", "ifeval", "trivia_qa", "alpacaeval_full"],
        "licence": "apache-2.0",
        "allowed_licences": ["Apache-2.0"],
        "rulebooks": ["rulebooks/ko/one.yaml"],
        "prompts": ["conf/prompt"],
        "models": {"reviewer": "gpt-x"},
        "source_notes": ["A note."],
        "citations": ["@misc{a}"],
        "arxiv": ["2605.27984"],
    }
    return ReleaseSettings.model_validate({**values, **changes})


OPEN = settings(
    name="KOpenAudioBench",
    subsets={"trivia_qa": {"config": "trivia_qa", "capability": "knowledge"}, "alpacaeval_full": PARTS["alpacaeval_full"]},
)


@pytest.fixture
def release(root: Path) -> Path:
    return folder.publish(settings(), root)


@pytest.mark.parametrize("name", ["..", ".", "a--b", "a..b", "-x", "x.", "x.git", "x" * 97, "a/b", "한국"])
def test_a_name_that_the_hub_would_not_take_is_no_release(name: str) -> None:
    values = {**settings().model_dump(), "name": name}
    with pytest.raises(UserError, match=r"releases\.x\.name.*must be of letters, digits, '-', '_' and '\.'"):
        load(ReleaseSettings, values, "releases.x")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def head(release: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((release / "README.md").read_text(encoding="utf-8").split("---\n")[1]))


def contents(release: Path) -> dict[str, bytes]:
    return {str(path.relative_to(release)): path.read_bytes() for path in sorted(release.rglob("*")) if path.is_file()}


def test_the_layout_is_that_of_the_published_datasets(release: Path) -> None:
    assert list(contents(release)) == [
        "README.md",
        "alpacaeval_full-test/test-00000-of-00001.parquet",
        "bbh-test/test-00000-of-00001.parquet",
        "cer.png",
        "croissant.json",
        "ifeval-test/constraints.jsonl",
        "ifeval-test/test-00000-of-00001.parquet",
        "mmsu/test-00000-of-00001.parquet",
        "provenance/alpacaeval_full-test-rejected.jsonl",
        "provenance/alpacaeval_full-test.jsonl",
        "provenance/bbh-test-rejected.jsonl",
        "provenance/bbh-test.jsonl",
        "provenance/ifeval-test-rejected.jsonl",
        "provenance/ifeval-test.jsonl",
        "provenance/mmsu-rejected.jsonl",
        "provenance/mmsu.jsonl",
        "rulebooks/ko/one.yaml",
    ]


def test_load_dataset_opens_every_config(release: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the Hub's own library, offline and without torch, in a process of its own: it is heavy, and reads its folders at import."""
    script = """
import io, json, sys, hashlib, soundfile
from datasets import Audio, get_dataset_config_names, load_dataset
seen = {}
for config in get_dataset_config_names(sys.argv[1]):
    rows = load_dataset(sys.argv[1], config, split="test")
    features = {name: type(f).__name__ if name == "audio" else f.dtype for name, f in rows.features.items()}
    rows = rows.cast_column("audio", Audio(decode=False))
    seen[config] = [features, [{**row, "audio": [row["audio"]["path"], hashlib.sha256(row["audio"]["bytes"]).hexdigest(),
        soundfile.info(io.BytesIO(row["audio"]["bytes"])).samplerate]} for row in rows]]
print(json.dumps(seen))
"""
    environment = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", script, str(release)], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    seen = json.loads(ran.stdout.splitlines()[-1])
    assert {config: [row["id"] for row in rows] for config, (_, rows) in seen.items()} == {
        "alpacaeval_full-test": ["alpacaeval_full-test-00000", "alpacaeval_full-test-00001"],
        "bbh-test": ["bbh-test-00000", "bbh-test-00001", "bbh-test-00002", "bbh-test-00005"],
        "ifeval-test": ["ifeval-test-00000", "ifeval-test-00001"],
        "mmsu": ["mmsu-00000", "mmsu-01003"],
    }
    for config, (features, rows) in seen.items():
        assert features == {"id": "string", "audio": "Audio", "transcription": "string", "answer": "string", "capability": "string"}
        provenance = {line["id"]: line for line in lines(release / "provenance" / f"{config}.jsonl")}
        for row in rows:
            assert row["audio"] == [f"{row['id']}.flac", provenance[row["id"]]["speech_sha256"], builds.RATE_HZ]
            assert row["transcription"] == provenance[row["id"]]["spoken"]
    assert [row["answer"] for row in seen["bbh-test"][1]] == ["예", "아니요", "예", "예"]
    assert {row["answer"] for row in seen["mmsu"][1]} == {"ㄴ"}
    assert {row["answer"] for row in seen["ifeval-test"][1] + seen["alpacaeval_full-test"][1]} == {""}


def test_audio_decodes_to_what_was_synthesized(release: Path) -> None:
    import pyarrow.parquet as pq

    row = pq.read_table(release / "mmsu/test-00000-of-00001.parquet").to_pylist()[1]
    assert row["audio"]["bytes"] == flac(1003)
    samples, rate = soundfile.read(io.BytesIO(row["audio"]["bytes"]))
    assert (len(samples), rate) == (builds.RATE_HZ // 2, builds.RATE_HZ)


def test_short_answers_are_one_json_array_with_the_preferred_answer_first(root: Path) -> None:
    import pyarrow.parquet as pq

    out = folder.publish(OPEN, root)
    answers = pq.read_table(out / "trivia_qa/test-00000-of-00001.parquet")["answer"].to_pylist()
    assert [json.loads(answer) for answer in answers] == [["파리", "빠리"]] * 3
    assert "빠리" in answers[0]


def test_the_written_question_can_be_the_transcription(root: Path) -> None:
    import pyarrow.parquet as pq

    out = folder.publish(settings(transcription="written"), root)
    assert pq.read_table(out / "bbh-test/test-00000-of-00001.parquet")["transcription"][0].as_py().startswith("왼쪽으로 3걸음")
    assert "`spoken` in `provenance/`" in (out / "README.md").read_text()


def test_constraints_are_what_the_scorer_reads(release: Path) -> None:
    assert lines(release / "ifeval-test/constraints.jsonl")[1] == {
        "id": "ifeval-test-00001",
        "instruction_id_list": ["punctuation:no_comma", "keywords:existence"],
        "kwargs": [{}, {"keywords": ["가을"]}],
    }


def test_every_source_item_is_in_the_data_or_among_the_rejections(release: Path) -> None:
    rejected = lines(release / "provenance/bbh-test-rejected.jsonl")
    assert [(line["id"], line["stage"], line["reason"], line["rule_id"]) for line in rejected] == [
        ("bbh-test-00003", "correct", "unresolved", "correct.rule"),
        ("bbh-test-00004", "hypertranslate", "deletion", "hypertranslate.rule"),
    ]
    assert len(lines(release / "provenance/bbh-test.jsonl")) + len(rejected) == 6


def test_the_card_counts_from_source_to_release(release: Path) -> None:
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "| `bbh-test` | reasoning | 6 | 1 | 1 | 2 | 4 | 0.0 |" in card
    assert "| all |  | 13 | 1 | 1 | 3 | 10 | 0.1 |" in card
    assert "| `bbh-test` | correct | unresolved | `correct.rule` | 1 |" in card
    assert "| `mmsu` | hlt-lab/voicebench | mmsu | `b02edcef1330480be3a11bd6f7434ac32f05ad08` | apache-2.0 | 2 |" in card
    assert "| reviewer | gpt-x |" in card
    assert "| synthesizer | kokoro-82m-int8 |" in card
    assert re.search(r"\| `rulebooks/ko/one.yaml` \| 3 \| `[0-9a-f]{64}` \|\n\| `conf/prompt/p.txt` \| - \| `[0-9a-f]{64}` \|", card)


def test_a_notice_comes_first(root: Path) -> None:
    card = (folder.publish(settings(notice="A sample:\nnot the benchmark."), root) / "README.md").read_text()
    assert "# KVoiceBench\n\n> A sample: not the benchmark.\n\nSpoken questions.\n\nVersion 1.0.0.\n" in card


def test_the_card_says_what_this_build_does_not_have(release: Path) -> None:
    assert "Not part of this build, though KVoiceBench can have them: `sd-qa`." in (release / "README.md").read_text()
    assert [config["config_name"] for config in head(release)["configs"]] == ["bbh-test", "mmsu", "ifeval-test", "alpacaeval_full-test"]


def test_a_config_without_rows_is_left_out_and_said(root: Path) -> None:
    rows = [builds.synthesized("ifeval", index) for index in range(2)]
    builds.Build(root).subset("ifeval", rows, {row["id"]: ("synthesize", "unintelligible") for row in rows})
    out = folder.publish(settings(), root)
    assert not (out / "ifeval-test").exists()
    assert "ifeval-test" not in [config["config_name"] for config in head(out)["configs"]]
    assert "No item passed every check, so these configs are left out: `ifeval-test`." in (out / "README.md").read_text()
    assert len(lines(out / "provenance/ifeval-test-rejected.jsonl")) == 2


def test_the_same_build_gives_the_same_bytes(release: Path, root: Path) -> None:
    first = contents(release)
    assert contents(folder.publish(settings(), root)) == first


def test_no_file_names_the_machine(release: Path, root: Path) -> None:
    for name, content in contents(release).items():
        for secret in (str(root), str(Path.home()), "/tmp/"):
            assert secret.encode() not in content, name


def test_a_rebuild_leaves_nothing_of_the_old_release(release: Path, root: Path) -> None:
    (release / "mmsu/stale.parquet").write_bytes(b"old")
    folder.publish(settings(), root)
    assert not (release / "mmsu/stale.parquet").exists()
    assert [path.name for path in release.parent.iterdir()] == ["KVoiceBench"]


def test_a_forbidden_licence_names_the_rows_and_keeps_the_old_release(release: Path, root: Path) -> None:
    before = contents(release)
    rows = [builds.synthesized("mmsu", index, licence="cc-by-nc-4.0" if index != 2 else "apache-2.0") for index in range(9)]
    builds.Build(root).subset("mmsu", rows)
    sentence = r"licence: (mmsu-0000[0134567], ){7}mmsu-00008: the licence cc-by-nc-4.0 forbids commercial use, which apache-2.0 permits"
    with pytest.raises(UserError, match=sentence):
        folder.publish(settings(), root)
    assert contents(release) == before
    assert [path.name for path in release.parent.iterdir()] == ["KVoiceBench"]


def test_a_row_meant_for_another_release_is_refused(root: Path) -> None:
    builds.Build(root).subset("mmsu", [builds.synthesized("mmsu", 0)], releases=("KOpenAudioBench",))
    with pytest.raises(UserError, match=r"mmsu-00000: released in KOpenAudioBench, but conf/release/KVoiceBench.yaml lists the subset mmsu"):
        folder.publish(settings(), root)


def test_a_config_name_that_is_not_the_ids_is_refused(root: Path) -> None:
    with pytest.raises(UserError, match="mmsu-00000, mmsu-01003: cannot be released in the config 'mmsu-test'"):
        folder.publish(settings(subsets={**PARTS, "mmsu": {"config": "mmsu-test", "capability": "knowledge"}}), root)


def test_lost_audio_is_named(root: Path) -> None:
    (root / "data/synthesize/mmsu/audio-00001.parquet").unlink()
    with pytest.raises(UserError, match="mmsu-01003 belongs there"):
        folder.publish(settings(), root)


@pytest.mark.parametrize(("path", "sentence"), [("rulebooks/ko/two.yaml", "cannot be read"), ("../../etc/passwd", "lies outside the project")])
def test_a_rulebook_that_is_not_there_or_not_ours_is_refused(root: Path, path: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        folder.publish(settings(rulebooks=[path]), root)
    assert not (root / "data/publish/KVoiceBench").exists()


def config(**changes: Any) -> dict[str, Any]:
    """A resolved configuration with one subset of one release."""
    subset = {"ingest": {"licence": "Apache-2.0", "released_config": "mmsu"}, "validate": {"releases": ["KVoiceBench"]}}
    return {"publish": ["KVoiceBench"], "releases": {"KVoiceBench": settings().model_dump()}, "subsets": {"mmsu": {**subset, **changes}}}


def test_a_configuration_that_can_be_published_passes() -> None:
    check_config(config())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"ingest": {"licence": "unstated", "released_config": "mmsu"}},
            "licence: mmsu: the licence unstated states no licence whose terms are known",
        ),
        ({"ingest": {"licence": "apache-2.0", "released_config": "mmsu-test"}}, "config is 'mmsu', but the subset's ids start with 'mmsu-test'"),
        ({"validate": {"releases": ["Other"]}}, r"subsets\.mmsu\.validate\.releases does not have KVoiceBench"),
    ],
)
def test_what_could_not_be_published_is_found_before_anything_is_built(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        check_config(config(**changes))


def test_a_misspelt_release_is_found_before_anything_is_built() -> None:
    with pytest.raises(UserError, match=r"publishes 'KVoicebench'.* Did you mean 'KVoiceBench'"):
        check_config({**config(), "publish": ["KVoicebench"]})


def test_an_unknown_release_names_the_nearest(tmp_path: Path) -> None:
    files.write_json(tmp_path / "data/config.json", {"releases": {"KVoiceBench": {}}})
    with pytest.raises(UserError, match="Did you mean 'KVoiceBench'"):
        folder.load_settings("KVoicebench", tmp_path)
    with pytest.raises(UserError, match=r"releases\.KVoiceBench\.name is missing"):
        folder.load_settings("KVoiceBench", tmp_path)
