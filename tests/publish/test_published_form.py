"""The published form of WildSpeech: names of values, empty ones, lists as text, ids with parts, every licence of a clip."""

from __future__ import annotations

from typing import Any

import pytest

from stages import compose
from stages.core.files import write_jsonl
from stages.core.settings import load
from stages.publish import gate
from stages.publish.release import Part, ReleaseSettings, named_after, released_row


@pytest.fixture(scope="module")
def settings() -> ReleaseSettings:
    from stages.core.paths import ROOT

    config = compose.resolve(compose.composed(compose.knobs(ROOT)))
    return load(ReleaseSettings, config["releases"]["WildSpeech"], "releases.WildSpeech")


ROW: dict[str, Any] = {
    "id": "wildspeech-pf-00011", "query": "Hi?", "category": "PF", "checklist": ["It greets.", "It asks back."], "conversation_id": None,
    "condition": "human_noise", "kind": "stress",
}  # fmt: skip


def test_a_row_has_the_published_columns(settings: ReleaseSettings) -> None:
    row = released_row(ROW, Part(config="wildspeech"), settings, b"fLaC")
    assert row == {
        "id": "wildspeech-pf-00011", "audio": {"bytes": b"fLaC", "path": "wildspeech-pf-00011.flac"}, "user_query": "Hi?", "taskType": "prosodical",
        "checklist": "- It greets.\n- It asks back.", "conversation_hash": "", "modification_type": "human_noise", "additional_info": "stress",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("id", "fits"), [("w-00001", True), ("w-pf-00001", True), ("w-pf-x", False), ("v-00001", False), ("w00001", False), ("w-p-f-1", False)]
)
def test_ids_are_named_after_their_config(id: str, fits: bool) -> None:
    assert named_after(id, "w") is fits


@pytest.mark.parametrize(("noise", "refused"), [("CC0-1.0", False), (None, False), ("CC-BY-NC-3.0", True)])
def test_the_noise_behind_a_clip_is_checked_like_its_text(settings: ReleaseSettings, tmp_path: Any, noise: str | None, refused: bool) -> None:
    write_jsonl(
        tmp_path / "provenance/wildspeech.jsonl", [{"id": "wildspeech-00001", "licence": "ODC-BY", "noise_licence": noise, "speech_licence": None}]
    )
    told = [problem for problem in gate._config_problems(tmp_path, "wildspeech", settings) if problem.check == "licence"]
    assert bool(told) is refused
    if refused:
        assert "noise" in told[0].what
