"""The last gate: good rows pass, and each kind of bad row is rejected with the check's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.shards import write_shards
from stages.publish.validate import STAGE
from tests.publish.builds import RATE_HZ, flac, options, synthesized

SETTINGS = {"releases": ["KVoiceBench"], "language": "ko"}


def validated(
    root: Path, rows: list[Row], audio: dict[str, bytes] | None = None, **settings: Any
) -> tuple[list[str], dict[str, tuple[str, str]], Row]:
    """Run the stage on `rows`: ids kept, id to (rule id, detail) of the rejected, report. `audio` replaces clips by id."""
    subset = rows[0]["subset"]
    folder = root / "data/synthesize" / subset
    files.write_jsonl(folder / "rows.jsonl", rows)
    write_shards(folder, [(row["id"], (audio or {}).get(row["id"], flac(row["source_index"]))) for row in rows])
    report = runner.run_stage(STAGE, subset, {**SETTINGS, **settings}, root)
    out = root / "data/validate" / subset
    rejected = {row["id"]: (row["rule_id"], row["detail"]) for row in files.read_jsonl(out / "rejected.jsonl")}
    assert all(row["reason"] == "invalid" for row in files.read_jsonl(out / "rejected.jsonl"))
    return [row["id"] for row in files.read_jsonl(out / "rows.jsonl")], rejected, report


@pytest.mark.parametrize("subset", ["bbh", "mmsu", "ifeval", "trivia_qa", "alpacaeval_full"])
def test_good_rows_of_every_format_pass(tmp_path: Path, subset: str) -> None:
    rows = [synthesized(subset, index) for index in range(3)]
    kept, rejected, report = validated(tmp_path, rows)
    assert rejected == {}
    assert kept == [row["id"] for row in rows]
    assert report["failed_checks"] == {}
    assert files.read_jsonl(tmp_path / "data/validate" / subset / "rows.jsonl")[0]["released_in"] == ["KVoiceBench"]


@pytest.mark.parametrize(
    ("subset", "changes", "rule", "detail"),
    [
        ("bbh", {"licence": " "}, "licence", "no licence"),
        ("bbh", {"spoken": "\u3000"}, "spoken", "empty"),
        ("bbh", {"target_answer": "yes"}, "answer", "'yes' is none of 예"),
        ("bbh", {"target_answer": "네"}, "answer", "'네' is none of 예"),
        ("bbh", {"target_answer": None}, "answer", "None is none of"),
        ("bbh", {"target_options": options("ㄱ 큰 빨간 공", "ㄴ 빨간 큰 공")}, "answer", "'예' is none of ㄱ, ㄴ"),
        ("mmsu", {"target_answer": "ㄷ"}, "answer", "'ㄷ' is none of ㄱ, ㄴ"),
        ("mmsu", {"target_answer": "B"}, "answer", "'B' is none of ㄱ, ㄴ"),
        ("mmsu", {"target_options": []}, "options", "no options"),
        ("mmsu", {"target_options": options("ㄱ 사과", "ㄷ 배추"), "target_answer": "ㄱ"}, "options", "labelled ㄱ ㄷ, expected ㄱ ㄴ"),
        ("mmsu", {"target_options": options("A 사과", "B 배추"), "target_answer": "A"}, "options", "labelled A B, expected ㄱ ㄴ"),
        ("mmsu", {"target_options": options("ㄱ 사과", "ㄴ 사과.")}, "options", "options say the same: 사과 / 사과."),
        ("mmsu", {"target_options": [{"label": "ㄱ", "text": " "}, {"label": "ㄴ", "text": "배추"}]}, "options", "an option is empty"),
        ("mmsu", {"spoken": "다음 중 채소는 무엇인가요? 기역. 사과, 배추"}, "labels_spoken", "label ㄴ is not spoken"),
        ("mmsu", {"spoken": "다음 중 채소는? 니은. 배추 기역. 사과"}, "labels_spoken", "label ㄴ is not spoken"),
        ("trivia_qa", {"target_answers": []}, "answer", "no answer"),
        ("trivia_qa", {"target_answers": ["파리", " "]}, "answer", "an answer is empty"),
        ("trivia_qa", {"target_answers": ["에펠탑", "에펠 탑"]}, "answer", "'에펠탑' and '에펠 탑' are the same"),
        ("ifeval", {"target_instructions": []}, "answer", "no instructions"),
        ("ifeval", {"target_instructions": [{"id": "punctuation:no_comma", "kwargs": "[1]"}]}, "answer", "not a JSON object"),
        ("ifeval", {"target_instructions": [{"id": "punctuation:no_comma", "kwargs": "{'a': 1}"}]}, "answer", "not a JSON object"),
        ("bbh", {"duration_s": 0.6}, "duration", "lasts 0.500 s, the column says 0.600 s"),
        ("bbh", {"sample_rate_hz": 16_000}, "sample_rate", "has 24000 Hz, the column says 16000 Hz"),
        ("bbh", {"speech_sha256": "0" * 64}, "audio_hash", "sha256 differs"),
    ],
)
def test_each_defect_of_a_row_is_rejected_by_its_check(tmp_path: Path, subset: str, changes: Row, rule: str, detail: str) -> None:
    rows = [synthesized(subset, 0), synthesized(subset, 1, **changes), synthesized(subset, 2)]
    kept, rejected, report = validated(tmp_path, rows)
    assert kept == [rows[0]["id"], rows[2]["id"]]
    assert rejected[rows[1]["id"]][0] == rule
    assert detail in rejected[rows[1]["id"]][1]
    assert report["failed_checks"][rule] == 1


@pytest.mark.parametrize(
    ("audio", "changes", "rule"),
    [
        (b"this is text, not audio", {}, "audio_readable"),
        (flac(1)[: len(flac(1)) // 2], {}, "audio_readable"),
        (flac(1, form="WAV"), {}, "audio_format"),
        (flac(1, channels=2), {}, "audio_format"),
        (flac(1, rate=16_000), {}, "sample_rate"),
        (flac(1, seconds=0.1), {"duration_s": 0.1}, "duration_limits"),
        (flac(1, seconds=2.0), {"duration_s": 2.0}, "duration_limits"),
    ],
)
def test_each_defect_of_the_audio_is_rejected_by_its_check(tmp_path: Path, audio: bytes, changes: Row, rule: str) -> None:
    bad = synthesized("bbh", 1, audio, **changes)
    kept, rejected, _ = validated(tmp_path, [synthesized("bbh", 0), bad], {bad["id"]: audio}, max_duration_s=1.5)
    assert kept == ["bbh-test-00000"]
    assert rule in [part.split(":")[0] for part in rejected[bad["id"]][1].split("; ")]


def test_silence_is_rejected(tmp_path: Path) -> None:
    import io

    import numpy as np
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, np.zeros(RATE_HZ // 2), RATE_HZ, format="FLAC")
    _, rejected, _ = validated(tmp_path, [synthesized("bbh", 1, out.getvalue())], {"bbh-test-00001": out.getvalue()})
    assert rejected == {"bbh-test-00001": ("silence", "silence: the audio is silent")}


def test_a_release_can_demand_one_sample_rate(tmp_path: Path) -> None:
    kept, rejected, _ = validated(tmp_path, [synthesized("bbh", 0)], sample_rate_hz=16_000)
    assert kept == []
    assert rejected["bbh-test-00000"][0] == "sample_rate"


def test_every_failed_check_is_told(tmp_path: Path) -> None:
    _, rejected, report = validated(tmp_path, [synthesized("mmsu", 1, target_answer="B", licence="", duration_s=9.0)])
    rule, detail = rejected["mmsu-00001"]
    assert rule == "licence"
    assert [part.split(":")[0] for part in detail.split("; ")] == ["licence", "answer", "duration"]
    assert report["failed_checks"] == {"answer": 1, "duration": 1, "licence": 1}


def test_audio_of_another_row_rejects_both(tmp_path: Path) -> None:
    rows = [synthesized("bbh", 0), synthesized("bbh", 1), synthesized("bbh", 2, flac(1))]
    kept, rejected, _ = validated(tmp_path, rows, {"bbh-test-00002": flac(1)})
    assert kept == ["bbh-test-00000"]
    assert {id: rule for id, (rule, _) in rejected.items()} == {"bbh-test-00001": "shared_audio", "bbh-test-00002": "shared_audio"}


def test_two_questions_made_into_one_keep_the_first(tmp_path: Path) -> None:
    same = {"spoken": "비행기는 누가 발명했나요?", "prompt": "Who invented the plane?"}
    rows = [synthesized("trivia_qa", 0, **same), synthesized("trivia_qa", 1, **same, target_answers=["라이트"], target_answer="라이트")]
    rows.append(synthesized("trivia_qa", 2, spoken="비행기는 누가 발명했나요", prompt="Who built the first aeroplane?"))
    kept, rejected, report = validated(tmp_path, rows)
    assert kept == ["trivia_qa-00000"]
    assert rejected["trivia_qa-00002"] == (
        "unique_text",
        "unique_text: says the same as trivia_qa-00000, though their source questions differ",
    )
    assert report["repeated_texts"] == [{"ids": ["trivia_qa-00000", "trivia_qa-00001", "trivia_qa-00002"], "in_source": False, "same_answer": False}]


def test_a_question_that_the_source_repeats_is_kept_and_reported(tmp_path: Path) -> None:
    same = {"spoken": "가장 빠른 새는 무엇인가요?", "prompt": "Which bird is the fastest?"}
    kept, rejected, report = validated(tmp_path, [synthesized("trivia_qa", 0, **same), synthesized("trivia_qa", 1, **same)])
    assert (len(kept), rejected) == (2, {})
    assert report["repeated_texts"] == [{"ids": ["trivia_qa-00000", "trivia_qa-00001"], "in_source": True, "same_answer": True}]


def test_missing_audio_stops_the_stage(tmp_path: Path) -> None:
    validated(tmp_path, [synthesized("bbh", 0)])
    files.write_jsonl(tmp_path / "data/synthesize/bbh/rows.jsonl", [synthesized("bbh", 0), synthesized("bbh", 1)])
    with pytest.raises(UserError, match="bbh-test-00001 has no audio"):
        runner.run_stage(STAGE, "bbh", SETTINGS, tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"releases": []}, r"subsets\.bbh\.validate\.releases has the value \[\]"),
        ({"max_durations_s": 3}, "max_durations_s is unknown. Did you mean 'max_duration_s'"),
        ({"language": "kr"}, "There is no language 'kr'"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, changes: Row, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        validated(tmp_path, [synthesized("bbh", 0)], **changes)
