"""Whether a recognizer got stuck (the same piece three times in a row), or wrote down noises instead of words."""

from __future__ import annotations

import re
from itertools import pairwise

_WORD_AGAIN = re.compile(r"\b(\w+)\b(?:\W+\1\b){11}|([^\W\d_])\2{15}")
_NOISE = re.compile(r"\[[^\[\]]{1,40}\]|\([^()]{1,40}\)|\*[^*]{1,40}\*|♪[^♪]*♪")
_STOPS = re.compile(r"[.!?。！？…\n]+")


def sentences_repeat(text: str, shortest: int = 4, times: int = 3) -> bool:
    """The same sentence `times` times in a row; one that is shorter than `shortest` characters is no loop, but it ends one."""
    pieces = [piece.strip().casefold() for piece in _STOPS.split(text)]
    return _in_a_row([piece for piece in pieces if piece], shortest, times)


def words_repeat(text: str, times: int, longest: int = 12) -> bool:
    """A sequence of up to `longest` words `times` times in a row, whatever stands between them."""
    words = re.findall(r"\w+(?:'\w+)?", text.casefold())
    for size in range(1, min(longest, len(words) // times) + 1):
        run = 0
        for place in range(size, len(words)):
            run = run + 1 if words[place] == words[place - size] else 0
            if run >= size * (times - 1) and len("".join(words[place - size + 1 : place + 1])) >= 4:
                return True
    return False


def sound_repeats(text: str) -> bool:
    """One word 12 times in a row however short it is (ha ha ha ...), or one letter 16 times (aaaa ...): more than anybody says."""
    return _WORD_AGAIN.search(text.casefold()) is not None


def only_noises(text: str) -> bool:
    """Whether nothing is left but what recognizers write for sounds: [Music], (applause), ♪."""
    return bool(text.strip()) and not any(char.isalnum() for char in _NOISE.sub("", text))


def _in_a_row(pieces: list[str], shortest: int, times: int) -> bool:
    count = 1
    for before, piece in pairwise(pieces):
        count = count + 1 if piece == before else 1
        if count >= times and len(piece) >= shortest:
            return True
    return False
