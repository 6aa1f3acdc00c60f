"""Imported human recordings: for items that no synthesizer is trusted with, or for any other.

A folder with recordings.csv, one line a clip: id (of the row), file, speaker, gender, age, licence. The consent that a licence stands
for is the importer's to have; a line without a licence is refused, because what is recorded is published.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stages.core.errors import UserError
from stages.core.files import read_table
from stages.speech.store import key_of

if TYPE_CHECKING:
    from stages.speech.audio import Measures
    from stages.speech.protocols import Audio
    from stages.speech.studio import Studio

TABLE = "recordings.csv"
_COLUMNS = ("id", "file", "speaker", "gender", "age", "licence")


@dataclass(frozen=True)
class Recording:
    id: str
    path: Path
    speaker: str
    gender: str
    age: str | None
    licence: str

    def read(self) -> tuple[Audio, int]:
        """Mono samples and their rate. Raises UserError for a file that is absent or no sound file."""
        from stages.speech import audio

        try:
            return audio.decode(self.path.read_bytes())
        except OSError as error:
            raise UserError(
                f"The recording {self.path} of item {self.id} cannot be read ({error.strerror}); put it there, or take its line out."
            ) from None
        except UserError as error:
            raise UserError(f"The recording {self.path} of item {self.id}: {error}") from None


@dataclass(frozen=True)
class Imported:
    """A recording at the build's rate and level, in the store under `key`, and what the recognizer heard."""

    key: str
    sha256: str
    duration_s: float
    loudness_lufs: float
    measures: Measures
    transcript: str


def load(folder: Path | None) -> dict[str, Recording]:
    """Row id to recording. Raises UserError, naming file and line, for a table that is not as the module says."""
    if folder is None:
        return {}
    table = folder / TABLE
    found: dict[str, Recording] = {}
    for number, line in read_table(table, _COLUMNS, "the recordings"):
        where = f"{table} line {number}"
        if not line["licence"]:
            raise UserError(f"{where} ({line['file']}) names no licence; a recording without one cannot be published.")
        if line["gender"] not in ("female", "male"):
            raise UserError(f"{where} has the gender {line['gender']!r}; write female or male.")
        if line["id"] in found:
            raise UserError(f"{where} gives item {line['id']} a second recording; keep one.")
        path = (folder / line["file"]).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UserError(f"{where} names {line['file']!r}, which lies outside {folder}; recordings lie in their folder.")
        found[line["id"]] = Recording(line["id"], path, line["speaker"], line["gender"], line["age"] or None, line["licence"])
    return found


def take_in(recording: Recording, rate: int, loudness_lufs: float, ceiling_dbtp: float, studio: Studio) -> Imported:
    """Trim, resample to `rate`, level and hear one recording. Nothing else is changed in it."""
    from stages.speech import audio

    samples, own_rate = recording.read()
    samples = audio.trim(audio.resample(samples, own_rate, rate), rate)
    levelled, reached = audio.normalize(samples, rate, loudness_lufs, ceiling_dbtp)
    measures = audio.measure(levelled, rate)
    if not measures.duration_s:
        raise UserError(f"The recording {recording.path} of item {recording.id} is silent; record it again, or take its line out.")
    flac = audio.encode_flac(levelled, rate)
    request = {"recording_sha256": hashlib.sha256(flac).hexdigest(), "loudness_lufs": loudness_lufs}
    stored = studio.store.put_joined(request, flac, measures.duration_s, round(reached, 2))
    heard = studio.hear(stored.sha256, lambda: flac).text
    return Imported(key_of(request), stored.sha256, stored.duration_s, stored.loudness_lufs, measures, heard)
