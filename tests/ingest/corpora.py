"""Small corpora in the upstream layouts, written by the tests that break them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import yaml

from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.stage import Context, Outcome
from stages.ingest import corpus

RATE = 8000
TIERS = ["phoneme", "pWord.prono.", "pWord.prono.", "utt.prono.", "pWord.ortho.", "pWord.ortho.", "utt.ortho."]


def read(name: str, source: Path, root: Path, **changes: Any) -> Outcome:
    """What the stage corpus makes of `source`, with the tags and rules of conf/corpus/<name>.yaml."""
    values = yaml.safe_load((ROOT / "conf" / "corpus" / f"{name}.yaml").read_text(encoding="utf-8"))["corpus"]
    settings = corpus.CorpusSettings.model_validate(
        {**values, "root": str(source.parent), "path": source.name, "source": "test", "revision": "1", "licence": "CC0-1.0", **changes}
    )
    with corpus.open_place(settings, Context(name, root, Progress("test"))) as place:
        return corpus.run([], settings, place)


def reasons(outcome: Outcome) -> dict[str, str]:
    """Id of what was rejected to its reason."""
    return {one.row["id"]: one.reason for one in outcome.rejected}


def write_audio(path: Path, seconds: float, rate: int = RATE, channels: int = 1, subtype: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    wave = (np.sin(np.arange(round(seconds * rate)) / 7) * 0.3).astype(np.float32)
    soundfile.write(path, np.stack([wave] * channels, axis=1) if channels > 1 else wave, rate, subtype=subtype)


def write_kss(folder: Path, lines: Sequence[str], clips: Sequence[str] = ()) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "transcript.v.1.4.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for clip in clips:
        write_audio(folder / clip, 1.0)
    return folder


def kss_line(name: str, text: str = "비가 온다.", seconds: object = 1.0) -> str:
    return f"{name}|{text}|{text}|{text}|{seconds}|It rains."


def item(speaker: str, start: float, end: float, text: str = "네, 맞아요.", **more: object) -> dict[str, object]:
    return {"speaker_id": speaker, "start_time": start, "end_time": end, "text": text, **more}


def write_kmsav(folder: Path, videos: dict[str, tuple[int, Any]], seconds: float = 10.0, audio: bool = True) -> Path:
    """`videos`: name to (participants, items); bytes or text are written as they are."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "trans").mkdir(exist_ok=True)
    lines = [f"{name} inte {participants} {seconds:g} train" for name, (participants, _) in videos.items()]
    (folder / "data" / "list.txt").write_text("\n".join(["# id domain num_participants len_in_sec split", *lines]) + "\n", encoding="utf-8")
    for name, (_, items) in videos.items():
        content = items if isinstance(items, (bytes, str)) else json.dumps(items, ensure_ascii=False)
        (folder / "trans" / f"{name}.json").write_bytes(content if isinstance(content, bytes) else content.encode())
        if audio:
            write_audio(folder / "wav" / f"{name}.wav", seconds)
    return folder


def grid(stretches: Sequence[tuple[float, float, str]], end: float = 10.0, tiers: Sequence[str] = TIERS) -> str:
    """A TextGrid whose tiers all hold the same intervals."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ", f"xmax = {end} ", "tiers? <exists> "]
    lines += [f"size = {len(tiers)} ", "item []: "]
    for number, name in enumerate(tiers, 1):
        lines += [f"    item [{number}]:", '        class = "IntervalTier" ', f'        name = "{name}" ']
        lines += ["        xmin = 0 ", f"        xmax = {end} "]
        lines.append(f"        intervals: size = {len(stretches)} ")
        for place, (start, stop, text) in enumerate(stretches, 1):
            quoted = text.replace('"', '""')
            lines += [f"        intervals [{place}]:", f"            xmin = {start} ", f"            xmax = {stop} "]
            lines.append(f'            text = "{quoted}" ')
    return "\n".join(lines) + "\n"


TALK = [(0.0, 1.0, "<SIL>"), (1.0, 3.0, "비가 와요"), (3.0, 4.0, "<SIL>"), (4.0, 6.0, "눈도 와요"), (6.0, 10.0, "<SIL>")]


def write_seoul(folder: Path, recordings: dict[str, str | bytes], seconds: float = 10.0, audio: bool = True) -> Path:
    """`recordings`: name to its TextGrid; bytes are written as they are, text as UTF-16 with CRLF."""
    (folder / "label").mkdir(parents=True, exist_ok=True)
    for name, content in recordings.items():
        data = content if isinstance(content, bytes) else content.replace("\n", "\r\n").encode("utf-16")
        (folder / "label" / f"{name}.TextGrid").write_bytes(data)
        if audio:
            write_audio(folder / "sound" / f"{name}.flac", seconds, 22050)
    return folder
