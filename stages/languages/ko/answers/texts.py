"""Korean: the texts of options and short answers as an answer says them, in whatever number form, spacing, ending or part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from stages.languages.choices import Mention, Options
from stages.languages.ko import jamo
from stages.languages.ko.answers.plain import clean
from stages.languages.ko.answers.quantities import digits, numbers, pattern_of
from stages.languages.ko.instructions.keywords import ATTACHED

LETTERS = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_ENDING = (
    r"(?:이?겠[가-힣]*|이?랍니다|이?거든요?|이?올시다|이?잖아요?|이?네요?|이?군요?|일\s?거예요|인\s?것|인데[가-힣]*|"
    r"같[가-힣]+|일\s?걸요?|일\s?겁니다|일\s?거[가-힣]*|일\s?듯[가-힣]*|인\s?듯[가-힣]*)?"
)
_AFTER_WORD = re.compile(rf"(?={ATTACHED}{_ENDING}(?![가-힣]))")
_AFTER_TIMES = re.compile(rf"(?!\s?째)(?={ATTACHED}{_ENDING}(?![가-힣]))")
"""세 번 is no 세 번째."""
_AFTER_NUMBER = re.compile(rf"(?![\d]|[.,]\d)(?=(?:{ATTACHED}{_ENDING}(?![가-힣])|\s?(?:개|명|번|도|시|분|살|원|년|월|일|회|대|층|배|%)?))")
_AFTER_SIGN = re.compile(r"(?![A-Za-z])")
_ANYTHING = re.compile("")


def predicates(text: str, options: Options) -> list[Mention]:
    """Options that are sentences (증가한다), in another ending of theirs (증가합니다)."""
    found = []
    for place, (_, option) in enumerate(options):
        pattern = predicate_pattern(option)
        if pattern:
            found += [Mention(match.start(), match.end(), place, "text") for match in pattern.finditer(text)]
    found.sort(key=lambda mention: (mention.start - mention.end, mention.start))
    kept: list[Mention] = []
    for mention in found:
        if not any(other.start < mention.end and mention.start < other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


_SAME = {"남성": "남자", "남자": "남성", "여성": "여자", "여자": "여성", "여성 화자": "여자", "남성 화자": "남자"}


def variants(options: Options) -> list[list[str]]:
    """The texts by which each option can be named: its own, the part before and within brackets, where no other option shares it."""
    own = [clean(option) for _, option in options]
    found = [[text] for text in own]
    for place, text in enumerate(own):
        match = re.fullmatch(r"(.{2,}?)\s*[(\[](.+?)[)\]]", text)
        if match:
            found[place] += [match[1], match[2]]
        if text in _SAME:
            found[place].append(_SAME[text])
    everything = [text.strip() for texts in found for text in texts]
    return [
        [text for text in texts if text.strip() and (text == own[place] or everything.count(text.strip()) == 1)] for place, texts in enumerate(found)
    ]


def in_words(text: str, options: Options) -> list[Mention]:
    """Mentions of options by their texts."""
    seen = set(text.casefold())
    # Where options differ in the form of a numeral alone (세 명, 삼 명), the form is what is asked for.
    literal = len({digits(option.strip()) for _, option in options}) < len({option.strip() for _, option in options})
    found = []
    for place, texts in enumerate(_named(tuple(options))):
        for name in texts:
            # A text with a letter that the answer does not have needs no expression of its own.
            if seen >= _letters(name) and (pattern := finder(name, literal)):
                found += [Mention(match.start(), match.end(), place, "text") for match in pattern.finditer(text)]
    return found


@lru_cache(maxsize=65536)
def _named(options: tuple[tuple[str, str], ...]) -> list[list[str]]:
    return variants(options)


@lru_cache(maxsize=65536)
def _letters(text: str) -> frozenset[str]:
    """The letters of a text that stand in every form of it: all but those of numbers."""
    plain = digits(text.strip().rstrip(".!?"))
    return frozenset(char for piece in _PIECE.findall(plain) if not re.match(r"[+*/=<>%^°$€£~×÷−±√∞π월-]", piece) for char in piece.casefold())


_PIECE = re.compile(r"[가-힣ㄱ-ㅣ]|[A-Za-z]+|[+*/=<>%^°$€£~×÷−±√∞π-]|[^\W\d_]")


def pieces(text: str) -> list[str]:
    """Regular expressions of the letters, words, signs and numbers of a text, in order; 6월 and 10월 are 유월 and 시월, too."""
    found: list[str] = []
    at = 0
    for start, end, number in [*numbers(text), (len(text), len(text), "")]:
        found += [re.escape(piece) for piece in _PIECE.findall(text[at:start])]
        if number:
            month = {"6": "(?:6|육|유)", "10": "(?:10|십|시)"}.get(number) if text[end : end + 1] == "월" else None
            found.append(month or pattern_of(number))
        at = end
    return found


class Finder:
    """What finds the text of an option in an answer: numbers in any form, blanks and marks anywhere, a particle or copula behind it.

    What may stand behind is checked apart, by one expression for all texts: to compile it anew for each would take most of the time.
    """

    __slots__ = ("_body", "_right")

    def __init__(self, body: re.Pattern[str], right: re.Pattern[str]) -> None:
        self._body, self._right = body, right

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        for found in self._body.finditer(text):
            if self._right.match(text, found.end()):
                yield found


@lru_cache(maxsize=65536)
def finder(option: str, literal: bool = False) -> Finder | None:
    """See Finder; None for a text that has nothing to be found by."""
    option = option.strip().rstrip(".!?")
    option = option if literal else digits(option)
    parts = pieces(option)
    if not parts or (len(parts) == 1 and option in LETTERS):
        return None
    left = r"(?<![가-힣])" if re.match(r"[가-힣]|\d", option) else r"(?<![A-Za-z])" if re.match(r"[A-Za-z]", option) else ""
    if option[:1].isdigit():
        left = r"(?<![가-힣\d])(?<!\d[.,])"
    last = option.rstrip(")]\"' ")[-1:]
    if re.match(r"[가-힣]", last):
        right = _ANYTHING if len(parts) >= 5 else _AFTER_TIMES if last == "번" else _AFTER_WORD
    else:
        right = _AFTER_NUMBER if last.isdigit() else _AFTER_SIGN
    return Finder(re.compile(left + r"[\s,.·:'\"()\[\]-]{0,3}?".join(parts), re.IGNORECASE), right)


@lru_cache(maxsize=65536)
def predicate_pattern(option: str) -> re.Pattern[str] | None:
    """What finds a sentence that ends in 다 by its stem; None for other texts."""
    option = digits(option.strip().rstrip(".!?"))
    if not re.fullmatch(r".*[가-힣]다", option, re.DOTALL) or len(option) < 3:
        return None
    stem = option[:-1]
    if stem.endswith("는") and len(stem) > 1 and jamo.final(stem[-2]):
        body, last = stem[:-2], re.escape(stem[-2])
    else:
        body, last = stem[:-1], stem_syllables(stem[-1])
    parts = pieces(body)
    return re.compile(r"(?<![가-힣])" + r"[\s,.]{0,2}".join([*parts, last])) if parts else None


_CONTRACTED = {"ㅏ": "ㅐ", "ㅣ": "ㅕ", "ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅚ": "ㅙ", "ㅡ": "ㅓㅏ", "ㅓ": "ㅓ", "ㅐ": "ㅐ"}
_ENDS = ("", "ㄴ", "ㄹ", "ㅂ", "ㅆ", "ㅁ")


def stem_syllables(syllable: str) -> str:
    """A class of the syllables that a verb's last syllable becomes before its endings: 한 is 하 할 합 해 했, 샀 stays."""
    letters = jamo.decompose(syllable)
    first, vowel, last = letters[0], letters[1], letters[2:]
    if last not in ("", "ㄴ", "ㅆ"):
        return re.escape(syllable)
    vowels = vowel + (_CONTRACTED.get(vowel, "") if last != "ㅆ" else "")
    forms = {jamo.compose(first, one, end) for one in vowels for end in _ENDS}
    return f"[{''.join(sorted(forms | {syllable}))}]" if last != "ㅆ" else re.escape(syllable)


_LEAD = re.compile(r"^(?:정답은|답은|정답|답|음|어|아마도?|제\s*생각에는?|그건|그것은|이것은|이건|바로)[\s,:]*")


def partial(text: str, options: Options) -> list[Mention]:
    """An answer that is nothing but a part of one option's text."""
    said = re.sub(r"[\W_]+", "", _LEAD.sub("", text.strip()))
    said = re.sub(r"(?:입니다|이에요|예요|이요|요|이다|임)$", "", said)
    if not 2 <= len(said) <= 30:
        return []
    within = [place for place, (_, option) in enumerate(options) if said in re.sub(r"[\W_]+", "", digits(option))]
    return [Mention(0, len(text), within[0], "text")] if len(within) == 1 and len(said) >= 2 else []
