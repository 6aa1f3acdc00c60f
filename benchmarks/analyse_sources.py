"""The deterministic part of the transfer on a whole mirror: every IFEval and BBH row is ingested and analysed without a model.

    python -m benchmarks.analyse_sources ../shared/mirror [SUBSET ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.ingest import SUBSETS
from stages.core import runner
from stages.core.files import Row, read_jsonl
from stages.core.paths import ROOT
from stages.ingest.stage import STAGE
from stages.languages import load
from stages.transfer.analyse import analyse, report
from stages.transfer.check import RULEBOOK
from stages.transfer.rules import read_rulebook


def ingested(mirror: Path, path: str, subset: str, released: str) -> list[Row]:
    """The rows of one source config, as the build has them."""
    form, special = SUBSETS[path]
    values = {"source": path.split("/")[0], "root": str(mirror), "path": path, "repo_id": "mirror", "revision": "local", "licence": "see mirror",
              "released_config": released, "format": form, **special}  # fmt: skip
    with tempfile.TemporaryDirectory() as out:
        runner.run_stage(STAGE, subset, values, Path(out))
        return [row for file in sorted(Path(out).rglob("rows.jsonl")) for row in read_jsonl(file)]


def main(mirror: Path, subsets: list[str]) -> None:
    book = read_rulebook(ROOT / RULEBOOK)
    language = load(book.language)
    for subset in subsets:
        path = next(known for known in SUBSETS if known.split("/")[-1] == subset)
        rows = ingested(mirror, path, subset, f"{subset}-test")
        begun = time.perf_counter()
        findings = [analyse(row, book, language) for row in rows]
        print(f"== {subset}: {time.perf_counter() - begun:.1f} s\n{report(findings)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:] or ["ifeval", "bbh"])
