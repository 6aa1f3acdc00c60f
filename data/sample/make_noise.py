"""Write data/sample/raw/noise: noise of our own, made by arithmetic, and background speech of the embedded voice. CC0 1.0.

    python data/sample/make_noise.py

They stand for recordings in the sample build and sound only roughly like what they are named after. For a benchmark take real ones
(`noises` of a profile), such as ESC-50 or your own.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy.signal import butter, sosfilt

RATE = 16000
SECONDS = 6
HERE = Path(__file__).parent / "raw/noise"
N = RATE * SECONDS
T = np.arange(N) / RATE
Sound = NDArray[np.float64]


def band(sound: Sound, low: float, high: float) -> Sound:
    return np.asarray(sosfilt(butter(2, [low, high], "bandpass", fs=RATE, output="sos"), sound))


def bursts(draw: np.random.Generator, times: Sound, length_s: float, low: float, high: float) -> Sound:
    """Fading bursts of band noise that begin at `times`."""
    out = np.zeros(N)
    length = int(length_s * RATE)
    for time in times:
        start = int(time * RATE)
        piece = band(draw.standard_normal(length + 200), low, high)[200:] * np.exp(-6 * np.arange(length) / length)
        out[start : start + length] += piece[: max(N - start, 0)]
    return out


def sounds() -> dict[tuple[str, str], Sound]:
    """(family, kind) to six seconds of it."""
    draw = np.random.default_rng(2506)
    steady = draw.standard_normal(N)
    slow = 0.6 + 0.4 * np.sin(2 * np.pi * 0.25 * T + 1) * np.sin(2 * np.pi * 0.11 * T)
    chirps = (np.sin(2 * np.pi * 28 * T) > 0) * (np.sin(2 * np.pi * 1.7 * T) > -0.3)
    engine = sum(np.sin(2 * np.pi * 42 * k * T + k) / k for k in range(1, 12))
    sweep = 2 * np.pi * np.cumsum(650 + 250 * np.sin(2 * np.pi * 0.35 * T)) / RATE
    return {
        ("animals", "insects"): band(np.sin(2 * np.pi * 4300 * T) * chirps + 0.05 * steady, 3000, 6000),
        ("natural", "rain"): band(steady, 900, 7500) + 1.5 * bursts(draw, np.sort(draw.uniform(0, 5.8, 160)), 0.03, 1500, 7000),
        ("natural", "wind"): band(steady, 80, 500) * slow,
        ("human", "footsteps"): bursts(draw, np.arange(0.2, 5.8, 0.55), 0.12, 90, 700) + 0.02 * band(steady, 100, 3000),
        ("human", "clapping"): bursts(draw, np.sort(draw.uniform(0, 5.9, 70)), 0.05, 800, 4000),
        ("interior", "clock_tick"): bursts(draw, np.arange(0.1, 5.9, 0.5), 0.02, 2000, 7000) + 0.01 * band(steady, 100, 3000),
        ("interior", "keyboard_typing"): bursts(draw, np.sort(draw.uniform(0, 5.9, 45)), 0.03, 1200, 6500) + 0.01 * band(steady, 100, 3000),
        ("exterior", "engine"): engine * (1 + 0.2 * np.sin(2 * np.pi * 9 * T)) + 0.3 * band(steady, 60, 900),
        ("exterior", "siren"): np.sin(sweep) + 0.3 * np.sin(2 * sweep),
    }


SPEECH = {
    "talk_woman": (
        "jf_tebukuro",
        "We moved the meeting to the small room because the projector broke again. Somebody has to tell the others before lunch.",
    ),
    "talk_man": ("jm_kumo", "The bus was late, so I walked along the river and bought bread on the way. It is still warm, take a piece."),
}


def spoken() -> dict[tuple[str, str], tuple[Sound, int]]:
    from stages.core.paths import ROOT
    from stages.core.settings import load
    from stages.speech.kokoro import Kokoro
    from stages.speech.settings import KokoroSettings, Voice

    base = {"kind": "kokoro", "phonemes": "en", "voices": {"female": [{"name": "jf_tebukuro"}], "male": [{"name": "jm_kumo"}]}}
    voice = Kokoro(load(KokoroSettings, base, "tts"), ROOT)
    plain = voice._settings.variations[0]
    return {("speech", kind): voice.synthesize(text, Voice(name=name), plain) for kind, (name, text) in SPEECH.items()}  # type: ignore[misc]


def main() -> None:
    HERE.mkdir(parents=True, exist_ok=True)
    lines = []
    made = {key: (sound, RATE) for key, sound in sounds().items()} | spoken()
    for (family, kind), (sound, rate) in sorted(made.items()):
        scaled = np.asarray(sound) / np.abs(sound).max() * 0.5
        soundfile.write(HERE / f"{kind}.ogg", scaled.astype(np.float32), rate, format="OGG", subtype="OPUS")
        how = "embedded voice, own words" if family == "speech" else "made by arithmetic"
        lines.append([f"{kind}.ogg", family, kind, f"benchferry sample ({how})", "benchferry", "CC0-1.0"])
    with (HERE / "noise.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "family", "kind", "source", "author", "licence"])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
