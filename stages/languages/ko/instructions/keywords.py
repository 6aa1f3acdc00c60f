"""keywords:existence, frequency and forbidden_words: one rule of what it means that a word stands in a text.

A word begins where no letter of its own script stands before it (내일 has no 일). What may follow it in the same run of Hangul is
what Korean attaches to a noun: particles, the plural and the like, the copula, 하다 and 되다 (사과를, 사과입니다, 사과했다 have 사과); another
noun may not (사과문 and 사과나무 have no 사과). So a forbidden word cannot hide behind its particle, and a word that must appear is not
found in a longer one. 사과인 may be read as `that is an apple` or as a noun of its own; it counts.

Upper and lower case are one. A space inside a keyword may be left out in the answer, since nobody hears it. Words in scripts
without spaces (Thai, Chinese, Japanese) have no boundaries. A keyword is plain text, never a pattern.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from stages.languages.constraints import EXISTENCE, FORBIDDEN, FREQUENCY, Kwargs, holds, needed, relation

_SUFFIX = "들|님|끼리|쯤|씩|째|네"
_PARTICLE = (
    "에게서|한테서|께서|에서|에게|한테|더러|으로서|으로써|로서|로써|으로|로|에다가|에다|에|께|의|은커녕|는커녕|커녕|은|는|이라도|라도|이라야|라야|이야말로|야말로|"
    "이나마|나마|이나|나|이든지|든지|이든|든|이랑|랑|이며|이|가|을|를|와|과|하고|도|만|까지|부터|조차|마저|마다|밖에|뿐|처럼|같이|만큼|보다|대로|치고|이야|야|이여|여|아|요"
)
_COPULA = (
    "이[다고자지면니란든었죠네군구기더던신십시거어잖긴므서에야라][가-힣]*|였[가-힣]*|예요|에요|인데[가-힣]*|인지[가-힣]*|인가[가-힣]*|인|일까[가-힣]*|일지[가-힣]*|일|임을|임이|임에도|임|입니[다까]|"
    "라[고는면서며니][가-힣]*|란|다|다고|다는|다면|고|며|지만|지요|죠|여서|여야"
)
_VERB = "[하해했할한함합되돼됐된될됨됩][가-힣]{0,6}|시[키켜켰킨킬킵][가-힣]{0,5}|당[하한했할함합][가-힣]{0,5}"
ATTACHED = rf"(?:{_SUFFIX})*(?:(?:{_PARTICLE})*(?:{_COPULA})?|{_VERB})"
"""What may follow a noun in one 어절; also nothing."""

_HANGUL = "가-힣ㄱ-ㅣ"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")


@lru_cache(maxsize=4096)
def pattern(word: str) -> re.Pattern[str]:
    """What finds `word` in a text that is in NFC."""
    word = unicodedata.normalize("NFC", word).strip()
    body = r"\s*".join(map(re.escape, word.split()))
    if not word:
        return re.compile(r"(?!)")
    left, right = _before(word[0]), ""
    if word[-1].isalnum() and not _UNSPACED.match(word[-1]):
        foreign = "" if re.match(rf"[{_HANGUL}]", word[-1]) else rf"(?![^\W_{_HANGUL}])"
        right = rf"{foreign}(?={ATTACHED}(?![{_HANGUL}]))"
    return re.compile(left + body + right, re.IGNORECASE)


def _before(first: str) -> str:
    """What must not stand before a word that begins with `first`."""
    if re.match(rf"[{_HANGUL}]", first):
        return rf"(?<![{_HANGUL}])"
    return rf"(?<![^\W_{_HANGUL}])" if first.isalnum() and not _UNSPACED.match(first) else ""


def count(word: str, text: str) -> int:
    """How often `word` stands in `text`."""
    return len(pattern(word).findall(unicodedata.normalize("NFC", text)))


def existence(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return all(count(word, answer) for word in needed(kwargs, "keywords", EXISTENCE))


def frequency(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    found = count(needed(kwargs, "keyword", FREQUENCY), answer)
    return holds(found, relation(kwargs, "relation", FREQUENCY), int(needed(kwargs, "frequency", FREQUENCY)))


def forbidden(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return not any(count(word, answer) for word in needed(kwargs, "forbidden_words", FORBIDDEN))
