from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stages.core import files, runner, settings, shards
from stages.core.errors import UserError
from stages.ingest.stage import STAGE, IngestSettings, explain
from tests.ingest.conftest import SourceFolder, wav

TASKS = ("navigate", "web_of_lies", "sports_understanding")


def bbh(folder: SourceFolder, counts: tuple[int, ...] = (30, 30, 4)) -> None:
    rows = [
        {"id": f"{task}_{n}", "prompt": f"{task} {n}?", "reference": "no"} for task, count in zip(TASKS, counts, strict=True) for n in range(count)
    ]
    folder.parquet("bbh/test-00000-of-00001", rows)


def ids(folder: SourceFolder, **more: object) -> list[str]:
    return [row["id"] for row in folder.ingest("bbh", "bbh", task_from="id", **more).kept]


def test_a_limit_takes_the_first_rows(folder: SourceFolder) -> None:
    bbh(folder)
    outcome = folder.ingest("bbh", "bbh", task_from="id", limit=3)
    assert [row["id"] for row in outcome.kept] == ["bbh-test-00000", "bbh-test-00001", "bbh-test-00002"]
    assert (outcome.report["source_rows"], outcome.report["left_out_by_trial"]) == (64, 61)


def test_a_sample_is_spread_over_the_tasks(folder: SourceFolder) -> None:
    bbh(folder)
    report = folder.ingest("bbh", "bbh", task_from="id", sample={"n": 15}).report
    assert report["tasks"] == {"navigate": 6, "sports_understanding": 4, "web_of_lies": 5}


def test_a_larger_sample_holds_the_smaller_one_and_a_seed_changes_it(folder: SourceFolder) -> None:
    bbh(folder)
    small, large = ids(folder, sample={"n": 5}), ids(folder, sample={"n": 12})
    assert set(small) < set(large)
    assert small == ids(folder, sample={"n": 5}) == sorted(small)
    assert small != ids(folder, sample={"n": 5, "seed": 1})


def test_a_row_keeps_its_id_whatever_trial_takes_it(folder: SourceFolder) -> None:
    bbh(folder)
    whole = {row["id"]: row for row in folder.ingest("bbh", "bbh", task_from="id").kept}
    for row in folder.ingest("bbh", "bbh", task_from="id", sample={"n": 7}).kept:
        assert row == whole[row["id"]]


def test_a_sample_larger_than_the_source_takes_everything(folder: SourceFolder) -> None:
    bbh(folder)
    assert ids(folder, sample={"n": 1000}) == ids(folder)


def test_a_source_that_lacks_rows_is_refused_where_all_are_wanted(folder: SourceFolder) -> None:
    bbh(folder)
    assert "has 64 rows, upstream has 1000" in folder.refusal("bbh", "bbh", task_from="id", source_rows=1000, complete=True)
    assert len(ids(folder, source_rows=64, complete=True)) == 64
    assert len(ids(folder, source_rows=1000)) == 64


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"limt": 3}, "ingest.limt is unknown. Did you mean 'limit'?"),
        ({"sample": {"n": 3, "sed": 1}}, "ingest.sample.sed is unknown. Did you mean 'seed'?"),
        ({"limit": 0}, "ingest.limit has the value 0"),
        ({"limit": 3, "sample": {"n": 3}}, "set `limit` or `sample`, not both"),
        ({"complete": True}, "`complete` needs `source_rows`"),
        ({"format": "poem"}, "ingest.format has the value 'poem'"),
        ({"path": "../other"}, "ingest.path has the value '../other'"),
        ({"path": "/etc"}, "ingest.path has the value '/etc'"),
        ({"source": "voicebanch"}, "ingest.source has the value 'voicebanch'"),
    ],
)
def test_bad_settings_are_named(folder: SourceFolder, change: dict, what: str) -> None:
    values = {**folder.settings("bbh", "bbh").model_dump(), **change}
    with pytest.raises(UserError) as caught:
        settings.load(IngestSettings, values, "subsets.bbh.ingest")
    assert what in str(caught.value)


def test_the_runner_writes_rows_that_fit_their_schema_and_audio_that_is_untouched(folder: SourceFolder, tmp_path: Path) -> None:
    sounds = {n: wav(0.02 * (n + 1)) for n in range(3)}
    rows = [{"prompt": f"Question {n}?", "audio": {"bytes": sounds.get(n), "path": f"{n}.wav"}} for n in range(5)]
    folder.parquet("commoneval/test-00000-of-00001", [*rows, {"prompt": ""}])
    values = folder.settings("commoneval", "open").model_dump()
    report = runner.run_stage(STAGE, "commoneval", values, tmp_path)
    assert (report["n_in"], report["n_kept"], report["n_rejected"], report["reasons"]) == (6, 5, 1, {"no_prompt": 1})
    out = tmp_path / "data" / "ingest" / "commoneval"
    kept = files.read_jsonl(out / "rows.jsonl")
    spoken = [row["id"] for row in kept if row["has_source_audio"]]
    assert dict(shards.iter_audio(out, spoken)) == {f"commoneval-test-{n:05d}": sound for n, sound in sounds.items()}
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    runner.run_stage(STAGE, "commoneval", values, tmp_path)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before, "the same source gives the same bytes"


def test_a_refused_source_leaves_the_earlier_output_alone(folder: SourceFolder, tmp_path: Path) -> None:
    path = folder.parquet("advbench/test-00000-of-00001", [{"prompt": "Refuse."}])
    values = folder.settings("advbench", "refusal").model_dump()
    runner.run_stage(STAGE, "advbench", values, tmp_path)
    rows = tmp_path / "data" / "ingest" / "advbench" / "rows.jsonl"
    before = rows.read_bytes()
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(UserError):
        runner.run_stage(STAGE, "advbench", values, tmp_path)
    assert rows.read_bytes() == before


def test_audio_can_be_left_behind(folder: SourceFolder) -> None:
    folder.parquet("commoneval/test-00000-of-00001", [{"prompt": "Spoken?", "audio": {"bytes": wav(), "path": "a.wav"}}])
    outcome = folder.ingest("commoneval", "open", keep_audio=False)
    assert list(outcome.audio or []) == []
    assert outcome.kept[0]["source_audio_sha256"] is not None


def test_an_item_tells_where_it_comes_from(folder: SourceFolder) -> None:
    bbh(folder)
    story = explain(folder.ingest("bbh", "bbh", task_from="id").kept[31])
    assert story == [
        "own/source at test: bbh web_of_lies_1 web_of_lies (CC0-1.0)",
        "text only, no source audio",
        "prompt: web_of_lies 1?",
        "accepted: no",
    ]


def test_every_source_row_is_kept_rejected_or_left_out_by_a_trial(folder: SourceFolder) -> None:
    rows = [{"prompt": "Who?" if n % 3 else " ", "reference": "me" if n % 2 else None} for n in range(60)]
    folder.parquet("sd-qa/usa-00000-of-00001", rows)
    outcome = folder.ingest("sd-qa", "short_answer", sample={"n": 40})
    report = outcome.report
    assert report["source_rows"] == len(outcome.kept) + len(outcome.rejected) + report["left_out_by_trial"] == 60
    assert set(Counter(r.reason for r in outcome.rejected)) == {"no_prompt", "no_reference"}
