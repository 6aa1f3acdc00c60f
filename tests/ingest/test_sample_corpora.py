"""The bundled corpora say what corpora.yaml says, and a real archive gives what its folder gives."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml

from stages.core.paths import ROOT
from tests.ingest.corpora import read

RAW = ROOT / "data/sample/raw"


@pytest.fixture(scope="module")
def chosen() -> dict[str, Any]:
    content = yaml.safe_load((ROOT / "data/sample/corpora.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def test_the_transcript_of_kss_has_the_texts(chosen: dict[str, Any]) -> None:
    lines = (RAW / "kss/transcript.v.1.4.txt").read_text(encoding="utf-8").splitlines()
    assert lines[len(chosen["kss"]["clips"]) :] == chosen["kss"]["lines"]
    for line, (name, original, expanded, english) in zip(lines, chosen["kss"]["clips"], strict=False):
        fields = line.split("|")
        assert [fields[0], fields[1], fields[2], fields[5]] == [f"{name}.wav", original, expanded, english]
        assert fields[3] == unicodedata.normalize("NFD", expanded)
        assert any((RAW / "kss" / f"{name}.{suffix}").exists() for suffix in ("wav", "flac")) != (name in chosen["kss"]["without_clip"])


def test_the_transcripts_of_kmsav_have_the_texts(chosen: dict[str, Any]) -> None:
    listed = (RAW / "kmsav/data/list.txt").read_text(encoding="utf-8").splitlines()[1:]
    videos = chosen["kmsav"]["videos"]
    assert listed[len(videos) :] == chosen["kmsav"]["list_only"]
    for line, video in zip(listed, videos, strict=False):
        assert line.split()[:3] == [video["id"], video["domain"], str(video["participants"])]
        items = json.loads((RAW / "kmsav/trans" / f"{video['id']}.json").read_bytes().decode("utf-8-sig"))
        said = sorted((item["speaker_id"], item["text"]) for item in items)
        assert [pair for pair in said if pair[1] != "고맙습니다."] == sorted((who, text) for who, text, *_ in video["items"])


def test_the_textgrids_of_the_seoul_corpus_have_the_texts(chosen: dict[str, Any]) -> None:
    for recording in chosen["seoul_corpus"]["recordings"]:
        tiers = (RAW / "seoul_corpus/label" / f"{recording['name']}.TextGrid").read_bytes().decode("utf-16").split('name = "')
        for tier, place in ((tiers[7], 0), (tiers[4], 1)):
            labels = [label for label in re.findall(r'text = "(.*?)" \r\n', tier) if label != "<SIL>"]
            assert labels == [one if isinstance(one, str) else one[place] for one in recording["intervals"] if not isinstance(one, (int, float))]


def test_the_archive_of_the_stand_in_gives_what_its_folder_gives(shared: Path, tmp_path: Path) -> None:
    source = shared / "mirror/seoul_corpus"
    folder = tmp_path / "packed" / "seoul_corpus"
    shutil.copytree(source / "sound", folder / "sound")
    shutil.copy(source / "label.tgz", folder / "label.tgz")
    opened, packed = read("seoul_corpus", source, tmp_path / "one"), read("seoul_corpus", folder, tmp_path / "two")
    assert packed.kept == opened.kept
    assert packed.rejected == opened.rejected == []
