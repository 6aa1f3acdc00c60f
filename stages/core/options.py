"""Multiple-choice options, read out of an English prompt as upstream writes them. What cannot be read is never guessed.

Two forms occur. VoiceBench openbookqa and mmsu put one option on a line, then a closing line:

    Which of these floats on water?
    A. a nail
    B. a cork
    What is the answer to the above multiple choice question? Select one of the following: A or B.

BBH hyperbaton puts both inside the sentence, `...: (a) the old red bag (b) the red old bag?`. Labels come back as the
references name them: `A`, and `(a)`.
"""

from __future__ import annotations

import re

from stages.core.files import Row

_LINE = re.compile(r"^[ \t]*\(?([A-Z])[.):](?=\s)", re.MULTILINE)
_CLOSING = re.compile(r"\n[^\n]*(?:answer to the above|select one of the following)[^\n]*\s*\Z", re.IGNORECASE)
_OFFERED = re.compile(r"following:(.*)", re.IGNORECASE)
_INLINE = re.compile(r"(?<!\w)\(([a-z])\)", re.IGNORECASE)


class Unreadable(Exception):
    """The options cannot be read for sure; the message says why."""


def of_lines(prompt: str) -> list[Row]:
    """Options that begin a line each, as {label, text} with the labels A, B, C, ... in order.

    Raises Unreadable when no line is labelled A or several are, when the labels do not run on from A, when an option has
    no text, when the closing line offers other labels, and when the last option has several lines with no closing line
    to end it (it could hold anything).
    """
    closing = _CLOSING.search(prompt)
    options = _between(list(_LINE.finditer(prompt)), prompt, closing.start() if closing else len(prompt))
    labels = [option["label"] for option in options]
    if closing is None and "\n" in options[-1]["text"]:
        raise Unreadable("no closing line ends the last option")
    if closing is not None and (offered := _OFFERED.search(closing[0])):
        named = re.findall(r"\b[A-Z]\b", offered[1])
        if named != labels:
            raise Unreadable(f"the closing line offers {' '.join(named)}, the options are {' '.join(labels)}")
    return [{"label": option["label"], "text": " ".join(option["text"].split())} for option in options]


def of_sentence(prompt: str) -> list[Row]:
    """Options inside a sentence, as {label, text} with the labels (a), (b), ... in order. Raises Unreadable as `of_lines`.

    A question mark after the last option closes the question, unless every option has one.
    """
    options = _between(list(_INLINE.finditer(prompt)), prompt, len(prompt))
    if not all(option["text"].endswith("?") for option in options):
        options[-1]["text"] = options[-1]["text"].rstrip("? ")
    return [{"label": f"({option['label'].lower()})", "text": " ".join(option["text"].split())} for option in options]


def _between(marks: list[re.Match[str]], prompt: str, end: int) -> list[Row]:
    """The labels at `marks` with the text up to the next one, or to `end`. What stands before the one label A is the question."""
    names = [mark[1].upper() for mark in marks]
    if names.count("A") != 1:
        raise Unreadable("no option is labelled A" if "A" not in names else "several options are labelled A")
    first = names.index("A")
    marks, names = marks[first:], names[first:]
    if len(names) < 2 or names != [chr(ord("A") + place) for place in range(len(names))]:
        raise Unreadable(f"the option labels are {' '.join(names)}, which do not run on from A")
    ends = [mark.start() for mark in marks[1:]] + [end]
    options = [{"label": mark[1], "text": prompt[mark.end() : stop].strip()} for mark, stop in zip(marks, ends, strict=True)]
    if empty := [option["label"] for option in options if not option["text"].strip("? ")]:
        raise Unreadable(f"option {empty[0]} has no text")
    return options
