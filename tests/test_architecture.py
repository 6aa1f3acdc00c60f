"""The rules of the house that a program can see: which way imports run, what a start may load, where Korean may stand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stages.core.paths import ROOT

MODULES = sorted(path for path in (ROOT / "stages").rglob("*.py"))
ROOMS = {"core": 0, "llm": 1, "speech": 1, "languages": 1}
"""Rank of the rooms that every stage stands on; a stage folder has rank 2."""
COMMANDS = {"compose", "errata", "explain", "stores", "summary"}
"""Modules directly in stages/: commands that look at the whole house."""
HEAVY = ["torch", "transformers", "datasets", "pandas", "pandera", "onnxruntime", "faster_whisper", "kiwipiepy", "scipy"]
HEAVY += ["hydra", "aiohttp", "openai"]


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith("stages.")}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_run_one_way(path: Path) -> None:
    parts = path.relative_to(ROOT / "stages").with_suffix("").parts
    room = parts[0]
    if room in COMMANDS or room == "__init__":
        return
    for name in _imports(path):
        other = name.split(".")[1]
        if other == room:
            continue
        if (room, other) == ("core", "compose"):
            continue  # the Hydra side of the one entry, loaded only for a sweep
        assert other in ROOMS, f"{_name(path)} imports {name}: no stage imports another stage"
        assert ROOMS[other] < ROOMS.get(room, 2) or (room, other) == ("speech", "languages"), f"{_name(path)} imports {name}: against the house"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_korean_stands_in_its_own_room(path: Path) -> None:
    if path.is_relative_to(ROOT / "stages/languages/ko"):
        return
    found = re.findall(r"[가-힣ㄱ-ㅎ]+", path.read_text(encoding="utf-8"))
    assert not found, f"{_name(path)} contains Korean: {found[:3]}"


@pytest.mark.parametrize("path", [path for path in MODULES if not path.is_relative_to(ROOT / "stages/languages/ko")], ids=_name)
def test_korean_is_reached_through_its_language_alone(path: Path) -> None:
    """Whoever names a module of stages/languages/ko would do so for every language: it goes through `stages.languages.load`."""
    named = sorted(name for name in _imports(path) if f"{name}.".startswith("stages.languages.ko."))
    assert not named, f"{_name(path)} imports {named}"


def test_importing_every_stage_loads_nothing_heavy() -> None:
    stages = yaml.safe_load((ROOT / "conf/config.yaml").read_text(encoding="utf-8"))["stages"].values()
    code = f"import sys; {'; '.join(f'import {name}' for name in stages)}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_no_file_is_longer_than_one_idea() -> None:
    long = {_name(path): lines for path in MODULES if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400}
    assert not long
