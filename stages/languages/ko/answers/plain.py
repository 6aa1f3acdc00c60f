"""A Korean answer as plain text: what every language's cleaning does, and circled labels in the form in which they are said."""

from __future__ import annotations

import re

from stages.languages import cleaning

_CIRCLED = re.compile("[①-⑳❶-❿➀-➉⑴-⒇]")
_VALUES = {char: str(place) for row in ("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", "❶❷❸❹❺❻❼❽❾❿", "➀➁➂➃➄➅➆➇➈➉", "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽") for place, char in enumerate(row, 1)}
_CIRCLED_SYLLABLE = {char: f"({syllable})" for char, syllable in zip("㉮㉯㉰㉱㉲㉳㉴㉵㉶㉷㉸㉹㉺㉻", "가나다라마바사아자차카타파하", strict=True)}

_DEGREES = re.compile(r"℃|°\s?C|(?<=\d)도씨")


def clean(text: str) -> str:
    """See stages.languages.cleaning.clean. ② is 2번, ㉡ is ㄴ, ㉯ is (나)."""
    text = _DEGREES.sub("도", text)
    text = _CIRCLED.sub(lambda found: f" {_VALUES.get(found[0], '')}번 ", text)
    for char, plain in _CIRCLED_SYLLABLE.items():
        text = text.replace(char, plain)
    return cleaning.clean(text)
