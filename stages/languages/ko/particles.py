"""Particles whose form depends on the sound before them, repaired after a reading has changed that sound.

`8로` is 팔로 and `6로` is 육으로: the written particle agrees with the digit's sound only when its writer thought of it.
A particle that already fits is left alone.
"""

from __future__ import annotations

import re

from stages.languages.ko.jamo import RIEUL, final

_END = r"(?![가-힣])"
# (after a consonant, after a vowel). Longer ones first; what may follow is closed, so that 이다, 이상, 가격 never match.
_PAIRS = [
    ("이라는", "라는"),
    ("이라고", "라고"),
    ("이라도", "라도"),
    ("이라면", "라면"),
    ("이라서", "라서"),
    ("이란", "란"),
    ("이나", "나"),
    ("이랑", "랑"),
    ("이며", "며"),
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("과의", "와의"),
    ("과는", "와는"),
    ("이든", "든"),
    ("이야", "야"),
]
_RIEUL_PAIRS = [(f"으로{tail}", f"로{tail}") for tail in ("", "는", "도", "만", "의", "서", "써", "부터", "서의", "서는", "부터의")]
_FORMS: dict[str, tuple[str, str, bool]] = {}
for _pairs, _rieul in ((_PAIRS, False), (_RIEUL_PAIRS, True)):
    for _closed, _open in _pairs:
        _FORMS[_closed] = _FORMS[_open] = (_closed, _open, _rieul)
_PARTICLE = re.compile("(" + "|".join(sorted(_FORMS, key=len, reverse=True)) + ")" + _END)
_ENDS = "은|는|이|가|을|를|의|도|만|나|이나|요|이요"
_JOINERS = (
    "와|과|에|에서|에게|에게서|한테|께|로|으로|로서|으로서|로써|으로써|부터|까지|마다|만큼|보다|처럼|같이|밖에|조차|마저|이나|나|이든|든"
    "|이라도|라도|이랑|랑|하고|끼리|대로"
)
_COPULAS = (
    "이라는|라는|이라고|라고|이라|라|이란|란|이라면|라면|이며|며|이다|다|입니다|입니까|이고|이면|이었다|였다|인|일|임|인지|이지만|이므로"
    "|이니까|이에요|예요|이어야|여야"
)
FOLLOWS = re.compile(rf"(?:(?:{_JOINERS}){{1,2}}(?:{_ENDS})?|{_ENDS}|{_COPULAS})(?![가-힣])")
"""A particle or copula, alone or with a second one (에는, 로도, 까지의), that ends a written word."""
_COPULA = re.compile(r"예요(?![가-힣])|였(?:다|습니다|어요|고|지만|는데|던|으며)")
"""The copula after a vowel; after a consonant it needs its 이."""
_BOTH = re.compile(r"(은|이|을|과|으로)\((는|가|를|와|로)\)|(는|가|를|와|로)\((은|이|을|과|으로)\)|\((이|으)\)(라는|라고|라도|란|나|랑|며|로|다)")


def fitting(closed: str, opened: str, before: str, rieul: bool = False) -> str:
    """The form that fits after the syllable `before`: `closed` after a consonant, `opened` after a vowel (and ㄹ, for 로)."""
    last = final(before)
    return opened if not last or (rieul and last == RIEUL) else closed


def repair(text: str, at: int, before: str) -> tuple[int, str, str] | None:
    """(end, rule id, right form) when the particle at `text[at:]` does not fit after the syllable `before`, else None."""
    if at >= len(text) or final(before) is None:
        return None
    both = _BOTH.match(text, at)
    if both:
        return both.end(), "particle.both", _choose(both, before)
    copula = _COPULA.match(text, at)
    if copula and final(before):
        return copula.end(), "particle.repair", "이에요" if copula[0] == "예요" else "이" + copula[0].replace("였", "었")
    match = _PARTICLE.match(text, at)
    if not match:
        return None
    closed, opened, rieul = _FORMS[match[1]]
    right = fitting(closed, opened, before, rieul)
    if match[1] == "이며":
        return None  # The copula keeps its 이 after a vowel as well.
    return None if right == match[1] else (match.end(), "particle.repair", right)


def _choose(both: re.Match[str], before: str) -> str:
    """은(는), 이(가), (으)로: the one that fits."""
    if both[5]:
        with_vowel, rest = both[5] + both[6], both[6]
        return fitting(with_vowel, rest, before, rieul=rest == "로")
    closed = next(group for group in (both[1], both[4]) if group)
    opened = next(group for group in (both[2], both[3]) if group)
    return fitting(closed, opened, before, rieul=closed == "으로")


def topic(before: str) -> str:
    """은 or 는 after the text `before`; 는 when it does not end in Hangul."""
    return fitting("은", "는", before[-1]) if before and final(before[-1]) is not None else "는"
