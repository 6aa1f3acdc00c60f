"""The gate: what is about to be sent is read once more, as a stranger would read it, and every problem is told at once.

It looks at the finished folder alone, so it holds for whatever made it: names of configs, splits and files; every row's id,
columns, answer and audio (bytes, container, rate, length, hash); the licence of every row against the release's; and every
file for paths of a machine, a user's name and keys. Peers' users met each of these after release (0-byte audio, mixed rates,
a split that can be pushed but not loaded, the uploader's absolute paths: datasets#4945, #5190, #5918, #3662, #7731).
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from stages.core import files
from stages.core.errors import UserError
from stages.core.files import Row
from stages.publish import release, traces
from stages.publish.problems import Problem
from stages.publish.release import ReleaseSettings

_DURATION_TOLERANCE_S = 0.01
_ROWS_AT_ONCE = 32
_HEAD = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
"""The card's YAML, as the Hub finds it: between lines that are `---` and nothing else."""


def problems(folder: Path, settings: ReleaseSettings) -> list[Problem]:
    """Everything that keeps the release in `folder` from being published; empty when nothing does."""
    found = release.name_problems(settings)
    head = _head(folder, found)
    found += _head_problems(head, folder)
    for part in settings.subsets.values():
        if (folder / part.config).is_dir():
            found += _config_problems(folder, part.config, settings)
    known = {part.config for part in settings.subsets.values()} | set(release.FOLDERS)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in known:
            found.append(Problem("names", f"{path.name}/", "is no config of the release; it would be taken for data"))
    return [*found, *traces.problems(folder)]


def _head(folder: Path, found: list[Problem]) -> dict[str, Any]:
    import yaml

    try:
        found_head = _HEAD.match((folder / "README.md").read_text(encoding="utf-8"))
        head = yaml.safe_load(found_head[1]) if found_head else None
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        head = None
    if isinstance(head, dict):
        return head
    found.append(Problem("card", "README.md", "has no YAML head that can be read"))
    return {}


def _head_problems(head: dict[str, Any], folder: Path) -> Iterator[Problem]:
    """The card's configs and splits have names that load, and their files exist."""
    for config in head.get("configs", []):
        for listed in config.get("data_files", []):
            where = f"README.md configs.{config.get('config_name')}"
            if what := release.split_problem(str(listed.get("split"))):
                yield Problem("names", where, what)
            if not list(folder.glob(str(listed.get("path")))):
                yield Problem("card", where, f"no file is called {listed.get('path')}")


def _config_problems(folder: Path, config: str, settings: ReleaseSettings) -> Iterator[Problem]:
    try:
        told = files.read_jsonl(folder / "provenance" / f"{config}.jsonl")
    except UserError as error:
        yield Problem("provenance", config, str(error))
        told = []
    provenance = {row["id"]: row for row in told if "id" in row}
    for row in told:
        if "licence" not in row:
            yield Problem("licence", str(row.get("id")), "its provenance states no licence")
            continue
        # A clip is made of several works: the text, and where there are any a person's recording and the noise behind it.
        for column in ("licence", "speech_licence", "noise_licence"):
            if row.get(column) is not None and (what := release.licence_problem(str(row[column]), settings)):
                yield Problem("licence", str(row.get("id")), what if column == "licence" else f"{column.removesuffix('_licence')}: {what}")
    ids: Counter[str] = Counter()
    for path in sorted((folder / config).glob("*.parquet")):
        if what := release.split_problem(path.name.split("-of-")[0].rpartition("-")[0] or path.stem):
            yield Problem("names", f"{config}/{path.name}", what)
        for group in _groups(path, settings):
            if isinstance(group, Problem):
                yield group
                continue
            ids.update(row["id"] for row in group)
            with ThreadPoolExecutor() as pool:  # libsndfile decodes outside the interpreter's lock
                for row, audio in zip(group, pool.map(lambda row: _audio_problems(row, provenance.get(row["id"]), settings), group), strict=True):
                    yield from (Problem(check, row["id"], what) for check, what in audio)
                    yield from _row_problems(row, provenance.get(row["id"]), config)
    yield from (Problem("unique_id", id, f"comes {count} times in {config}") for id, count in ids.items() if count > 1)
    yield from (Problem("provenance", id, f"is in provenance/{config}.jsonl, but not in the data") for id in provenance if id not in ids)


def _groups(path: Path, settings: ReleaseSettings) -> Iterator[list[Row] | Problem]:
    """The rows of a file, some at a time: what is held in memory is one row group and its decoded clips."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    where = f"{path.parent.name}/{path.name}"
    try:
        with pq.ParquetFile(path) as file:
            columns = list(settings.listed())
            if file.schema_arrow.names != columns:
                yield Problem("columns", where, f"has the columns {', '.join(file.schema_arrow.names)}; the release has {', '.join(columns)}")
                return
            for group in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                yield group.to_pylist()
    except (pa.ArrowException, OSError) as error:
        yield Problem("columns", where, f"is not a readable parquet file ({str(error).splitlines()[0].rstrip('.')})")


def _row_problems(row: Row, told: Row | None, config: str) -> Iterator[Problem]:
    id = row["id"]
    if not release.named_after(str(id), config):
        yield Problem("names", str(id), f"does not begin with the name of its config {config} and end in its number")
    if told is None:
        yield Problem("provenance", str(id), f"is not in provenance/{config}.jsonl: its source and licence are unknown")
    for column, value in row.items():
        if value is None:
            yield Problem("columns", str(id), f"has nothing in the column {column}")
        elif isinstance(value, float) and not math.isfinite(value):
            yield Problem("columns", str(id), f"has {value} in the column {column}, which is no number")
    if what := answer_problem(row, told or {}):
        yield Problem("answer", str(id), what)
    for column in ("question", "transcription"):
        if column in row and not str(row[column] or "").strip():
            yield Problem("columns", str(id), f"the column {column} is empty")


def answer_problem(row: Row, told: Row) -> str | None:
    """The answer is one of the choices or option labels, where the row or its provenance has any."""
    answer = row.get("answer")
    choices = row.get("choices") or told.get("choices")
    if choices:
        if len(set(choices)) < len(choices):
            return f"two of the choices are the same: {' / '.join(choices)}"
        return None if answer in choices else f"the answer {answer!r} is none of the choices {' / '.join(choices)}"
    labels = [option["label"] for option in told.get("target_options") or []]
    if labels:
        return None if answer in labels else f"the answer {answer!r} is none of the options {', '.join(labels)}"
    if told.get("format") in ("multiple_choice", "bbh", "short_answer") and answer in (None, "", "[]", '[""]'):
        return "there is no answer"
    return None


def _audio_problems(row: Row, told: Row | None, settings: ReleaseSettings) -> list[tuple[str, str]]:
    column = next((column for column, value in settings.listed().items() if value == "@audio"), None)
    return audio_problems(row["id"], row[column], told or {}, settings) if column else []


def audio_problems(id: str, cell: Row | None, told: Row, settings: ReleaseSettings) -> list[tuple[str, str]]:
    """(check, what is wrong) of a row's audio cell {bytes, path}; decodes all of it."""
    import soundfile

    audio, path = (cell or {}).get("bytes") or b"", str((cell or {}).get("path"))
    found = []
    if "/" in path or "\\" in path or path != f"{id}.{path.rpartition('.')[2]}":
        found.append(("audio_path", f"the audio's name is {path!r}; it must be the id and an extension, without a folder"))
    if not audio:
        return [*found, ("audio_bytes", "has 0 bytes of audio")]
    try:
        with soundfile.SoundFile(io.BytesIO(audio)) as file:
            rate, frames, samples = file.samplerate, file.frames, 0
            while len(block := file.read(1 << 20, dtype="int16")):
                samples += len(block)
    except (soundfile.SoundFileError, RuntimeError, TypeError) as error:
        return [
            *found,
            ("audio_readable", f"the audio cannot be decoded ({str(error).rpartition(': ')[2].rstrip('.')}); it begins with {audio[:8]!r}"),
        ]
    if path.rpartition(".")[2] != release.extension(audio):
        found.append(("audio_path", f"the audio is called {path!r}, but is {release.extension(audio)}"))
    if samples != frames or not samples:
        found.append(("audio_readable", f"the audio ends after {samples} of {frames} samples"))
    expected = {"sample_rate_hz of its provenance": told.get("sample_rate_hz")}
    if settings.sample_rate_hz != "mixed":
        expected[f"releases.{settings.name}.sample_rate_hz"] = settings.sample_rate_hz
    found += [("sample_rate", f"the audio has {rate} Hz, {name} is {hz} Hz") for name, hz in expected.items() if hz is not None and rate != hz]
    seconds = samples / rate
    if (said := told.get("duration_s")) is not None and abs(seconds - said) > _DURATION_TOLERANCE_S:
        found.append(("duration", f"the audio lasts {seconds:.3f} s, its provenance says {said:.3f} s"))
    if seconds > settings.max_duration_s:
        found.append(("duration", f"the audio lasts {seconds:.1f} s, at most {settings.max_duration_s:g} s are released"))
    stated = told.get("speech_sha256") or told.get("audio_sha256")
    if stated is not None and hashlib.sha256(audio).hexdigest() != stated:
        found.append(("audio_hash", "the audio is not the one of its provenance (sha256 differs)"))
    return found
