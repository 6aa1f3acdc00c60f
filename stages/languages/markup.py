"""Constraints on marks: detectable_content, most of detectable_format, the comma and the quotation marks.

placeholders   [name]: square brackets (also full-width) around something, on one line; at least so many.
postscript     the marker opens a line or a sentence, and something follows it (PPS is no PS).
bullets        lines that open with `* `, `-` or a bullet; the number is exact. A rule (-----), a highlight (*so*) and a negative
               number (-5 degrees) are no bullets.
highlights     *so* or **so**, not empty, on one line; at least so many. A multiplication (3 * 4 * 5) is none.
sections       the section word and a number; at least so many different numbers, so that a mention of section 1 in section 2 adds none.
title          <<so>> with something inside, on one line. 《》 cites works in East Asian texts, so it is no title here.
no_comma       none of , 、 ， and their like. The comma of 1,000 counts: it is a comma in every language, and 1000 can be written without.
quotation      the answer begins and ends with double quotation marks, “ ” or ", and has something between. ' ' and 「 」 are others.
"""

from __future__ import annotations

import re

from stages.languages.constraints import Kwargs, needed

PLACEHOLDERS, POSTSCRIPT = "detectable_content:number_placeholders", "detectable_content:postscript"
BULLETS, HIGHLIGHTS = "detectable_format:number_bullet_lists", "detectable_format:number_highlighted_sections"
SECTIONS, TITLE = "detectable_format:multiple_sections", "detectable_format:title"
COMMA, QUOTATION = "punctuation:no_comma", "startend:quotation"

_PLACEHOLDER = re.compile(r"\[[^\[\]\n]*[^\[\]\s][^\[\]\n]*\]|［[^［］\n]*[^［］\s][^［］\n]*］")
_BULLET = re.compile(r"^[ \t]*(?:\*[ \t]+\S|-(?![-\d])[ \t]*\S|[•‣◦▪●○][ \t]*\S)", re.MULTILINE)
_HIGHLIGHT = re.compile(r"\*\*(?=[^\s*])[^*\n]*?(?<=[^\s*])\*\*|(?<!\*)\*(?=[^\s*])[^*\n]*?(?<=[^\s*])\*(?!\*)")
_TITLE = re.compile(r"<<[^\n]*?[^\s<>][^\n]*?>>")
_COMMAS = re.compile("[,，、､﹐﹑،︐]")
_OPEN, _CLOSE = '"“”„‟＂', '"”“＂'


def placeholders(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return len(_PLACEHOLDER.findall(answer)) >= int(needed(kwargs, "num_placeholders", PLACEHOLDERS))


def postscript(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    marker = str(needed(kwargs, "postscript_marker", POSTSCRIPT)).strip()
    opened = rf"(?:^[ \t*_#>\"“]*|(?<=[.?!…]\s)[*_\"“]*){re.escape(marker)}(?=[\s\S]*\w)"
    return re.search(opened, answer, re.MULTILINE | re.IGNORECASE) is not None


def bullets(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return len(_BULLET.findall(answer)) == int(needed(kwargs, "num_bullets", BULLETS))


def highlights(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return len(_HIGHLIGHT.findall(answer)) >= int(needed(kwargs, "num_highlights", HIGHLIGHTS))


def sections(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    word = re.escape(str(needed(kwargs, "section_spliter", SECTIONS)).strip())
    found = set(map(int, re.findall(rf"(?<![\uac00-\ud7a3A-Za-z]){word}\s?(\d+)", answer, re.IGNORECASE)))
    return len(found) >= int(needed(kwargs, "num_sections", SECTIONS))


def title(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _TITLE.search(answer) is not None


def no_comma(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return _COMMAS.search(answer) is None


def quotation(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    answer = answer.strip()
    return len(answer) > 2 and answer[0] in _OPEN and answer[-1] in _CLOSE and bool(answer[1:-1].strip())
