"""Settings of the desk: conf/review/desk.yaml, overridden by `key=value` on the command line."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from stages.core import settings
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.settings import Settings

FILE = Path("conf/review/desk.yaml")


class DeskSettings(Settings):
    host: str
    """The address to listen on. Anything but loopback asks everyone for the token."""
    port: Annotated[int, Field(ge=0, le=65535)]
    """0 takes a free one."""
    allowed_hosts: list[str] = Field(default_factory=list)
    """Names by which the desk may be called, besides localhost, this machine's name and plain addresses."""
    token_env: str
    """The environment variable with the token; where it is unset, a token is made at every start."""
    language: Annotated[str, Field(pattern="^(en|ko)$")]
    """The interface's language until a reviewer chooses."""
    pairs: list[tuple[str, str]]
    """(column before, column after): where an entry has both, the second is shown with its changes marked."""
    counterparts: list[tuple[str, str]]
    """(source column, target column) whose numbers must be the same; one without its counterpart is marked."""
    order: list[str]
    """Columns in the order to be read; others follow by name. `option` stands for option_1, option_2, …"""
    fixed: list[str]
    """Target columns that are shown but not offered for editing."""
    poll_s: Annotated[float, Field(gt=0)]
    """How often a window looks for other windows' and other reviewers' verdicts."""
    clip_cache_mib: Annotated[int, Field(ge=1)]
    """Audio kept in memory."""
    root: str = ""
    """The folder that holds data/ and rulebooks/; empty means the project's."""

    @property
    def folder(self) -> Path:
        return Path(self.root).resolve() if self.root else ROOT

    @property
    def loopback(self) -> bool:
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def load(overrides: list[str]) -> DeskSettings:
    """The file's values, then `overrides` (`key=value`, the value as YAML). Raises UserError for a key or value that is wrong."""
    import yaml

    values: dict[str, Any] = yaml.safe_load((ROOT / FILE).read_text(encoding="utf-8"))
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise UserError(f"{override!r} is neither a command nor key=value; `python -m stages.review.desk --help` lists both.")
        values[key] = yaml.safe_load(value)
    return settings.load(DeskSettings, values, "review.desk")
