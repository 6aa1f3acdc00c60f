"""The code that each DVC stage runs, as one fingerprint: `compose` writes data/code.json, every stage tracks its own key there.

A list of files in dvc.yaml, kept by hand, forgets one some day, and DVC rewrites all of dvc.lock after each stage, so that
hundreds of listed files cost a second a stage. What a module imports is read from its source, without running it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from stages.core.sources import Sources

PATH = Path("data/code.json")


def fingerprints(root: Path) -> dict[str, str]:
    """For each DVC stage that tracks its key of data/code.json, a hash of all files that its module can run."""
    reader = Sources(root)
    found = {}
    for name, step in pipeline(root).items():
        step = step.get("do", step)
        if any(isinstance(tracked, dict) and PATH.as_posix() in tracked for tracked in step.get("params", ())):
            found[name] = reader.fingerprint(reader.files(step["cmd"].split()[2]))
    return found


def pipeline(root: Path) -> dict[str, Any]:
    """The stages of all files that DVC reads: dvc.yaml and pipelines/*/dvc.yaml."""
    paths = [root / "dvc.yaml", *sorted(root.glob("pipelines/*/dvc.yaml"))]
    return {name: step for path in paths for name, step in yaml.safe_load(path.read_text(encoding="utf-8"))["stages"].items()}
