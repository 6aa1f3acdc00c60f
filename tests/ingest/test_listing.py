"""Corpora as they are distributed: nested archives, notes of macOS, names in any form, and members that mean harm."""

from __future__ import annotations

import io
import os
import tarfile
import unicodedata
import zipfile
from pathlib import Path

import orjson
import pytest

from stages.core.errors import UserError
from stages.ingest.listing import Listing, list_corpus
from tests.ingest.corpora import TALK, grid, read, reasons, write_seoul

LIMIT = 1 << 30


def _list(source: Path, tmp_path: Path, limit: int = LIMIT) -> Listing:
    return list_corpus(source, tmp_path / "unpacked", limit)


def _zip(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        for name, target in (links or {}).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, target)
    return buffer.getvalue()


def _tar(path: Path, members: dict[str, bytes], links: dict[str, str] | None = None, hard: dict[str, str] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for kind, of_kind in ((tarfile.SYMTYPE, links or {}), (tarfile.LNKTYPE, hard or {})):
            for name, target in of_kind.items():
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, target
                archive.addfile(info)
        device = tarfile.TarInfo("pipe")
        device.type = tarfile.FIFOTYPE
        archive.addfile(device)
    return path


def test_the_archives_of_the_seoul_corpus_give_the_same_rows_as_its_folders(tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "folder" / "seoul", {"s01m16m1": grid(TALK), "s08f18f2": grid(TALK)})
    packed = tmp_path / "packed" / "seoul"
    for part, inner in (("label", "label-TextGrid.zip"), ("sound", "sound-flac.zip")):
        members = {path.name: path.read_bytes() for path in sorted((folder / part).iterdir())}
        members |= {f"__MACOSX/._{name}": b"\0\5\x16\7" for name in list(members)}
        _tar(packed / f"{part}.tgz", {inner: _zip(members), "__MACOSX/._x": b"\0"})
    opened, closed = read("seoul_corpus", folder, tmp_path / "one"), read("seoul_corpus", packed, tmp_path / "two")
    differing = ("audio_in", "audio_path")
    assert [{k: v for k, v in row.items() if k not in differing} for row in closed.kept] == [
        {k: v for k, v in row.items() if k not in differing} for row in opened.kept
    ]
    assert {row["audio_in"] for row in closed.kept} == {"unpacked"}
    for row in closed.kept:
        assert (tmp_path / "two" / "data/corpus/seoul_corpus/unpacked" / row["audio_path"]).is_file()
    assert set(reasons(closed).values()) == {"unsafe_member"}, "the pipe that each archive holds"


def test_members_that_lead_out_are_refused_by_name_and_the_others_go_on(tmp_path: Path) -> None:
    inner = _zip({"good.txt": b"1", "../up.txt": b"2", "/root.txt": b"3", "C:\\win.txt": b"4", "a/../../b.txt": b"5"}, {"link.txt": "/etc/passwd"})
    source = tmp_path / "corpus"
    outer = {"inner.zip": inner, "../../up2.txt": b"6", "/abs.txt": b"7", "fine.txt": b"8"}
    _tar(source / "outer.tgz", outer, {"soft": "/etc/passwd"}, {"hard": "../../x"})
    before = sorted(path for path in tmp_path.rglob("*"))
    listing = _list(source, tmp_path)
    assert sorted(Path(name).name for name in listing.files) == ["fine.txt", "good.txt"]
    assert len(listing.refused) == 10
    details = {Path(one.name).name: one.detail for one in listing.refused}
    assert details["up2.txt"] == "its name leads out of the archive by .."
    assert details["abs.txt"] == "its name is an absolute path"
    assert details["soft"] == "it is a link to /etc/passwd"
    assert details["pipe"] == "it is a device, not a file"
    new = {path for path in tmp_path.rglob("*") if path not in before}
    assert all(path.is_relative_to(tmp_path / "unpacked") for path in new)


def test_totals_reconcile_with_a_hostile_archive(tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "one" / "seoul", {"s01m16m1": grid(TALK)})
    _tar(folder / "more.tgz", {"../evil.TextGrid": b"", "s02m17m1.TextGrid": grid(TALK).encode("utf-16")})
    outcome = read("seoul_corpus", folder, tmp_path)
    told = reasons(outcome)
    assert {row["recording"] for row in outcome.kept} == {"s01m16m1"}
    assert told["seoul_corpus/more.tgz/../evil.TextGrid"] == "unsafe_member"
    assert len([one for one in told.values() if one == "no_audio"]) == len(TALK), "the second recording has a label and no sound"


def test_an_archive_beside_its_own_folder_stays_closed(tmp_path: Path) -> None:
    _tar(tmp_path / "corpus" / "label.tgz", {"x.txt": b"archive"})
    (tmp_path / "corpus" / "label").mkdir()
    (tmp_path / "corpus" / "label" / "x.txt").write_bytes(b"folder")
    listing = _list(tmp_path / "corpus", tmp_path)
    assert (list(listing.files), listing.notes) == (["label/x.txt"], ["label.tgz stays closed, the folder label is there"])


def test_names_are_found_in_whatever_unicode_form_they_are_stored(tmp_path: Path) -> None:
    name = "녹음/인터뷰.json"
    (tmp_path / "corpus" / unicodedata.normalize("NFD", "녹음")).mkdir(parents=True)
    (tmp_path / "corpus" / unicodedata.normalize("NFD", name)).write_bytes(b"{}")
    found = _list(tmp_path / "corpus", tmp_path).files[name]
    assert found.path.read_bytes() == b"{}"


def test_two_forms_of_one_name_are_told(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for form in ("NFC", "NFD"):
        (tmp_path / "corpus" / unicodedata.normalize(form, "가.txt")).write_bytes(form.encode())
    listing = _list(tmp_path / "corpus", tmp_path)
    assert (len(listing.files), [one.reason for one in listing.refused]) == (1, ["duplicate_name"])


@pytest.mark.parametrize("encoding", ["cp949", "utf-8"])
def test_names_of_a_zip_file_without_the_unicode_flag_are_read(encoding: str, tmp_path: Path) -> None:
    data = _zip({"XXXXXXXX.txt": b"1"})
    raw = "대화".encode(encoding)
    data = data.replace(b"XXXXXXXX"[: len(raw)] + b"XXXXXXXX"[len(raw) :], raw + b"_" * (8 - len(raw)))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.zip").write_bytes(data)
    (name,) = _list(tmp_path / "corpus", tmp_path).files
    assert Path(name).name.startswith("대화")


def test_hidden_files_and_notes_of_systems_are_no_data(tmp_path: Path) -> None:
    for name in ("__MACOSX/._a.wav", "._a.wav", ".DS_Store", "Thumbs.db", ".git/config", "a.wav"):
        (tmp_path / "corpus" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / name).write_bytes(b"1")
    assert list(_list(tmp_path / "corpus", tmp_path).files) == ["a.wav"]


def test_links_in_a_folder_that_lead_out_are_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "secret.txt").write_bytes(b"1")
    (tmp_path / "corpus" / "inside.txt").write_bytes(b"1")
    os.symlink(tmp_path / "secret.txt", tmp_path / "corpus" / "out.txt")
    os.symlink("inside.txt", tmp_path / "corpus" / "in.txt")
    os.symlink(tmp_path, tmp_path / "corpus" / "up")
    os.symlink("nothing.txt", tmp_path / "corpus" / "dead.txt")
    os.symlink("loop.txt", tmp_path / "corpus" / "loop.txt")
    listing = _list(tmp_path / "corpus", tmp_path)
    assert sorted(listing.files) == ["in.txt", "inside.txt"]
    assert sorted(one.name for one in listing.refused) == ["dead.txt", "loop.txt", "out.txt", "up"]


def test_a_pipe_is_never_opened_and_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    folder = write_seoul(tmp_path / "seoul", {"s01m16m1": grid(TALK)})
    os.mkfifo(folder / "sound" / "s02m17m1.flac")
    with open(os.fsencode(folder) + "/label/한국.TextGrid".encode("cp949"), "wb") as out:
        out.write(b"x")
    outcome = read("seoul_corpus", folder, tmp_path)
    assert len(outcome.kept) == len(TALK)
    assert sorted(reasons(outcome).values()) == ["name_not_text", "no_file"]
    assert all(orjson.dumps(one.row) and orjson.dumps(one.detail) for one in outcome.rejected)


def test_a_member_that_has_no_place_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    korean = os.fsdecode("한국.txt".encode("cp949"))
    members = {"a": b"1", "a/b.txt": b"2", "가" * 200 + ".txt": b"3", korean: b"4", os.fsdecode(b"\xff\xff.txt"): b"5", "fine.txt": b"6"}
    listing = _list(_tar(tmp_path / "c.tgz", members), tmp_path)
    assert sorted(Path(name).name for name in listing.files) == ["a", "fine.txt", "한국.txt"]
    details = [one.detail for one in listing.refused if not one.name.endswith("pipe")]
    assert details == [
        "an earlier member is a file by the name of its folder",
        "its name is longer than a file's name may be",
        "its name is neither UTF-8 nor CP949",
    ]
    assert all(orjson.dumps(one.name) for one in listing.refused)


def test_a_whole_corpus_may_be_one_archive(tmp_path: Path) -> None:
    _tar(tmp_path / "kss.tgz", {"kss/transcript.v.1.4.txt": b""})
    assert list(_list(tmp_path / "kss.tgz", tmp_path).files) == ["kss/kss/transcript.v.1.4.txt"]


@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage", "empty"])
def test_a_damaged_archive_is_one_sentence(damage: str, tmp_path: Path) -> None:
    path = _tar(tmp_path / "corpus" / "a.tgz", {f"{number}.bin": os.urandom(5000) for number in range(20)})
    data = path.read_bytes()
    flipped = data[:3000] + b"\0" * 50 + data[3050:]
    path.write_bytes({"cut": data[: len(data) // 2], "flipped": flipped, "garbage": b"no archive", "empty": b""}[damage])
    with pytest.raises(UserError, match=r"The archive a\.tgz is damaged or cut off \(.+\); fetch it again"):
        _list(tmp_path / "corpus", tmp_path)


def test_a_plain_tar_file_that_ends_too_early_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with tarfile.open(tmp_path / "corpus" / "a.tar", "w") as archive:
        for number in range(3):
            info = tarfile.TarInfo(f"{number}.bin")
            info.size = 512
            archive.addfile(info, io.BytesIO(b"x" * 512))
    data = (tmp_path / "corpus" / "a.tar").read_bytes()
    (tmp_path / "corpus" / "a.tar").write_bytes(data[: 2 * 1024])
    with pytest.raises(UserError, match=r"The archive a\.tar is damaged or cut off"):
        _list(tmp_path / "corpus", tmp_path)


def test_an_archive_that_grows_without_end_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "bomb.zip").write_bytes(_zip({"zeros": b"\0" * 3_000_000}))
    with pytest.raises(UserError, match="unpacks to more than max_unpacked_bytes allows"):
        _list(tmp_path / "corpus", tmp_path, limit=1_000_000)


def test_archives_nested_too_deep_are_refused(tmp_path: Path) -> None:
    data = _zip({"x": b"1"})
    for number in range(4):
        data = _zip({f"{number}.zip": data})
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.zip").write_bytes(data)
    with pytest.raises(UserError, match="is an archive inside 3 others"):
        _list(tmp_path / "corpus", tmp_path)


def test_a_corpus_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist; put the corpus there"):
        _list(tmp_path / "nowhere", tmp_path)
