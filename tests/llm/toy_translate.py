"""A stage after toy_stage: it reads what that one writes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from stages.core.files import Row
from stages.core.settings import Settings
from stages.llm import Request, Role


class TranslateSettings(Settings):
    translator: Role


STAGE = SimpleNamespace(name="hypertranslate", settings=TranslateSettings, reads="correct", input_schema="Corrected")


def plan_requests(rows: list[Row], settings: TranslateSettings, root: Path) -> list[Request]:
    return [Request(row["id"], settings.translator, ({"role": "user", "content": f"{row['prompt']} {row['correction']}"},)) for row in rows]
