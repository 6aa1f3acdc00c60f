"""KMSAV: lists and transcripts as people wrote them; every inconsistency is told by name, the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core.errors import UserError
from stages.core.stage import Outcome
from tests.ingest.corpora import item, read, reasons, write_kmsav

GOOD = [item("A", 1.0, 2.0, "안녕하세요."), item("B", 3.0, 4.0, "b/네 반가워요.")]


def _one(tmp_path: Path, items: Any, participants: int = 2, **more: Any) -> Outcome:
    return read("kmsav", write_kmsav(tmp_path / "kmsav", {"VidA_1": (participants, items)}), tmp_path, **more)


def test_items_become_utterances_with_speakers_of_their_video(tmp_path: Path) -> None:
    outcome = read("kmsav", write_kmsav(tmp_path / "kmsav", {"VidA_1": (2, GOOD), "VidB-2": (2, GOOD)}), tmp_path)
    assert [(row["id"], row["speaker"], row["words"], row["tags"]) for row in outcome.kept] == [
        ("kmsav-000000000", "VidA_1:A", "안녕하세요.", []),
        ("kmsav-000000001", "VidA_1:B", "네 반가워요.", ["b"]),
        ("kmsav-000010000", "VidB-2:A", "안녕하세요.", []),
        ("kmsav-000010001", "VidB-2:B", "네 반가워요.", ["b"]),
    ]
    assert {row["participants"] for row in outcome.kept} == {2}
    assert all(row["notes"] == [] and row["audio_path"] == f"wav/{row['recording']}.wav" for row in outcome.kept)


def test_items_out_of_order_keep_their_numbers_and_are_noted(tmp_path: Path) -> None:
    outcome = _one(tmp_path, [item("A", 5, 6), item("B", 1, 2)])
    late = ["order: item 1 comes after a later one"]
    assert [(row["index"], row["start_s"], row["notes"]) for row in outcome.kept] == [(0, 5.0, []), (1, 1.0, late)]


def test_overlapping_speakers_are_marked(tmp_path: Path) -> None:
    outcome = _one(tmp_path, [item("A", 1, 3), item("B", 2.5, 4), item("A", 5, 6)])
    assert [row["overlaps"] for row in outcome.kept] == [True, True, False]


def test_a_speaker_who_says_two_things_at_once_is_believed_in_neither(tmp_path: Path) -> None:
    outcome = _one(tmp_path, [item("A", 1, 3), item("A", 2, 4), item("B", 5, 6)])
    assert reasons(outcome) == {"kmsav-000000000": "speaker_overlaps_itself", "kmsav-000000001": "speaker_overlaps_itself"}
    assert "speaks from 1 to 3 s and from 2 to 4 s" in outcome.rejected[0].detail


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (item("A", -0.5, 2), "negative_time"),
        (item("A", 4, 4), "no_duration"),
        (item("A", 4, 3), "no_duration"),
        (item("A", 9, 12), "past_the_end"),
        (item("A", 11, 12), "past_the_end"),
        (item("A", 1e9, 2e9), "bad_time"),
        (item("A", float("nan"), 2.0), "bad_time"),
        (item("A", 4, 5, "z/단어 하나"), "unknown_tag"),
        ({"speaker_id": "A", "start_time": 1, "end_time": 2}, "bad_item"),
        ({**item("A", 1, 2), "start_time": "1.0"}, "bad_item"),
        ({**item("A", 1, 2), "end_time": True}, "bad_item"),
        ({**item("A", 1, 2), "speaker_id": None}, "bad_item"),
        ("a line", "bad_item"),
        (item("A", 10**400, 2), "bad_time"),
        (item(" ", 1, 2), "bad_item"),
        (item("A", 4, 5, "n/z/단어"), "unknown_tag"),
    ],
)
def test_an_item_that_cannot_be_used_is_told_and_the_others_go_on(broken: Any, reason: str, tmp_path: Path) -> None:
    outcome = _one(tmp_path, [item("B", 6, 7), broken])
    assert [row["index"] for row in outcome.kept] == [0]
    assert reasons(outcome) == {"kmsav-000000001": reason}
    assert outcome.rejected[0].rule_id == f"kmsav.{reason}"
    assert "VidA_1" in outcome.rejected[0].detail


def test_half_a_character_is_no_text_and_the_row_that_tells_of_it_can_be_written(tmp_path: Path) -> None:
    broken = [item("B", 6, 7), item("A", 1, 2, "네 \ud800"), item("\udc00", 3, 4), item("A", 1, 2, **{"\ud83d": 1})]
    outcome = _one(tmp_path, json.dumps(broken))
    assert set(reasons(outcome).values()) == {"bad_item"}
    assert (len(outcome.kept), len(outcome.rejected)) == (1, 3)
    assert all(orjson.dumps(one.row) and orjson.dumps(one.detail) for one in outcome.rejected)


def test_what_cannot_be_used_is_heard_all_the_same_so_its_place_is_kept(tmp_path: Path) -> None:
    items = [item("A", 1, 2), item("B", 3, 4, "z/단어"), item("B", -1, 0.5), item("A", 6, 5), item("A", 9, 12), item("B", 7, 7)]
    outcome = _one(tmp_path, items)
    places = {one.row["index"]: (one.row["start_s"], one.row["end_s"]) for one in outcome.rejected}
    assert places == {1: (3.0, 4.0), 2: (0.0, 0.5), 3: (5.0, 6.0), 4: (9.0, 10.0), 5: (7.0, 7.01)}


def test_an_item_without_a_place_may_be_said_anywhere_and_is_noted_on_the_others(tmp_path: Path) -> None:
    outcome = _one(tmp_path, [item("B", 1, 2), item("A", 6, 7), item("A", float("inf"), 2), "a line"])
    assert [row["notes"] for row in outcome.kept] == [["unplaced: item 2, 3 may be said anywhere"]] * 2


def test_a_word_may_have_several_tags(tmp_path: Path) -> None:
    (row,) = _one(tmp_path, [item("A", 1, 2, "n/b/네 a/s 센터 f/n/음")], participants=1).kept
    assert (row["words"], row["tags"]) == ("네 a/s 센터", ["n", "b", "f", "n"])


@pytest.mark.parametrize("line", ["Zzz inte " + "9" * 5000 + " 10 train", "Zzz inte 2 " + "9" * 400 + " train", "Zzz inte \uff12 10 train"])
def test_a_line_of_the_list_with_numbers_beyond_reason_is_refused(line: str, tmp_path: Path) -> None:
    folder = write_kmsav(tmp_path / "kmsav", {"VidA_1": (2, GOOD)})
    with (folder / "data" / "list.txt").open("a", encoding="utf-8") as lines:
        lines.write(f"{line}\n")
    outcome = read("kmsav", folder, tmp_path)
    assert reasons(outcome) == {"kmsav/Zzz": "list_line"}
    assert len(outcome.kept) == 2


def test_an_end_just_past_the_audio_is_moved_and_noted(tmp_path: Path) -> None:
    (row,) = _one(tmp_path, [item("A", 9, 10.05)], participants=1).kept
    assert (row["end_s"], row["notes"]) == (10.0, ["end moved: 10.05 s is past the end at 10.000 s"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "bad_json"),
        ('{"items": []}', "bad_json"),
        ("[]", "no_items"),
        ("[" * 100_000, "bad_json"),
        (b"\xff\xfe\x00\xd8", "not_text"),
        (b"\x80\x81\xff", "not_text"),
    ],
)
def test_a_transcript_that_cannot_be_read_rejects_its_video_alone(content: Any, reason: str, tmp_path: Path) -> None:
    outcome = read("kmsav", write_kmsav(tmp_path / "kmsav", {"VidA_1": (2, content), "VidB_2": (2, GOOD)}), tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"VidB_2"}
    assert reasons(outcome) == {"kmsav/VidA_1": reason}


@pytest.mark.parametrize(("encoding", "note"), [("utf-8-sig", "encoding: begins with"), ("cp949", "encoding: CP949"), ("utf-16", "")])
def test_another_encoding_is_read_and_noted(encoding: str, note: str, tmp_path: Path) -> None:
    outcome = _one(tmp_path, json.dumps(GOOD, ensure_ascii=False).encode(encoding))
    assert outcome.kept[0]["words"] == "안녕하세요."
    assert all(one.startswith(note) for one in outcome.kept[0]["notes"]) == bool(outcome.kept[0]["notes"] or not note)
    assert bool(outcome.kept[0]["notes"]) == bool(note)


def test_extra_keys_are_noted(tmp_path: Path) -> None:
    (row,) = _one(tmp_path, [item("A", 1, 2, confidence=0.9, channel=1)], participants=1).kept
    assert row["notes"] == ["extra keys: channel, confidence"]


def test_a_participant_count_that_disagrees_is_noted_on_the_whole_video(tmp_path: Path) -> None:
    outcome = _one(tmp_path, GOOD, participants=3)
    assert [row["notes"] for row in outcome.kept] == [["participants: the list says 3, the transcript has 2"]] * 2


def test_lists_and_files_that_do_not_meet_are_told_by_name(tmp_path: Path) -> None:
    folder = write_kmsav(tmp_path / "kmsav", {"VidA_1": (2, GOOD), "Twice": (2, GOOD)})
    with (folder / "data" / "list.txt").open("a", encoding="utf-8") as lines:
        lines.write("Gone inte 2 60 train\nPre issu 2322 1805 pretrain\nBad line\nTwice inte 5 10 train\n")
    (folder / "trans" / "인터뷰.json").write_text(json.dumps(GOOD), encoding="utf-8")
    outcome = read("kmsav", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"VidA_1"}
    assert reasons(outcome) == {
        "kmsav/Gone": "no_transcript",
        "kmsav/Pre": "untranscribed",
        "kmsav/Bad": "list_line",
        "kmsav/Twice": "not_in_list",
        "kmsav/인터뷰": "not_in_list",
    } | {"kmsav/Twice": reasons(outcome)["kmsav/Twice"]}
    assert {one.reason for one in outcome.rejected if one.row["id"] == "kmsav/Twice"} == {"listed_twice", "not_in_list"}


def test_a_number_does_not_shift_when_a_video_before_it_fails(tmp_path: Path) -> None:
    whole = read("kmsav", write_kmsav(tmp_path / "one" / "kmsav", {"A": (2, GOOD), "B": (2, GOOD)}), tmp_path)
    without = read("kmsav", write_kmsav(tmp_path / "two" / "kmsav", {"A": (2, "{"), "B": (2, GOOD)}), tmp_path)
    assert [row["id"] for row in without.kept] == [row["id"] for row in whole.kept if row["recording"] == "B"]


def test_missing_and_damaged_audio_rejects_the_items_of_its_video(tmp_path: Path) -> None:
    folder = write_kmsav(tmp_path / "kmsav", {"A": (2, GOOD), "B": (2, GOOD), "C": (2, GOOD)})
    (folder / "wav" / "A.wav").unlink()
    (folder / "wav" / "B.wav").write_bytes(b"not audio")
    outcome = read("kmsav", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"C"}
    assert sorted(reasons(outcome).values()) == ["damaged_audio"] * 2 + ["no_audio"] * 2


def test_a_folder_without_a_list_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "kmsav").mkdir()
    with pytest.raises(UserError, match=r"has no data/list\.txt"):
        read("kmsav", tmp_path / "kmsav", tmp_path)
