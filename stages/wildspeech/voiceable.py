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
    """Of all letters, or of all words, so many must be in these scripts; a word is in one when a letter of it is."""
    min_words: int = Field(3, ge=1)
    max_lines: int = Field(2, ge=1)
    """Lines with text. More is pasted text rather than something said."""


_SAID = "°℃℉№™®©"
"""Symbols that people say, or pass over."""


class Rule(NamedTuple):
    id: str
    pattern: re.Pattern[str]


def _rule(id: str, *patterns: str) -> Rule:
    return Rule(id, re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE))


_CALLS = (
    r"\b(?:print|printf|println|len|range|main|sizeof|malloc|input|int|str|if|for|while|switch|return|echo|require|alert)\([^()\n]*\)",
    r"\b[A-Za-z]{1,3}\((?!e?s\))[A-Za-z]\)",  # f(x), sin(x)
    r"\b[a-z_][A-Za-z0-9_]*\((?:\s*|[^()\s]*['\"\d=\[\].*][^()\n]*)\)",  # go(), go('a'), go(a[1])
    r"\b[A-Za-z_]\w*\.[a-z_]\w*\([^()\n]*\)",  # list.append(x)
    r"\b[a-z]+[A-Z][A-Za-z0-9]*\(",  # parseInt(
)
"""Calls. A gloss in parentheses is none, though nothing stands before it: 401(k), apple(s), and whatever Korean puts there."""
_DECLARED = (
    r"\bdef \w+\s*[(:]",
    r"^\s*class [A-Z]\w*\s*(?:\([\w., ]*\))?\s*[:{]",
    r"\bfunction\s+\w+\s*\(|\bfunction\s*\([\w, ]*\)\s*\{",
    r"\b(?:const|let|var)\s+\w+\s*=",
    r"\bimport\s+[\w.]+\s+as\s+(?!an?\b|my\b)[a-z]{2,3}\b|\bfrom\s+[\w.]+\s+import\b|#include\b",
    r"\bpublic\s+(?:static|class|void|int|string)\s+\w+\s*[({]|\bint\s+main\b",
)
"""Declarations, by their whole shape: sentences begin with let, class, from, import and public, too."""
RULES = (
    _rule("address", r"\b[\w.+-]+@[\w-]+\.\w+", r"@\w{2,}", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    _rule("url", r"\b(?:https?|ftp)://\S+", r"\bwww\.\S+", r"\b[\w-]+\.(?:com|org|net|edu|gov|io|dev|app|info|kr|uk|de|fr|jp|cn|ru)\b(?:/\S*)?"),
    _rule("placeholder", r"<[A-Z_]*ANONYMIZED[A-Z_]*>", r"\[[A-Z][A-Z_ ]{2,}\]", r"\{\{?[A-Za-z]\w*\}?\}"),
    _rule("path", r"\b[A-Za-z]:\\", r"(?:^|\s)~?/\w[\w.-]*/\S+", r"\b0x[0-9a-fA-F]+\b"),
    _rule("file", r"\b\w+\.(?:py|java|cpp|txt|csv|json|xml|html|exe|pdf|docx?|xlsx?)\b"),
    _rule(
        "code",
        r"```|`[^`]+`",
        *_CALLS,
        r"[{}]\s*$|[)\]}\"'];\s*$|=[^;=\n]*;\s*$|\{[^}]*[;=:][^}]*\}|\[\w+\]\s*=",
        r"==|!=|=>|->|<=|>=|\+=|&&|\|\||::|//|#[0-9a-fA-F]{6}\b",
        r"(?<!\w)\+\+|\b(?!c\+\+)[a-z_]\w*\+\+",  # i++; not C++, Notepad++
        *_DECLARED,
        r"\bselect\s+(?:\*|[\w, ]{1,60})\s+from\s+\w+\s+where\b|\bselect\s+\*",
        r"\bSELECT\b.+\bFROM\b",
        r"(?:^|\s)(?:--[a-z][\w-]*|-[a-zA-Z])(?=\s|=|$)",
        r"(?<!\\)\b[a-z]+(?:_[a-z0-9]+)+\b",
        r"[\[{(]\s*[\])}]|[\^$]\[|\\d|\]\{",
    ),
    _rule(
        "formula",
        r"\\[a-zA-Z]+",
        r"\$[^$\d][^$]*\$",
        r"\w\s*\^\s*[0-9A-Za-z({]",
        r"[∫∑√∂∞≤≥≠≈∈∀∃]",
        r"\b[a-z]\s*(?:=\s*\w|[+*/]\s*\d)|\d\s*[=*]\s*[\da-z]",
    ),
    _rule("table", r"\|[^|\n]*\|", r"\t.*\t", r"\w;\w+;\w", r"^\s*[-+=]{4,}\s*$"),
    _rule(
        "markup",
        r"</?[a-zA-Z][^<>]*>",
        r"&[a-z]+;|&#\d+;",
        r"^#{1,6} ",
        r"\*\*[^*]+\*\*|\*{4,}",
        r"!?\[[^\]]*\]\([^)]*\)",
        r"^\s*[-*•] .*\n\s*[-*•] ",
    ),
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
    own = {sign for sign in set(letters) if unicodedata.name(sign, "").startswith(tuple(settings.scripts))}
    n_own = sum(sign in own for sign in letters)
    words = [word for word in query.split() if any(map(str.isalpha, word))]
    of_words = sum(any(sign in own for sign in word) for word in words) / len(words)
    if max(n_own / len(letters), of_words) < settings.min_script_share:
        return "script", f"{n_own} of {len(letters)} letters are {' or '.join(settings.scripts)}"
    if odd := next((sign for sign in query if unicodedata.category(sign) in ("So", "Sk", "Cn", "Co", "Cs") and sign not in _SAID), None):
        return "symbol", f"{odd} ({unicodedata.name(odd, 'no name')})"
    return None
