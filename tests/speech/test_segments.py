"""Stores that are shared: what one machine saved another takes, checked; nothing is written twice."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stages import stores
from stages.core.errors import UserError
from stages.llm.request import Usage
from stages.llm.store import Store as Replies
from stages.llm.store import Stored
from stages.speech import segments
from stages.speech.store import Store


def filled(path: Path, count: int, start: int = 0) -> Store:
    store = Store(path)
    for n in range(start, count):
        store.put_speech({"text": f"말 {n}"}, b"fLaC" + bytes([n]) * 50, {"peak": 0.5}, "", 1.25)
        store.put_transcript({"audio": f"{n}"}, f"들은 말 {n}", 0.5)
    return store


def test_a_store_passes_to_another_and_a_later_save_adds_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    with filled(tmp_path / "a.sqlite", 5) as ours:
        assert [path.name for path in segments.save(ours, folder)] == ["speech-00000.parquet", "transcripts-00000.parquet"]
        before = (folder / "speech-00000.parquet").read_bytes()
        assert segments.save(ours, folder) == []
    with filled(tmp_path / "a.sqlite", 7, 5) as ours:
        assert [path.name for path in segments.save(ours, folder)] == ["speech-00001.parquet", "transcripts-00001.parquet"]
        assert (folder / "speech-00000.parquet").read_bytes() == before
        with Store(tmp_path / "b.sqlite") as theirs:
            assert [segments.load(theirs, path) for path in sorted(folder.iterdir())] == [5, 2, 5, 2]
            assert [segments.load(theirs, path) for path in sorted(folder.iterdir())] == [0, 0, 0, 0]
            assert theirs.counts() == ours.counts()
            for key in ours.keys("speech"):
                assert theirs.row("speech", key) == ours.row("speech", key)


def test_a_row_that_does_not_have_its_hash_is_refused(tmp_path: Path) -> None:
    with filled(tmp_path / "a.sqlite", 2) as ours:
        [path, _] = segments.save(ours, tmp_path / "stores")
    table = pq.read_table(path)
    place = table.schema.names.index("flac")
    pq.write_table(table.set_column(place, "flac", [[b"other", b"audio"]]), path)
    with Store(tmp_path / "b.sqlite") as theirs:
        with pytest.raises(UserError, match="does not have its hash"):
            segments.load(theirs, path)
        assert theirs.counts()["speech"] == 0
        path.write_bytes(b"PAR1 cut off")
        with pytest.raises(UserError, match="cannot be read"):
            segments.load(theirs, path)


def reply(n: int, text: str) -> Stored:
    return Stored(f"{n:064x}", "translator", "model", text, Usage(10, 0, 5))


def test_both_stores_are_saved_and_loaded_and_what_a_machine_has_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "ours"))
    with Replies.open() as store:
        store.put_all([reply(1, "one"), reply(2, "two")])
    filled(tmp_path / "ours/speech.sqlite", 3).close()
    assert stores.save(tmp_path) == "2 replies, 3 sentences and 3 transcripts are in data/stores"

    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "theirs"))
    with Replies.open() as store:
        store.put_all([reply(2, "another two"), reply(3, "three")])
    assert stores.load(tmp_path) == "1 replies and 3 sentences were new to this machine"
    assert stores.load(tmp_path) == "0 replies and 0 sentences were new to this machine"
    with Replies.open() as store:
        assert {key[-1]: found.text for key, found in store.replies(store.every_key()).items()} == {"1": "one", "2": "another two", "3": "three"}
    assert stores.save(tmp_path).startswith("3 replies, 3 sentences")


@pytest.mark.parametrize("arguments", [[], ["pusch"], ["save", "s3"], ["push", "a", "b"]])
def test_a_wrong_command_is_one_sentence(arguments: list[str]) -> None:
    with pytest.raises(UserError, match="takes push or pull"):
        stores.main(arguments)


def test_stores_that_were_not_shared_are_missed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="data/stores does not exist"):
        stores.load(tmp_path)
