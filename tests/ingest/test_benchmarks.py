"""The benchmark files of conf/, the bundled sample and the mirror, read through the same configuration as a build."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from omegaconf import OmegaConf

from stages.core import schemas, settings
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.stage import Context, Outcome
from stages.ingest.stage import IngestSettings, open_source, run

FILES = sorted((ROOT / "conf" / "benchmark").glob("[!_]*.yaml"))
NAMES = [path.stem for path in FILES if "defaults: [_spokenqa, _self_]" in path.read_text(encoding="utf-8")]
"""The subsets of the paper; benchmarks of real queries have tests of their own."""
SAMPLE = ROOT / "data" / "sample"
VOICEBENCH_MIRROR = {"alpacaeval_full": 636, "bbh": 1000, "ifeval": 345, "openbookqa": 455, "mmsu": 535, "sd-qa": 553}
OPENAUDIOBENCH_MIRROR = {"llama_questions": 300, "trivia_qa": 1000, "web_questions": 1000}


@cache
def subset(name: str, raw: str, **trial: Any) -> dict[str, Any]:
    """conf/benchmark/<name>.yaml resolved against a root of the test's own."""
    own = {"repo_id": "own/source", "revision": "test", "licence": "CC0-1.0", "complete": False}
    base = yaml.safe_load((ROOT / "conf/benchmark/_spokenqa.yaml").read_text(encoding="utf-8"))
    special = yaml.safe_load((ROOT / f"conf/benchmark/{name}.yaml").read_text(encoding="utf-8"))
    assert special.pop("defaults") == ["_spokenqa", "_self_"]
    merged = OmegaConf.merge(base, special)
    merged = OmegaConf.masked_copy(merged, [key for key in merged if not isinstance(base.get(key), dict) or key == "ingest"])
    root = {"raw": raw, "trial": {"limit": None, "sample": None, **trial}, "sources": {"voicebench": own, "openaudiobench": own}}
    resolved = OmegaConf.to_container(OmegaConf.create({**root, "subsets": {name: merged}}), resolve=True, throw_on_missing=True)
    return resolved["subsets"][name]  # type: ignore[index,call-overload,return-value]


def ingest(values: dict[str, Any], name: str) -> Outcome:
    chosen = settings.load(IngestSettings, values, f"subsets.{name}.ingest")
    with open_source(chosen, Context(name, ROOT, Progress(name))) as source:
        outcome = run([], chosen, source)
    schemas.check(outcome.kept, "Ingested", name)
    return outcome


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_file_says_what_its_subset_is(name: str) -> None:
    values = subset(name, "data/sample/raw")
    chosen = settings.load(IngestSettings, values["ingest"], "ingest")
    assert values["name"] == name == Path(chosen.path).name
    assert re.fullmatch(r"[a-z0-9_-]+", chosen.released_config)
    assert chosen.path.split("/")[0] == chosen.source
    assert set(values["releases"]) <= {"KVoiceBench", "KOpenAudioBench"}


def test_the_benchmark_files_reconcile_with_the_paper() -> None:
    rows = {name: subset(name, "x") for name in NAMES}
    by_release = {release: sum(v["source_rows"] for v in rows.values() if release in v["releases"]) for release in ("KVoiceBench", "KOpenAudioBench")}
    assert by_release == {"KVoiceBench": 7783, "KOpenAudioBench": 2936}
    reviewed = [yaml.safe_load((ROOT / f"conf/benchmark/{name}.yaml").read_text(encoding="utf-8")) for name in NAMES]
    assert sum(values["source_rows"] for values in reviewed if values["correct"]["enabled"]) == 4308


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_has_at_least_three_rows_of_every_subset_and_loses_none(name: str) -> None:
    outcome = ingest(subset(name, str(SAMPLE / "raw"))["ingest"], name)
    assert not outcome.rejected
    assert len(outcome.kept) >= 3
    assert all(len(row["prompt"]) < 300 for row in outcome.kept)


def test_the_sample_is_what_its_script_writes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_sample", SAMPLE / "make_sample.py")
    assert spec is not None
    assert spec.loader is not None
    make_sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_sample)
    items = yaml.safe_load((SAMPLE / "items.yaml").read_text(encoding="utf-8"))
    make_sample.write(tmp_path / "raw", items, SAMPLE / "clips")
    committed = {path.relative_to(SAMPLE / "raw"): path for path in _questions()}
    written = {path.relative_to(tmp_path / "raw"): path for path in (tmp_path / "raw").rglob("*") if path.is_file()}
    assert committed.keys() == written.keys()
    for name, path in written.items():
        if path.suffix == ".parquet":
            assert pq.read_table(path).equals(pq.read_table(committed[name])), name
        else:
            assert path.read_bytes() == committed[name].read_bytes(), name
    assert (SAMPLE / "README.md").read_text(encoding="utf-8").endswith(make_sample.listing(items))


def test_the_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in _questions()) < 1_000_000


def _questions() -> list[Path]:
    return [path for source in ("voicebench", "openaudiobench") for path in (SAMPLE / "raw" / source).rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", [*VOICEBENCH_MIRROR, *OPENAUDIOBENCH_MIRROR])
def test_every_row_of_the_mirror_is_read_with_its_options_and_answers(name: str, shared: Path) -> None:
    expected = (VOICEBENCH_MIRROR | OPENAUDIOBENCH_MIRROR)[name]
    values = subset(name, str(shared / "mirror"))["ingest"]
    outcome = ingest(values, name)
    assert (len(outcome.kept), outcome.rejected) == (expected, [])
    for row in outcome.kept:
        if row["format"] == "multiple_choice":
            assert [option["label"] for option in row["options"]] == ["A", "B", "C", "D"]
            assert all(option["text"] and "\n" not in option["text"] for option in row["options"])
        elif row["task"] == "hyperbaton":
            assert [option["label"] for option in row["options"]] == ["(a)", "(b)"]
            first, second = (sorted(option["text"].split()) for option in row["options"])
            assert first == second, f"{row['id']}: the two orders must hold the same words"
    assert sum(1 for _ in outcome.audio or []) == sum(row["has_source_audio"] for row in outcome.kept)


def test_the_mirror_has_3524_rows_of_voicebench_and_2499_of_openaudiobench(shared: Path) -> None:
    voicebench = sum(len(ingest(subset(name, str(shared / "mirror"))["ingest"], name).kept) for name in VOICEBENCH_MIRROR)
    openaudiobench = sum(len(ingest(subset(name, str(shared / "mirror"))["ingest"], name).kept) for name in OPENAUDIOBENCH_MIRROR)
    unused = {**subset("trivia_qa", str(shared / "mirror"))["ingest"], "path": "openaudiobench/eval_datas/alpaca_eval", "format": "open"}
    assert (voicebench, openaudiobench + len(ingest(unused, "alpaca_eval").kept)) == (3524, 2499)
