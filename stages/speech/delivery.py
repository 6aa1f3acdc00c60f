"""Speech by marks: what is said in pieces, edited and joined so that pauses, stress and stutter are really heard.

No embedded voice understands such marks, so the query is said in pieces whose borders are known to the sample: a pause is silence of the
wanted length between two pieces; stressed words are said apart, slower, and louder by a gain; a stutter repeats the first sound
of the next word. Each edit is measured on the audio that came out (`verify`), and the words are checked by the recognizer.
Tone is not edited: a synthesizer without it gets no tone, and the item says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from stages.core.delivery import Delivery
from stages.speech import audio

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

DEFAULT_PAUSE_S = 0.5
STRESS_GAIN_DB = 5.0
STRESS_PACE = 0.82
STRESS_GAP_S = 0.06
STUTTER_SOUND_S = 0.16
STUTTER_GAP_S = 0.12
_FADE_S = 0.01
_TOLERANCE_S = 0.1


@dataclass(frozen=True)
class Piece:
    """Words said in one go, and what follows them."""

    text: str
    stressed: bool = False
    repeats: int = 0
    """Times that its first sound is said before it."""
    gap_s: float = 0.0
    """Silence behind it."""
    pause: bool = False
    """Whether that silence is a marked pause."""


@dataclass(frozen=True)
class Heard:
    """One mark in the audio."""

    kind: str
    start_s: float
    end_s: float
    wanted: str
    measured: str
    ok: bool


def pieces(delivery: Delivery) -> list[Piece]:
    """The pieces of a query by its marks; one piece where nothing is marked but tone. Pieces without a word are dropped."""
    text = delivery.text
    cuts = {0, len(text)}
    for mark in delivery.marks:
        if mark.kind != "tone":
            cuts |= {mark.start, mark.end}
    found: list[Piece] = []
    places = sorted(cuts)
    for start, end in pairwise(places):
        stressed = any(mark.kind == "stress" and mark.start <= start and end <= mark.end for mark in delivery.marks)
        repeats = sum(round(mark.amount or 2) for mark in delivery.marks if mark.kind == "stutter" and mark.start == start)
        pause = next((mark for mark in delivery.marks if mark.kind == "pause" and mark.start == end), None)
        said = text[start:end].strip()
        gap = (pause.amount or DEFAULT_PAUSE_S) if pause else 0.0
        if any(char.isalnum() for char in said):
            found.append(Piece(said, stressed, repeats, gap, pause is not None))
        elif found:
            last = found[-1]
            found[-1] = replace(last, text=last.text + said, gap_s=max(last.gap_s, gap), pause=last.pause or pause is not None)
    for index, piece in enumerate(found[:-1]):
        if not piece.pause and (piece.stressed or found[index + 1].stressed):
            found[index] = replace(piece, gap_s=STRESS_GAP_S)
        elif not piece.pause and found[index + 1].repeats:
            found[index] = replace(piece, gap_s=STUTTER_GAP_S)
    if found:
        found[-1] = replace(found[-1], gap_s=0.0, pause=False)
    return found


def assemble(parts: list[tuple[Piece, Audio]], rate: int) -> tuple[Audio, list[Heard]]:
    """The edited pieces joined, and where each mark lies, as measured on the result."""
    import numpy as np

    said: list[Audio] = []
    spans: list[tuple[Piece, int, int, int]] = []
    place = 0
    usual = _level([clip for piece, clip in parts if not piece.stressed] or [clip for _, clip in parts])
    for piece, clip in parts:
        start = place
        if piece.repeats:
            sound = _faded(clip[: round(STUTTER_SOUND_S * rate)], rate)
            again = np.concatenate([sound, np.zeros(round(STUTTER_GAP_S * rate), np.float32)])
            said += [again] * piece.repeats
            place += len(again) * piece.repeats
        word = place
        if piece.stressed:
            now = _level([clip])
            clip = clip * np.float32(10 ** ((usual + STRESS_GAIN_DB - now) / 20)) if now > -100 else clip
        said.append(clip)
        place += len(clip)
        spans.append((piece, start, word, place))
        gap = np.zeros(round(piece.gap_s * rate), np.float32)
        said.append(gap)
        place += len(gap)
    joined = np.concatenate(said).astype(np.float32) if said else np.zeros(0, np.float32)
    return joined, verify(joined, spans, rate)


def verify(joined: Audio, spans: list[tuple[Piece, int, int, int]], rate: int) -> list[Heard]:
    """What of the marks is in the audio: silence as long as the pause, a level above the rest, as many bursts as a stutter has."""
    heard: list[Heard] = []
    plain = _level([joined[word:end] for piece, _, word, end in spans if not piece.stressed])
    for piece, start, word, end in spans:
        if piece.repeats:
            bursts = _bursts(joined[start:word], rate)
            heard.append(_heard("stutter", start, word, rate, f"{piece.repeats} repeats", f"{bursts} bursts", bursts == piece.repeats))
        if piece.stressed:
            above = _level([joined[word:end]]) - plain
            heard.append(_heard("stress", word, end, rate, f"{STRESS_GAIN_DB:g} dB above", f"{above:.1f} dB above", above >= STRESS_GAIN_DB - 1.5))
        if piece.pause:
            silent = _silence(joined, end, end + round(piece.gap_s * rate), rate)
            close = abs(silent - piece.gap_s) <= max(_TOLERANCE_S, 0.35 * piece.gap_s)
            heard.append(_heard("pause", end, end + round(piece.gap_s * rate), rate, f"{piece.gap_s:g} s", f"{silent:.2f} s", close))
    return heard


def _heard(kind: str, start: int, end: int, rate: int, wanted: str, measured: str, ok: bool) -> Heard:
    return Heard(kind, round(start / rate, 3), round(end / rate, 3), wanted, measured, ok)


def _level(clips: list[Audio]) -> float:
    """RMS in dBFS over the frames of `clips` that are not silence."""
    import numpy as np

    squares = [frames[frames > 1e-6] for clip in clips if len(clip) for frames in [np.square(clip, dtype=np.float64)]]
    kept = np.concatenate(squares) if squares else np.zeros(0)
    return audio.decibels(float(np.sqrt(kept.mean()))) if len(kept) else -120.0


def _faded(sound: Audio, rate: int) -> Audio:
    import numpy as np

    faded = sound.copy()
    ramp = min(round(_FADE_S * rate), len(faded))
    faded[len(faded) - ramp :] *= np.linspace(1, 0, ramp, dtype=np.float32)
    return faded


def _loud_frames(samples: Audio, rate: int) -> tuple[list[bool], int]:
    levels, frame = audio._levels(samples, rate)
    return [bool(one) for one in audio._loud(levels, 40.0)], frame


def _bursts(samples: Audio, rate: int) -> int:
    """Stretches of sound between silences of 60 ms and more."""
    loud, frame = _loud_frames(samples, rate)
    need = round(0.06 * rate / frame)
    count, quiet = 0, need
    for one in loud:
        if one and quiet >= need:
            count += 1
        quiet = 0 if one else quiet + 1
    return count


def _silence(samples: Audio, start: int, end: int, rate: int) -> float:
    """Seconds of silence around [start, end): the longest run of quiet frames that touches it."""
    loud, frame = _loud_frames(samples, rate)
    middle = min((start + end) // 2 // frame, len(loud) - 1)
    if middle < 0 or loud[middle]:
        return 0.0
    first = last = middle
    while first > 0 and not loud[first - 1]:
        first -= 1
    while last + 1 < len(loud) and not loud[last + 1]:
        last += 1
    return (last - first + 1) * frame / rate
