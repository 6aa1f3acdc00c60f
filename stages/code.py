"""The code that each DVC stage runs, as one fingerprint: `compose` writes data/code.json, every stage tracks its own key there.

A list of files in dvc.yaml, kept by hand, forgets one some day, and DVC rewrites all of dvc.lock after each stage, so that
hundreds of listed files cost a second a stage. What a module imports is read from its source, without running it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

PATH = Path("data/code.json")
PACKAGE = "stages"
OUTSIDE = {f"{PACKAGE}/compose.py"}
"""Loaded by core for a Hydra sweep only; what it writes is tracked as configuration."""


def fingerprints(root: Path) -> dict[str, str]:
    """For each DVC stage that tracks its key of data/code.json, a hash of all files that its module can run."""
    reader = _Reader(root)
    found = {}
    for name, step in pipeline(root).items():
        step = step.get("do", step)
        if any(isinstance(tracked, dict) and PATH.as_posix() in tracked for tracked in step.get("params", ())):
            found[name] = reader.fingerprint(step["cmd"].split()[2])
    return found


def pipeline(root: Path) -> dict[str, Any]:
    """The stages of all files that DVC reads: dvc.yaml and pipelines/*/dvc.yaml."""
    paths = [root / "dvc.yaml", *sorted(root.glob("pipelines/*/dvc.yaml"))]
    return {name: step for path in paths for name, step in yaml.safe_load(path.read_text(encoding="utf-8"))["stages"].items()}


def files_of(module: str, root: Path) -> list[str]:
    """The files, relative to `root`, that running `module` can load: what it imports, at any depth, and the data beside it."""
    return _Reader(root).files(module)


class _Reader:
    """Reads each file once, for any number of stages."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._uses: dict[str, list[str]] = {}
        self._hashes: dict[str, bytes] = {}

    def fingerprint(self, module: str) -> str:
        total = hashlib.sha256()
        for where in self.files(module):
            if where not in self._hashes:
                self._hashes[where] = hashlib.sha256((self._root / where).read_bytes()).digest()
            total.update(where.encode() + b"\0" + self._hashes[where])
        return total.hexdigest()[:16]

    def files(self, module: str) -> list[str]:
        found: set[str] = set()
        todo = [where for name in _with_parents(module) if (where := self._file(name))]
        while todo:
            where = todo.pop()
            if where in found or where in OUTSIDE:
                continue
            found.add(where)
            todo += self._used_by(where)
        beside = {path for where in found for path in (self._root / where).parent.glob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
        return sorted(found | {path.relative_to(self._root).as_posix() for path in beside})

    def _used_by(self, where: str) -> list[str]:
        if where not in self._uses:
            tree = ast.parse((self._root / where).read_bytes())
            self._uses[where] = [file for name in _imported(tree) if (file := self._file(name))] + [
                path.relative_to(self._root).as_posix() for folder in _folders(tree) for path in sorted((self._root / folder).rglob("*.py"))
            ]
        return self._uses[where]

    def _file(self, module: str) -> str | None:
        path = Path(*module.split("."))
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if (self._root / candidate).is_file():
                return candidate.as_posix()
        return None


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name for alias in node.names for name in _with_parents(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _with_parents(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _with_parents(module: str) -> Iterator[str]:
    """`a.b.c` runs the packages a and a.b too."""
    steps = module.split(".")
    if steps[0] == PACKAGE:
        yield from (".".join(steps[: n + 1]) for n in range(len(steps)))


def _folders(tree: ast.AST) -> Iterator[str]:
    """Folders whose modules are loaded by a name that is only known in the run, such as f"stages.languages.{code}"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            start = str(node.values[0].value)
            if start.startswith(f"{PACKAGE}.") and start.count(".") > 1:
                yield start.rpartition(".")[0].replace(".", "/")
