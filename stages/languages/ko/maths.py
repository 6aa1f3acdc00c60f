"""Mathematical expressions: read from left to right as they are said in a Korean classroom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from stages.languages.ko import numerals, particles
from stages.languages.ko.jamo import is_syllable
from stages.languages.ko.scanner import Hit

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader, Scan

_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
_FUNCTION = re.compile(r"(sin|cos|tan|cot|sec|csc|log|ln|exp)(?![a-z])")
_VARIABLE = re.compile(r"[A-Za-zα-ωΑ-Ωθπ∞∅]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_POWER = re.compile(r"\^\{([^{}]{1,12})\}|\^\(([^()]{1,12})\)|\^(-?[\dA-Za-z]+)|(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|ⁿ|ˣ)")
_SUBSCRIPT = re.compile(r"_\{?(\w)\}?|([₀-₉]+)")
_SMALL_POWER = re.compile(r"\^[23]|\^\{[23]\}|[²³]")
_SUPER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹ⁿˣ", "-0123456789nx")
_SUB = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_OPERATOR = re.compile(r"\s*(<=|>=|!=|==|->|[→⇒⇔+−\-×÷·∙⋅*/=<>≤≥≠≈≒≡±∓∩∪∈∉⊂⊃⊥∥∝:])\s*")
_SPACES = re.compile(r"[ \t]*")
_ENDING = re.compile(r"이라면|이라고|라면|이면|이고|이며|이다|입니다|인지|일|인|고|면")
_WEAK = frozenset("-−/·∙⋅*:")
_DEEPEST = 8
_LONGEST = 60
"""Brackets deeper and expressions longer than any that is said; the rest is read as an expression of its own."""
_PRIME = re.compile(r"['′’](?=\s?[=(+×÷-])")
_LIKE_VARIABLE = re.compile(r"\s?[A-Za-z]\s?[+=×÷]")
_MEASURED = re.compile(r"[^가-힣\n]{0,30}(?:=\s?[\d.,]+\s?[A-Za-zµμ㎎㎏㎖㎝㎜㎞]|[×*+−-]\s?[\d.,]+\s?(?:mm|cm|m|km|mg|g|kg|mL|L|s)(?![A-Za-z]))")
_ASCENDING = {"<": "크고", "≤": "크거나 같고", "<=": "크거나 같고"}
_SUBORDINATE = ("adnominal", "future", "conditional")
_RELATIONS = frozenset(["=", "==", "<", ">", "≤", "≥", "<=", ">=", "≠", "!=", "≈", "≒", "≡"])


class Term(NamedTuple):
    end: int
    said: str
    strong: bool


def math(scan: Scan, text: str, match: re.Match[str]) -> Hit | None:
    """The longest expression at the match, when it has an operator, a power, a root or a function that makes it one."""
    return Parser(scan, text).expression(match.start())


class Parser:
    def __init__(self, scan: Scan, text: str) -> None:
        self.scan, self.text = scan, text
        self.reader: Reader = scan.reader
        self.depth = 0
        self.words: dict[str, str] = scan.reader.math["operators"]

    def expression(self, start: int) -> Hit | None:
        found = self.sides(start)
        if found is None:
            return None
        end, said, strong = found
        return Hit(start, end, said, "math.expression") if strong else None

    def sides(self, start: int) -> Term | None:
        """Terms joined by operators and relations."""
        text = self.text
        first = self.term(start)
        if first is None:
            return None
        end, said, strong = first
        side_start = 0
        for _ in range(_LONGEST):
            operator = _OPERATOR.match(text, end)
            if operator is None:
                break
            sign = operator[1]
            if sign in "·:" or (sign in _WEAK and not self._weak_fits(operator, end)):
                break
            following = self.term(operator.end())
            if following is None:
                break
            strong = strong or following.strong or sign not in _WEAK or (sign in "*" and operator[0] != "*") or sign == "*"
            if sign in _WEAK and sign in "-−/":
                strong = strong or (operator[0] != sign and operator[0].startswith(" ") and operator[0].endswith(" "))
            if sign in ("=", "=="):
                said = f"{said}{particles.topic(said)} {following.said}"
                side_start = len(said) - len(following.said)
                end = following.end
            elif sign in self.reader.math["comparisons"]:
                said, end, side_start = self._compare(said, side_start, sign, following)
            else:
                said = f"{said} {self.words[sign]} {following.said}"
                end = following.end
        return Term(end, said, strong)

    def _weak_fits(self, operator: re.Match[str], end: int) -> bool:
        """`-`, `/` and `*` count as operators between blanks, or tight on both sides of a longer expression."""
        sign, written = operator[1], operator[0]
        if sign in "*":
            return True
        return (written[0] == " ") == (written[-1] == " ")

    def _compare(self, said: str, side_start: int, sign: str, following: Term) -> tuple[str, int, int]:
        """a > b: a는 b보다 크다; before 일 때, 이면, 인 the verb takes that ending."""
        mark, stem = self.reader.math["comparisons"][sign]
        right, end = following.said, following.end
        second = _OPERATOR.match(self.text, end)
        if second and second[1] in _ASCENDING and sign in _ASCENDING and not side_start and (upper := self.term(second.end())):
            # 0 < x < 1: the middle is the topic.
            low, high = _ASCENDING[sign], self.reader.math["comparisons"][second[1]][1]
            form, end = self._ending(upper.end)
            subject = particles.fitting("이", "가", right[-1]) if form in _SUBORDINATE else particles.topic(right)
            said = f"{right}{subject} {said}보다 {low} {upper.said}보다 {self.reader.math['verbs'][high][form]}"
            return said, end, len(said)
        # The right side goes on while plain operators follow: x > y + 1.
        while True:
            operator = _OPERATOR.match(self.text, end)
            if (
                operator is None
                or operator[1] in _RELATIONS
                or operator[1] not in self.words
                or (operator[1] in _WEAK and not self._weak_fits(operator, end))
            ):
                break
            term = self.term(operator.end())
            if term is None:
                break
            right, end = f"{right} {self.words[operator[1]]} {term.said}", term.end
        form, end = self._ending(end)
        verb = self.reader.math["verbs"][stem][form]
        if mark == "보다":
            marked = f"{right}보다"
        else:
            marked = right + (particles.fitting("과", "와", right[-1]))
        subject = particles.fitting("이", "가", said[-1]) if form in _SUBORDINATE else particles.topic(said)
        said = f"{said}{subject} {marked} {verb}"
        return said, end, len(said)

    def _ending(self, end: int) -> tuple[str, int]:
        """The form that the verb takes from the ending after the expression, and where that ending ends."""
        ending = _ENDING.match(self.text, end)
        form = self.reader.math["endings"].get(ending[0]) if ending else None
        return (form, ending.end()) if ending and form else ("dictionary", end)

    def term(self, start: int) -> Term | None:
        """An operand: sign, number or variable or root or function or brackets, then powers, and whatever is multiplied without a sign."""
        text = self.text
        at = start
        said, strong, count, letters = "", False, 0, 0
        sign = re.compile(r"[-−+±]\s?(?=[\dA-Za-z√(πα-ω])").match(text, at)
        if sign:
            said = {"-": "마이너스 ", "−": "마이너스 ", "+": "플러스 ", "±": "플러스 마이너스 "}[sign[0][0]]
            at = sign.end()
        while True:
            piece = self._factor(at, count == 0)
            if piece is None:
                break
            if text[at : at + 1].isalpha() and text[at : at + 1].isascii():
                letters += 1
            if said and said[-1] != " " and (strong or text[at] == "("):
                said += " "
            said += piece.said
            strong = strong or piece.strong
            at, count = piece.end, count + 1
        if count == 0 or letters > 3:
            return None
        return Term(at, said.strip(), strong)

    def _factor(self, at: int, first: bool, whole: bool = True) -> Term | None:
        text, reader = self.text, self.reader
        number = _NUMBER.match(text, at)
        base: str
        strong = False
        if number:
            if not first:
                return None
            end = number.end()
            base = (
                numerals.number(number[0])
                if not (number[0][0] == "0" and len(number[0]) > 1 and number[0][1] != ".")
                else numerals.digits(number[0].replace(",", "").replace(".", ""))
            )
            if not whole:
                return Term(end, base, False)
            base, end = self._fraction(base, end)
            unit = reader.units.after_number(text, end, self.scan.tail())
            if unit and (not _LIKE_VARIABLE.match(text, end) or _MEASURED.match(text, unit.end)):
                return Term(unit.end, unit.around(base), False)
            if text[end : end + 1] == "%":
                return Term(end + 1, base + " 퍼센트", False)
        elif root := re.compile(r"(√|∛)\s?").match(text, at):
            inner = self._factor(root.end(), True, whole=False)
            if inner is None:
                return None
            base, end = self._fraction(f"{reader.math['roots'][root[1]]} {inner.said}", inner.end)
            return Term(end, base, True)
        elif bars := re.compile(r"\|([^|\n가-힣]{1,24})\|").match(text, at):
            return Term(bars.end(), f"절댓값 {reader.say_expression(bars[1])}", True)
        elif function := _FUNCTION.match(text, at):
            end = function.end()
            name = reader.math["functions"][function[1]]
            base_sub = _SUBSCRIPT.match(text, end)
            if base_sub:
                end = base_sub.end()
                name += " " + (numerals.sino(base_sub[2].translate(_SUB)) if base_sub[2] else reader.say_any(base_sub[1])) + "의"
            power = _POWER.match(text, end)
            if power:
                name, end = f"{name} {self._power(power)}", power.end()
            blanks = _SPACES.match(text, end)
            inner_at = blanks.end() if blanks else end
            inner = self._brackets(inner_at, silent=True) or self.term(inner_at)
            if inner is None:
                return None
            return Term(inner.end, f"{name} {inner.said}", True)
        elif text[at : at + 1] == "(":
            inner = self._brackets(at, silent=False)
            if inner is None:
                return None
            base, end, strong = inner.said, inner.end, inner.strong
        else:
            variable = _VARIABLE.match(text, at)
            if not variable:
                return None
            word = _WORD.match(text, at)
            if word and not (len(word[0]) == 2 and (word[0].isupper() or word[0].islower())) and first:
                return None
            end = variable.end()
            base = reader.greek.get(variable[0]) or reader.letters.get(variable[0].upper(), "")
            if not base:
                return None
            if whole:
                base, end = self._fraction(base, end)
            if _PRIME.match(text, end):
                base, end = base + " 프라임", end + 1
            subscript = _SUBSCRIPT.match(text, end)
            if subscript:
                end = subscript.end()
                base += " " + (numerals.sino(subscript[2].translate(_SUB)) if subscript[2] else reader.say_any(subscript[1]))
            if variable[0] in "fghFGP" and text[end : end + 1] == "(":
                inner = self._brackets(end, silent=True)
                if inner:
                    return Term(inner.end, f"{base} {inner.said}", True)
        power = _POWER.match(text, end)
        if power:
            joint = "의 " if number or not _SMALL_POWER.fullmatch(power[0]) else " "
            base, end, strong = f"{base}{joint}{self._power(power)}", power.end(), True
        factorial = re.compile(r"!(?=\s*[=+×÷/*)-]|[은는을를의과와](?![가-힣]{2}))").match(text, end)
        if factorial:
            base, end, strong = f"{base} 팩토리얼", factorial.end(), True
        if text[end : end + 1] == "°":
            base, end = f"{base} 도", end + 1
        return Term(end, base, strong)

    def _fraction(self, base: str, end: int) -> tuple[str, int]:
        """`/2` and `/x` right after an operand make it a numerator."""
        match = re.compile(r"/(\d+|[a-z])(?![\w/.])").match(self.text, end)
        if match is None:
            return base, end
        below = numerals.sino(match[1]) if match[1].isdigit() else self.reader.letters[match[1].upper()]
        return f"{below}분의 {base}", match.end()

    def _brackets(self, at: int, silent: bool) -> Term | None:
        text = self.text
        if text[at : at + 1] != "(" or self.depth >= _DEEPEST:
            return None
        self.depth += 1
        found = self._inside(at, silent)
        self.depth -= 1
        return found

    def _inside(self, at: int, silent: bool) -> Term | None:
        text = self.text
        blanks = _SPACES.match(text, at + 1)
        inner = self.sides(blanks.end() if blanks else at + 1)
        if inner is None:
            return None
        end = inner.end
        said = inner.said
        while silent and (comma := re.compile(r"\s*,\s*").match(text, end)):
            following = self.sides(comma.end())
            if following is None:
                return None
            said, end = f"{said}, {following.said}", following.end
        blanks = _SPACES.match(text, end)
        end = blanks.end() if blanks else end
        if text[end : end + 1] != ")":
            return None
        if silent:
            return Term(end + 1, said, inner.strong)
        single = not inner.strong and " " not in said
        return Term(end + 1, said if single else f"괄호 열고 {said} 괄호 닫고", inner.strong)

    def _power(self, power: re.Match[str]) -> str:
        """제곱, 세제곱, then 사제곱 and so on; 엔제곱; 마이너스 일제곱."""
        written = (power[1] or power[2] or power[3] or power[4].translate(_SUPER)).strip()
        if written in ("2", "3"):
            return {"2": "제곱", "3": "세제곱"}[written]
        if re.fullmatch(r"-?\d+", written):
            return numerals.number(written) + "제곱"
        said = self.reader.say_any(written) if not re.fullmatch(r"[a-z]", written) else self.reader.spell(written)
        return f"{said}제곱" if is_syllable(said[-1]) else f"{said} 제곱"
