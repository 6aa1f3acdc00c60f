"""Every stage of every chain can tell its part of an item's story."""

from __future__ import annotations

import importlib
from typing import Any

import polars as pl
import pytest

from stages import compose, explain
from stages.core import schemas
from stages.core.ledger import Item
from stages.core.paths import ROOT
from stages.core.stage import Stage


def stages() -> list[Stage]:
    config = compose.composed(compose.knobs(ROOT))
    groups = [config["stages"], *config["stages_of"].values()]
    return [importlib.import_module(module).STAGE for modules in groups for module in modules.values()]


def example(dtype: Any) -> Any:
    """A value of a polars dtype, every list with one value in it."""
    if isinstance(dtype, pl.List):
        return [example(dtype.inner)]
    if isinstance(dtype, pl.Struct):
        return {field.name: example(field.dtype) for field in dtype.fields}
    return "said" if dtype == pl.String else 1


@pytest.mark.parametrize("stage", stages(), ids=lambda stage: stage.name)
def test_a_row_of_every_stage_has_a_story(stage: Stage) -> None:
    row = {column: example(dtype) for column, dtype in schemas.columns(stage.output_schema).items()}
    [chapter] = explain.story(Item("a-0", "a", row, stage.name, order=(stage.name,)), [stage])
    assert chapter.title == stage.name
    assert chapter.lines


def test_the_rules_of_readings_aloud_are_told() -> None:
    [normalize] = [stage for stage in stages() if stage.name == "normalize"]
    row = {column: example(dtype) for column, dtype in schemas.columns("Normalized").items()}
    row["readings"] = [{**example(schemas.Change), "rule_id": "number.plain"}]
    [chapter] = explain.story(Item("a-0", "a", row, "normalize", order=("normalize",)), [normalize])
    assert chapter.rules == ["number.plain"]
