"""A whole query said in one voice: its pieces from the store or a synthesizer, edited by their marks, joined, levelled, heard again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from stages.speech import audio
from stages.speech.delivery import Heard, Piece, assemble
from stages.speech.settings import Variation, Voice
from stages.speech.store import key_of
from stages.speech.studio import SILENT_DBFS, Order, Studio, StudioPlan


@dataclass(frozen=True)
class Take:
    """What is to be recorded."""

    pieces: tuple[Piece, ...]
    voice: Voice
    variation: Variation
    loudness_lufs: float
    ceiling_dbtp: float
    sample_rate_hz: int


@dataclass(frozen=True)
class Recorded:
    key: str
    """Of the joined audio in the store."""
    sha256: str
    duration_s: float
    loudness_lufs: float
    measures: audio.Measures
    unspoken: str
    marks: tuple[Heard, ...]
    transcript: str
    sides: tuple[str, ...]
    """What is heard before, between and after the marked pauses; empty where there is none."""
    seconds: float


@dataclass(frozen=True)
class TakePlan:
    """What a worker opens; picklable."""

    studio: StudioPlan

    def worker(self) -> _Worker:
        return _Worker(self.studio.open())


class _Worker:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def __call__(self, task: tuple[Any, Take]) -> Recorded:
        return record(task[1], self._studio)


def record(take: Take, studio: Studio) -> Recorded:
    """Say, edit, join and hear one take; whatever is already stored is not done again. Raises UserError for what cannot be said."""
    said = [studio.say(Order(piece.text, take.voice, _paced(take, piece))) for piece in take.pieces]
    request = {
        "speech": [speech.sha256 for _, speech in said],
        "pieces": [[piece.stressed, piece.repeats, piece.gap_s, piece.pause] for piece in take.pieces],
        "loudness_lufs": take.loudness_lufs,
        "ceiling_dbtp": take.ceiling_dbtp,
        "sample_rate_hz": take.sample_rate_hz,
        "delivery": 1,
    }
    rate = take.sample_rate_hz
    clips = [audio.resample(*audio.decode(studio.store.flac(key)), rate) for key, _ in said]
    joined, marks = assemble(list(zip(take.pieces, clips, strict=True)), rate)
    levelled, reached = audio.normalize(joined, rate, take.loudness_lufs, take.ceiling_dbtp)
    stored = studio.store.joined(key_of(request))
    if stored is None:
        stored = studio.store.put_joined(request, audio.encode_flac(levelled, rate), round(len(levelled) / rate, 3), round(reached, 2))
    measures = audio.measure(levelled, rate)
    transcript = ""
    sides: tuple[str, ...] = ()
    seconds = sum(speech.seconds for _, speech in said)
    if measures.rms_dbfs >= SILENT_DBFS:
        heard = studio.hear(stored.sha256, lambda: studio.store.joined_flac(key_of(request)))
        transcript = heard.text
        seconds += heard.seconds
        sides = tuple(_hear(part, rate, studio) for part in _sides(levelled, marks, rate))
    unspoken = "".join(dict.fromkeys("".join(speech.unspoken for _, speech in said)))
    about = (stored.sha256, stored.duration_s, stored.loudness_lufs, measures, unspoken)
    return Recorded(key_of(request), *about, tuple(marks), transcript, sides, round(seconds, 2))


def _paced(take: Take, piece: Piece) -> Variation:
    """Stressed words are said more slowly, where the synthesizer can be told."""
    from stages.speech.delivery import STRESS_PACE

    speed = getattr(take.variation, "speed", None)
    if not piece.stressed or not speed:
        return take.variation
    return take.variation.model_copy(update={"speed": round(speed * STRESS_PACE, 4)})


def _sides(samples: Any, marks: list[Heard], rate: int) -> list[Any]:
    """The audio between marked pauses; nothing where no pause is marked."""
    pauses = [mark for mark in marks if mark.kind == "pause"]
    if not pauses:
        return []
    edges = [0, *(round((mark.start_s + mark.end_s) / 2 * rate) for mark in pauses), len(samples)]
    return [samples[start:end] for start, end in pairwise(edges)]


def _hear(samples: Any, rate: int, studio: Studio) -> str:
    encoded = audio.encode_flac(samples, rate)
    return studio.hear(hashlib.sha256(encoded).hexdigest(), lambda: encoded).text


def side_texts(pieces: tuple[Piece, ...]) -> list[str]:
    """What is to be heard between marked pauses, as `Recorded.sides` is; empty where there is none."""
    if not any(piece.pause for piece in pieces):
        return []
    texts = [""]
    for piece in pieces:
        texts[-1] = f"{texts[-1]} {piece.text}".strip()
        if piece.pause:
            texts.append("")
    return texts
