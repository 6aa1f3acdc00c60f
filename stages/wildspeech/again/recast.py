"""Recast: the items of a finished subset, back to the words that are said, ready for other voices and for noise.

The rows are those that passed `validate` (kept with all their columns but those of their first voice), so a variant has the items and the
ids of the released subset and can be compared with it item by item. A variant is a config: conf/variant/<name>.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from stages.core import files
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Stage


class RecastSettings(Settings):
    subset: str
    """The finished subset."""
    limit: int | None = Field(default=None, ge=1)
    """Take the first rows only, for a trial."""


@dataclass(frozen=True)
class Finished:
    path: Path
    rows: list[Row]


def run(_: list[Row], settings: RecastSettings, finished: Finished) -> Outcome:
    from stages.core import schemas

    schemas.check(finished.rows, "Validated", str(finished.path))
    kept = schemas.columns("Normalized")
    rows = sorted(finished.rows, key=lambda row: row["id"])[: settings.limit]
    return Outcome([{name: row[name] for name in kept} for row in rows], report={"finished": len(finished.rows), "taken": len(rows)})


@contextmanager
def open_tools(settings: RecastSettings, context: Context) -> Iterator[Finished]:
    path = context.root / "data" / "validate" / settings.subset / "rows.jsonl"
    if not path.exists():
        raise UserError(
            f"The variant {context.subset} is made of {settings.subset!r}, which is not finished: {path} does not exist; name it in subsets."
        )
    yield Finished(path, files.read_jsonl(path))


STAGE = Stage("recast", run, RecastSettings, reads=None, input_schema=None, output_schema="Normalized", tools=open_tools, group="variants")

if __name__ == "__main__":
    main(STAGE)
