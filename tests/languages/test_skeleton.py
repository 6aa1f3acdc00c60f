"""A start for another language, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages import skeleton


def lacks(root: Path, code: str = "ja") -> dict[str, list[str]]:
    tree = yaml.safe_load((root / "rulebooks" / code / "normalization.yaml").read_text("utf-8"))
    return {line.title: line.lacks for line in skeleton.survey(tree)}


def test_it_makes_both_files_and_says_what_every_category_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skeleton.run(["ja", "Japanese"], tmp_path)
    shown = capsys.readouterr().out
    tree = yaml.safe_load((tmp_path / "rulebooks/ja/normalization.yaml").read_text("utf-8"))
    model = yaml.safe_load((ROOT / "rulebooks/ko/normalization.yaml").read_text("utf-8"))
    assert tree["categories"] == model["categories"]
    assert tree["symbols"].keys() == model["symbols"].keys()
    assert [unit["id"] for unit in tree["units"]] == [unit["id"] for unit in model["units"]]
    assert not any(entry["name"] for entry in tree["symbols"].values()), "no Korean name is carried over"
    assert len(lacks(tmp_path)) == 11
    assert all(lacks(tmp_path).values())
    assert lacks(tmp_path)["Punctuation and special characters"] == ["rules", "examples", f"{len(model['symbols'])} names"]
    conf = yaml.safe_load((tmp_path / "conf/language/ja.yaml").read_text("utf-8"))
    assert (conf["code"], conf["name"]) == ("ja", "Japanese")
    assert conf["rulebooks"]["hypertranslation"] == "rulebooks/ja/hypertranslation.yaml"
    assert "stages/languages/ja/" in shown


def test_what_is_written_counts_and_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skeleton.run(["ja"], tmp_path)
    path = tmp_path / "rulebooks/ja/normalization.yaml"
    tree = yaml.safe_load(path.read_text("utf-8"))
    tree["rules"] = [
        {"id": "number.plain", "category": "numbers", "examples": ["3 → さん"]},
        {"id": "number.none", "category": "numbers", "examples": []},
        {"id": "math.sum", "category": "mathematics", "examples": ["1+1 → いちたすいち"]},
    ]
    tree["symbols"]["@"]["name"] = "アットマーク"
    path.write_text(yaml.safe_dump(tree, allow_unicode=True), "utf-8")
    before = lacks(tmp_path)
    skeleton.run(["ja"], tmp_path)
    assert "stays as it is" in capsys.readouterr().out
    assert lacks(tmp_path) == before
    assert before["Numbers"] == ["examples of number.none"]
    assert before["Mathematics and science"][0].endswith("names")
    assert before["Punctuation and special characters"][:1] == ["examples"]


def test_the_korean_rulebook_lacks_nothing() -> None:
    assert {title: lack for title, lack in lacks(ROOT, "ko").items() if lack} == {}


@pytest.mark.parametrize("arguments", [[], ["Japanese"], ["j"], ["ja", "Japanese", "more"], ["../x"]])
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: list[str]) -> None:
    with pytest.raises(UserError, match="two or three letters"):
        skeleton.run(arguments, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    skeleton.run(["ja"], tmp_path)
    (tmp_path / "rulebooks/ja/normalization.yaml").write_text("- a")
    with pytest.raises(UserError, match="mapping"):
        skeleton.run(["ja"], tmp_path)
