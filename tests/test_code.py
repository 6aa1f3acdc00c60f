"""Fingerprints of code: what a module can run, and nothing else, changes its fingerprint."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stages import code
from stages.core.paths import ROOT
from stages.core.sources import Sources


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    written = {
        "stages/__init__.py": "",
        "stages/core.py": "X = 1",
        "stages/correct.py": "from stages.core import X\ndef later():\n    import stages.tongues",
        "stages/speak.py": "import stages.core",
        "stages/tongues/__init__.py": "def load(code):\n    return __import__(f'stages.tongues.{code}')",
        "stages/tongues/ko/__init__.py": "",
        "stages/tongues/ko/words.txt": "one",
        "stages/tongues/prompt.md": "Ask.",
        "dvc.yaml": (
            "stages:\n"
            "  correct: {foreach: [a], do: {cmd: python -m stages.correct a, params: [{data/code.json: [correct]}]}}\n"
            "  speak: {cmd: python -m stages.speak, params: [{data/code.json: [speak]}, subsets]}\n"
            "  fetch: {cmd: curl}\n"
        ),
    }
    for name, text in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        ("stages/core.py", {"correct", "speak"}),
        ("stages/correct.py", {"correct"}),
        ("stages/tongues/prompt.md", {"correct"}),
        ("stages/tongues/ko/words.txt", {"correct"}),
        ("stages/tongues/ko/__init__.py", {"correct"}),
        ("stages/speak.py", {"speak"}),
    ],
)
def test_an_edit_changes_the_stages_that_can_run_it(tree: Path, edited: str, changed: set[str]) -> None:
    before = code.fingerprints(tree)
    assert set(before) == {"correct", "speak"}
    (tree / edited).write_text("# edited")
    after = code.fingerprints(tree)
    assert {name for name in before if before[name] != after[name]} == changed


def test_nothing_that_a_stage_loads_is_missed() -> None:
    """What a stage's import really loads, seen from outside, is among its files."""
    for module in ("stages.transfer.hypertranslate", "stages.transfer.synthesize", "stages.publish.validate", "stages.ingest.stage"):
        listing = f"import sys, {module}; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('stages') and m.__file__), sep='\\n')"
        loaded = subprocess.run([sys.executable, "-c", listing], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        assert {Path(name).relative_to(ROOT).as_posix() for name in loaded} <= set(Sources(ROOT).files(module))


def test_the_language_that_is_named_only_in_the_configuration_is_among_them() -> None:
    files = Sources(ROOT).files("stages.transfer.normalize")
    assert "stages/languages/ko/language.py" in files
    assert "stages/compose.py" not in files
