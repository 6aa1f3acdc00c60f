"""Prompt texts as data, in files beside the stage that asks.

A text has `{{name}}` where something is filled in, all in one pass, so that braces inside an item's text stay what they are.
Item texts stand between tags that carry a digest of the text itself, so that no item can close its own tag.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path


@cache
def text(folder: Path, name: str) -> str:
    """The prompt text `name`, without surrounding white space."""
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


def filled(folder: Path, name: str, **values: str) -> str:
    """The prompt text `name` with its places filled. Raises KeyError for a place without a value."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], text(folder, name))


def fenced(content: str) -> str:
    """`content` between tags that it cannot contain."""
    tag = f"item-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    return f"<{tag}>\n{content}\n</{tag}>"
