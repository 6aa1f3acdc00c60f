"""The files of a speech corpus, whether they lie in a folder or in archives, nested ones included.

Upstream packs zip files into tgz files and leaves the notes of macOS in them. Archives are unpacked into one folder of
ours, member by member: a name that leads out of it, a link, a device or a locked member is refused by name and the rest
goes on. An archive that is damaged or far larger than it may be stops the build: nobody knows what it should have held.
Names are compared in NFC, whatever form a file system or a packer gave them.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import shutil
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from stages.core.errors import UserError

ARCHIVES = (".tgz", ".tar.gz", ".tar", ".zip", ".tar.bz2", ".tar.xz")
MAX_DEPTH = 3
"""Archives in archives; upstream needs two."""
MAX_MEMBERS = 2_000_000
_BLOCK = 1 << 20
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError, NotImplementedError)


@dataclass(frozen=True)
class Found:
    """A file of the corpus."""

    path: Path
    place: str
    """`source` or `unpacked`: below which folder `name` is to be looked for."""
    name: str
    """Relative to that folder as the file system has it, with slashes."""


@dataclass(frozen=True)
class Refused:
    """A file or member that is not used, and why."""

    name: str
    reason: str
    detail: str


@dataclass
class Listing:
    folder: Path
    unpacked: Path
    files: dict[str, Found] = field(default_factory=dict)
    """By relative name in NFC."""
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, found: Found) -> None:
        key = nfc(found.name)
        if key in self.files:
            self.refused.append(Refused(found.name, "duplicate_name", f"another file is called {key} too; the first one is used"))
        else:
            self.files[key] = found

    def named(self, name: str) -> Found | None:
        """The one file called `name`; raises UserError when there are several."""
        found = [key for key in self.files if PurePosixPath(key).name == name]
        if len(found) > 1:
            raise UserError(f"{self.folder} holds {name} {len(found)} times ({', '.join(found[:3])}); leave one of them there.")
        return self.files[found[0]] if found else None

    def by_stem(self, suffixes: tuple[str, ...]) -> dict[str, list[tuple[str, Found]]]:
        """Stem to (relative name, file) of the files with one of `suffixes` (lower case)."""
        stems: dict[str, list[tuple[str, Found]]] = {}
        for key in sorted(self.files):
            if PurePosixPath(key).suffix.lower() in suffixes:
                stems.setdefault(PurePosixPath(key).stem, []).append((key, self.files[key]))
        return stems


def nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def list_corpus(source: Path, unpacked: Path, max_unpacked_bytes: int) -> Listing:
    """Every file at `source`, a folder or an archive. Archives are unpacked below `unpacked`, which is emptied first.

    An archive beside a folder of its own name is left closed: the folder is the archive, opened. Raises UserError when
    `source` is not there, and for an archive that is damaged, too deep or too large.
    """
    shutil.rmtree(unpacked, ignore_errors=True)
    if not source.exists():
        raise UserError(f"{source} does not exist; put the corpus there, as a folder or as the archives that upstream distributes.")
    listing = Listing(source if source.is_dir() else source.parent, unpacked)
    budget = _Budget(max_unpacked_bytes)
    if not source.is_dir():
        _unpack(source, listing, budget, 1)
        return listing
    for path in _walk(source, listing):
        name = path.relative_to(source).as_posix()
        stem = _archive_stem(name)
        if stem is None:
            listing.add(Found(path, "source", name))
        elif (source / stem).is_dir():
            listing.notes.append(f"{nfc(name)} stays closed, the folder {nfc(stem)} is there")
        else:
            _unpack(path, listing, budget, 1)
    return listing


def junk(name: str) -> bool:
    """Whether a file is a note of an operating system or a hidden file, never data."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or any(part.startswith(".") and part != ".." for part in parts) or parts[-1:] in [("Thumbs.db",), ("desktop.ini",)]


def _walk(source: Path, listing: Listing) -> Iterator[Path]:
    """Regular files in order of their names; what is none, a link that leads out of `source` or nowhere, and a name that is no text are refused."""
    inside = source.resolve()
    for folder, folders, names in os.walk(source, onerror=_stop):
        folders[:] = sorted(name for name in folders if not junk(name))
        for name in list(folders):
            if (Path(folder) / name).is_symlink():
                folders.remove(name)
                names.append(name)
        for name in sorted(names):
            path = Path(folder) / name
            relative = path.relative_to(source).as_posix()
            if junk(relative):
                continue
            if not _is_text(relative):
                listing.refused.append(Refused(_shown(relative), "name_not_text", "its name is not UTF-8; rename it"))
            elif path.is_symlink() and not (path.is_file() and Path(os.path.realpath(path)).is_relative_to(inside)):
                listing.refused.append(Refused(relative, "link", f"it is a link to {_shown(os.readlink(path))}; put the file itself there"))
            elif not path.is_file():
                listing.refused.append(Refused(relative, "no_file", "it is a pipe, a socket or a device; take it away"))
            else:
                yield path


def _is_text(name: str) -> bool:
    """False for a name whose bytes are not UTF-8: Python then keeps them as halves of characters, which no row can hold."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")


def _stop(error: OSError) -> None:
    raise UserError(f"The folder {error.filename} cannot be read ({error.strerror}); let it be read, or take it out of the corpus.")


def _archive_stem(name: str) -> str | None:
    for suffix in sorted(ARCHIVES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return None


@dataclass
class _Budget:
    bytes: int
    members: int = MAX_MEMBERS


def _unpack(path: Path, listing: Listing, budget: _Budget, depth: int, prefix: str = "") -> None:
    """Unpack `path` into a folder named after it; archives inside are unpacked too and removed."""
    shown = prefix or path.name
    if depth > MAX_DEPTH:
        raise UserError(f"{shown} is an archive inside {MAX_DEPTH} others; unpack it by hand.")
    stem = _archive_stem(path.name) or path.name
    folder = (path.parent if prefix else listing.unpacked) / stem
    try:
        members = _zip(path) if _magic(path).startswith(b"PK") else _tar(path)
        for member, problem, stream in members:
            budget.members -= 1
            if budget.members < 0:
                raise UserError(f"{shown} has more than {MAX_MEMBERS} members; it is no corpus of speech.")
            if junk(member):
                continue
            target = folder / nfc(member)
            problem = problem or _unsafe(member) or _no_place(target, f"{shown}/{member}")
            if problem or stream is None:
                listing.refused.append(Refused(f"{shown}/{member}", "unsafe_member", problem or "it is no regular file"))
                continue
            _write(stream, target, budget, f"{shown}/{member}")
            if _archive_stem(target.name) is not None:
                _unpack(target, listing, budget, depth + 1, f"{shown}/{member}")
                target.unlink()
            else:
                listing.add(Found(target, "unpacked", target.relative_to(listing.unpacked).as_posix()))
    except _DAMAGE as error:
        raise UserError(f"The archive {shown} is damaged or cut off ({str(error).rstrip('.') or type(error).__name__}); fetch it again.") from None


def _unsafe(name: str) -> str | None:
    plain = PurePosixPath(name), PureWindowsPath(name)
    if not name.strip() or "\0" in name:
        return "its name is empty"
    if any(part.is_absolute() or part.drive for part in plain):
        return "its name is an absolute path"
    if any(".." in part.parts for part in plain):
        return "its name leads out of the archive by .."
    return None


def _no_place(target: Path, shown: str) -> str | None:
    """Why a member cannot be written to `target`, whose folder is made."""
    try:
        if target.exists():
            return "it comes twice in the archive; the first one is used"
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTDIR):
            return "an earlier member is a file by the name of its folder"
        if error.errno == errno.ENAMETOOLONG:
            return "its name is longer than a file's name may be"
        raise UserError(f"{shown} cannot be unpacked to {target} ({error.strerror}); free some space and run again.") from None
    return None


def _zip(path: Path) -> Iterator[tuple[str, str | None, IO[bytes] | None]]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            name = _zip_name(info)
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                yield name, "it is a link", None
            elif info.flag_bits & 1:
                yield name, "it is locked by a password", None
            elif _unsafe(name) or junk(name):
                yield name, _unsafe(name), None
            else:
                with archive.open(info) as stream:
                    yield name, None, stream


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The member's name as its packer meant it: names without the UTF-8 flag are often UTF-8 or CP949 all the same."""
    if info.flag_bits & 0x800 or info.orig_filename.isascii():
        return info.orig_filename
    raw = info.orig_filename.encode("cp437", errors="replace")
    for encoding in ("utf-8", "cp949"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.orig_filename


def _tar_name(name: str) -> str:
    """The member's name, whose bytes may be CP949."""
    if _is_text(name):
        return name
    try:
        return os.fsencode(name).decode("cp949")
    except UnicodeDecodeError:
        return _shown(name)


def _magic(path: Path) -> bytes:
    with path.open("rb") as data:
        return data.read(6)


def _tar(path: Path) -> Iterator[tuple[str, str | None, IO[bytes] | None]]:
    """Decompressed to its end, so that the checksum of what was compressed is checked; tarfile alone stops at what it cannot read."""
    opener = next((opener for magic, opener in _OPENERS.items() if _magic(path).startswith(magic)), open)
    with opener(path, "rb") as data, tarfile.open(fileobj=data, mode="r|") as archive:
        for info in archive:
            if info.isdir():
                continue
            name = _tar_name(info.name)
            if info.issym() or info.islnk():
                yield name, f"it is a link to {_tar_name(info.linkname)}", None
            elif not info.isfile():
                yield name, "it is a device, not a file", None
            elif not _is_text(info.name) and name == _shown(info.name):
                yield name, "its name is neither UTF-8 nor CP949", None
            else:
                yield name, None, archive.extractfile(info)
        while block := data.read(_BLOCK):
            if block.strip(b"\0"):
                raise tarfile.ReadError("what follows its last member is no padding")
        if opener is open:
            data.seek(-512, os.SEEK_END)
            if data.read().strip(b"\0"):
                raise tarfile.ReadError("it does not end in padding")


_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


def _write(stream: IO[bytes], target: Path, budget: _Budget, shown: str) -> None:
    try:
        out = target.open("xb")
    except OSError as error:
        raise UserError(f"{shown} cannot be unpacked to {target} ({error.strerror}); free some space or correct its name.") from None
    with out:
        while block := stream.read(_BLOCK):
            budget.bytes -= len(block)
            if budget.bytes < 0:
                raise UserError(f"{shown} unpacks to more than max_unpacked_bytes allows; raise it in conf/corpus/ if the corpus is so large.")
            try:
                out.write(block)
            except OSError as error:
                raise UserError(f"{shown} cannot be unpacked to {target} ({error.strerror}); free some space and run again.") from None
