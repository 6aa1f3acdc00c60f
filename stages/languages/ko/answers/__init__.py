"""Reading Korean answers and judges' replies. See `Answers` in stages/languages/base.py."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.languages import choices as engine
from stages.languages import marks
from stages.languages.en import answers as english
from stages.languages.ko.answers import choices, refusals, stuck, texts, verdicts
from stages.languages.ko.answers.plain import clean

__all__ = ["choice", "loops", "mark", "matches", "pair", "refuses", "silence", "verdict", "vote"]

_YES, _NO = ("예", "네", "그렇다", "맞다", "참"), ("아니요", "아니오", "아니다", "그렇지 않다", "틀리다", "거짓")
_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")
_TAKEN_BACK = re.compile(r"(?:아니(?:요|지|다)?[,.!]|잠깐만?요?[,.!]?|정정(?:하|합|할)\S*|아\s?참[,.!]?|실수\S*)\s*")
_LABELS = r"(?:점수|평점|총점|별점|등급|평가|최종|종합)(?:은|는)?|" + marks.LABELS


def choice(answer: str, options: Sequence[tuple[str, str]]) -> int | None:
    text = clean(answer)
    names = [option.strip(" .") for _, option in options]
    if len(names) == 2 and {name in _YES for name in names} == {True, False} and {name in _NO for name in names} == {True, False}:
        said = verdict(answer)
        if said is not None:
            return [name in _YES for name in names].index(said)
    pairs = tuple((label, option) for label, option in options)
    found = engine.choose(text, pairs, choices)
    return engine.choose(text, pairs, english.choices) if found is None and not _HANGUL.search(text) else found


_PLACE = re.compile(
    r"(?<![가-힣A-Za-z0-9])(?:[(\[]\s*([AaBbㄱㄴ가나])\s*[)\]]|(ㄱ|ㄴ|[AB]|기역|니은)[.):,]?(?=\s)|(?:보기|선택지|"
    r"문장)\s*([12ㄱㄴAB])[.):,]?|([12])번[.:,]?|(첫|두)\s?번째(?:\s?(?:문장|보기|표현))?(?:은|는)?[,:]?)\s*"
)
_SECOND = {"B": "A", "ㄴ": "ㄱ", "나": "가", "2": "1", "니은": "기역", "두": "첫"}


def pair(question: str) -> tuple[tuple[str, str], tuple[str, str]]:
    text = clean(question)
    places = list(_PLACE.finditer(text))
    names = [next(group for group in found.groups() if group).upper() for found in places]
    for index in range(len(places) - 1, 0, -1):
        if _SECOND.get(names[index]) == names[index - 1]:
            first = text[places[index - 1].end() : places[index].start()]
            second = re.split(r"\?\s|\n|[.!]\s+(?=\S)", text[places[index].end() :])[0]
            return ("ㄱ", re.sub(r"\s*(?:와|과|,)?\s*$", "", first).strip(" \n\t.,;:?!'\"")), ("ㄴ", second.strip(" \n\t.,;:?!'\""))
    return ("ㄱ", ""), ("ㄴ", "")


def verdict(answer: str, question: str = "", task: str = "") -> bool | None:
    text = clean(answer)
    found = verdicts.verdict(text, question, task)
    return english.verdicts.verdict(text, question, task) if found is None and not _HANGUL.search(text) else found


def refuses(answer: str) -> bool:
    text = clean(answer)
    return refusals.refuses(text) if _HANGUL.search(text) else english.refusals.refuses(text)


def matches(answer: str, aliases: Sequence[str], question: str = "") -> bool:
    text = clean(answer)
    if not text:
        return False
    for alias in aliases:
        pattern = texts.finder(clean(alias))
        if pattern and any(_stands(text, found) for found in pattern.finditer(text)):
            return True
    return not _HANGUL.search(text) and english.matches(answer, aliases, question)


def _stands(text: str, found: re.Match[str]) -> bool:
    """Whether an alias that was found is given as the answer: neither denied nor taken back."""
    before = re.split(r"[.!?\n]\s", text[: found.start()])[-1]
    after = re.split(r"(?<=[.!?\n])\s", text[found.end() :])[0]
    if choices.status(before, found[0], after, False, "text") == "ruled_out":
        return False
    back = [one for one in _TAKEN_BACK.finditer(text) if one.start() >= found.end()]
    return not (back and 1 < len(text) - back[-1].end() < 60)


def loops(transcript: str) -> bool:
    return stuck.loops(transcript)


def silence(transcript: str) -> bool:
    return stuck.silence(transcript)


def mark(reply: str, low: float, high: float) -> float | None:
    return marks.mark(reply, low, high, _LABELS, rf"점(?!\s*만점)|{marks.UNITS}", ("점수", "평점", "총점"))


_VOTE = re.compile(
    r"(?P<no>오답|틀|불일치|일치하지\s*않|맞지\s*않|옳지\s*않|올바르지\s*않|정답이\s*아니|정답이\s*아닙|정답으로\s*(?:볼|"
    r"인정할)\s*수\s*없|다릅니다|다르다|아니[요오]|아뇨|아닙니다|거짓|부정확|부적절|인정할\s*수\s*없)|(?P<yes>정답|맞(?!지)|"
    r"옳(?!지)|일치(?!하지)|올바(?!르지)|동일|(?<![가-힣])(?:참|예|네)(?![가-힣])|(?<![가-힣])(?:예|네|참)(?:입니다|이다|임)|"
    r"그렇습니다|인정)"
)


def vote(reply: str) -> bool | None:
    marked = marks.vote(reply)
    if marked is not None:
        return marked
    text = clean(reply)
    if not _HANGUL.search(text):
        return english.vote(reply)
    text = re.sub(
        r"(?:예|네)\s*(?:/|또는|혹은)\s*아니[요오]|아니[요오]\s*(?:/|또는|혹은)\s*(?:예|네)|(?:정답|기준\s*답|참조\s*답|"
        r"모범\s*답)(?:안)?(?:은|는|과|이랑|인|의|에|을|\s*'|\s*\"|:)(?!\s*(?:입|이다|맞))[^.\n]{0,40}?(?=이|인|과|와|고|며|,|\.|"
        r"$)",
        " ",
        text,
    )
    found = list(_VOTE.finditer(text))
    return bool(found[-1]["yes"]) if found else verdicts.verdict(text)
