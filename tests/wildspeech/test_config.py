"""The members are configuration alone: English and Korean, in every profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stages import compose
from stages.core import settings
from stages.core.paths import ROOT
from stages.ingest import wildchat
from stages.wildspeech import paralinguistic, points, select
from tests.ingest.test_wildchat import read_folder


def config(tmp_path: Path, profile: str) -> dict[str, Any]:
    (tmp_path / "conf").symlink_to(ROOT / "conf")
    params = yaml.safe_load((ROOT / f"conf/params/{profile}.yaml").read_text(encoding="utf-8"))
    params["wildspeech"] = {"wildspeech": "wildchat", "wildspeech_ko": "wildchat"}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    return compose.resolve(compose.composed(compose.knobs(tmp_path)))


@pytest.mark.parametrize("profile", ["sample", "full", "trial"])
def test_both_members_compose_in_every_profile(tmp_path: Path, profile: str) -> None:
    found = config(tmp_path, profile)
    compose.check_stages(found)
    compose.check_sources(found, tmp_path)


def test_the_full_profile_has_the_release_s_counts(tmp_path: Path) -> None:
    found = config(tmp_path, "full")["wildspeech"]["wildspeech"]
    assert found["select"]["targets"] == {"II": 393, "SR": 351, "TC": 192, "OE": 64}
    assert sum(found["paralinguistic"]["targets"].values()) == 100
    assert len(found["select"]["screen"]["topics"]) == 23
    assert found["select"]["review"]["required"]


def test_korean_goes_from_conversations_to_requests_by_configuration_alone(tmp_path: Path) -> None:
    found = config(tmp_path, "sample")["wildspeech"]["wildspeech_ko"]
    gathering = settings.load(wildchat.WildChatSettings, found["wildchat"], "x")
    kept, _, _ = read_folder(ROOT / "data/sample/raw/wildchat", **gathering.model_dump())
    assert len(kept) == 4
    chosen = settings.load(select.SelectSettings, found["select"], "x")
    requests = select.plan_requests(kept, chosen, ROOT)
    assert len(requests) == 4
    assert "in Korean" in requests[0].messages[0]["content"]
    items = settings.load(paralinguistic.ParalinguisticSettings, found["paralinguistic"], "x")
    assert "in Korean" in paralinguistic.plan_requests([], items, ROOT)[0].messages[1]["content"]
    assert points.read_words(ROOT / found["checklist"]["points"]["words"]).vague


def test_paths_that_differ_between_params_and_conf_are_named(tmp_path: Path) -> None:
    found = config(tmp_path, "sample")
    params = yaml.safe_load((tmp_path / "params.yaml").read_text())
    params["wildspeech"]["wildspeech"] = "elsewhere"
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    from stages.core.errors import UserError

    with pytest.raises(UserError, match=r"has 'elsewhere' for wildspeech\.wildspeech, but conf/benchmark/wildspeech\.yaml reads 'wildchat'"):
        compose.check_sources(found, tmp_path)
