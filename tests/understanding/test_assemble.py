"""The last gate: every question is read again with its audio, and every candidate is accounted for."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stages.core import files, schemas, shards
from stages.core.errors import UserError
from stages.core.files import Row
from stages.understanding import assemble, sources
from stages.understanding.assemble import METHODS
from tests.understanding.rows import segment

NAME = "word_order"
WANTED = {NAME: {"target": 5, "n_options": 4}, "gender": {"target": 2, "n_options": 2}}
CONFIG: dict[str, Any] = {"language": "ko", "corpora": ["kmsav"], "seed": 0, "releases": ["KMMAU"], "capabilities": WANTED}
CHOICES = ["첫 번째", "두 번째", "세 번째", "네 번째"]


def _flac(number: int, seconds: float = 1.0, form: str = "FLAC", loud: float = 0.1) -> bytes:
    import soundfile

    samples = (np.sin(np.arange(int(16000 * seconds)) * (0.1 + 0.01 * number)) * loud * 32767).astype(np.int16)
    out = io.BytesIO()
    soundfile.write(out, samples, 16000, format=form, subtype="PCM_16")
    return out.getvalue()


def _content(audio: bytes) -> str:
    import soundfile

    return hashlib.sha256(soundfile.read(io.BytesIO(audio), dtype="int16")[0].tobytes()).hexdigest()


class Build:
    """What the stages before leave, to be spoiled."""

    def __init__(self, root: Path, n: int = 4) -> None:
        self.root = root
        self.clips = {f"kmsav-dialogue-{number:05d}": _flac(number) for number in range(n)}
        self.questions = [self.question(number) for number in range(n)]
        self.refused: list[Row] = []
        self.unasked: list[str] = []
        self.config = json.loads(json.dumps(CONFIG))

    def question(self, number: int, **changed: Any) -> Row:
        id = f"kmsav-dialogue-{number:05d}"
        about = segment(number, "오늘은 바다에서 조개를 주웠다", [NAME], end_s=1.0, duration_s=1.0, content_sha256=_content(self.clips[id]))
        row = sources.question_row(
            about, id=f"{NAME}-{number:04d}", capability=NAME, method="transcript", question="몇 번째입니까?", choices=CHOICES,
            answer_index=number % 4, evidence={}, rule_ids=["word_order.word"],
        )  # fmt: skip
        return {**row, **changed}

    def run(self) -> dict[str, Any]:
        shards.write_shards(self.root / "data/segments/kmsav", list(self.clips.items()))
        told = {*self.unasked, *(row["segment"] for row in self.questions), *(row["id"].partition("/")[2] for row in self.refused)}
        files.write_jsonl(self.root / "data/segments/kmsav/rows.jsonl", [{"id": id, "uses": [NAME]} for id in sorted(told)])
        for method in METHODS:
            folder = self.root / f"data/questions_{method}/kmmau"
            files.write_jsonl(folder / "rows.jsonl", self.questions if method == "transcript" else [])
            files.write_jsonl(folder / "rejected.jsonl", self.refused if method == "transcript" else [])
        files.write_json(self.root / "data/config.json", {"understanding": {"kmmau": {"assemble": self.config}}})
        assemble.main(["kmmau"], self.root)
        told: dict[str, Any] = files.read_json(self.root / "data/assemble/kmmau/summary.json")
        return told

    def rows(self, kind: str = "rows") -> list[Row]:
        return files.read_jsonl(self.root / f"data/assemble/kmmau/{NAME}/{kind}.jsonl")


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path)


def test_good_questions_are_released_in_their_form(build: Build) -> None:
    told = build.run()["capabilities"][NAME]
    rows = build.rows()
    schemas.check(rows, "Understood", "test")
    assert rows[1]["shown"] == "몇 번째입니까?\nㄱ. 첫 번째\nㄴ. 두 번째\nㄷ. 세 번째\nㄹ. 네 번째"
    assert rows[1]["audio_sha256"] == hashlib.sha256(build.clips[rows[1]["segment"]]).hexdigest()
    assert (told["released"], told["target"], told["shortfall"], told["corpora"]) == (4, 5, 1, {"kmsav": 4})
    assert told["without_hearing"]["chance"] == 0.25


def test_a_second_run_gives_the_same_bytes(build: Build) -> None:
    build.run()
    before = {path: path.read_bytes() for path in (build.root / "data/assemble").rglob("*.json*")}
    build.run()
    assert before == {path: path.read_bytes() for path in (build.root / "data/assemble").rglob("*.json*")}


def _spoil_row(**changed: Any) -> Any:
    return lambda build: build.questions[0].update(changed)


def _spoil_clip(make: Any, **changed: Any) -> Any:
    def spoil(build: Build) -> None:
        build.clips["kmsav-dialogue-00000"] = make()
        build.questions[0].update(changed)

    return spoil


def _of(audio: bytes) -> dict[str, str]:
    return {"content_sha256": _content(audio)}


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (_spoil_row(choices=CHOICES[:3]), "options"),
        (_spoil_row(choices=["첫 번째", "두 번째", "두번째", "네 번째"]), "options"),
        (_spoil_row(answer="다섯 번째"), "options"),
        (_spoil_row(answer_index=1), "answer"),
        (_spoil_row(licence=" "), "licence"),
        (_spoil_row(end_s=0.0), "times"),
        (_spoil_row(has_audio=False), "no_audio"),
        (_spoil_row(duration_s=2.0), "duration"),
        (_spoil_row(content_sha256="0" * 64), "content"),
        (_spoil_clip(lambda: _flac(0, loud=0.0), **_of(_flac(0, loud=0.0))), "silence"),
        (_spoil_clip(lambda: _flac(0, form="WAV")), "audio_format"),
        (_spoil_clip(lambda: _flac(0, 0.1), duration_s=0.1, **_of(_flac(0, 0.1))), "duration_limits"),
        (_spoil_clip(lambda: b"fLaC" + b"\0" * 64), "audio_readable"),
        (_spoil_clip(lambda: _flac(0)[:-200]), "audio_readable"),
    ],
)
def test_a_spoiled_question_is_rejected_by_name_and_the_others_go_on(build: Build, spoil: Any, rule: str) -> None:
    spoil(build)
    told = build.run()["capabilities"][NAME]
    assert [(row["id"], row["rule_id"]) for row in build.rows("rejected")] == [("word_order-0000", rule)]
    assert (told["released"], told["rejected"], told["candidates"]) == (3, 1, 4)


def test_nothing_is_asked_about_twice(build: Build) -> None:
    build.questions[1]["segment"] = build.questions[0]["segment"]
    build.questions[2]["content_sha256"] = build.questions[0]["content_sha256"]
    build.questions[3].update(recording="r0", start_s=0.5, end_s=1.5)
    build.run()
    assert [(row["id"], row["rule_id"]) for row in build.rows("rejected")] == [
        ("word_order-0001", "same_segment"), ("word_order-0002", "same_content"), ("word_order-0003", "overlap"),
    ]  # fmt: skip


def test_what_the_methods_refused_is_carried_on(build: Build) -> None:
    rejection = sources.refused(segment(9, "짧다", [NAME]), NAME, "too_short", "options", "why")
    build.refused = [{**rejection.row, "reason": rejection.reason, "rule_id": rejection.rule_id, "detail": rejection.detail}]
    told = build.run()["capabilities"][NAME]
    assert told["reasons"] == {"too_short": 1}
    assert [row["id"] for row in build.rows("rejected")] == ["word_order/kmsav-dialogue-00009"]


def test_a_segment_that_no_method_accounts_for_stops_the_build(build: Build) -> None:
    build.unasked = ["kmsav-dialogue-00077"]
    with pytest.raises(UserError, match="Segment kmsav-dialogue-00077 is neither a question nor a refusal of word_order"):
        build.run()


def test_a_capability_that_can_be_guessed_is_flagged(tmp_path: Path) -> None:
    build = Build(tmp_path, 40)
    for row in build.questions:
        row.update(answer_index=2, answer=CHOICES[2])
    told = build.run()
    assert told["guessable"] == [NAME]
    assert "majority_answer" in told["capabilities"][NAME]["without_hearing"]["guessable"]


def test_a_capability_that_the_configuration_does_not_know_is_named(build: Build) -> None:
    build.config["capabilities"] = {"gender": {"target": 2, "n_options": 2}}
    with pytest.raises(UserError, match=r"made questions of .word_order.; name it in understanding\.kmmau\.assemble\.capabilities"):
        build.run()
