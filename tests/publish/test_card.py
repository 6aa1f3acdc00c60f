"""What the card says: figures are those of the released audio and of every step, and a stranger can follow it."""

from __future__ import annotations

import statistics
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row
from stages.publish import folder, release
from stages.publish.card import _quantile
from tests.publish.test_folder import settings


def card(root: Path, **changes: Any) -> str:
    return (folder.publish(settings(**changes), root) / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("values", [[0.3], [0.1, 0.2], [0.0, 0.1, 0.4], [0.0, 0.02, 0.04, 0.18], [0.1] * 7 + [0.9]])
def test_quantiles_are_those_of_the_plot(values: list[float]) -> None:
    assert _quantile(values, 0.5) == pytest.approx(statistics.median(values))
    assert _quantile(values, 0.9) == pytest.approx(np.quantile(values, 0.9))


def test_the_error_rate_is_that_of_the_released_audio(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clip in noise has two: before and with the noise. Of a clip that was not measured there is none."""
    drawn: dict[str, list[float]] = {}
    monkeypatch.setattr("stages.publish.figures.cer_plot", lambda path, cer: bool(drawn.update(cer)))
    path = root / "data/validate/bbh/rows.jsonl"
    rows = files.read_jsonl(path)
    files.write_jsonl(path, [{**row, "noisy_cer": value} for row, value in zip(rows, [0.25, 0.5, 0.75, None], strict=True)])
    text = card(root, cer="noisy_cer")
    assert "| `bbh-test` | 0.500 | 0.500 | 0.700 | 0.750 |" in text
    assert "| `mmsu` | 0." not in text
    assert drawn == {"bbh-test": [0.25, 0.5, 0.75], "mmsu": [], "ifeval-test": [], "alpacaeval_full-test": []}


def test_what_was_chosen_from_is_counted_step_by_step(root: Path) -> None:
    def step(stage: str, subset: str, kept: int, *reasons: tuple[str, str]) -> None:
        rejected: list[Row] = [{"id": f"x-{n}", "reason": reason, "rule_id": rule} for n, (reason, rule) in enumerate(reasons)]
        files.write_jsonl(root / "data" / stage / subset / "rows.jsonl", [{"id": f"k-{n}"} for n in range(kept)])
        files.write_jsonl(root / "data" / stage / subset / "rejected.jsonl", rejected)

    for subset in settings().chosen():
        step("crawl", subset, 9)
    step("crawl", "bbh", 6, ("language", "crawl.language"), ("language", "crawl.language"), ("toxic", "crawl.toxic"))
    text = card(root, before=["crawl"], ids="Ids are numbers.")
    assert "| config | capability | chosen items |" in text
    assert "Chosen items = rejected + released. A corrected item" in text
    assert "source items" not in text
    assert "Ids are numbers. The items were chosen from a larger source" in text
    assert "| `bbh-test` | crawl | 9 | 3 | 6 |" in text
    assert "| `bbh-test` | crawl | language | `crawl.language` | 2 |\n| `bbh-test` | crawl | toxic | `crawl.toxic` | 1 |" in text
    (root / "data/crawl/mmsu/rejected.jsonl").unlink()
    with pytest.raises(UserError, match="data/crawl/mmsu is missing or damaged; run `dvc repro`"):
        card(root, before=["crawl"])


def test_the_call_that_loads_it_names_an_account(root: Path) -> None:
    for hub in ({"target": "folder"}, {"target": "hub"}):
        text = card(root, hub=hub)
        assert 'load_dataset("OWNER/KVoiceBench", ' in text
        assert "OWNER is the account that this page belongs to." in text
    text = card(root, hub={"target": "hub", "namespace": "KRAFTON"})
    assert 'load_dataset("KRAFTON/KVoiceBench", ' in text
    assert "OWNER" not in text


def test_texts_that_look_like_yaml_or_come_decomposed_are_read_back_as_they_are(root: Path) -> None:
    title = 'a: "b" --- # c\n---\n한국어: 말'
    text = card(root, title=unicodedata.normalize("NFD", title), description="---\nlicense: mit\n---\n설명", tags=["x: y", "---", "a ---"])
    assert unicodedata.is_normalized("NFC", text)
    assert text.count('\n# a: "b" --- # c --- 한국어: 말\n') == 1
    head = yaml.safe_load(text[4 : text.index("\n---\n") + 1])
    assert (head["pretty_name"], head["license"], head["tags"][1:4]) == (title, "apache-2.0", ["x: y", "---", "a ---"])
    assert [config["config_name"] for config in head["configs"]] == ["bbh-test", "mmsu", "ifeval-test", "alpacaeval_full-test"]


def test_an_origin_without_a_revision_is_a_dash_and_noise_is_credited(root: Path) -> None:
    path = root / "data/validate/mmsu/rows.jsonl"
    rows = files.read_jsonl(path)
    rows[0] |= {"source_revision": None, "noise_source": "freesound 12", "noise_licence": "CC-BY-4.0"}
    files.write_jsonl(path, rows)
    text = card(root)
    assert "| `mmsu` | hlt-lab/voicebench | mmsu | - | apache-2.0 | 1 |" in text
    assert "| `mmsu` | freesound 12 | noise | - | CC-BY-4.0 | 1 |" in text
    assert "``" not in text.replace("```", "")


def test_every_declared_release_cites_and_has_a_known_form() -> None:
    """conf/release/: what a card cannot do without."""
    names = [path.stem for path in Path("conf/release").glob("[A-Z]*.yaml")]
    assert len(names) >= 5
    for name in names:
        said = yaml.safe_load(Path(f"conf/release/{name}.yaml").read_text(encoding="utf-8"))
        assert said["citations"], name
        assert said["source_notes"], name
        assert said.keys() - {"defaults"} <= release.ReleaseSettings.model_fields.keys(), name
