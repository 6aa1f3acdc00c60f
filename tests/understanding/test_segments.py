"""Segments of the bundled corpora and of the stand-ins: all utterances accounted for, nothing private, no sound twice, same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from stages.core import files, runner, schemas, shards
from stages.core.errors import UserError
from stages.ingest.corpus import STAGE as CORPUS
from stages.understanding.segments import STAGE, SegmentsSettings
from tests.ingest.corpora import TALK, grid, item, kss_line, write_kmsav, write_kss, write_seoul

CORPORA = ["kss", "kmsav", "seoul_corpus"]


@pytest.fixture(scope="session", params=["sample", "mirror"])
def built(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue(f"{request.param}_build")  # type: ignore[no-any-return]


def _rows(root: Path, stage: str, corpus: str, name: str = "rows") -> list[dict[str, Any]]:
    return files.read_jsonl(root / "data" / stage / corpus / f"{name}.jsonl")


@pytest.mark.parametrize("corpus", CORPORA)
def test_everything_in_the_raw_files_is_kept_or_rejected(built: Path, corpus: str) -> None:
    """Counted by other means than the readers': lines, braces and labels."""
    place = files.read_json(built / "data/config.json")["corpora"][corpus]["corpus"]
    raw = Path(place["root"]) / place["path"]
    if corpus == "kss":
        expected = sum(bool(line.strip()) for line in (raw / "transcript.v.1.4.txt").read_text(encoding="utf-8").splitlines())
    elif corpus == "kmsav":
        listed = {line.split()[0] for line in (raw / "data/list.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"}
        talks = {unicodedata.normalize("NFC", path.stem): path.read_bytes().count(b'"speaker_id"') for path in (raw / "trans").glob("*.json")}
        expected = sum(talks.get(name, 1) for name in listed) + len(talks.keys() - listed)
    else:
        grids = {path: path.read_bytes().decode("utf-16", "ignore").split("intervals: size = ") for path in (raw / "label").glob("s*.TextGrid")}
        expected = sum(parts[-1].count("text = ") if len(parts) == 8 else 1 for parts in grids.values())
    kept, rejected = _rows(built, "corpus", corpus), _rows(built, "corpus", corpus, "rejected")
    assert len(kept) + len(rejected) == expected
    assert all(row["reason"] and row["rule_id"] and row["detail"] for row in rejected)


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_utterance_is_in_a_segment_of_each_cut_or_left_out_with_a_reason(built: Path, corpus: str) -> None:
    spoken = {row["id"] for row in _rows(built, "corpus", corpus) if row["kind"] in ("speech", "unintelligible")}
    by_cut: dict[str, list[str]] = {}
    for row in _rows(built, "segments", corpus):
        by_cut.setdefault(row["id"].split("-")[1], []).extend(row["utterances"])
    for row in _rows(built, "segments", corpus, "rejected"):
        cut, _, id = row["id"].partition("/")
        assert row["reason"]
        assert row["rule_id"] == f"segments.{row['reason']}"
        by_cut.setdefault(cut, []).append(id)
    for cut, ids in by_cut.items():
        assert sorted(ids) == sorted(spoken), cut


@pytest.mark.parametrize("corpus", CORPORA)
def test_segments_keep_their_limits_and_overlap_no_other_of_their_cut(built: Path, corpus: str) -> None:
    config = files.read_json(built / "data/config.json")["corpora"][corpus]["segments"]
    last: dict[tuple[str, str], float] = {}
    for row in sorted(_rows(built, "segments", corpus), key=lambda row: row["start_s"]):
        cut = row["id"].split("-")[1]
        assert row["uses"]
        for use in row["uses"]:
            limits = config["capabilities"][use]
            assert limits["cut"] == cut
            assert limits["min_s"] <= row["duration_s"] <= limits["max_s"]
        assert row["start_s"] >= last.get((cut, row["recording"]), 0.0)
        last[cut, row["recording"]] = row["end_s"]


@lru_cache(maxsize=2)
def _recording(path: Path) -> tuple[np.ndarray, int]:
    samples, rate = soundfile.read(path, dtype="int16")
    return samples, rate


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_clip_of_a_segment_is_that_piece_of_the_recording_and_no_sound_comes_twice(built: Path, corpus: str) -> None:
    config = files.read_json(built / "data/config.json")["corpora"][corpus]["segments"]
    rows = {row["id"]: row for row in _rows(built, "segments", corpus)}
    clips = dict(shards.iter_audio(built / "data/segments" / corpus, rows))
    hashes = Counter((id.split("-")[1], row["content_sha256"]) for id, row in rows.items())
    assert set(hashes.values()) == {1}
    for id, data in clips.items():
        row = rows[id]
        samples, rate = soundfile.read(io.BytesIO(data), dtype="int16")
        whole, whole_rate = _recording(Path(config["root"]) / config["path"] / row["audio_path"])
        first = round(row["start_s"] * rate)
        assert (rate, whole_rate) == (row["sample_rate_hz"],) * 2
        assert np.array_equal(samples, whole[first : first + len(samples)])
        assert len(samples) == pytest.approx(row["duration_s"] * rate, abs=1)
        assert hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest() == row["content_sha256"]


def test_no_segment_comes_near_a_stretch_with_private_information(built: Path) -> None:
    """From the TextGrids themselves: at least one recording has such a stretch, between utterances that are used."""
    config = files.read_json(built / "data/config.json")["corpora"]["seoul_corpus"]["segments"]
    private: dict[str, list[tuple[float, float]]] = {}
    for path in (Path(config["root"]) / config["path"] / "label").glob("s*.TextGrid"):
        text = path.read_bytes().decode("utf-16", "ignore").replace("\r\n", "\n")
        tier = text.partition('name = "utt.ortho."')[2]
        spans = re.findall(r'xmin = (\S+) \n\s+xmax = (\S+) \n\s+text = "[^"\n]*<PRIVATE\.INFO>', tier)
        private[path.stem] = [(float(start), float(end)) for start, end in spans]
    assert any(private.values())
    for row in _rows(built, "segments", "seoul_corpus"):
        assert "PRIVATE" not in row["transcript"]
        assert all(end <= row["start_s"] or start >= row["end_s"] for start, end in private[row["recording"]]), row["id"]


def test_a_second_run_gives_the_same_bytes(sample_build: Path, tmp_path: Path) -> None:
    config = files.read_json(sample_build / "data/config.json")["corpora"]
    for corpus in CORPORA:
        runner.run_stage(CORPUS, corpus, config[corpus]["corpus"], tmp_path)
        runner.run_stage(STAGE, corpus, config[corpus]["segments"], tmp_path)
        for stage in ("corpus", "segments"):
            first = {path.name: path.read_bytes() for path in (sample_build / "data" / stage / corpus).glob("*") if path.is_file()}
            second = {path.name: path.read_bytes() for path in (tmp_path / "data" / stage / corpus).glob("*") if path.is_file()}
            assert first == second


def _segments(root: Path, corpus: str, folder: Path, cuts: dict[str, Any], capabilities: dict[str, Any], **more: Any) -> dict[str, Any]:
    place = {"root": str(folder.parent), "path": folder.name}
    reading = {"reader": corpus, **place, "source": "test", "revision": "1", "licence": "CC0-1.0", **more}
    runner.run_stage(CORPUS, corpus, reading, root)
    values = {"original_dataset": "Test", **place, "cuts": cuts, "capabilities": capabilities}
    return runner.run_stage(STAGE, corpus, values, root)


READ = {"read": {"kind": "utterance"}}
ORDER = {"word_order": {"cut": "read", "min_s": 0.5, "max_s": 5.0}}


def test_the_same_recording_under_two_names_is_used_once(tmp_path: Path) -> None:
    folder = write_kss(tmp_path / "kss", [kss_line("1/1_0000.wav"), kss_line("1/1_0001.wav", "눈이 온다.")], ["1/1_0000.wav", "1/1_0001.wav"])
    report = _segments(tmp_path, "kss", folder, READ, ORDER)
    assert (report["n_kept"], report["reasons"]) == (1, {"duplicate_audio": 1})


def test_a_cut_with_a_limit_draws_and_says_what_it_left(tmp_path: Path) -> None:
    names = [f"1/1_{number:04d}.wav" for number in range(6)]
    folder = write_kss(tmp_path / "kss", [kss_line(name, f"문장 {name}") for name in names])
    taken = []
    for most in (2, 4):
        report = _segments(tmp_path, "kss", folder, {"read": {"kind": "utterance", "max_segments": most}}, ORDER, audio="optional")
        assert (report["n_kept"], report["reasons"]) == (most, {"not_drawn": 6 - most})
        taken.append({row["id"] for row in _rows(tmp_path, "segments", "kss")})
    assert taken[0] < taken[1]


def test_a_corpus_without_audio_gives_segments_by_reference(tmp_path: Path) -> None:
    folder = write_kss(tmp_path / "kss", [kss_line("1/1_0000.wav", seconds=2.0)])
    _segments(tmp_path, "kss", folder, READ, ORDER, audio="optional")
    (row,) = _rows(tmp_path, "segments", "kss")
    assert (row["has_audio"], row["duration_s"], row["content_sha256"]) == (False, 2.0, None)
    assert not list((tmp_path / "data/segments/kss").glob("*.parquet"))


def test_speech_without_a_silence_to_cut_in_is_left_out(tmp_path: Path) -> None:
    """The recording is a tone from end to end; only its own ends are silence enough."""
    talk = [(0.0, 3.0, "하나"), (3.0, 6.0, "둘"), (6.0, 10.0, "<SIL>")]
    folder = write_seoul(tmp_path / "seoul_corpus", {"s01m16m1": grid(talk)})
    tags = {"SIL": {"means": "silence", "kind": "silence"}}
    report = _segments(tmp_path, "seoul_corpus", folder, READ, ORDER, tags=tags)
    assert (report["n_kept"], report["reasons"]) == (0, {"no_silence": 2})


def test_a_speaker_whom_the_reader_refused_is_in_no_dialogue(tmp_path: Path) -> None:
    """Otherwise three people would be heard where two are counted, and words that the transcript has not."""
    talk = [item("A", 0.5, 2), item("B", 2.5, 4), item("C", 4.5, 6, "z/어쩌면"), item("A", 6.5, 8), item("B", 8.5, 9.5)]
    folder = write_kmsav(tmp_path / "kmsav", {"VidA_1": (3, talk)}, audio=False)
    use = {"cut": "talk", "min_s": 1.0, "max_s": 60.0}
    _segments(tmp_path, "kmsav", folder, {"talk": {"kind": "dialogue", "max_pause_s": 5.0}}, {"number_of_speakers": use}, audio="optional")
    assert [(row["start_s"], row["end_s"]) for row in _rows(tmp_path, "segments", "kmsav")] == [(0.5, 4.0), (6.5, 9.5)]


def test_a_recording_that_was_replaced_is_one_sentence(tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "seoul_corpus", {"s01m16m1": grid(TALK)})
    tags = {"SIL": {"means": "silence", "kind": "silence"}}
    _segments(tmp_path, "seoul_corpus", folder, READ, ORDER, tags=tags)
    other = write_seoul(tmp_path / "other" / "seoul_corpus", {"s01m16m1": grid(TALK)}, seconds=8.0)
    values = {"original_dataset": "Test", "root": str(other.parent), "path": other.name, "cuts": READ, "capabilities": ORDER}
    with pytest.raises(UserError, match="is not the recording that the stage corpus read; run that stage again"):
        runner.run_stage(STAGE, "seoul_corpus", values, tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cuts": {"Read!": {"kind": "utterance"}}}, "must be a word of small letters"),
        ({"capabilities": {"word_order": {"cut": "reed", "min_s": 1, "max_s": 2}}}, "Did you mean 'read'"),
        ({"capabilities": {"word_order": {"cut": "read", "min_s": 3, "max_s": 2}}}, "which is not more than min_s"),
    ],
)
def test_settings_that_do_not_fit_are_told(change: dict[str, Any], sentence: str) -> None:
    values = {"original_dataset": "Test", "root": "r", "path": "p", "cuts": READ, "capabilities": ORDER, **change}
    with pytest.raises(ValueError, match=re.escape(sentence)):
        SegmentsSettings.model_validate(values)


def test_the_bundled_corpora_are_small_and_lose_only_what_they_are_there_to_lose(sample_build: Path) -> None:
    config = files.read_json(sample_build / "data/config.json")["corpora"]
    folders = [Path(config[corpus]["corpus"]["root"]) / config[corpus]["corpus"]["path"] for corpus in CORPORA]
    assert sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file()) < 2_000_000
    lost = {row["id"]: row["reason"] for corpus in CORPORA for row in _rows(sample_build, "corpus", corpus, "rejected")}
    assert lost == {
        "kss-20001": "no_audio",
        "kss/line 9": "fields",
        "kss/line 10": "name_pattern",
        "kmsav-000050006": "past_the_end",
        "kmsav/Sg7gone_z07": "no_transcript",
        "kmsav/Sp8pre_z08": "untranscribed",
        "kmsav/예고편_조각": "not_in_list",
        "seoul_corpus/s39f47m4": "broken_textgrid",
    }
    for corpus in CORPORA:
        schemas.check(_rows(sample_build, "segments", corpus), "Segment", corpus)


def test_the_stand_ins_give_what_their_files_hold(mirror_build: Path) -> None:
    counts = {corpus: (len(_rows(mirror_build, "corpus", corpus)), len(_rows(mirror_build, "corpus", corpus, "rejected"))) for corpus in CORPORA}
    assert counts == {"kss": (60, 1), "kmsav": (164, 6), "seoul_corpus": (240, 0)}
    notes = json.loads((mirror_build / "data/reports/corpus/kmsav.json").read_text())["notes"]
    assert notes == {"encoding": 13, "extra keys": 13, "order": 1, "participants": 14}
