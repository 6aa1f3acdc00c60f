"""Which files of the project a module can run, read from what it imports, without running it.

A list kept by hand forgets a file some day; this one cannot, but for a module whose name is only known in the run. Those are found by
their folder where the name is an f-string such as f"stages.languages.{code}".
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = "stages"
OUTSIDE = {f"{PACKAGE}/compose.py"}
"""Loaded by core for a Hydra sweep only; what it writes is tracked as configuration."""


class Sources:
    """Reads each file below `root` once, for any number of questions. Paths are relative to it, in order."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._uses: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}
        self._trees: dict[str, ast.AST] = {}
        self._hashes: dict[str, bytes] = {}

    def fingerprint(self, files: Iterable[str]) -> str:
        """Hash of the names and the content of `files`."""
        total = hashlib.sha256()
        for where in files:
            if where not in self._hashes:
                self._hashes[where] = hashlib.sha256((self._root / where).read_bytes()).digest()
            total.update(where.encode() + b"\0" + self._hashes[where])
        return total.hexdigest()[:16]

    def files(self, module: str) -> list[str]:
        """All that running `module` can load: what it imports, at any depth, packages on the way, and the data beside it."""
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

    def named(self, modules: Iterable[str]) -> list[str]:
        """`modules` and what they import by name, at any depth: neither the packages on the way, nor what is loaded by a name made in the run."""
        found: set[str] = set()
        todo = list(modules)
        while todo:
            where = self._file(todo.pop())
            if where is not None and where not in found and where not in OUTSIDE:
                found.add(where)
                todo += self._names_in(where)
        return sorted(found)

    def _names_in(self, where: str) -> list[str]:
        if where not in self._names:
            self._names[where] = [
                name
                for module, parts in _named(self._tree(where))
                for name in ([f"{module}.{part}" if self._file(f"{module}.{part}") else module for part in parts] or [module])
            ]
        return self._names[where]

    def _tree(self, where: str) -> ast.AST:
        if where not in self._trees:
            self._trees[where] = ast.parse((self._root / where).read_bytes())
        return self._trees[where]

    def _used_by(self, where: str) -> list[str]:
        if where not in self._uses:
            tree = self._tree(where)
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
    for module, parts in _named(tree):
        yield from _with_parents(module)
        yield from (f"{module}.{part}" for part in parts)


def _named(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """(module, names taken from it) of every import; no names for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]


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
