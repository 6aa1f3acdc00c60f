"""Tiny sources in the upstream layouts, written anew for each test, and the one way to run the stage on them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.core.stage import Context, Outcome
from stages.ingest.stage import IngestSettings, open_source, run

AUDIO = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
NO_AUDIO: dict[str, Any] = {"bytes": None, "path": "clip.wav"}


def wav(seconds: float = 0.05) -> bytes:
    out = io.BytesIO()
    soundfile.write(out, np.zeros(int(16000 * seconds), dtype=np.float32), 16000, format="WAV")
    return out.getvalue()


class SourceFolder:
    """`root` of a test, with writers for both layouts."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def parquet(self, name: str, rows: list[dict[str, Any]], schema: dict[str, pa.DataType] | None = None, **options: Any) -> Path:
        """Write `voicebench/<name>.parquet`. Rows without `audio` get a path and no bytes; types are inferred but for `schema`."""
        rows = [{"audio": NO_AUDIO, **row} if schema is None or "audio" not in schema else row for row in rows]
        names = list(dict.fromkeys(key for row in rows for key in row))
        types = {"audio": AUDIO, **(schema or {})}
        columns = [pa.array([row.get(key) for row in rows], type=types.get(key)) for key in names]
        path = self.root / "voicebench" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns, names=names), path, **options)
        return path

    def csv(self, subset: str, header: list[str], rows: list[list[str]], sounds: dict[str, bytes] | None = None) -> Path:
        """Write `<subset>.csv` and the named files of its `audios` folder."""
        folder = self.root / "openaudiobench" / "eval_datas" / subset
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{subset}.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([header, *rows])
        for name, data in (sounds or {}).items():
            (folder / "audios").mkdir(exist_ok=True)
            (folder / "audios" / name).write_bytes(data)
        return path

    def trivia(self, *rows: tuple[str, str], sounds: dict[str, bytes] | None = None) -> Path:
        header = ["question", "answer_normalized_aliases", "audio_filename"]
        return self.csv("trivia_qa", header, [[question, cell, f"trivia_qa_{n}.mp3"] for n, (question, cell) in enumerate(rows)], sounds)

    def settings(self, subset: str, format: str, **more: Any) -> IngestSettings:
        open_audio = subset in ("llama_questions", "trivia_qa", "web_questions", "alpaca_eval")
        return IngestSettings(
            **{
                "source": "openaudiobench" if open_audio else "voicebench",
                "root": str(self.root),
                "path": f"openaudiobench/eval_datas/{subset}" if open_audio else f"voicebench/{subset}",
                "repo_id": "own/source",
                "revision": "test",
                "licence": "CC0-1.0",
                "released_config": f"{subset}-test",
                "format": format,
                **more,
            }
        )

    def ingest(self, subset: str, format: str, **more: Any) -> Outcome:
        settings = self.settings(subset, format, **more)
        with open_source(settings, Context(subset, self.root, Progress(subset))) as source:
            return run([], settings, source)

    def refusal(self, subset: str, format: str, **more: Any) -> str:
        """The sentence with which the stage refuses the source."""
        with pytest.raises(UserError) as caught:
            self.ingest(subset, format, **more)
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert re.search(r"[.?]$", sentence)
        return sentence


@pytest.fixture
def folder(tmp_path: Path) -> SourceFolder:
    return SourceFolder(tmp_path)


@pytest.fixture
def spoken() -> Callable[[float], bytes]:
    return wav
