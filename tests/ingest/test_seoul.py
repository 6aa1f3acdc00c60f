"""The Seoul Corpus: names tell who speaks, TextGrids tell what is heard; a broken one costs its recording and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.core.errors import UserError
from tests.ingest.corpora import TALK, TIERS, grid, read, reasons, write_seoul


def test_intervals_become_rows_with_what_the_name_tells(tmp_path: Path) -> None:
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s27f34m2": grid(TALK)}), tmp_path)
    assert [(row["id"], row["kind"]) for row in outcome.kept][:2] == [("seoul_corpus-2720000", "silence"), ("seoul_corpus-2720001", "speech")]
    row = outcome.kept[1]
    assert (row["speaker"], row["gender"], row["age_years"], row["words"]) == ("s27", "female", 34, "비가 와요")
    assert (row["audio_path"], row["sample_rate_hz"], row["recording_s"]) == ("sound/s27f34m2.flac", 22050, 10.0)
    assert outcome.kept[0]["speaker"] is None


@pytest.mark.parametrize(
    ("label", "kind", "words", "tags"),
    [
        ("<LAUGH-그래서> 무릎이 까져요", "speech", "그래서 무릎이 까져요", ["LAUGH"]),
        ("<LAUGH>", "noise", "", ["LAUGH"]),
        ("<IVER>", "other_speaker", "", ["IVER"]),
        ("<IVER-NOISE>", "other_speaker", "", ["IVER-NOISE"]),
        ("<UNKNOWN>", "unintelligible", "", ["UNKNOWN"]),
        ("제 이름은 <PRIVATE.INFO> 입니다", "private", "", ["PRIVATE.INFO"]),
        ("비가 <XXX> 와요", "speech", "비가 와요", ["XXX"]),
        ('"꼭" 간다고\r\n했어요', "speech", '"꼭" 간다고 했어요', []),
        ("", "silence", "", []),
    ],
)
def test_a_pseudo_tag_is_read_by_the_table(label: str, kind: str, words: str, tags: list[str], tmp_path: Path) -> None:
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": grid([(0, 2, label), (2, 4, "네")])}), tmp_path)
    row = outcome.kept[0]
    assert (row["kind"], row["words"], row["tags"]) == (kind, words, tags)


@pytest.mark.parametrize(
    ("content", "reason", "detail"),
    [
        (grid(TALK)[:1500], "broken_textgrid", "the file ends in line"),
        (grid(TALK).replace("xmax = 3.0", "xmax = three"), "broken_textgrid", "where the end of interval 2 of tier 1 is due"),
        (grid(TALK)[:-5], "broken_textgrid", "is never closed"),
        (grid([]), "empty_tier", "0 intervals"),
        (grid([(0, 5, ""), (5, 10, " ")]), "empty_tier", "2 intervals and no label"),
        (grid(TALK, tiers=TIERS[:6]), "unexpected_tiers", "6 tiers, expected 7"),
        (grid(TALK, tiers=[*TIERS[:6], "words"]), "unexpected_tiers", "'words'"),
        (b"", "broken_textgrid", "the file ends in line 1"),
        (grid(TALK).replace("size = 7", "size = " + "9" * 5000), "broken_textgrid", "line 7 has inf as the number of tiers"),
        (grid(TALK).replace("intervals: size = 5", "intervals: size = 1e400", 1), "broken_textgrid", "has inf as the size of tier 1"),
        (b"\xff\xfe\x00\xd8\x00\x00", "not_text", "UTF-16"),
    ],
)
def test_a_textgrid_that_cannot_be_used_rejects_its_recording_alone(content: str | bytes, reason: str, detail: str, tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "seoul", {"s01m16m1": content, "s02m17m1": grid(TALK)})
    outcome = read("seoul_corpus", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"s02m17m1"}
    assert reasons(outcome) == {"seoul_corpus/s01m16m1": reason}
    assert detail in outcome.rejected[0].detail


@pytest.mark.parametrize(
    ("encoding", "mark"), [*((encoding, mark) for encoding in ("utf-16-le", "utf-16-be", "utf-8") for mark in (True, False)), ("cp949", False)]
)
def test_either_byte_order_and_other_encodings_are_read_alike(encoding: str, mark: bool, tmp_path: Path) -> None:
    content = (("\ufeff" if mark else "") + grid(TALK).replace("\n", "\r\n")).encode(encoding)
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": content}), tmp_path)
    assert [row["words"] for row in outcome.kept if row["words"]] == ["비가 와요", "눈도 와요"]


def test_the_short_form_of_a_textgrid_is_read_too(tmp_path: Path) -> None:
    kept = [line.strip().split("= ")[-1] for line in grid(TALK).splitlines() if "=" in line and not line.strip().endswith(":")]
    short = "\n".join(["\n".join(kept[:4]), "<exists>", *kept[4:]]).replace('"ooTextFile"', 'File type = "ooTextFile"', 1)
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": short}), tmp_path)
    assert [row["words"] for row in outcome.kept if row["words"]] == ["비가 와요", "눈도 와요"]


def test_an_interval_with_impossible_times_is_rejected_alone(tmp_path: Path) -> None:
    stretches = [(-1.0, 1.0, "앞"), (1.0, 2.0, "좋다"), (3.0, 3.0, "없다"), (9.0, 14.0, "뒤"), (2.0, 2.5, "<NEW>")]
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": grid(stretches)}), tmp_path)
    assert [row["words"] for row in outcome.kept] == ["좋다"]
    assert sorted(reasons(outcome).values()) == ["negative_time", "no_duration", "past_the_end", "unknown_tag"]


@pytest.mark.parametrize("other", ["s01f16m2", "s01m33m2"])
def test_one_speaker_id_for_two_people_is_used_for_neither(other: str, tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "seoul", {"s01m16m1": grid(TALK), other: grid(TALK), "s02m17m1": grid(TALK)})
    outcome = read("seoul_corpus", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"s02m17m1"}
    assert reasons(outcome) == {"seoul_corpus/s01m16m1": "speaker_conflict", f"seoul_corpus/{other}": "speaker_conflict"}
    assert {one.detail for one in outcome.rejected} == {f"s01 is {' and '.join(sorted(['s01m16m1', other]))}"}


def test_a_birthday_between_two_sessions_is_no_conflict(tmp_path: Path) -> None:
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": grid(TALK), "s01m17m2": grid(TALK)}), tmp_path)
    assert not outcome.rejected


def test_files_with_other_names_or_without_a_partner_are_told(tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "seoul", {"s01m16m1": grid(TALK), "session1": grid(TALK), "s02m17m1": grid(TALK), "s03m18m1": grid(TALK)})
    (folder / "sound" / "s02m17m1.flac").unlink()
    (folder / "label" / "s03m18m1.TextGrid").unlink()
    outcome = read("seoul_corpus", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"s01m16m1"}
    told = reasons(outcome)
    assert (told.pop("seoul_corpus/session1"), told.pop("seoul_corpus/s03m18m1"), set(told.values())) == ("name_pattern", "no_label", {"no_audio"})


def test_a_speaker_who_says_two_things_at_once_is_believed_in_neither(tmp_path: Path) -> None:
    talk = [(0.0, 1.0, "<SIL>"), (1.0, 3.0, "비가 와요"), (2.0, 4.0, "눈도 와요"), (4.0, 6.0, "네"), (5.0, 10.0, "<SIL>")]
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": grid(talk)}), tmp_path)
    assert [row["text"] for row in outcome.kept] == ["<SIL>", "네", "<SIL>"]
    assert {one.reason for one in outcome.rejected} == {"speaker_overlaps_itself"}
    assert "s01 speaks from 1 to 3 s and from 2 to 4 s" in outcome.rejected[0].detail


def test_a_textgrid_longer_than_the_audio_is_noted_and_its_end_moved(tmp_path: Path) -> None:
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s01m16m1": grid([*TALK[:4], (6.0, 10.06, "끝")], end=10.06)}), tmp_path)
    assert outcome.kept[-1]["end_s"] == 10.0
    assert [note.split(":")[0] for note in outcome.kept[-1]["notes"]] == ["length", "end moved"]


def test_a_folder_without_textgrids_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "seoul").mkdir()
    with pytest.raises(UserError, match="has no TextGrid; put the Seoul Corpus there"):
        read("seoul_corpus", tmp_path / "seoul", tmp_path)


def test_a_flac_file_that_does_not_say_its_length_is_rejected(tmp_path: Path) -> None:
    """As encoders leave it that wrote to a pipe: the number of samples in STREAMINFO is 0."""
    folder = write_seoul(tmp_path / "seoul", {"s01m16m1": grid(TALK), "s02m17m1": grid(TALK)})
    path = folder / "sound" / "s01m16m1.flac"
    data = bytearray(path.read_bytes())
    data[21] &= 0xF0
    data[22:26] = bytes(4)
    path.write_bytes(bytes(data))
    outcome = read("seoul_corpus", folder, tmp_path)
    assert {row["recording"] for row in outcome.kept} == {"s02m17m1"}
    assert set(reasons(outcome).values()) == {"damaged_audio"}
    assert "does not say how long it is" in outcome.rejected[0].detail


def test_digits_of_another_script_are_no_name(tmp_path: Path) -> None:
    outcome = read("seoul_corpus", write_seoul(tmp_path / "seoul", {"s\uff10\uff11m16m1": grid(TALK), "s02m17m1": grid(TALK)}), tmp_path)
    assert reasons(outcome) == {"seoul_corpus/s\uff10\uff11m16m1": "name_pattern"}
