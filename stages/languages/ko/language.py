"""Korean as the stages see it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stages.core.paths import ROOT
from stages.languages.base import Answers, Candidate, Instructions, Lexicon, Reading, Rulebook
from stages.languages.ko import jamo

if TYPE_CHECKING:
    from stages.languages.ko.reader import Reader


class Korean:
    """See stages.languages.base.Language."""

    code = "ko"
    name = "Korean"

    def __init__(self, rulebook: str | None = None) -> None:
        self.option_labels = list("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ")
        self.yes = ["예", "네", "응", "그렇다", "그렇습니다", "맞다", "맞습니다", "맞아요"]
        self.no = ["아니요", "아니오", "아니", "아닙니다", "아니다", "그렇지 않다", "그렇지 않습니다", "틀렸다"]
        self._path = ROOT / rulebook if rulebook else None

    @cached_property
    def reader(self) -> Reader:
        from stages.languages.ko.reader import Reader

        return Reader(Path(self._path) if self._path else None)

    def read(self, text: str, chosen: Mapping[tuple[int, int], Candidate] | None = None) -> Reading:
        return self.reader.read(text, chosen)

    def check_reading(self, written: str, reading: str) -> list[str]:
        from stages.languages.ko.check import check_reading

        return check_reading(written, reading)

    def check_spoken(self, text: str, protected: list[str] | tuple[str, ...] = ()) -> list[str]:
        from stages.languages.ko.check import check_spoken

        return check_spoken(text, protected)

    def split_sentences(self, text: str) -> list[str]:
        from stages.languages.ko.sentences import split

        return split(text)

    def comparable(self, text: str) -> str:
        from stages.languages.ko.comparable import comparable

        return comparable(text, self.reader)

    def alias_key(self, text: str) -> str:
        from stages.languages.ko.comparable import alias_key

        return alias_key(text, self.reader)

    def decompose(self, text: str) -> str:
        return jamo.decompose(text)

    @cached_property
    def rulebook(self) -> Rulebook:
        from stages.languages.ko.proposals import KoreanRulebook

        return KoreanRulebook(self._path)

    @property
    def lexicon(self) -> Lexicon:
        from stages.languages.ko import words

        return words

    @property
    def instructions(self) -> Instructions:
        from stages.languages.ko import instructions

        return instructions

    @property
    def answers(self) -> Answers:
        from stages.languages.ko import answers

        return answers
