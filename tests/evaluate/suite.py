"""The suite of conf/evaluation/paper.yaml as settings, for tests that build their own rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from stages.core import settings
from stages.core.paths import ROOT
from stages.evaluate.benchmarks import Suite
from tests.evaluate import world


@cache
def _described() -> dict[str, Any]:
    found = yaml.safe_load((ROOT / "conf/evaluation/paper.yaml").read_text(encoding="utf-8"))
    for benchmark in found["benchmarks"].values():
        if isinstance(benchmark["subsets"], str):
            benchmark["subsets"] = found[benchmark["subsets"].removeprefix("${evaluation.").removesuffix("}")]
    return dict(found["benchmarks"])


def values(*only: str, understanding: bool = True) -> dict[str, Any]:
    """The settings of a suite, of all benchmarks or of those named."""
    benchmarks = {name: about for name, about in _described().items() if not only or name in only}
    return {"benchmarks": benchmarks, "built": list(world.ENGLISH), "understanding": ["kmmau"] if understanding else []}


def suite(*only: str) -> Suite:
    return settings.load(Suite, values(*only), "evaluation")
