"""What is stored stays, is shared between processes, and survives the death of its writer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.speech import audio
from stages.speech.store import Store, StoredAudio, key_of

FLAC = audio.encode_flac(np.sin(np.arange(2400) / 10).astype(np.float32), 24000)
MEASURES = {"duration_s": 0.1, "peak": 1.0}


def _request(text: str = "x") -> dict[str, Any]:
    return {"text": text, "settings": {"voice": "a", "speed": 1.0}}


def test_the_key_is_of_the_content_and_not_of_the_order() -> None:
    assert key_of({"b": 1, "a": {"d": 2, "c": 3}}) == key_of({"a": {"c": 3, "d": 2}, "b": 1})
    assert key_of(_request("x")) != key_of(_request("y"))
    assert key_of({"speed": 1.0}) != key_of({"speed": 0.9})


def test_what_was_stored_first_stays(tmp_path: Path) -> None:
    path = tmp_path / "speech.sqlite"
    with Store(path) as store:
        first = store.put_speech(_request(), FLAC, MEASURES, "", 1.234)
        again = store.put_speech(_request(), FLAC + b"other", MEASURES, "Q", 9.0)
        assert first == again
        assert (first.measures, first.seconds) == (MEASURES, 1.23)
        store.put_transcript({"audio_sha256": first.sha256}, "heard", 0.5)
    with Store(path) as store:
        assert store.flac(key_of(_request())) == FLAC
        assert store.transcript(key_of({"audio_sha256": first.sha256})).text == "heard"  # type: ignore[union-attr]
        assert store.speech("0" * 64) is None
        assert store.counts() == {"speech": 1, "transcripts": 1, "joined": 0}


def test_audio_of_items_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "speech.sqlite"
    with Store(path) as store:
        store.put_joined(_request("one"), FLAC, 0.1, -23.0)
        store.put_joined(_request("two"), FLAC + b"2", 0.1, -23.0)
    items = (("bbh-00001", key_of(_request("two"))), ("bbh-00002", key_of(_request("one"))))
    audio_of_items = StoredAudio(path, items)
    assert list(audio_of_items) == [("bbh-00001", FLAC + b"2"), ("bbh-00002", FLAC)]
    assert list(audio_of_items) == list(audio_of_items)


def test_a_killed_writer_loses_nothing_that_it_stored(tmp_path: Path) -> None:
    path = tmp_path / "speech.sqlite"
    code = (
        "import sys; from pathlib import Path; from stages.speech.store import Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(100000):\n"
        "    store.put_transcript({'n': n}, str(n), 0.0); print(n, flush=True)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    time.sleep(1.0)
    writer.send_signal(signal.SIGKILL)
    told = [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    with Store(path) as store:
        assert told
        assert all(store.transcript(key_of({"n": n})) is not None for n in told)


def test_an_unusable_store_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "speech.sqlite").write_bytes(b"this is not a database, but long enough to be looked at" * 20)
    with pytest.raises(UserError, match=r"store of speech .*speech.sqlite cannot be used"):
        Store(tmp_path / "speech.sqlite")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be used"):
        Store(tmp_path / "file" / "speech.sqlite")


def test_a_read_only_store_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "speech.sqlite"
    with Store(path) as store:
        store._db.execute("PRAGMA query_only = ON")
        with pytest.raises(UserError, match="cannot be used"):
            store.put_transcript({"n": 1}, "x", 0.0)
    assert os.path.exists(path)
