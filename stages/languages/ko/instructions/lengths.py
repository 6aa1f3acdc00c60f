"""length_constraints: words, sentences, paragraphs, and the first word of a paragraph.

Words are 어절: what stands between spaces and has a letter or a digit in it (a lone `-`, `*` or `***` is none; 할 수 있다 is three,
할수있다 one, `Seoul(서울)에서` one).

Sentences are what Kiwi splits the text into, with or without full stops, and what ends a line; but only pieces that end like a
sentence count: with a mark (. ? ! … 。) or a final ending (-다, -요, -까 and the like). A title, a heading or a list item of nouns is no
sentence. A full stop after a list number (`1.`) or in 3.1절 ends none. Text that is mostly not Korean is split at its marks.

For nth_paragraph_first_word paragraphs are separated by blank lines, an empty piece is none.
"""

from __future__ import annotations

import re

from stages.languages.constraints import FIRST_WORD, SENTENCES, WORDS, Kwargs, holds, needed, relation
from stages.languages.ko.instructions.keywords import ATTACHED

_CLOSING = "\"'”’»)\\]*_"
_MARKED = re.compile(rf"[.?!…।۔؟。？！][{_CLOSING}~]*$")
_NUMBERED = re.compile(r"^\W*\d{1,3}[.)]$")
_MARKS = re.compile(rf"(?<=[.?!…।۔؟。？！])[{_CLOSING}]*\s+")
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_OPENING = "\"'“‘(<[*#_ "


def words(text: str) -> int:
    return sum(any(char.isalnum() for char in word) for word in text.split())


def sentences(text: str) -> int:
    if len(re.findall("[가-힣]", text)) * 2 < sum(char.isalpha() for char in text):
        pieces = [piece for line in text.splitlines() for piece in _MARKS.split(line) if any(map(str.isalnum, piece))]
        return sum(_MARKED.search(piece.strip()) is not None for piece in pieces)
    from stages.languages.ko.sentences import is_finished, split

    return sum(not _NUMBERED.match(piece) and (_MARKED.search(piece) is not None or is_finished(piece)) for piece in split(text))


def number_words(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return holds(words(answer), relation(kwargs, "relation", WORDS), int(needed(kwargs, "num_words", WORDS)))


def number_sentences(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return holds(sentences(answer), relation(kwargs, "relation", SENTENCES), int(needed(kwargs, "num_sentences", SENTENCES)))


def first_word(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    """The nth paragraph opens with the word, by itself or with a particle, and there are as many paragraphs as asked for."""
    found = [piece for piece in _BLANK.split(answer.strip()) if piece.strip()]
    nth = int(needed(kwargs, "nth_paragraph", FIRST_WORD))
    if len(found) != int(needed(kwargs, "num_paragraphs", FIRST_WORD)) or not 1 <= nth <= len(found):
        return False
    word = re.escape(str(needed(kwargs, "first_word", FIRST_WORD)).strip())
    return re.match(rf"{word}(?={ATTACHED}(?![^\W_]))", found[nth - 1].lstrip(_OPENING + "\n"), re.IGNORECASE) is not None
