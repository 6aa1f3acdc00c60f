"""Audio shards: what is written comes back, by id; damage and misuse are named; a changed row changes one file."""

import os
import random
import resource
from pathlib import Path

import pytest

from stages.core import shards
from stages.core.errors import UserError
from stages.core.shards import iter_audio, read_audio, write_shards


def clips(*indices: int, size: int = 900) -> list[tuple[str, bytes]]:
    return [(f"mmsu-{index:05d}", random.Random(index).randbytes(size + index % 7)) for index in indices]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_every_clip_comes_back_byte_for_byte(tmp_path: Path) -> None:
    items = clips(*range(0, 2500, 3))
    paths = write_shards(tmp_path, items)
    assert [path.name for path in paths] == ["audio-00000.parquet", "audio-00001.parquet", "audio-00002.parquet"]
    assert list(iter_audio(tmp_path, [id for id, _ in items])) == items
    assert read_audio(tmp_path, "mmsu-01002") == dict(items)["mmsu-01002"]


def test_iteration_takes_only_the_wanted_ids_in_sorted_order(tmp_path: Path) -> None:
    write_shards(tmp_path, clips(*range(1200)))
    wanted = ["mmsu-01100", "mmsu-00003", "mmsu-00250"]
    assert [id for id, _ in iter_audio(tmp_path, wanted)] == sorted(wanted)


def test_a_list_in_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    items = clips(*range(1500))
    write_shards(tmp_path / "a", items)
    random.Random(1).shuffle(items)
    write_shards(tmp_path / "b", items)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_changed_row_changes_one_shard(tmp_path: Path) -> None:
    items = clips(*range(0, 3000, 10))
    write_shards(tmp_path, items)
    before = contents(tmp_path)
    write_shards(tmp_path, [(id, b"other" if id == "mmsu-01010" else audio) for id, audio in items if id != "mmsu-01020"])
    after = contents(tmp_path)
    assert [name for name in before if before[name] != after[name]] == ["audio-00001.parquet"]


def test_a_shard_without_rows_is_removed(tmp_path: Path) -> None:
    write_shards(tmp_path, clips(1, 1001))
    write_shards(tmp_path, clips(1))
    assert list(contents(tmp_path)) == ["audio-00000.parquet"]
    write_shards(tmp_path, [])
    assert not contents(tmp_path)


def test_long_clips_close_a_row_group_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(shards, "BYTES_PER_GROUP", 2500)
    items = clips(*range(5))
    write_shards(tmp_path, [*items, ("mmsu-00009", bytes(9000))])
    groups = pq.ParquetFile(tmp_path / "audio-00000.parquet").metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [2, 2, 1, 1]


def test_a_stream_holds_no_more_than_a_row_group(tmp_path: Path) -> None:
    alive, most = 0, 0

    class Clip(bytes):
        def __new__(cls, index: int) -> "Clip":
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            return super().__new__(cls, index.to_bytes(2, "big") * 50)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    write_shards(tmp_path, ((f"x-{index:05d}", Clip(index)) for index in range(1000)))
    assert most <= 2 * shards.ROWS_PER_GROUP + 2


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ([("x-00001", b"a"), ("x-00001", b"b")], "x-00001 comes twice"),
        (iter([("x-00002", b"a"), ("x-00001", b"b")]), "x-00001 comes after x-00002"),
        ([("x-00001", b"")], "x-00001 has 0 bytes of audio"),
        ([("x", b"a")], "'x' has no number"),
    ],
)
def test_bad_items_are_named(tmp_path: Path, items: list[tuple[str, bytes]], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        write_shards(tmp_path, items)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_shard(tmp_path: Path) -> None:
    write_shards(tmp_path, clips(1))
    before = contents(tmp_path)
    with pytest.raises(UserError):
        write_shards(tmp_path, iter([*clips(1, 2), ("mmsu-00003", b"")]))
    assert contents(tmp_path) == before


def test_a_full_disk_is_one_sentence_and_leaves_the_old_shard(tmp_path: Path) -> None:
    """The limit on a file's size stands for the disk: the kernel refuses the write in the same way."""
    write_shards(tmp_path, clips(1))
    before = contents(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(UserError, match=r"Cannot write .*audio-00000\.parquet: .*; free some space"):
            write_shards(tmp_path, clips(*range(300)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(tmp_path) == before


def test_a_missing_id_or_shard_is_named(tmp_path: Path) -> None:
    write_shards(tmp_path, clips(1, 3))
    with pytest.raises(UserError, match="mmsu-00002 has no audio"):
        read_audio(tmp_path, "mmsu-00002")
    with pytest.raises(UserError, match=r"audio-00001\.parquet does not exist, but item mmsu-01000"):
        list(iter_audio(tmp_path, ["mmsu-00001", "mmsu-01000"]))


def test_a_truncated_shard_is_named(tmp_path: Path) -> None:
    [path] = write_shards(tmp_path, clips(*range(300)))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(UserError, match=r"audio-00000\.parquet is not a readable parquet file"):
        read_audio(tmp_path, "mmsu-00001")


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    [path] = write_shards(tmp_path, [("x-00001", b"A" * 500)])
    path.write_bytes(path.read_bytes().replace(b"A" * 500, b"A" * 499 + b"B"))
    with pytest.raises(UserError, match=r"x-00001 in .* is damaged"):
        read_audio(tmp_path, "x-00001")


def test_another_parquet_file_is_not_taken_for_a_shard(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x-00001"]}), tmp_path / "audio-00000.parquet")
    with pytest.raises(UserError, match=r"not an audio shard \(columns id\)"):
        read_audio(tmp_path, "x-00001")
