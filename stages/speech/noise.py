"""Noise clips: read, checked, brought to one rate, and drawn by declared weights.

Two layouts of a folder. `table`: noise.csv with the columns file, family, kind, source, author, licence. `esc50`: the layout of ESC-50
(audio/, meta/esc50.csv), whose fifty classes fall into five families of ten. Every clip keeps its licence: one that names none, and for
which the configuration names none, is refused, since what is mixed with it is published.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from stages.core.errors import UserError, nearest
from stages.core.files import read_table
from stages.core.settings import Settings

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

FAMILIES = ("animals", "natural", "human", "interior", "exterior")
"""The environmental families, in the order of ESC-50's classes."""
SPEECH = "speech"
"""The family of background speech."""
_TABLE = "noise.csv"
_COLUMNS = ("file", "family", "kind", "source", "author", "licence")
_WHAT = "the noise clips"
_ESC50 = "meta/esc50.csv"


class NoiseFolder(Settings):
    folder: str
    """Relative to the project, or absolute."""
    layout: Literal["table", "esc50"] = "table"
    licence: str | None = None
    """Of every clip that names none itself, such as CC-BY-NC-3.0 for ESC-50."""
    licences: str | None = None
    """For esc50: a CSV with the columns file (its last part is the clip's name), source, author, licence for clips of their own terms."""
    source: str | None = None
    """Of every clip that names none itself."""


class Families(Settings):
    """How often each family is drawn, as weights: how common it is in daily life. 0 leaves one out."""

    animals: float = Field(default=1.0, ge=0)
    natural: float = Field(default=1.0, ge=0)
    human: float = Field(default=1.0, ge=0)
    interior: float = Field(default=1.0, ge=0)
    exterior: float = Field(default=1.0, ge=0)

    @model_validator(mode="after")
    def _some(self) -> Families:
        if not sum(self.model_dump().values()):
            raise ValueError("every family has the weight 0, so that nothing can be drawn")
        return self


@dataclass(frozen=True)
class Clip:
    """A noise clip in the folder."""

    path: Path
    file: str
    """As the table names it."""
    family: str
    kind: str
    source: str
    author: str
    licence: str


@dataclass(frozen=True)
class Loaded:
    """A clip in memory: mono, at the library's rate, without the silence at its ends."""

    clip: Clip
    samples: Audio
    sha256: str
    """Of the file."""


class Library:
    """Clips by family. Read once; draws are a function of the seed's text alone."""

    def __init__(self, clips: list[Clip], sample_rate_hz: int) -> None:
        self.sample_rate_hz = sample_rate_hz
        self.by_family: dict[str, list[Clip]] = {}
        for clip in sorted(clips, key=lambda clip: (clip.family, clip.kind, clip.file)):
            self.by_family.setdefault(clip.family, []).append(clip)
        self._loaded: dict[Path, Loaded] = {}

    def require(self, family: str) -> None:
        """Raise UserError where no clip is of `family`, though it may be drawn."""
        if not self.by_family.get(family):
            known = ", ".join(f"{name} {len(clips)}" for name, clips in sorted(self.by_family.items())) or "none"
            raise UserError(
                f"No noise clip is of the family {family!r}, which perturb gives a weight (clips: {known}); add some, or set its weight to 0."
            )

    def draw(self, family: str, draw: random.Random) -> Clip:
        """A clip of `family`: each kind is as likely as another, whatever its number of clips."""
        self.require(family)
        kinds = sorted({clip.kind for clip in self.by_family[family]})
        kind = kinds[draw.randrange(len(kinds))]
        offered = [clip for clip in self.by_family[family] if clip.kind == kind]
        return offered[draw.randrange(len(offered))]

    def load(self, clip: Clip) -> Loaded:
        """Raises UserError, naming the file, for one that is no audio, or silent."""
        if clip.path not in self._loaded:
            self._loaded[clip.path] = _load(clip, self.sample_rate_hz)
        return self._loaded[clip.path]


def _load(clip: Clip, sample_rate_hz: int) -> Loaded:
    import numpy as np

    from stages.speech import audio

    try:
        data = clip.path.read_bytes()
        samples, rate = audio.decode(data)
    except OSError as error:
        raise UserError(f"The noise clip {clip.path} cannot be read ({error.strerror}); put it there, or take its line out.") from None
    except UserError as error:
        raise UserError(f"The noise clip {clip.path}: {error}") from None
    trimmed = audio.trim(audio.resample(samples, rate, sample_rate_hz), sample_rate_hz, below_db=50.0, keep_s=0.0) if len(samples) else samples
    if not len(trimmed):
        raise UserError(f"The noise clip {clip.path} is silent (nowhere above -60 dBFS, its channels mixed to one); take it out of the folder.")
    return Loaded(clip, np.ascontiguousarray(trimmed), hashlib.sha256(data).hexdigest())


def read(folders: list[NoiseFolder], root: Path) -> list[Clip]:
    """Every clip of the folders. Raises UserError naming file and line for a clip without licence, of no known family, or not there."""
    clips: list[Clip] = []
    for settings in folders:
        folder = (root / settings.folder).resolve()
        clips += _esc50(folder, settings, root) if settings.layout == "esc50" else _table(folder, settings)
    return clips


def _table(folder: Path, settings: NoiseFolder) -> list[Clip]:
    table = folder / _TABLE
    clips = []
    for number, line in read_table(table, _COLUMNS, _WHAT):
        where = f"{table} line {number}"
        known = (*FAMILIES, SPEECH)
        if line["family"] not in known:
            raise UserError(f"{where} has the family {line['family']!r}.{nearest(line['family'], known)} Known families: {', '.join(known)}.")
        clips.append(_clip(folder, line["file"], line["family"], line["kind"], line, settings, where))
    return clips


def _esc50(folder: Path, settings: NoiseFolder, root: Path) -> list[Clip]:
    own: dict[str, dict[str, str]] = {}
    if settings.licences:
        own = {Path(line["file"]).name: line for _, line in read_table(root / settings.licences, ("file", "licence"), "the licences of noise clips")}
    clips = []
    for number, line in read_table(folder / _ESC50, ("filename", "target", "category"), _WHAT):
        where = f"{folder / _ESC50} line {number}"
        if not line["target"].isdigit() or not 0 <= int(line["target"]) < 50:
            raise UserError(f"{where} has the target {line['target']!r}; ESC-50's classes are 0 to 49.")
        family = FAMILIES[int(line["target"]) // 10]
        clips.append(_clip(folder, f"audio/{line['filename']}", family, line["category"], own.get(line["filename"], {}), settings, where))
    return clips


def _clip(folder: Path, file: str, family: str, kind: str, about: dict[str, str], settings: NoiseFolder, where: str) -> Clip:
    path = (folder / file).resolve()
    if not path.is_relative_to(folder):
        raise UserError(f"{where} names {file!r}, which lies outside {folder}; noise clips lie in their folder.")
    licence = about.get("licence") or settings.licence
    if not licence:
        raise UserError(f"{where} ({file}) names no licence; write one there, or perturb.noise[].licence where the whole folder has the same.")
    return Clip(path, file, family, kind or family, about.get("source") or settings.source or file, about.get("author", ""), licence)


def weighted(weights: dict[str, float], draw: random.Random) -> str:
    """A key of `weights`, as likely as its share."""
    names = sorted(name for name, weight in weights.items() if weight > 0)
    return draw.choices(names, [weights[name] for name in names])[0]


def drawer(*seed: Any) -> random.Random:
    """A source of random numbers that depends on `seed` alone, not on the order of the items or who draws."""
    text = "\0".join(map(str, seed))
    return random.Random(hashlib.sha256(text.encode()).digest())
