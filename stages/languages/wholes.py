"""Constraints on the answer as a whole: JSON, a choice among fixed sentences, paragraphs, two responses, the repeated request, the last words.

json                 an object or a list, alone or in one fenced block; a bare number, string or word is no answer in JSON form.
constrained_response the answer has exactly one of the sentences that the item gives (`options`), word for word. They are part of the
                     item, because the three English ones of the source can stand in no answer in another language.
paragraphs           separated by exactly three asterisks (six are the separator of two responses), their number exact; an empty piece is
                     forgiven at both ends only.
two_responses        two different, non-empty texts around exactly six asterisks; a separator at either end is forgiven.
repeat_prompt        the answer begins with the request, character for character but for case and the spaces around.
end_checker          the answer ends with the phrase, punctuation included; quotation marks after it are forgiven.
"""

from __future__ import annotations

import re
import unicodedata

import orjson

from stages.languages.constraints import PARAGRAPHS, Kwargs, needed

JSON, CHOICE = "detectable_format:json_format", "detectable_format:constrained_response"
TWO, REPEAT, END = "combination:two_responses", "combination:repeat_prompt", "startend:end_checker"

_FENCE = re.compile(r"```\w*\s*\n?(.*?)\n?\s*```", re.DOTALL)
_STARS = re.compile(r"(?<!\*)\*{3}(?!\*)")
_SIX = re.compile(r"(?<!\*)\*{6}(?!\*)")


def json_format(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    text = answer.strip()
    fenced = _FENCE.fullmatch(text)
    try:
        return isinstance(orjson.loads(fenced[1] if fenced else text), (dict, list))
    except orjson.JSONDecodeError:
        return False


def constrained_response(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    flat = _flat(answer)
    return sum(_flat(option) in flat for option in needed(kwargs, "options", CHOICE)) == 1


def paragraphs(text: str) -> int | None:
    """Pieces between `***`; None where an inner one is empty."""
    pieces = [piece.strip() for piece in _STARS.split(text)]
    if len(pieces) > 1:
        pieces = pieces[not pieces[0] :]
        pieces = pieces[: len(pieces) - (not pieces[-1])] if pieces else pieces
    return len(pieces) if all(pieces) else None


def number_paragraphs(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return paragraphs(answer) == int(needed(kwargs, "num_paragraphs", PARAGRAPHS))


def two_responses(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    pieces = [piece.strip() for piece in _SIX.split(answer)]
    inner = [piece for place, piece in enumerate(pieces) if piece or 0 < place < len(pieces) - 1]
    return len(inner) == 2 and all(inner) and inner[0] != inner[1]


def repeat_prompt(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    request = _folded(str(needed(kwargs, "prompt_to_repeat", REPEAT)))
    return bool(request) and _folded(answer).startswith(request)


def end_checker(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    phrase = _folded(str(needed(kwargs, "end_phrase", END)))
    return bool(phrase) and (_folded(answer).endswith(phrase) or _folded(answer).rstrip("\"'”’ \n").endswith(phrase))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _flat(text: str) -> str:
    return " ".join(_folded(text).split())
