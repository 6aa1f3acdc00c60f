"""Repositories, commits and content of the tests' Hub: content-addressed files on disk, refs in memory."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A file of a commit."""

    sha256: str
    size: int
    oid: str
    """Git's id: of the content, or of the pointer of a large file."""
    large: bool

    def described(self, path: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "path": path, "size": self.size, "oid": self.oid}
        return {**entry, "lfs": {"oid": self.sha256, "size": self.size, "pointerSize": 134}} if self.large else entry


@dataclass
class Commit:
    tree: dict[str, Entry]
    title: str
    description: str
    parent: str | None
    date: str


@dataclass
class Repository:
    private: bool
    gated: Any = False
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    """Tag to its message."""
    commits: dict[str, Commit] = field(default_factory=dict)

    def resolve(self, revision: str) -> str | None:
        name = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        found = self.branches.get(name) or self.tags.get(name) or name
        return found if found in self.commits else None

    def history(self, revision: str = "main") -> list[tuple[str, Commit]]:
        """Newest first."""
        found, at = [], self.resolve(revision)
        while at is not None:
            found.append((at, self.commits[at]))
            at = self.commits[at].parent
        return found


class Storage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.repositories: dict[str, Repository] = {}
        self.lock = threading.RLock()

    def has(self, sha256: str) -> bool:
        return (self.folder / sha256).exists()

    def keep(self, content: bytes) -> str:
        sha256 = hashlib.sha256(content).hexdigest()
        if not self.has(sha256):
            (self.folder / sha256).write_bytes(content)
        return sha256

    def content(self, sha256: str) -> bytes:
        return (self.folder / sha256).read_bytes()

    def create(self, name: str, private: bool) -> Repository:
        repository = self.repositories[name] = Repository(private)
        attributes = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
        entry = Entry(self.keep(attributes), len(attributes), git_id(attributes), False)
        self.commit(repository, "main", {".gitattributes": entry}, "initial commit", "")
        return repository

    def commit(self, repository: Repository, branch: str, tree: dict[str, Entry], title: str, description: str) -> str:
        parent = repository.branches.get(branch)
        facts = [parent, title, time.time_ns(), sorted((path, entry.oid) for path, entry in tree.items())]
        sha = hashlib.sha1(json.dumps(facts).encode()).hexdigest()
        repository.commits[sha] = Commit(tree, title, description, parent, time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()))
        repository.branches[branch] = sha
        return sha

    def small(self, content: bytes) -> Entry:
        return Entry(self.keep(content), len(content), git_id(content), False)

    def large(self, sha256: str) -> Entry:
        size = (self.folder / sha256).stat().st_size
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
        return Entry(sha256, size, git_id(pointer), True)
