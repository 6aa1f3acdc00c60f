"""A Korean benchmark from Korean conversations to checklists, by configuration alone, with recorded replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner, settings
from stages.core.paths import ROOT
from stages.ingest import wildchat
from stages.wildspeech import checklist, funnel, paralinguistic, points, select
from tests.wildspeech.test_config import config

REPLIES = "tests/wildspeech/korean_replies.jsonl"
NAME = "wildspeech_ko"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The four stages run on the bundled sample; returns the folder that holds data/."""
    root = tmp_path_factory.mktemp("korean")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHFERRY_CACHE", str(root / "cache"))
        values: dict[str, Any] = config(root, "sample")["wildspeech"][NAME]
        for place in ("data/sample", "data/handwritten", "rulebooks", "tests"):
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).symlink_to(ROOT / place)
        for stage in (wildchat, select, paralinguistic, checklist):
            chosen = values[stage.STAGE.name]
            if "client" in chosen:
                chosen["client"]["replies"] = [REPLIES]
            if stage is paralinguistic:  # the hand-written items, without a request for more
                chosen |= {"ask": {}, "max_handwritten": {}, "targets": dict.fromkeys(paralinguistic.KINDS, 1)}
            if stage is select:
                chosen["targets"] = {"II": 2, "SR": 2, "TC": 1, "OE": 1}
            runner.run_stage(stage.STAGE, NAME, chosen, root)
    return root


def test_korean_queries_are_chosen_and_have_korean_checklists(built: Path) -> None:
    rows = files.read_jsonl(built / f"data/checklist/{NAME}/rows.jsonl")
    assert {row["origin"] for row in rows} == {"wild", "handwritten"}
    assert {row["kind"] for row in rows if row["kind"]} == set(paralinguistic.KINDS)
    assert all(row["language"] == "ko" for row in rows)
    for row in rows:
        assert any("가" <= sign <= "힣" for point in row["checklist"] for sign in point)


def test_every_kept_checklist_passes_the_korean_checks(built: Path) -> None:
    chosen = settings.load(points.PointSettings, {"words": "rulebooks/ko/checklist.yaml"}, "x")
    for row in files.read_jsonl(built / f"data/checklist/{NAME}/rows.jsonl"):
        assert points.problems(row["checklist"], row, chosen) == []


def test_the_funnel_adds_up(built: Path) -> None:
    parts = funnel.read(built, NAME)
    assert [part.stage for part in parts] == list(funnel.STAGES)
    assert parts[0].n_in == 36
    assert parts[0].n_kept == 4
