"""Chemistry: formulas letter by letter, and equations with states, charges and arrows, whose direction must be heard.

An equation is a chain of species joined by `+`, an arrow or the bars of a galvanic cell. A sign belongs to the species before
it (a charge) unless another species follows: `H+(g)` and `Na+ + Cl−` have charges, `H2+O2` has a plus.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from stages.languages.ko import numerals, particles
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader, Scan

FORMULA = re.compile(r"\(?(?:[A-Z][a-z]?[0-9₀-₉]{0,3})(?:\(?[A-Z][a-z]?[0-9₀-₉]{0,3}\)?[0-9₀-₉]{0,3}){0,40}(?![A-Za-z0-9₀-₉])")
_UNIT = r"[A-Z][a-z]?[0-9₀-₉]{0,3}"
_SPECIES = re.compile(rf"\[?(?:{_UNIT}|\((?:{_UNIT}){{1,12}}\)[0-9₀-₉]{{0,3}}){{1,24}}(?:\][0-9₀-₉]{{0,2}})?(?![A-Za-z0-9₀-₉])|e(?=[⁻−-])")
_PART = re.compile(r"([A-Z][a-z]?)([0-9₀-₉]*)|([()\[\]])([0-9₀-₉]*)")
_COEFFICIENT = re.compile(r"(?:(\d{1,3})/(\d{1,2})|(\d{1,4}(?:\.\d{1,2})?))\s?(?=[A-Z(\[]|e[⁻−-])")
_CHARGE = re.compile(r"([²³⁴⁵⁶⁷])?([⁺⁻+−]|-(?!-?>))|\^\{?(\d)?([+−-])\}?")
_WATER = re.compile(r"\s?[·∙⋅]\s?(\d{0,2})H[2₂]O(?![A-Za-z0-9₀-₉])")
_STATE = re.compile(r"\s?\((g|l|s|aq)\)")
_ARROW = r"⇌|⇄|↔|⇔|<->|<=>|→|⟶|⇒|-{1,2}>|=>"
_JOINT = re.compile(rf"\s*({_ARROW}|=|\|\||‖|\||\+)\s*")
_OPERATOR_NEXT = re.compile(rf"\s*(?:{_ARROW}|[+|‖])")
_TAKEN = re.compile(r"[\dA-Za-z(\[]|\s[\dA-Za-z(\[]")
_ION = re.compile(r"이온|농도|수용액")
_HYDROXIDE_LIKE = frozenset(["OH", "CN", "SCN", "OCN", "HS"])
_HARMLESS = frozenset("HFIK")
"""Single letters that are ions with a plain + or - after them; A+, B- and C+ are grades, O+ is a blood group."""
WORDS_LIKE_ELEMENTS = frozenset(
    ["He", "In", "As", "At", "Be", "No", "Al", "Am", "Os", "Ho", "Po", "Pa", "Re", "La", "Ha", "So", "Mo", "Li", "Ga", "Co", "Xi", "Pi", "Mi"]
)
_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUPERSCRIPT = str.maketrans("²³⁴⁵⁶⁷", "234567")
_LONGEST = 24
Parts = list[tuple[str, str]]


class Species(NamedTuple):
    """One side's member: `2 Fe3+(aq)`. `sure` when it can be nothing but chemistry."""

    end: int
    said: str
    sure: bool
    charged: bool
    marked: bool
    """It has a charge, a state or water of crystallization."""


def elements(token: str, reader: Reader) -> Parts | None:
    """(symbol, count) of a chemical formula, or None when a part is no element."""
    found, end = [], 0
    for match in _PART.finditer(token):
        if match.start() != end:
            return None
        end = match.end()
        symbol, count = match[1] or match[3], (match[2] or match[4] or "").translate(_SUBSCRIPT)
        if match[1] and symbol not in reader.elements:
            return None
        found.append((symbol, count))
    return found if found and end == len(token) else None


def _spelled(parts: Parts, reader: Reader) -> str:
    return "".join((reader.spell(symbol) if symbol.isalpha() else "") + (numerals.english(int(count)) if count else "") for symbol, count in parts)


def formula(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A chemical formula without a charge: H2SO4, Ca(OH)₂, NaOH. Its numbers are said in English."""
    found = FORMULA.match(text, match.start())
    if not found:
        return None
    token = found[0]
    if token.count("(") != token.count(")") or token in scan.reader.acronyms:
        return None
    parts = elements(token, scan.reader)
    if not parts:
        return None
    letters = [symbol for symbol, _ in parts if symbol.isalpha()]
    counted = any(count for _, count in parts)
    if len(letters) == 1 and not (counted and (len(letters[0]) == 2 or re.search(r"[₀-₉]", token))):
        return None
    if all(len(symbol) == 1 for symbol in letters) and not set(letters) & set("CHO") and any(len(count) > 1 for _, count in parts):
        return None
    if not counted and not any(len(symbol) == 2 for symbol in letters):
        return None
    return Hit(found.start(), found.end(), _spelled(parts, scan.reader), "chemical.formula")


def equation(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """A chemical equation, or one species with its charge or state."""
    reader, start = scan.reader, match.start()
    first = _species(text, start, reader)
    if first is None:
        return None
    chain, arrows, bars, equals = [first], 0, 0, 0
    said, end = first.said, first.end
    while len(chain) < _LONGEST and (joint := _JOINT.match(text, end)):
        sign = joint[1]
        following = _species(text, joint.end(), reader)
        arrow = sign not in ("+", "=", "|", "||", "‖")
        if following is None and not (arrow and joint.end() < len(text) and any(one.sure for one in chain)):
            break
        bars += sign in ("|", "||", "‖")
        if bars and not (chain[0].marked or chain[0].sure):
            break
        arrows += arrow
        equals += sign == "="
        word = particles.topic(said) if sign == "=" else reader.chemistry["joints"][sign]
        said += word if word[0] == "," or sign == "=" else f" {word}"
        end = joint.end()
        if following is None:
            # The products are given in words: only the arrow is read here.
            return Hit(start, end, said + " ", "chemical.equation")
        chain.append(following)
        said, end = f"{said} {following.said}", following.end
    marked = any(one.marked for one in chain)
    if len(chain) == 1:
        fits = first.sure and marked
    else:
        fits = any(one.sure for one in chain) and bool(arrows or marked)
        fits = all(one.sure for one in chain) if equals else fits
    rule_id = "chemical.equation" if len(chain) > 1 else "chemical.ion" if first.charged else "chemical.state"
    return Hit(start, end, said, rule_id) if fits else None


def _species(text: str, at: int, reader: Reader) -> Species | None:
    coefficient = _COEFFICIENT.match(text, at)
    found = _SPECIES.match(text, coefficient.end() if coefficient else at)
    if found is None:
        return None
    count = _count(coefficient) if coefficient else ""
    if found[0] == "e":
        return _electron(text, found.end(), coefficient, count, reader)
    token = found[0]
    if token.count("[") != token.count("]") or token in reader.acronyms:
        return None
    parts = elements(token, reader)
    if not parts:
        return None
    end, charge = found.end(), ""
    letters = [symbol for symbol, _ in parts if symbol.isalpha()]
    plain = len(letters) == 1 and len(letters[0]) == 1
    counted = any(number for _, number in parts)
    sign = _CHARGE.match(text, end)
    if sign and _is_charge(text, sign, reader):
        size = (sign[1] or sign[3] or "").translate(_SUPERSCRIPT)
        if not size and (sign[2] or "") in ("+", "-", "−"):
            parts, size = _split_charge(parts, letters)
        written = sign[2] or sign[4]
        charge = f"{' ' + numerals.english(int(size)) if size else ''} {reader.chemistry['charges']['+' if written in '+⁺' else '-']}"
        clear = bool(size) or sign[0] in "⁺⁻" or "^" in sign[0]
        end = sign.end()
        if not clear and not (counted or letters[0] in _HARMLESS or "".join(letters) in _HYDROXIDE_LIKE or any(len(one) == 2 for one in letters)):
            return None
        if not clear and len(letters) == 1 and letters[0] in WORDS_LIKE_ELEMENTS:
            return None
    water = _WATER.match(text, end)
    said = _spelled(parts, reader) + charge
    if water:
        hydrate = numerals.sino(water[1]) + " " if water[1] else ""
        said, end = f"{said} {hydrate}{_spelled([('H', '2'), ('O', '')], reader)}", water.end()
    state = _STATE.match(text, end)
    if state:
        said, end = f"{said} {reader.chemistry['states'][state[1]]}", state.end()
    compound = len(letters) > 1 and (counted or any(len(one) == 2 for one in letters))
    molecule = counted and (coefficient is not None or not plain or letters[0] in "HNOF")
    sure = bool(charge or water or compound or molecule or (state and (counted or not plain)))
    return Species(end, f"{count} {said}".strip(), sure, bool(charge), bool(charge or state or water))


def _count(coefficient: re.Match[str]) -> str:
    if coefficient[1]:
        return f"{numerals.sino(coefficient[2])}분의 {numerals.sino(coefficient[1])}"
    return numerals.number(coefficient[3])


def _electron(text: str, at: int, coefficient: re.Match[str] | None, count: str, reader: Reader) -> Species | None:
    """`2e-` is said as so many electrons: its letter and sign alone would be heard as numbers."""
    sign = _CHARGE.match(text, at)
    if sign is None or not _is_charge(text, sign, reader):
        return None
    name = reader.chemistry["electron"]
    if coefficient and coefficient[3] and coefficient[3].isdigit() and 0 < int(coefficient[3]) <= numerals.NATIVE_MAX:
        said = f"{name} {numerals.native(int(coefficient[3]))} 개"
    else:
        said = f"{count} {name}".strip()
    return Species(sign.end(), said, True, True, True)


def _is_charge(text: str, sign: re.Match[str], reader: Reader) -> bool:
    """Whether the sign ends a species: a state, an operator, a particle, a stop or the end follows."""
    end = sign.end()
    if sign[0][0] in "²³⁴⁵⁶⁷⁺⁻^" or _STATE.match(text, end):
        return True
    following = text[end : end + 1]
    if not following or _OPERATOR_NEXT.match(text, end):
        return not (following and following in "+-−|")
    if _TAKEN.match(text, end):
        return False
    if "가" <= following <= "힣":
        return bool(particles.FOLLOWS.match(text, end) or _ION.match(text, end))
    return not following.isalnum()


def _split_charge(parts: Parts, letters: list[str]) -> tuple[Parts, str]:
    """Fe3+ has the charge 3+, SO42- the charge 2-: a plain digit right before the sign that is no count."""
    symbol, count = parts[-1]
    if symbol == "]" or (len(letters) == 1 and len(count) == 1 and symbol != "H"):
        return [*parts[:-1], (symbol, "")], count
    if len(letters) > 1 and len(count) == 2 and not set(letters) <= set("CH"):
        return [*parts[:-1], (symbol, count[0])], count[1]
    return parts, ""
