"""Segments for tests, as the stage of that name leaves them."""

from __future__ import annotations

import hashlib
from typing import Any

from stages.core.files import Row


def segment(number: int, transcript: str, uses: list[str], **changed: Any) -> Row:
    """A segment of the schema Segment; a line of `transcript` is a turn, `A: text` names who speaks."""
    turns = []
    for line in transcript.split("\n"):
        speaker, colon, said = line.partition(": ")
        turns.append({"speaker": speaker if colon else "A", "start_s": 0.0, "end_s": 1.0, "text": said if colon else line})
    text = "\n".join(str(turn["text"]) for turn in turns)
    return {
        "id": f"kmsav-dialogue-{number:05d}", "corpus": "kmsav", "source": "test", "source_revision": "1", "licence": "CC0-1.0",
        "kind": "dialogue", "uses": uses, "recording": f"r{number}", "original_dataset": "KMSAV", "original_sample_id": f"r{number}",
        "has_audio": True, "audio_path": f"wav/r{number}.wav", "audio_in": "source", "start_s": 0.0, "end_s": 10.0, "duration_s": 10.0,
        "sample_rate_hz": 16000, "content_sha256": hashlib.sha256(f"{number}".encode()).hexdigest(), "transcript": text, "turns": turns,
        "speakers": sorted({str(turn["speaker"]) for turn in turns}), "participants": 2, "gender": None, "age_years": None, "domain": "inte",
        "split": "train", "utterances": [f"kmsav-{number:05d}"], "tags": [], **changed,
    }  # fmt: skip
