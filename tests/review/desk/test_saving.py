"""Verdicts on the disk: killed, torn, full, and from several processes at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.review import decisions


def write(root: Path, reviewer: str, count: int) -> None:
    for n in range(count):
        decisions.append(root, "correct", reviewer, f"item:bbh:{os.getpid()}-{n}", "accept")


def test_two_desks_write_one_file_without_losing_a_line(tmp_path: Path) -> None:
    desks = [multiprocessing.get_context("fork").Process(target=write, args=(tmp_path, "kim", 40)) for _ in range(3)]
    for desk in desks:
        desk.start()
    for desk in desks:
        desk.join()
    verdicts = decisions.read(tmp_path).verdicts
    assert len({verdict.queue_id for verdict in verdicts}) == 120
    assert [verdict.seq for verdict in verdicts] == list(range(1, 121))


def test_a_line_torn_at_any_byte_is_reported_ignored_and_removed(tmp_path: Path) -> None:
    decisions.append(tmp_path, "correct", "kim", "item:bbh:1", "accept", reason="괜찮다")
    file = decisions.path(tmp_path, "correct", "kim")
    whole = file.read_bytes()
    for cut in range(1, len(whole) - 1):
        file.write_bytes(whole + whole[:cut])
        found = decisions.read(tmp_path)
        assert (len(found.verdicts), len(found.torn)) == (1, 1), cut
    decisions.append(tmp_path, "correct", "kim", "item:bbh:2", "reject", reason="x")
    found = decisions.read(tmp_path)
    assert ([verdict.queue_id for verdict in found.verdicts], found.torn) == (["item:bbh:1", "item:bbh:2"], [])


def test_a_last_line_whose_end_an_editor_left_out_counts(tmp_path: Path) -> None:
    decisions.append(tmp_path, "correct", "kim", "item:bbh:1", "accept")
    file = decisions.path(tmp_path, "correct", "kim")
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    assert len(decisions.read(tmp_path).verdicts) == 1
    decisions.append(tmp_path, "correct", "kim", "item:bbh:2", "accept")
    assert [verdict.seq for verdict in decisions.read(tmp_path).verdicts] == [1, 2]


def test_what_was_acknowledged_survives_kill_9_at_any_moment(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from stages.review import decisions\n"
        "for n in range(100000):\n"
        "    v = decisions.append(Path(sys.argv[1]), 'correct', 'kim', f'item:bbh:{sys.argv[2]}-{n}', 'accept', reason='이유' * 200)\n"
        "    print(v.queue_id, flush=True)\n"
    )
    acknowledged: list[str] = []
    for turn in range(4):
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(turn)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        acknowledged.append(process.stdout.readline().strip())
        time.sleep(0.02 + 0.013 * turn)
        process.send_signal(signal.SIGKILL)
        # The pipe may end in the middle of a line.
        acknowledged += [line.strip() for line in process.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
    assert set(acknowledged) <= {verdict.queue_id for verdict in decisions.read(tmp_path).verdicts}
    assert len(acknowledged) > 4


def test_a_full_disk_is_a_sentence_and_leaves_no_half_line(tmp_path: Path) -> None:
    decisions.append(tmp_path, "correct", "kim", "item:bbh:1", "accept")
    file = decisions.path(tmp_path, "correct", "kim")
    before = file.read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path; from stages.core.errors import UserError; from stages.review import decisions\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))\n"
        "try: decisions.append(Path(sys.argv[1]), 'correct', 'kim', 'item:bbh:2', 'accept')\n"
        "except UserError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), str(len(before) + 20)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Cannot write {file}:")
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", ".x", "_x", "x" * 33, "a\nb", "a\0"])
def test_a_reviewers_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="reviewer's name"):
        decisions.append(tmp_path, "correct", name, "item:bbh:1", "accept")


def test_a_reviewers_name_may_be_korean_and_has_one_form(tmp_path: Path) -> None:
    import unicodedata

    decisions.append(tmp_path, "correct", unicodedata.normalize("NFD", "김민지"), "item:bbh:1", "accept")
    assert (tmp_path / "data/decisions/correct/김민지.jsonl").exists()
    assert decisions.reviewer_name(" Kim ") == "kim"
