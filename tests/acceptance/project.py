"""A copy of the project in a temporary folder, with its own data and stores, used from outside as a user would: by commands."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

from stages.core.paths import ROOT

PARTS = (
    "stages", "conf", "rulebooks", "data/sample", "data/decisions", "data/config.json", "params.yaml", "dvc.yaml", "pipelines", ".dvc/config",
    ".dvcignore", ".gitignore",
)  # fmt: skip
STAGES = {
    "ingest": "stages.ingest.stage",
    "correct": "stages.transfer.correct",
    "hypertranslate": "stages.transfer.hypertranslate",
    "normalize": "stages.transfer.normalize",
    "synthesize": "stages.transfer.synthesize",
    "validate": "stages.publish.validate",
}


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env: dict[str, str] = {}

    @classmethod
    def make(cls, folder: Path) -> Project:
        """A copy of this checkout's code, configuration and bundled sample."""
        for part in PARTS:
            source, target = ROOT / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("dvc.lock"))  # as dvc.lock itself: nothing is built yet
            else:
                shutil.copy2(source, target)
        return cls(folder)

    def copy(self, folder: Path) -> Project:
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    # files

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def path(self, name: str) -> Path:
        return self.folder / name

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def replace(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def knobs(self, **changes: Any) -> None:
        """Set knobs of params.yaml; a double underscore stands for a dot."""
        params = yaml.safe_load(self.path("params.yaml").read_text(encoding="utf-8"))
        params |= {key.replace("__", "."): value for key, value in changes.items()}
        self.write("params.yaml", yaml.safe_dump(params, allow_unicode=True))

    def only(self, *subsets: str) -> None:
        """Build no other subsets, and the release that they are in."""
        params = yaml.safe_load(self.path("params.yaml").read_text(encoding="utf-8"))
        self.knobs(subsets={name: params["subsets"][name] for name in subsets}, publish=["KVoiceBench"])

    def configure(self, change: Callable[[dict[str, Any]], Any]) -> None:
        """Change data/config.json in place, as `compose` would for other knobs."""
        config = orjson.loads(self.path("data/config.json").read_bytes())
        change(config)
        self.write("data/config.json", orjson.dumps(config))

    def rows(self, stage: str, subset: str, file: str = "rows") -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in self.path(f"data/{stage}/{subset}/{file}.jsonl").read_bytes().splitlines()]

    def report(self, stage: str, subset: str) -> dict[str, Any]:
        return dict(orjson.loads(self.path(f"data/reports/{stage}/{subset}.json").read_bytes()))

    def all_bytes(self) -> dict[str, bytes]:
        """Every file below data/ but the sample, by name: what a failed command must leave as it was."""
        found = (path for path in self.path("data").rglob("*") if path.is_file())
        return {name: path.read_bytes() for path in found if not (name := path.relative_to(self.folder).as_posix()).startswith("data/sample/")}

    # sources

    def parquet(self, subset: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]] | None], file: str | None = None) -> None:
        """Rewrite a subset's parquet file with the rows that `change` returns, or has changed in place, in the same types."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.source(subset) / file if file else min(self.source(subset).glob("*.parquet"))
        table = pq.read_table(path)
        rows = table.to_pylist()
        changed = change(rows)
        pq.write_table(pa.Table.from_pylist(rows if changed is None else changed, schema=table.schema), path)

    def csv(self, subset: str, change: Callable[[list[list[str]]], None]) -> None:
        """Rewrite a subset's CSV file after `change` of its cells, header first."""
        path = self.source(subset) / f"{subset}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            cells = list(csv.reader(lines))
        change(cells)
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(cells)

    def source(self, subset: str) -> Path:
        params = yaml.safe_load((ROOT / "conf/params/sample.yaml").read_text(encoding="utf-8"))
        return self.folder / params["raw"] / params["subsets"][subset]

    # commands

    def start(self, *arguments: str, cwd: Path | None = None, **options: Any) -> subprocess.Popen[str]:
        """`python -m <arguments>` in the project's folder, in a process group of its own."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("DVC_", "PYTEST_"))}
        env = inherited | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "BENCHFERRY_CACHE": str(self.cache),
            "DVC_NO_ANALYTICS": "1",
        }
        return subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=cwd or self.folder,
            env=env | self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )

    def run(self, *arguments: str, timeout_s: float = 120, **options: Any) -> Result:
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return Result(process.returncode, out, err)

    def stage(self, name: str, subset: str) -> Result:
        return self.run(STAGES[name], subset)

    def build(self, subset: str, *names: str) -> None:
        """Run stages that must succeed."""
        for name in names:
            result = self.stage(name, subset)
            assert result.code == 0, f"{name} {subset}: {result.err}"
