"""What no voice can say: code, tables, addresses, markup, formulas, and texts in another script (paper 2506.21875 §2.1.1).

Each rule is a pattern with a name; the first that fits decides, and what it fitted is shown to people. The rules look at the
form of a text alone, so they hold for every language; the scripts of a language and its least number of words are config.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from pydantic import Field

from stages.core.settings import Settings


class VoiceSettings(Settings):
    scripts: list[str] = Field(min_length=1)
    """Beginnings of the Unicode names of the language's letters: LATIN, HANGUL, ..."""
    min_script_share: float = Field(0.7, ge=0, le=1)
    """Of all letters, so many must be in these scripts."""
    min_words: int = Field(3, ge=1)
    max_lines: int = Field(2, ge=1)
    """Lines with text. More is pasted text rather than something said."""


class Rule(NamedTuple):
    id: str
    pattern: re.Pattern[str]


def _rule(id: str, *patterns: str) -> Rule:
    return Rule(id, re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE))


RULES = (
    _rule("address", r"\b[\w.+-]+@[\w-]+\.\w+", r"@\w{2,}"),
    _rule("url", r"\b(?:https?|ftp)://\S+", r"\bwww\.\S+", r"\b[\w-]+\.(?:com|org|net|edu|gov|io|dev|app|info|kr|uk|de|fr|jp|cn|ru)\b(?:/\S*)?"),
    _rule("placeholder", r"<[A-Z_]*ANONYMIZED[A-Z_]*>", r"\[[A-Z][A-Z_ ]{2,}\]", r"\{\{?[A-Za-z]\w*\}?\}"),
    _rule("path", r"\b[A-Za-z]:\\", r"(?:^|\s)~?/\w[\w.-]*/\S+", r"\b0x[0-9a-fA-F]+\b"),
    _rule("file", r"\b\w+\.(?:py|java|cpp|txt|csv|json|xml|html|exe|pdf|docx?|xlsx?)\b"),
    _rule(
        "code",
        r"```|`[^`]+`",
        r"\b\w+\((?!e?s\))[^()\s]*\)\s*[{;:]?",  # f(x), print('hi'), for(...); not apple(s)
        r"[{};]\s*$|\{[^}]*[;=:][^}]*\}|\[\w+\]\s*=",
        r"==|!=|=>|->|<=|>=|\+=|&&|\|\||::|\+\+|//",
        r"^\s*(?:def|class|import|from|function|const|let|var|public|#include)\b.*[(:;<{=]",
        r"\bSELECT\b.+\bFROM\b",
        r"(?:^|\s)(?:--[a-z][\w-]*|-[a-zA-Z])(?=\s|=|$)",
        r"(?<!\\)\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w*\(",
        r"[\[{(]\s*[\])}]|[\^$]\[|\\d|\]\{",
    ),
    _rule("formula", r"\\[a-zA-Z]+", r"\$[^$\d][^$]*\$", r"\w\s*\^\s*[\w({]", r"[∫∑√∂∞≤≥≠≈∈∀∃]", r"\b[a-z]\s*[=+*/]\s*\d|\d\s*[=*]\s*[\da-z]"),
    _rule("table", r"\|[^|\n]*\|", r"\t.*\t", r"^\s*[-+=]{4,}\s*$"),
    _rule("markup", r"</?[a-zA-Z][^<>]*>", r"&[a-z]+;|&#\d+;", r"^#{1,6} ", r"\*\*[^*]+\*\*", r"!?\[[^\]]*\]\([^)]*\)", r"^\s*[-*•] .*\n\s*[-*•] "),
    _rule("digits", r"\d{7,}"),
)
"""In order of precedence."""


def problem(query: str, n_words: int, settings: VoiceSettings) -> tuple[str, str] | None:
    """(rule, what was seen) for a query that cannot be voiced, or None. `query` is NFC and stripped."""
    lines = sum(bool(line.strip()) for line in query.splitlines())
    for rule in RULES:
        if found := rule.pattern.search(query):
            return rule.id, found[0].strip()[:60]
    if lines > settings.max_lines:
        return "lines", f"{lines} lines"
    if (other := _other_script(query, settings)) is not None:
        return other
    return ("too_short", query) if n_words < settings.min_words else None


def _other_script(query: str, settings: VoiceSettings) -> tuple[str, str] | None:
    if query.isascii() and "LATIN" in settings.scripts:
        return None if any(map(str.isalpha, query)) else ("no_letters", query[:60])
    letters = [sign for sign in query if unicodedata.category(sign)[0] == "L"]
    if not letters:
        return "no_letters", query[:60]
    own = sum(unicodedata.name(sign, "").startswith(tuple(settings.scripts)) for sign in letters)
    if own < settings.min_script_share * len(letters):
        return "script", f"{own} of {len(letters)} letters are {' or '.join(settings.scripts)}"
    if odd := next((sign for sign in query if unicodedata.category(sign) in ("So", "Sk", "Cn", "Co", "Cs")), None):
        return "symbol", f"{odd} ({unicodedata.name(odd, 'no name')})"
    return None
