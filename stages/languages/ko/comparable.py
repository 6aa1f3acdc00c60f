"""Forms in which texts are compared: for character error rates, and for two spellings of one answer."""

from __future__ import annotations

import re

from stages.languages.ko.jamo import final
from stages.languages.ko.reader import Reader

_SILENT = re.compile(r"[\W_]+")
_COPULA = re.compile(r"(?:입니다|이에요|예요|이다|이야|이죠|입니까|임)\Z")
_OBJECT_TOPIC = {"을": True, "를": False, "은": True, "는": False}


def comparable(text: str, reader: Reader) -> str:
    """What is heard: the text read by the rules, without blanks and punctuation, Latin letters small. 2시간 equals 두 시간."""
    return _SILENT.sub("", reader.read(text).text).lower()


def alias_key(text: str, reader: Reader) -> str:
    """`comparable` without a sentence ending or a topic or object particle that can only be one."""
    key = comparable(text, reader)
    stem = _COPULA.sub("", key)
    if stem and stem != key and len(stem) >= 2:
        key = stem
    closed = _OBJECT_TOPIC.get(key[-1:])
    # 가을 and 마을 stay: 을 is the particle only after a consonant, and what remains must be a word.
    if closed is not None and len(key) >= 3:
        last = final(key[-2])
        if last is not None and bool(last) == closed:
            key = key[:-1]
    return key
