"""The smallest stages that ask a model, for the tests of plan and export."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from stages.core.files import Row
from stages.core.settings import Settings
from stages.llm import Request, Role
from tests.llm.server import Verdict


class CorrectSettings(Settings):
    enabled: bool
    reviewer: Role
    meta_reviewer: Role


STAGE = SimpleNamespace(name="correct", settings=CorrectSettings, reads="ingest", input_schema="Ingested")


def plan_requests(rows: list[Row], settings: CorrectSettings, root: Path) -> list[Request]:
    if not settings.enabled:
        return []
    return [Request(row["id"], settings.reviewer, ({"role": "user", "content": row["prompt"]},), Verdict) for row in rows]
