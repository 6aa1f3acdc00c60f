"""A model's answer as plain text, for reading what it chose: one normal form, no thoughts, tags or markup. Language neutral."""

from __future__ import annotations

import re
import unicodedata


def _letter(code: int) -> str:
    """The letter of the keyboard that a conjoining Hangul letter is."""
    name = unicodedata.name(chr(code))
    return unicodedata.lookup(re.sub("CHOSEONG|JUNGSEONG|JONGSEONG", "LETTER", name))


_ALONE = str.maketrans({chr(code): _letter(code) for code in (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3))})
"""Conjoining letters that no syllable took up -> letters of the keyboard: NFKC makes the one of the other."""
_SIGNS = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "´": "'",
        "`": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "—": " - ",
        "–": "-",
        "−": "-",
        "、": ",",
        "。": ".",
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
        "【": "[",
        "】": "]",
        "〔": "(",
        "〕": ")",
        "\u00a0": " ",
        "\u200b": "",
        "\ufeff": "",
        "\u200c": "",
        "\u200d": "",
        "\u2060": "",
        "⁄": "/",
    }
)

_THOUGHTS = ("think", "thinking", "thought", "reasoning", "scratchpad")
_HEAD, _TAIL = 6_000, 10_000
"""Characters at either end of an answer that are read: more than 4,096 tokens. What stands in the middle of a longer one is not."""
_RUN = re.compile(r"([^\w\s])\1{3,}")
_GIVEN = re.compile(r"<(answer|final|final_answer|result|output)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mbox|operatorname)\s*\{([^{}]*)\}")
_TEX_MARKS = re.compile(r"\\[()\[\]]|\$+|\\[,;! ]|\\quad")
_TAG = re.compile(r"</?\|?[^\W\d][\w\- ]{0,30}\|?/?>|<\d>|<\|[^|<>]{1,30}\|>")
_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*{1,3}|_{2,3}|~~|`+")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+|[-•‣◦▪●○][ \t]+)", re.MULTILINE)
_BLANKS = re.compile(r"[ \t\f\v\r]+")

GIVEN = "\n⇒ "
"""Stands before what the answer itself marks as its result (a box, an answer tag)."""


def compatible(text: str) -> str:
    """`text` in NFKC with Hangul composed, lone letters as on the keyboard, quotes and dashes in their plain forms."""
    return unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_ALONE).translate(_SIGNS)


def clean(text: str) -> str:
    """`text` without thoughts, tags and markup. An unfinished thought is no answer."""
    text = compatible(text)
    text = _RUN.sub(r"\1\1\1", text)
    text = _spoken(text) if "<" in text else text
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if "<" in text:
        text = _GIVEN.sub(lambda found: f"{GIVEN}{found[2].strip()}\n", text)
        text = _TAG.sub(" ", text)
    if "\\" in text or "$" in text:
        text = _TEX.sub(r"\1", text)
        text = _BOXED.sub(lambda found: f"{GIVEN}{found[1].strip()}\n", text)
        text = _TEX.sub(r"\1", text)
        text = _TEX_MARKS.sub(" ", text)
    text = _FENCE.sub("", text)
    text = _EMPHASIS.sub("", text)
    text = _LINE_START.sub("", text)
    return _BLANKS.sub(" ", text).strip()


def _spoken(text: str) -> str:
    """What stands outside of thoughts: behind the last that ends, and before one that does not end."""
    lower = text.casefold() if len(text.casefold()) == len(text) else text
    for name in _THOUGHTS:
        end = lower.rfind(f"</{name}>")
        if end >= 0:
            begin = lower.find(f"<{name}>")
            head = text[:begin] if 0 < begin < end else ""
            text = f"{head} {text[end + len(name) + 3 :]}"
            lower = text.casefold() if len(text.casefold()) == len(text) else text
    begins = [place for name in _THOUGHTS if (place := lower.find(f"<{name}>")) >= 0]
    return text[: min(begins)] if begins else text
