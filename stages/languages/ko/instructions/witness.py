"""Answers made by program: one that keeps every constraint of an item, and one for each constraint that misses just this one.

They are proofs, not prose: an item with a witness can be answered, and a constraint with a near miss is really looked at. An item
without a witness contradicts itself (no comma in an answer that must repeat a request with a comma), or is refused because no
construction was found; either way a person should look.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from stages.languages.base import Unsatisfiable
from stages.languages.constraints import Kwargs
from stages.languages.ko.instructions import keywords, lengths, letters
from stages.languages.ko.instructions.checkers import check
from stages.languages.ko.instructions.draft import Draft, Range, draft_of
from stages.languages.ko.instructions.spoil import spoil
from stages.languages.tongues import TONGUES

Instruction = tuple[str, Kwargs]

_WORDS = """
    구름 나무 바람 하늘 노을 호수 숲길 언덕 들꽃 새벽 달빛 모래 파도 시냇물 눈꽃 가을 여름 겨울 햇살 그늘 이슬 풀잎 돌담 등불 종소리 뜰 흙 길 꽃 별
    커피 카페 토끼 포도 치즈 찻잔 책 춤 빛 켜켜이 크게 높이 멀리 조용히 천천히 여기 저기 그저 늘 더 또 아주 왜 의자 귀 위 쉬이 얘기 예쁜 과일 뭐 꿩
""".split()  # noqa: SIM905  (a list of single words reads better as text)
_ENDINGS = ["좋다.", "그래요.", "멋져.", "커요.", "비슷해.", "오네.", "먹자.", "추웠지.", "고프니?", "뛰어!"]
_NOUNS = ["고래", "편지", "시장", "항구", "달력", "연필", "감자", "마을", "지도", "우산", "기차", "거울", "안경", "구두", "화분", "접시"]
_ROUNDS = 12
_LONGEST_SENTENCE = 9


def witness(instructions: Sequence[Instruction], prompt: str = "") -> str:
    """An answer that keeps all of `instructions`. Raises Unsatisfiable when none could be made."""
    answer = _filled(draft_of(instructions))
    broken = [id for id, kwargs in instructions if not check(id, kwargs, answer, prompt)]
    if broken:
        raise Unsatisfiable(f"no answer was found that keeps {' and '.join(dict.fromkeys(broken))} together with the rest", answer)
    return answer


def near_miss(instructions: Sequence[Instruction], at: int, prompt: str = "") -> str:
    """An answer that keeps all of `instructions` but the one at `at` (and its like). Raises Unsatisfiable when none could be made."""
    draft = draft_of(instructions)
    spoil(draft, *instructions[at])
    answer = _filled(draft)
    kept = [check(id, kwargs, answer, prompt) for id, kwargs in instructions]
    if kept[at]:
        raise Unsatisfiable(f"{instructions[at][0]} is kept by every answer that was tried", answer)
    broken = [id for (id, _), fine in zip(instructions, kept, strict=True) if not fine and id != instructions[at][0]]
    if broken:
        raise Unsatisfiable(f"{instructions[at][0]} cannot be missed without missing {' and '.join(dict.fromkeys(broken))}", answer)
    return answer


def stand_in(name: str, value: Any) -> Any:
    """Korean text in the place of a keyword argument that a translator has yet to give; equal values get equal texts."""
    if isinstance(value, list):
        return [stand_in(name, one) for one in value]
    if name == "first_word":
        return "어제는"
    if name == "section_spliter":
        return "섹션"
    if name == "end_phrase":
        return "여기까지입니다."
    if name == "prompt_to_repeat":
        return "이 물음에 답해 주세요."
    number = zlib.crc32(str(value).casefold().encode())
    return _NOUNS[number % 16] + _NOUNS[number // 16 % 16]


def _filled(draft: Draft) -> str:
    """The text of `draft`, with as many words, sentences and letters added as its bounds ask for."""
    supply = _Supply(draft)
    text = draft.text(supply.spare, supply.mark)
    for _ in range(_ROUNDS):
        if not _grow(draft, supply, text):
            break
        text = draft.text(supply.spare, supply.mark)
    return text


def _grow(draft: Draft, supply: _Supply, text: str) -> bool:
    """Add what is missing in `text`; False when nothing is."""
    for letter, bounds in draft.letters.items():
        missing = bounds.low - letters.count(letter, text)
        if missing > 0:
            draft.filler.append(supply.with_letter(letter, missing))
            return True
    sentences = draft.sentences.low - lengths.sentences(text) if draft.sentences.low else 0
    words = draft.words.low - lengths.words(text)
    if sentences > 0:
        draft.filler += [[ending] for ending in supply.endings(sentences)]
        return True
    if words > 0:
        _lengthen(draft, supply, words)
        return True
    return False


def _lengthen(draft: Draft, supply: _Supply, words: int) -> None:
    """Add `words` words: in sentences of their own where more are welcome, else inside those that are there."""
    room = draft.sentences.high - draft.sentences.low if draft.sentences.high < 10**9 else 10**9
    while words > 0:
        size = min(words, _LONGEST_SENTENCE)
        if room > words // _LONGEST_SENTENCE + 2 and not draft.sentences.low:
            draft.filler.append([*supply.words(size - 1), supply.endings(1)[0]])
        else:
            draft.filler = [[*supply.words(size), *(draft.filler[0] if draft.filler else [])], *draft.filler[1:]]
        words -= size


class _Supply:
    """Words and sentences in the draft's language that break none of its bounds."""

    def __init__(self, draft: Draft) -> None:
        if draft.language == "ko":
            words, endings = _WORDS, _ENDINGS
        else:
            words = TONGUES[draft.language].words.split()
            endings = [f"{word}." for word in words]
        named = [*draft.avoids, *draft.counts, *draft.uses]
        free = [word for word in words if not any(keywords.count(other, word) for other in named)]
        bounded = {letter for letter, bounds in draft.letters.items() if bounds != Range()}
        self._words = [word for word in free if not _letters_in(word, bounded)] or free
        self._lettered = {letter: [word for word in free if _letters_in(word, bounded) == {letter}] for letter in bounded}
        self._endings = [ending for ending in endings if not _letters_in(ending, bounded)] or endings
        self._taken = 0
        self.mark = min(self._words, key=len)
        self.spare = self._endings[-1] if draft.sentences.high else self.mark

    def words(self, count: int) -> list[str]:
        self._taken += count
        return [self._words[(self._taken + place) % len(self._words)] for place in range(count)]

    def endings(self, count: int) -> list[str]:
        return [self._endings[place % len(self._endings)] for place in range(count)]

    def with_letter(self, letter: str, count: int) -> list[str]:
        """Words that together have `letter` exactly `count` times, and no other letter that the draft bounds; at worst the letter alone."""
        found: list[str] = []
        for word in sorted(self._lettered[letter], key=lambda word: -letters.count(letter, word)):
            each = letters.count(letter, word)
            found += [word] * min(count // each, 6)
            count -= each * min(count // each, 6)
        return found + [letter] * count


def _letters_in(word: str, bounded: set[str]) -> set[str]:
    return {letter for letter in bounded if letters.count(letter, word)}
