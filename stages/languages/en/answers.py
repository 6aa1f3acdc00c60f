"""Reading English answers and judges' replies. See `Answers` in stages/languages/base.py."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from stages.languages import choices as engine
from stages.languages import marks
from stages.languages.cleaning import clean
from stages.languages.en import choices, refusals, verdicts
from stages.languages.en.numbers import digits
from stages.languages.loops import only_noises, sentences_repeat, sound_repeats, words_repeat

_TAKEN_BACK = re.compile(
    r"\b(?:no,? wait|wait,? no|i mean|scratch that|correction|sorry,? (?:it'?s|that'?s|i meant?)|no, sorry)\b[\s,.:!-]*", re.IGNORECASE
)
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
_DATE = re.compile(
    rf"(?:({'|'.join(_MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({'|'.join(_MONTHS)}))(?:,? (\d{{4}}))?",
    re.IGNORECASE,
)


def choice(answer: str, options: Sequence[tuple[str, str]]) -> int | None:
    names = [option.strip().strip(".").casefold() for _, option in options]
    if sorted(names) in (["no", "yes"], ["false", "true"]):
        said = verdict(answer)
        if said is not None:
            return [name in ("yes", "true") for name in names].index(said)
    return engine.choose(clean(answer), tuple(map(tuple, options)), choices)  # type: ignore[arg-type]


_PLACE = re.compile(r"(?<!\w)(?:\(\s*([AaBb])\s*\)|([AB])[.):,]?(?=\s)|(?:option|sentence|choice)\s+([AaBb])\b[.):,]?)\s*")


def pair(question: str) -> tuple[tuple[str, str], tuple[str, str]]:
    text = clean(question)
    places = list(_PLACE.finditer(text))
    names = [(found[1] or found[2] or found[3]).upper() for found in places]
    for index in range(len(places) - 1, 0, -1):
        if names[index - 1 : index + 1] == ["A", "B"]:
            first = text[places[index - 1].end() : places[index].start()]
            second = re.split(r"\?\s|\n", text[places[index].end() :])[0]
            return ("A", first.strip(" \n\t.,;:?!")), ("B", second.strip(" \n\t.,;:?!"))
    return ("A", ""), ("B", "")


def verdict(answer: str, question: str = "", task: str = "") -> bool | None:
    return verdicts.verdict(clean(answer), question, task)


def refuses(answer: str) -> bool:
    return refusals.refuses(clean(answer))


def matches(answer: str, aliases: Sequence[str], question: str = "") -> bool:
    text = _bare(clean(answer))
    if not text.strip():
        return False
    for alias in aliases:
        for pattern in _alias(alias):
            if any(_stands(text, found) for found in pattern.finditer(text)):
                return True
        if not _alias(alias) and _whole(text) == _whole(_bare(clean(alias))):
            return True
    return False


def _stands(text: str, found: re.Match[str]) -> bool:
    """Whether an alias that was found is given as the answer: neither denied nor taken back."""
    before = re.split(r"[.!?\n]\s", text[: found.start()])[-1]
    after = re.split(r"(?<=[.!?\n])\s", text[found.end() :])[0]
    if choices.status(before, found[0], after, False, "text") in ("ruled_out", "asked"):
        return False
    back = [one for one in _TAKEN_BACK.finditer(text) if one.start() >= found.end()]
    return not (back and len(text) - back[-1].end() > 1 and len(text) - back[-1].end() < 80)


@lru_cache(maxsize=65536)
def _alias(alias: str) -> tuple[re.Pattern[str], ...]:
    """What finds an alias; nothing for one that is only an article or a letter, which must be the whole answer."""
    plain = _bare(clean(alias))
    forms = [plain]
    date = _DATE.fullmatch(plain.strip())
    if date:
        month, day, year = (date[1] or date[4]), int(date[2] or date[3]), date[5]
        forms = [f"{month} {day} {year or ''}", f"{day} {month} {year or ''}", f"{day} of {month} {year or ''}"]
    found = []
    for form in forms:
        tokens = choices.tokens(form)
        if len(tokens) == 1 and 2 <= len(tokens[0]) <= 5 and tokens[0].isalpha() and form.strip().isupper():
            found.append(re.compile(rf"(?<!\w){r'[.]?'.join(tokens[0])}(?!\w)", re.IGNORECASE))
            continue
        if tokens and not (
            len(tokens) == 1 and (tokens[0] in ("a", "an", "the", "no", "yes", "not", "i") or (len(tokens[0]) == 1 and tokens[0].isalpha()))
        ):
            pattern = choices.text_pattern(digits(form))
            if pattern:
                found.append(pattern)
    return tuple(found)


def _bare(text: str) -> str:
    """Without accents and possessive marks."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _whole(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def loops(transcript: str) -> bool:
    return sentences_repeat(transcript) or words_repeat(transcript, times=4) or sound_repeats(transcript)


def silence(transcript: str) -> bool:
    """What Whisper makes of silence."""
    return only_noises(transcript) or (
        re.fullmatch(
            r"\W*(?:thank(?:s| you)(?: so much| very much)? for watching|please subscribe|subtitles? by .{0,40}|you)\W*",
            transcript.strip(),
            re.IGNORECASE,
        )
        is not None
    )


def mark(reply: str, low: float, high: float) -> float | None:
    return marks.mark(reply, low, high)


_QUESTION_OF = re.compile(r"\byes\s*(?:/|or|and)\s*no\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"\b(yes|no|correct|incorrect|right|wrong|true|false)\b[\W_]*$", re.IGNORECASE)


def vote(reply: str) -> bool | None:
    marked = marks.vote(reply)
    if marked is not None:
        return marked
    text = _QUESTION_OF.sub("", clean(reply))
    found = verdicts.verdict(text)
    if found is None:
        last = _LAST_WORD.search(text)
        if last and not re.search(
            r"\b(?:not|n't|neither|nor|unsure|unclear|cannot)\b", text[max(0, last.start() - 25) : last.start()], re.IGNORECASE
        ):
            return last[1].casefold() in ("yes", "correct", "right", "true")
    return found
