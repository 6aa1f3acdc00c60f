"""English. `open_language` gives the object that the stages use (stages/languages/base.py)."""

from __future__ import annotations

from stages.languages.base import Language


def open_language(rulebook: str | None = None) -> Language:
    from stages.languages.en.language import English

    return English()
