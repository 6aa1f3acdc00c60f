"""The languages that the build can carry a benchmark into. `load("ko")` imports only the package of that language."""

from __future__ import annotations

import importlib
import pkgutil

from stages.core.errors import UserError, nearest
from stages.languages.base import Candidate, Change, Decision, Entry, Language, Lexicon, Reading, Rulebook, Unsatisfiable, Unsure, Word

__all__ = [
    "Candidate",
    "Change",
    "Decision",
    "Entry",
    "Language",
    "Lexicon",
    "Reading",
    "Rulebook",
    "Unsatisfiable",
    "Unsure",
    "Word",
    "available",
    "load",
]


def available() -> list[str]:
    """Codes of the languages that have a package here."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(code: str, rulebook: str | None = None) -> Language:
    """The language `code`. `rulebook` is a path to its reading rules that replaces the language's own.

    Raises UserError for a language without a package.
    """
    known = available()
    if code not in known:
        raise UserError(f"There is no language {code!r} in stages/languages.{nearest(code, known)} Known languages: {', '.join(known)}.")
    language: Language = importlib.import_module(f"stages.languages.{code}").open_language(rulebook)
    return language
