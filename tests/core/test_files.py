from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from stages.core import files
from stages.core.errors import UserError


def test_rows_are_written_with_stable_bytes(tmp_path: Path) -> None:
    files.write_jsonl(tmp_path / "a.jsonl", [{"b": 1, "a": "가"}])
    files.write_jsonl(tmp_path / "b.jsonl", [{"a": "가", "b": 1}])
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes() == '{"a":"가","b":1}\n'.encode()


def test_what_is_read_is_nfc(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "각")
    (tmp_path / "a.jsonl").write_text(f'{{"a": ["{decomposed}"]}}\n' + '{"b": "\\u1100\\u1161"}\n', encoding="utf-8")
    assert files.read_jsonl(tmp_path / "a.jsonl") == [{"a": ["각"]}, {"b": "가"}]


@pytest.mark.parametrize(
    ("content", "what"),
    [("{}\n{oops\n", "line 2 is not valid JSON"), ("{}\n\n[1]\n", "line 3 is not a JSON object"), ("\n{}\n\nx\n", "line 4 is not valid JSON")],
)
def test_a_broken_line_is_named(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "rows.jsonl").write_text(content)
    with pytest.raises(UserError, match=what):
        files.read_jsonl(tmp_path / "rows.jsonl")


def test_a_file_that_is_not_there_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist; run"):
        files.read_jsonl(tmp_path / "none.jsonl")


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    files.write_jsonl(path, [{"id": "old"}])

    def breaking() -> object:
        yield {"id": "new"}
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        files.write_jsonl(path, breaking())  # type: ignore[arg-type]
    assert path.read_text() == '{"id":"old"}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_sentence_and_the_old_file_stays(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes the kernel refuse the write, as a full disk does."""
    path = tmp_path / "rows.jsonl"
    files.write_jsonl(path, [{"id": "old"}])
    code = f"""
import resource, signal
from pathlib import Path
from stages.core import files
from stages.core.app import exiting
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
exiting(lambda: files.write_jsonl(Path({str(path)!r}), ({{"id": "x" * 100}} for _ in range(1000))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: Cannot write {path}")
    assert len(done.stderr.splitlines()) == 1
    assert path.read_text() == '{"id":"old"}\n'


def test_a_table_comes_with_its_line_numbers_in_nfc(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("\ufeffid, who\na, \u1100\u1161 \n\nb\n".encode())
    assert files.read_table(tmp_path / "t.csv", ["id"], "people") == [(2, {"id": "a", "who": "가"}), (4, {"id": "b", "who": ""})]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "has no column 'id'; it lists people, with the columns id, who"),
        (b"id;who\na;b\n", "has no column 'id'"),
        (b"id,who,who\na,b,c\n", "has the column 'who' twice"),
        (b"id,who\na,b,c\n", "line 2 has more cells than the head"),
        (b"id,who\na," + b"x" * 200_000, "is not a CSV file"),
        (b"id,who\na,\xff\n", "is not UTF-8"),
    ],
)
def test_a_bad_table_is_one_sentence_that_names_it(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError, match=told) as error:
        files.read_table(tmp_path / "t.csv", ["id", "who"], "people")
    assert "t.csv" in str(error.value)
