"""Korean transcripts of a recognizer that got stuck, or that heard nothing.

A loop is a piece of two syllables and more that stands three times in a row, with or without stops and blanks between (감사합니다 감사합니다
감사합니다); one syllable (네, 네, 네) or a laugh (하하하하하하) is none, unless it goes on and on.
"""

from __future__ import annotations

import re
import unicodedata

from stages.languages.loops import only_noises, sentences_repeat, sound_repeats

_AGAIN = re.compile(r"(.{2,60}?)\1\1")
_SILENCE = re.compile(
    r"(?:오늘도\s*)?(?:영상을?\s*)?(?:끝까지\s*)?시청\s*해?\s*주셔서\s*(?:대단히\s*)?감사합니다|구독(?:과|\s*,|"
    r"\s)*\s*좋아요(?:\s*(?:와|,)?\s*알림\s*설정)?(?:까지)?\s*(?:부탁\s*드립니다|부탁드려요|눌러\s*주세요)?|다음\s*(?:영상|"
    r"시간|이\s*시간)에(?:서)?\s*(?:또\s*)?(?:만나요|뵙겠습니다|봐요|만나겠습니다)|"
    r"(?:한글)?\s*자막\s*(?:제공|by\b|제작|:).{0,30}|MBC\s*뉴스\s*.{0,10}입니다|KBS\s*뉴스\s*.{0,10}입니다|"
    r"지금까지\s*(?:\S{1,8}\s+)?\S{0,8}(?:기자|뉴스|앵커)였습니다|지금까지\s*[가-힣]{3}였습니다|이\s*시각\s*세계였습니다",
    re.IGNORECASE,
)


def loops(transcript: str) -> bool:
    text = unicodedata.normalize("NFC", transcript)
    flat = "".join(char for char in text.casefold() if char.isalnum())
    for found in _AGAIN.finditer(flat):
        piece = found[1]
        if len(set(piece)) > 1 and re.search("[가-힣]", piece):
            return True
    return sentences_repeat(text, shortest=2 if re.search("[가-힣]", text) else 4) or sound_repeats(text)


def silence(transcript: str) -> bool:
    """Whether nothing but what Whisper makes of silence is left."""
    text = unicodedata.normalize("NFC", transcript).strip()
    return only_noises(text) or (bool(text) and not any(char.isalnum() for char in _SILENCE.sub("", text)))
