"""Prompt texts as data. English instructions only: what is said in the target language comes from the rulebook.

A text has `{{name}}` where something is filled in, all in one pass, so that braces inside an item's text stay what they are.
Item texts stand between tags that carry a digest of the text itself, so that no item can close its own tag.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def text(name: str) -> str:
    """The prompt text `name`, without surrounding white space."""
    return (_HERE / f"{name}.md").read_text(encoding="utf-8").strip()


def filled(name: str, **values: str) -> str:
    """The prompt text `name` with its places filled. Raises KeyError for a place without a value."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], text(name))


def fenced(content: str) -> str:
    """`content` between tags that it cannot contain."""
    tag = f"item-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    return f"<{tag}>\n{content}\n</{tag}>"
