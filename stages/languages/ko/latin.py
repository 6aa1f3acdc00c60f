"""Latin letters: acronyms letter by letter, word acronyms as words, names kept, letters with digits, formulas, addresses, files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.languages.ko import chemistry, numerals
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader, Scan

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:(?:[-&+'’]|(?<=[A-Z])/(?=[A-Z]))[A-Za-z0-9]+)*(?:\+\+|\+(?![\w\s]))?")
_PIECE = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|\d+|[-&+/]")
_CAPS_NEIGHBOUR = re.compile(r"\s[A-Z]{2,}(?![A-Za-z0-9])")
_CAPS_BEFORE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,}\s\Z")
_NAME_AFTER = re.compile(r"[ ][A-Za-z]?[a-z]{1,}(?![A-Za-z0-9])")
_NAME_BEFORE = re.compile(r"[A-Za-z]*[a-z]{2,}[,']?[ ]\Z")
# A long word in capitals that can be spoken is a word, not an acronym: SECTION, TITLE.
_PRONOUNCEABLE = re.compile(r"[^AEIOUY]{0,3}(?:[AEIOUY]{1,2}[^AEIOUY]{1,3})+[AEIOUY]{0,2}")
_ACCENTED = re.compile(r"(?=[A-Za-z]{0,30}[À-ÖØ-öø-ɏ])[A-Za-zÀ-ÖØ-öø-ɏ]+(?:[-'’][A-Za-zÀ-ÖØ-öø-ɏ]+)*")


def word(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """The Latin token at the match, or its name kept as written."""
    found = _TOKEN.match(text, match.start())
    if found is None:
        accented = _ACCENTED.match(text, match.start())
        return Hit(match.start(), accented.end(), accented[0], "name.kept") if accented else None
    reader = scan.reader
    accented = _ACCENTED.match(text, match.start())
    if accented:
        return Hit(match.start(), accented.end(), accented[0], "name.kept")
    token = found[0]
    if token[-1:] in "-&'’":
        token = token[:-1]
    end = found.start() + len(token)
    longer = text[found.start() : end + 1]
    known = reader.acronyms.get(longer) if longer[-1:] in "+-#." and end < len(text) else None
    if known:
        return Hit(found.start(), end + 1, known, "acronym.word")
    known = _known(token, reader)
    if known:
        return Hit(found.start(), end, known, "acronym.word")
    if token.endswith("+") and len(token) > 3:
        token, end = token.rstrip("+"), end - (len(token) - len(token.rstrip("+")))
    decimal = re.compile(r"\.\d+(?![\d.])").match(text, end) if token[-1].isdigit() and token[0].isalpha() else None
    if decimal and (split := re.fullmatch(r"([A-Za-z]+)-?(\d+)", token)):
        letters = split[1] if _is_name(split[1], reader) else _known(split[1], reader) or reader.spell(split[1])
        return Hit(found.start(), decimal.end(), f"{letters} {numerals.number(split[2] + decimal[0])}", "mixed.letters_digits")
    before, after = text[max(0, found.start() - 24) : found.start()], text[end : end + 24]
    said, changed = _say(token, reader, before, after)
    if not changed:
        return Hit(found.start(), end, token, "name.kept")
    return Hit(found.start(), end, said, "acronym.letters" if token.isalpha() else "mixed.letters_digits")


def _known(token: str, reader: Reader) -> str | None:
    found = reader.acronyms.get(token)
    if found is None and token.endswith("s") and token[:-1].isupper() and len(token) > 2:
        found = reader.acronyms.get(token[:-1]) or reader.spell(token[:-1])
    return found


def _say(token: str, reader: Reader, before: str, after: str) -> tuple[str, bool]:
    """(reading, whether anything is read). Pieces of a hyphenated name stay together when all of them are names."""
    pieces = _PIECE.findall(token)
    words = [piece for piece in pieces if piece[0].isalpha()]
    joined = any(piece[0].isdigit() or piece in "&/+" for piece in pieces)
    if not joined and all(_is_name(piece, reader) for piece in words):
        return token, False
    if len(pieces) == 1:
        return _letters(pieces[0], reader, before, after)
    said, changed = "", False
    for place, piece in enumerate(pieces):
        if piece in "-/":
            said += " " if said and place + 1 < len(pieces) else ""
            changed = True
        elif piece == "&":
            said += "앤"
            changed = True
        elif piece == "+":
            said += " 플러스 "
            changed = True
        elif piece[0].isdigit():
            beside_name = place and pieces[place - 1][0].isalpha() and _is_name(pieces[place - 1], reader) and len(pieces[place - 1]) > 2
            hyphened = bool(place) and pieces[place - 1] == "-"
            said += (" " if beside_name else "") + beside_letters(piece, hyphened)
            changed = True
        elif _is_name(piece, reader):
            said += (" " if said and said[-1] != " " else "") + piece
        else:
            said += _known(piece, reader) or reader.spell(piece)
            changed = True
    return " ".join(said.split()), changed


def beside_letters(digits: str, hyphened: bool = False) -> str:
    """Digits beside Latin letters: one in English (MP3), two as a number (B12), more one by one (A380) unless they are round."""
    if len(digits) == 1 or (digits[0] != "0" and len(digits) == 2 and not hyphened and int(digits) <= 0):
        return numerals.english(int(digits))
    if digits[0] != "0" and (len(digits) == 2 or digits.endswith("00")):
        return numerals.sino(digits)
    return numerals.digits(digits)


def _is_name(piece: str, reader: Reader) -> bool:
    """A piece that stays as written: it has lower-case letters enough to be a word."""
    lower = sum(char.islower() for char in piece)
    upper = sum(char.isupper() for char in piece)
    if "'" in piece or "’" in piece:
        return True
    if piece in reader.acronyms or lower == 0:
        return False
    if upper >= 2 and lower == 1:
        return False
    if upper >= 2 and chemistry.elements(piece, reader):
        return False
    if len(piece) == 1:
        return False
    return not (len(piece) == 2 and piece in reader.elements and piece not in chemistry.WORDS_LIKE_ELEMENTS)


def _letters(piece: str, reader: Reader, before: str, after: str) -> tuple[str, bool]:
    if len(piece) == 1:
        initial = piece.isupper() and re.match(r"\.\s?(?:[A-Z]\.\s?)*[A-Z][a-z]{2,}", after)
        article = piece in "aAI" and _NAME_AFTER.match(after) and not re.match(r"\s(?:or|and|to|vs)\b", after)
        within = piece.islower() and _NAME_AFTER.match(after) and _NAME_BEFORE.search(before)
        if initial or article or within:
            return piece, False
        return reader.spell(piece), True
    if piece.isupper():
        if len(piece) >= 5 and _PRONOUNCEABLE.fullmatch(piece):
            return piece, False
        shouted = len(piece) >= 3 and not reader.letters.get(piece)
        if shouted and piece in reader.lists.get("caps_words", "")[3:-1].split("|"):
            return piece, False
        if _CAPS_NEIGHBOUR.match(after) or _CAPS_BEFORE.search(before):
            phrase = [*re.findall(r"[A-Z]{2,}", before[-24:]), piece, *re.findall(r"[A-Z]{2,}", after)]
            if any(part in reader.lists.get("caps_words", "")[3:-1].split("|") for part in phrase):
                return piece, False
    return reader.spell(piece), True


def alnum(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """Digits before Latin letters: 3D, 5G, 4K, 2NE1."""
    token = match[0]
    known = _known(token, scan.reader)
    if known:
        return Hit(match.start(), match.end(), known, "acronym.word")
    said, changed = "", False
    for piece in re.findall(r"[A-Za-z]+|\d+", token):
        if piece[0].isdigit():
            said += beside_letters(piece)
        elif _is_name(piece, scan.reader):
            said += " " + piece
        else:
            said += scan.reader.spell(piece)
        changed = True
    return Hit(match.start(), match.end(), said.strip(), "mixed.letters_digits") if changed else None


def alnum_first(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """As `alnum`, unless the letters are a unit that the number can have."""
    token = match[0]
    if token in scan.reader.acronyms:
        return Hit(match.start(), match.end(), scan.reader.acronyms[token], "acronym.word")
    digits = re.match(r"\d+", token)
    assert digits is not None
    compound = chemistry.FORMULA.match(text, match.start() + digits.end())
    if compound and any(char.isdigit() for char in compound[0]) and chemistry.elements(compound[0], scan.reader):
        return Hit(match.start(), match.start() + digits.end(), numerals.sino(digits[0]) + " ", "chemical.coefficient")
    unit = scan.reader.units.after_number(text, match.start() + digits.end(), scan.tail())
    if _PLACE_AFTER.match(text, match.end()):
        unit = None
    if unit and token[digits.end() :] not in _NOT_UNITS:
        return None
    return alnum(scan, text, match)


_PLACE_AFTER = re.compile(r"\s?(?:호|석|좌석|번|반|동|구역|열|블록|블럭|형|게이트|타입|구간|출구|급|라인|코너|군)(?!을|를)")
_NOT_UNITS = frozenset(["C", "F", "T", "H", "B", "K", "HP"])


def unit_alone(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    unit = scan.reader.units.alone(text, match.start())
    return Hit(match.start(), unit.end, unit.spoken, "unit.alone") if unit else None


_ADDRESS_PART = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]")
_ADDRESS_SIGNS = {
    ".": "점",
    "@": "골뱅이",
    "/": "슬래시",
    ":": "콜론",
    "-": "하이픈",
    "_": "언더바",
    "?": "물음표",
    "=": "이퀄",
    "&": "앤드",
    "#": "샵",
    "%": "퍼센트",
    "+": "플러스",
    "~": "물결",
    "\\": "역슬래시",
}


def address(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A web or e-mail address: words kept, its signs by name, digits one by one, scheme and www letter by letter."""
    said = []
    token = match[0].rstrip(".,:;!?)'\"")
    for part in _ADDRESS_PART.findall(token):
        if part.isascii() and part.isdigit():
            said.append(numerals.digits(part))
        elif part.isalpha():
            spelled = part.lower() in ("http", "https", "www", "ftp") or (len(part) == 1 and part.isascii()) or (part.isupper() and part.isascii())
            said.append(scan.reader.spell(part) if spelled and part.isascii() else part)
        elif part in _ADDRESS_SIGNS:
            said.append(_ADDRESS_SIGNS[part])
    return Hit(match.start(), match.start() + len(token), " ".join(said), "")


def file(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A file name or extension: 점 and the extension as it is called; the Latin name before it kept or read."""
    said = []
    for part in re.findall(r"[A-Za-z]+|\d+|[^A-Za-z\d]", match["name"] or ""):
        if part.isascii() and part.isdigit():
            said.append(numerals.sino(part) if part[0] != "0" and len(part) < 3 else numerals.digits(part))
        elif part.isascii() and part.isalpha():
            word = len(part) > 1 and (not part.isupper() or (len(part) >= 5 and _PRONOUNCEABLE.fullmatch(part)))
            said.append(part if word else scan.reader.spell(part))
        elif part in _ADDRESS_SIGNS:
            said.append(_ADDRESS_SIGNS[part])
    for extension in match["ext"].split(".")[1:]:
        letters = re.fullmatch(r"([A-Za-z]+)(\d*)", extension)
        name = scan.reader.extensions.get(extension.lower())
        if name is None and letters:
            name = scan.reader.spell(letters[1]) + (numerals.english(int(letters[2])) if letters[2] else "")
        said += ["점", name or scan.reader.spell(extension)]
    return Hit(match.start(), match.end(), " ".join(said), "")
