"""Names that the Hub takes for accounts and datasets (the rule of huggingface_hub's validate_repo_id, without its import)."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

HUB_NAME = "of letters, digits, '-', '_' and '.', beginning and ending with no '-' or '.', at most 96, without '--', '..' and a final '.git'"


def is_hub_name(name: str) -> bool:
    """Whether the Hub takes it as the name of an account or a dataset; it is a folder's name here, too."""
    shape = re.fullmatch(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?", name)
    return shape is not None and "--" not in name and ".." not in name and not name.endswith(".git")


def _hub_name(name: str) -> str:
    if not is_hub_name(name):
        raise ValueError(f"must be {HUB_NAME}")
    return name


HubName = Annotated[str, AfterValidator(_hub_name)]
