"""Prompt texts as data: Markdown files of a folder, with `{{name}}` where something is filled in.

Everything is filled in one pass, so that braces inside an item's text stay what they are. Item texts stand between tags that
carry a digest of the text itself, so that no item can close its own tag.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Prompts:
    folder: Path

    def text(self, name: str) -> str:
        """The prompt text `name`, without surrounding white space."""
        return (self.folder / f"{name}.md").read_text(encoding="utf-8").strip()

    def filled(self, name: str, **values: str) -> str:
        """The prompt text `name` with its places filled. Raises KeyError for a place without a value."""
        return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], self.text(name))


def fenced(content: str) -> str:
    """`content` between tags that it cannot contain."""
    tag = f"item-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    return f"<{tag}>\n{content}\n</{tag}>"
