"""Weights are read, joined and verified, and no code of the packages runs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.settings import load
from stages.speech import weights
from stages.speech.settings import Weights

CONTENT = (b"first half, ", b"second half")


def _component(sha256: str | None = None, distribution: str = "some-weights") -> weights.Component:
    parts = tuple(weights.Part(distribution, f"some_weights_{n}", "data/part.bin") for n in (1, 2))
    return weights.Component("some", "MIT", "nobody", (weights.Asset("model.bin", sha256 or hashlib.sha256(b"".join(CONTENT)).hexdigest(), parts),))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two installed packages whose code must never run."""
    site = tmp_path / "site"
    for number, content in enumerate(CONTENT, 1):
        data = site / f"some_weights_{number}" / "data"
        data.mkdir(parents=True)
        (data / "part.bin").write_bytes(content)
        (data.parent / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(site))
    return site


def test_parts_are_joined_and_nothing_is_imported(packages: Path, tmp_path: Path) -> None:
    folder = weights.assemble(_component(), tmp_path / "weights")
    assert (folder / "model.bin").read_bytes() == b"".join(CONTENT)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert not [name for name in sys.modules if name.startswith("some_weights")]


def test_an_altered_package_is_refused_and_leaves_nothing(packages: Path, tmp_path: Path) -> None:
    (packages / "some_weights_2/data/part.bin").write_bytes(b"something else")
    with pytest.raises(UserError, match="sha256"):
        weights.assemble(_component(), tmp_path / "weights")
    assert list((tmp_path / "weights").iterdir()) == []


def test_an_absent_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The package absent-weights"):
        weights.assemble(_component(distribution="absent-weights"), tmp_path / "weights")


def test_a_damaged_copy_is_made_again(packages: Path, tmp_path: Path) -> None:
    folder = weights.assemble(_component(), tmp_path / "weights")
    (folder / "model.bin").write_bytes(b"half a fi")
    assert weights.assemble(_component(), tmp_path / "weights") == folder
    assert (folder / "model.bin").read_bytes() == b"".join(CONTENT)


def test_two_processes_may_assemble_at_once(packages: Path, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(packages)!r}); sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path; from tests.speech.test_weights import _component; from stages.speech import weights\n"
        f"print(weights.assemble(_component(), Path({str(tmp_path / 'weights')!r})))"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    folders = {one.communicate()[0].strip() for one in both}
    assert [one.returncode for one in both] == [0, 0]
    (folder,) = folders
    assert (Path(folder) / "model.bin").read_bytes() == b"".join(CONTENT)
    assert len(list((tmp_path / "weights").iterdir())) == 1


def test_a_folder_of_ones_own_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/model.bin").write_bytes(b"weights")
    mine = Weights(origin="folder", folder="mine")
    before = weights.revision(mine, _component(), tmp_path)
    assert weights.locate(mine, _component(), tmp_path) == tmp_path / "mine"
    (tmp_path / "mine/model.bin").write_bytes(b"other weights")
    assert weights.revision(mine, _component(), tmp_path) != before
    with pytest.raises(UserError, match="does not exist"):
        weights.locate(Weights(origin="folder", folder="yours"), _component(), tmp_path)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"origin": "hub", "repo_id": "a/b"}, "needs revision"),
        ({"origin": "hub", "repo_id": "a/b", "revision": "main"}, "revision"),
        ({"origin": "folder"}, "needs folder"),
        ({"orgin": "folder"}, "Did you mean 'origin'"),
    ],
)
def test_a_source_that_is_not_pinned_is_refused(values: dict[str, str], told: str) -> None:
    with pytest.raises(UserError, match=told):
        load(Weights, values, "tts.weights")


@pytest.mark.parametrize("component", [weights.KOKORO, weights.WHISPER_BASE])
def test_the_packages_of_the_lock_carry_the_pinned_models(component: weights.Component) -> None:
    folder = weights.assemble(component, ROOT / ".cache/weights")
    for asset in component.assets:
        assert hashlib.sha256((folder / asset.name).read_bytes()).hexdigest() == asset.sha256
