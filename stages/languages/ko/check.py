"""What must hold for a text that goes to a voice. Source: paper 2605.27984, section 3.1.3 (validation checks of the rulebook)."""

from __future__ import annotations

import re
import unicodedata

from stages.languages.ko.reader import PAUSES

_PLAIN = re.compile(rf"[가-힣A-Za-zÀ-ÖØ-öø-ɏ\s{re.escape(PAUSES)}-]*")
_SHOWN = 5


def check_spoken(text: str, protected: list[str] | tuple[str, ...] = ()) -> list[str]:
    """The failed checks as `check: detail`.

    digit: a numeral of any script is left. letter: a lone Hangul letter. script: a character of another script than
    Hangul and Latin. symbol: a sign that is no pause. empty: nothing can be said. name: a protected string is gone.
    """
    failures = []
    if not any(char.isalnum() for char in text):
        failures.append("empty: there is nothing to say")
    if not _PLAIN.fullmatch(text):
        found: dict[str, list[str]] = {}
        for char in text:
            if not _PLAIN.fullmatch(char):
                found.setdefault(_kind(char), []).append(char)
        for kind, chars in sorted(found.items()):
            unique = sorted(set(chars))
            failures.append(f"{kind}: {' '.join(f'{char!r}' for char in unique[:_SHOWN])}{' and more' if len(unique) > _SHOWN else ''}")
    failures += [f"name: {name!r} is not in the spoken text" for name in protected if name not in text]
    return failures


def _kind(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "N":
        return "digit"
    if "ㄱ" <= char <= "ㆎ" or "\u1100" <= char <= "\u11ff":
        return "letter"
    return "script" if category[0] in "LM" else "symbol"
