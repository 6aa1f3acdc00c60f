"""The prompt texts of WildSpeech (stages/llm/templates.py says how they are filled). English instructions for every language."""

from __future__ import annotations

from pathlib import Path

from stages.llm import templates
from stages.llm.templates import fenced

__all__ = ["fenced", "filled", "text"]

_HERE = Path(__file__).parent


def text(name: str) -> str:
    return templates.text(_HERE, name)


def filled(name: str, **values: str) -> str:
    return templates.filled(_HERE, name, **values)
