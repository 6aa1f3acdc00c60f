"""Signs: silent where they are markup or decoration, named where a text talks about them, words where they stand for words."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from stages.languages.ko import numerals, particles
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader, Scan

_WEAK_PARTICLE = re.compile(r"(?:이|가|은|는|의|도|만|나|와|과|에|인|일|며)[ ]")
"""Also whole words (이 책, 가 나 다), so that a run of asterisks before them may be markup."""
_COUNTS = ("", "", "두 개", "세 개", "네 개", "다섯 개", "여섯 개", "일곱 개", "여덟 개", "아홉 개", "열 개")


def special_value(text: str) -> int:
    """The number that ①, Ⅳ, ⑴, ➂ or an ASCII Roman numeral stands for."""
    if text.isascii():
        return numerals.roman(text.upper())
    if len(text) > 1 and all(0x2160 <= ord(char) <= 0x217F for char in text):
        return numerals.roman(unicodedata.normalize("NFKC", text).upper())
    value = unicodedata.numeric(text[0], 0.0)
    return int(value)


def special_sino(text: str, reader: Reader) -> str:
    return numerals.sino(special_value(text))


def lexical(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """Numbers that have become names: 63빌딩, 88올림픽, 386세대."""
    said = scan.reader.book["lexical"].get(match[0])
    return Hit(match.start(), match.end(), said, "") if said else None


def name_of(run: str, reader: Reader) -> str:
    """`***` is 별표 세 개; signs that differ are named one by one."""
    names = []
    for same in re.finditer(r"(.)\1*", run):
        entry = reader.symbols.get(same[1])
        name = entry["name"] if entry else ""
        if not name:
            continue
        count = len(same[0])
        names.append(name if count == 1 else f"{name} {_COUNTS[count] if count < len(_COUNTS) else numerals.sino(count) + ' 개'}")
    return " ".join(names)


def mention(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A sign that the text talks about: in quotes of its own, before a particle, or beside a word such as 기호."""
    run = match["run"]
    if run[0] in "*_~" and _WEAK_PARTICLE.match(text, match.end()):
        line = text[match.end() : match.end() + 80].partition("\n")[0]
        if re.search(rf"[가-힣\w.!?]{re.escape(run)}(?!{re.escape(run[0])})", line):
            return None
    said = name_of(run, scan.reader)
    return Hit(match.start(), match.end(), said, "") if said else None


def bracketed(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`(*)`: left out after its own name, else the name in the brackets."""
    said = name_of(match["run"], scan.reader)
    if not said:
        return None
    start = match.start() - 1
    if text[max(0, start - 16) : start].rstrip().endswith(said.split()[0]):
        return Hit(start, match.end(), "", "", joins=True)
    return Hit(match.start(), match.end() - 1, said, "")


def symbol(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A single sign by its entry in the rulebook: a word, or silence."""
    char = match[0]
    if char in ".,":
        return None
    entry = scan.reader.symbols.get(char)
    if entry is None:
        if unicodedata.category(char)[0] in "SPMC":
            return silent(text, match.start(), match.end(), "symbol.silent")
        return None
    said = entry.get("said")
    if said is None:
        return silent(text, match.start(), match.end(), "symbol.silent")
    if said == ",":
        return pause(text, match.start(), match.end(), "symbol.pause")
    start, end = match.span()
    return spaced(text, start, end, said, "symbol.word")


def chat(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """ㅋㅋㅋ is 크크크; ㅇㅇ and its like are short for a word."""
    run, words = match["run"], scan.reader.book["chat"]
    return Hit(match.start(), match.end(), words.get(run) or words[run[0]] * len(run), "")


def company(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    return spaced(text, match.start(), match.end(), "주식회사", "")


def brackets(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    """`<<제목>>`: the brackets are named before and after."""
    return spaced(text, match.start(), match.end(), f"이중 꺾쇠괄호 열고 {scan.reader.say_any(match['t'])} 이중 꺾쇠괄호 닫고", "")


def silent_call(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    return silent(text, match.start(), match.end(), "")


def pause_call(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    return pause(text, match.start(), match.end(), "")


def hyphen(scan: Scan, text: str, match: re.Match[str]) -> Hit:
    """A hyphen between words becomes a blank; at an edge or between blanks it is silent."""
    start, end = match.span()
    if start and end < len(text) and text[start - 1].isalnum() and text[end].isalnum():
        letter = text[start - 1].isascii() and text[start - 1].isalpha() and not text[start - 2 : start - 1].isalpha()
        return Hit(start, end, "" if letter else " ", "", joins=True)
    return silent(text, start, end, "")


def spaced(text: str, start: int, end: int, said: str, rule_id: str) -> Hit:
    """`said` as a word of its own."""
    lead = " " if start and not text[start - 1].isspace() and text[start - 1] not in "(['\"“‘" else ""
    follow = text[end : end + 1]
    trail = " " if follow and follow.isalnum() and not particles.FOLLOWS.match(text, end) else ""
    return Hit(start, end, lead + said + trail, rule_id, joins=True)


def silent(text: str, start: int, end: int, rule_id: str) -> Hit:
    """Nothing is said. Of the blanks on both sides one goes as well, so that none is doubled or left at an end."""
    if (not start or text[start - 1].isspace() or text[start - 1] in "([“‘") and end < len(text) and text[end] in " \t":
        end += 1
    elif end == len(text) and text[start - 1 : start] in (" ", "\t"):
        start -= 1
    return Hit(start, end, "", rule_id)


def pause(text: str, start: int, end: int, rule_id: str) -> Hit:
    """A comma in the place of a sign between two words; silence at an edge."""
    left = re.search(r"[ \t]*\Z", text[max(0, start - 8) : start])
    begin = start - len(left[0]) if left else start
    right = re.compile(r"[ \t]*").match(text, end)
    stop = right.end() if right else end
    if begin == 0 or stop == len(text) or text[begin - 1] in "\n,.!?([" or text[stop] in "\n,.!?)]":
        return silent(text, start, end, rule_id)
    return Hit(begin, stop, ", ", rule_id, joins=True)


def between(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """`=` between words: 속력 = 거리 is 속력은 거리; and `~` between two ends: 월~금 is 월에서 금."""
    sign = match["sign"]
    if sign == "=":
        tail = scan.tail().rstrip()
        if not tail:
            return None
        start = match.start()
        while start and text[start - 1] in " \t":
            start -= 1
        return Hit(start, match.end(), particles.topic(tail) + " ", "math.equals_words", joins=True)
    start = match.start()
    while start and text[start - 1] in " \t":
        start -= 1
    if start < match.start() and not match[0][-1].isspace():
        return None  # 약 ~50: the sign belongs to the number after it.
    return Hit(start, match.end(), "에서 ", "range.words", joins=True)
