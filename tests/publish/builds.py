"""A small finished build on disk: rows of every format with real FLAC audio, kept and rejected at several stages."""

from __future__ import annotations

import functools
import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from stages.core import files, schemas
from stages.core.files import Row
from stages.core.ledger import ORDER
from stages.core.shards import write_shards

RATE_HZ = 24_000
SCHEMA_OF = dict(zip(ORDER, ["Ingested", "Corrected", "Hypertranslated", "Normalized", "Synthesized", "Validated"], strict=True))
CONFIG_OF = {"bbh": "bbh-test", "mmsu": "mmsu", "ifeval": "ifeval-test", "trivia_qa": "trivia_qa", "alpacaeval_full": "alpacaeval_full-test"}


@functools.cache
def flac(seed: int, seconds: float = 0.5, rate: int = RATE_HZ, channels: int = 1, form: str = "FLAC") -> bytes:
    """A tone whose pitch is the seed's."""
    time = np.arange(int(seconds * rate)) / rate
    tone = 0.2 * np.sin(2 * np.pi * (150 + 7 * seed) * time)
    out = io.BytesIO()
    soundfile.write(out, np.stack([tone] * channels, axis=1).astype("float32"), rate, format=form)
    return out.getvalue()


def options(*pairs: str) -> list[Row]:
    return [{"label": label, "text": text} for label, text in (pair.split(" ", 1) for pair in pairs)]


FORMAT: dict[str, Row] = {
    "bbh": {
        "format": "bbh", "task": "navigate", "reference": "yes", "references": ["yes"],
        "prompt": "You go 3 steps left, then 3 steps right. Are you where you started?",
        "target_answer": "예", "target_answers": ["예"],
        "target_prompt": "왼쪽으로 3걸음, 오른쪽으로 3걸음 가면 처음 자리인가요?",
        "spoken": "왼쪽으로 세 걸음, 오른쪽으로 세 걸음 가면 처음 자리인가요?",
    },
    "mmsu": {
        "format": "multiple_choice", "task": "law", "reference": "B", "references": ["B"],
        "prompt": "Which is a vegetable? A. Apple B. Cabbage", "options": options("A Apple", "B Cabbage"),
        "target_prompt": "다음 중 채소는 무엇인가요? ㄱ. 사과 ㄴ. 배추", "target_options": options("ㄱ 사과", "ㄴ 배추"),
        "target_answer": "ㄴ", "target_answers": ["ㄴ"], "spoken": "다음 중 채소는 무엇인가요? 기역. 사과 니은. 배추",
    },
    "ifeval": {
        "format": "ifeval", "prompt": "Describe autumn without commas.", "instructions": [{"id": "punctuation:no_comma", "kwargs": "{}"}],
        "target_prompt": "쉼표 없이 가을을 묘사해 주세요.", "spoken": "쉼표 없이 가을을 묘사해 주세요.",
        "target_instructions": [{"id": "punctuation:no_comma", "kwargs": "{}"}, {"id": "keywords:existence", "kwargs": '{"keywords":["가을"]}'}],
    },
    "trivia_qa": {
        "format": "short_answer", "source": "baichuan-inc/OpenAudioBench", "prompt": "What is the capital of France?",
        "reference": None, "references": ["Paris", "City of Paris"], "target_prompt": "프랑스의 수도는 어디인가요?",
        "spoken": "프랑스의 수도는 어디인가요?",
        "target_answer": "파리", "target_answers": ["빠리", "파리"],
    },
    "alpacaeval_full": {
        "format": "open", "prompt": "How do I cook rice?", "target_prompt": "밥은 어떻게 짓나요?", "spoken": "밥은 어떻게 짓나요?",
    },
}  # fmt: skip


def synthesized(subset: str, index: int, audio: bytes | None = None, **changes: Any) -> Row:
    """A Synthesized row. Its texts end in a number word of its own, so that no two rows say the same."""
    clip = flac(index) if audio is None else audio
    own = f" 문제 {'일이삼사오육칠팔구십'[index % 10]}, {'가나다라마바사아자차카타파하'[index // 10 % 14]}."
    row: Row = {
        "id": f"{CONFIG_OF[subset]}-{index:05d}", "subset": subset, "source": "hlt-lab/voicebench", "source_config": subset, "source_split": "test",
        "source_id": str(index), "source_index": index, "source_revision": "b02edcef1330480be3a11bd6f7434ac32f05ad08", "licence": "apache-2.0",
        "source_columns": "{}", "task": "", "reference": None, "references": [], "options": [], "instructions": [], "has_source_audio": False,
        "source_audio_sha256": None, "source_audio_path": None, "correction": "not_reviewed", "correction_type": None, "correction_reason": None,
        "correction_requests": [], "category": "direct_translation", "target_options": [], "target_answer": None, "target_answers": [],
        "target_instructions": [], "rule_ids": ["units.localise"], "offered_rule_ids": ["units.localise"], "transfer_note": "",
        "transfer_requests": [f"{index:064x}"], "transfer_flags": [], "voice": "jm_kumo", "voice_gender": "male",
        "synthesizer": "kokoro-82m-int8", "recognizer": "whisper-base-int8", "speech_sha256": hashlib.sha256(clip).hexdigest(),
        "sample_rate_hz": RATE_HZ, "duration_s": 0.5, "loudness_lufs": -23.0, "transcript": "들은 말", "cer": 0.05 + index / 1000, "wer": 0.1,
        "attempts": [{"sentence": 0, "attempt": 0, "settings": "{}", "transcript": "들은 말", "cer": 0.05, "wer": 0.1, "kept": True,
                      "audio_sha256": "0" * 64, "problems": []}],
        **FORMAT[subset],
    }  # fmt: skip
    row["prompt"] += f" ({index})"
    row["target_prompt"] += own
    row["spoken"] += own
    row["readings"] = [{"start": 0, "end": 1, "rule_id": "number.native", "before": "3", "after": "세"}]
    row["corrected_reference"], row["corrected_references"] = row["reference"], row["references"]
    return {**row, **changes}


def up_to(row: Row, stage: str) -> Row:
    """The row as `stage` left it."""
    return {column: row[column] for column in schemas.columns(SCHEMA_OF[stage])}


class Build:
    """Writes data/<stage>/<subset>/ below `root` for every stage."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def subset(
        self, name: str, rows: list[Row], refused: dict[str, tuple[str, str]] | None = None, releases: tuple[str, ...] = ("KVoiceBench",)
    ) -> None:
        """`refused` maps a row's id to the stage that rejects it and the reason; the others are released in `releases`."""
        refused = refused or {}
        left = [{**row, "released_in": list(releases)} for row in rows]
        for stage in ORDER:
            kept = [row for row in left if refused.get(row["id"], ("",))[0] != stage]
            before = ORDER[max(0, ORDER.index(stage) - 1)]
            rejected = [
                {**up_to(row, before), "reason": refused[row["id"]][1], "rule_id": f"{stage}.rule", "detail": "seen by a test"}
                for row in left
                if row not in kept
            ]
            folder = self.root / "data" / stage / name
            files.write_jsonl(folder / "rows.jsonl", [up_to(row, stage) for row in kept])
            files.write_jsonl(folder / "rejected.jsonl", rejected)
            report = {"seconds": 1.25, "usage": {"translator": {"requests": len(left), "from_store": len(left) - 1, "asked": 1, "usd": 0.5}}}
            files.write_json(self.root / "data" / "reports" / stage / f"{name}.json", report if stage == "hypertranslate" else {"seconds": 0.5})
            left = kept
            if stage == "synthesize":
                write_shards(folder, [(row["id"], flac(row["source_index"])) for row in kept])


def small(root: Path) -> Build:
    """Five subsets of 16 items: one corrected, one redesigned, three rejected."""
    build = Build(root)
    bbh = [synthesized("bbh", index) for index in range(6)]
    bbh[1] |= {"correction": "corrected", "correction_type": "wrong_label", "corrected_reference": "no", "target_answer": "아니요"}
    bbh[2] |= {"category": "equivalent_replacement"}
    build.subset("bbh", bbh, {"bbh-test-00003": ("correct", "unresolved"), "bbh-test-00004": ("hypertranslate", "deletion")})
    build.subset("mmsu", [synthesized("mmsu", index) for index in (0, 7, 1003)], {"mmsu-00007": ("synthesize", "unintelligible")})
    build.subset("ifeval", [synthesized("ifeval", index) for index in range(2)])
    build.subset("trivia_qa", [synthesized("trivia_qa", index) for index in range(3)], releases=("KOpenAudioBench",))
    build.subset("alpacaeval_full", [synthesized("alpacaeval_full", index) for index in range(2)], releases=("KVoiceBench", "KOpenAudioBench"))
    return build
