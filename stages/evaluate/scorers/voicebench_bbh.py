"""How VoiceBench's own evaluation reads BBH answers, for compat: phrases in a fixed order, slips included, in tables of our own.

Where a row has one pattern for each side, the first side is tried first. None is where the original tosses a coin.
"""

from __future__ import annotations

import re

_MARKS = re.compile(r"[:\"\-,.：]|\*\*")
_PAIR = (
    r"the answer is \(@\)",
    r"the correct (?:adjective order|sentence) is option \(@\)|correct adjective order options is @",
    r"the correct (?:answer|option) is \(@\)|the correct sentence would be option \(@\)|the correct sentence is \(@\)",
    r"the proper adjective order is @",
    r"the correct adjective order is \(@\)",
    r"correct adjective order is @",
    r"the adjectives in option @ are in the correct order|the right adjective order is @\)|the (?:correct adjectivs|"
    r"right adjective order) is \(@\)|correct adjectival order is @",
    r"the proper adjective order is \(@\)|the correct sentence order is @|"
    r"option @ correctly follows the standard adjective order|the answer directly is @",
    r"the correct order would be option @|final answer should be @",
    r"final answer @",
    r"option \(@\) uses the correct adjective sequence|the correct (?:option|one) is option @|answer is without any modification (?:option )?@",
    r"answer is @",
    r"the answer is \[@\]|option @ follows the correct adjective order|the correct order of adjectives is @|option \(@\) is the correct answer",
    r"the correct order is @",
    r"the correct (?:object|answer) order is @|the final answer without any modification is @",
    r"the correct sentence is @",
    r"correct (?:adjective|objective) order option is @|correct adjective order is sentence @|the answer is is @|"
    r"the correct adjective order is (?:provided in )?option @",
    r"option @ is more accurate",
    r"answer is option @",
    r"option @ has the adjectives in the correct order|option @ is closer to being correct|"
    r"the most logical order is option @|in option @ the adjectives are in the correct order",
    r"sentence @ is the closest to the correct adjective order|option @ has the correct order|sentence @ has a more logical|"
    r"the closest correct order is option @|sentence @ has the correct adjective order",
    r"option @ is the closest to the typical order|the correct answer would be option @",
    r"the correct option is @",
    r"option @ has a (?:better|correct) adjective order|option @ has the correct adjective order|"
    r"option @ seems to follow the typical order|the correct order is found in option @",
    r"the correct adverb order would be @|the correct answer would be the @|the correct adjective order is in (?:option|"
    r"sentence) @|the adjectives are in the correct order for @|the answer is \[option @\]",
    r"option \(@\) has a correct adjective order|the correct sentence would be @|"
    r"option @ follows the correct sequence of adjectives|option @ would be closer to the correct order",
    r"the correct sentence with the adjective order is (?:option )?@|option @ is more grammatically correct|"
    r"option @ would be more correct|option @ is the closest match",
    r"the correct sentence is option @|the correct (?:objective )?order is in option @|the answer is option \(@\)|"
    r"the correct option would be \(@\)|the correct adjective order is found in option @",
    r"option \(@\) (?:follows the (?:typical order of adjectives|general adjective order)|has the correct adjective order|"
    r"would be more grammatically correct)",
    r"option @ is the correct",
    r"option @ (?:has the correct word order|follows the correct order|has a slightly better chance of being correct)|"
    r"the answer is sentence @|the final answer is \(@\)",
    r"sentence @ .+? seems to have a more logical|the correct adjective order is .+? option @",
    r"^@ ",
    r"^@\)",
)
_BOTH = r"option a is incorrect and option b is correct"
_POSITIONS: tuple[tuple[str, str], ...] = (
    (r"the correct adjective order is in the first option|following the typical order is the first option", "(a)"),
)
_POSITIONS += ((r"the correct adjective order is in the second option|following the typical order is the second option", "(b)"),)

_YES_NO = (
    r"answer is W",
    r"the answer W",
    r"final answer W",
    r"i would answer W|the answer is without any modification W|the answer to the question is W",
)
_TRUE_FALSE = (r"the answer is T", r"answer T", r"the answer is \$?\\boxed\{(?:\\text\{)?(?:T|W)\}?\}\$?")
_LAST = (r"i will provide the answer as W", r"prefix answer W", r"conclusion W")

_ENDS: dict[str, tuple[tuple[str, bool], ...]] = {
    "web_of_lies": (
        (r"the prefix no applies to the statement|veena s statement cannot be true", False),
        (r"therefore truly lorene tells the truth|the answer is the truth|affirmatively alejandro tells the truth", True),
        (r"answer is .+? (?:tells a lie|lies|says lie|doesn t tell the truth|does not tell the truth|didn t tell the truth)", False),
        (r"answer is .+? (?:tells the truth|does tell the truth)", True),
        (r"answer to the question .+? is no", False),
        (r"answer to the question .+? is yes|from the above steps we can conclude that .+? tells the truth", True),
        (r"(?:does not tell the truth|cannot be telling the truth|is lying|tells the lie)$", False),
        (
            r"(?:is also telling the truth|must be lying|must be telling the truth|tells the truth|delfina does tell the truth|"
            r"osvaldo is telling the truth)$",
            True,
        ),
        (r"lies$", False),
    ),
    "navigate": (
        (r"you (?:do not return to|are not at|haven t moved back to|cannot return to) the starting point", False),
        (r"you return to the starting point", True),
        (r"you (?:are not facing|haven t returned to) the starting point", False),
        (r"you end up back at the starting point", True),
        (r"you (?:are not back at|will not return to) the starting point", False),
        (
            r"yes following these instructions|we end up back at the starting point|indeed (?:returns us|"
            r"bring us back) to the starting point|you ll end up right back where you started",
            True,
        ),
        (r"we ve now returned to the starting point|i have returned to the starting position", True),
        (
            r"the final position is not directly at the starting point|it appears that we did not return to the exact starting point|"
            r"does not return us to the starting point",
            False,
        ),
        (
            r"i will end up back where i started|indeed return to the starting point|i ll be back where i started|"
            r"i ll end up back at the starting point",
            True,
        ),
        (
            r"after following these instructions we return to the starting point|we are back at the starting point!|"
            r"we are now back at the starting point|you ll end up back where you started",
            True,
        ),
        (
            r"we have now returned to the starting point|i ve returned to the starting point|"
            r"following these instructions will always return us to the starting point",
            True,
        ),
        (r"indeed return you to the starting point|the answer is the starting point", True),
        (r"following these (?:instructions doesn t return us|directions does not lead you back) to (?:your original|the) starting point", False),
    ),
    "sports_understanding": (
        (r"final answer the sentence is plausible|the answer is directly yes", True),
        (r"no the sentence is not possible|the answer is it is not possible", False),
        (r"the answer is the sentence is plausible", True),
        (r"the sentence is not (?:particularly )?plausible", False),
        (r"yes the sentence is structurally plausible|is the sentence plausible\? yes it is", True),
        (r"no the original sentence is not plausible|it s not a plausible|to answer your original question no", False),
        (r"making it plausible", True),
        (r"making it implausible", False),
        (
            r"it is indeed a plausible sentence|considering these points the sentence is plausible|"
            r"i would say (?:that )?the sentence is plausible",
            True,
        ),
        (
            r"i d say it s not entirely plausible|therefore not plausible|making it an implausible statement|"
            r"the following sentence is not plausible",
            False,
        ),
        (r"considering these points the sentence is (?:unlikely to be true|not plausible)", False),
        (
            r"yes the sentence is plausible|(?:based on this analysis|given the context|"
            r"considering these factors) the sentence is plausible|considering these points the sentence seems plausible",
            True,
        ),
        (r"considering these points the sentence is unlikely to be plausible", False),
        (
            r"given the context of sports particularly basketball this sentence is plausible|"
            r"considering these points the sentence is likely true|considering these elements the sentence is plausible",
            True,
        ),
        (r"i would say it s unlikely|it seems unlikely", False),
        (r"given this analysis the sentence is plausible|considering these points the sentence is the plausible", True),
        (r"the sentence is not entirely (?:possible|accurate|plausible)", False),
        (r"the answer is plausible", True),
        (r"modification of answer not possible", False),
        (
            r"i would say that the sentence is generally plausible|given these points the sentence is plausible|"
            r"considering these points the sentence seems to be a plausible|the sentence appears to be a plausible",
            True,
        ),
        (r"^not plausible$", False),
        (r"considering these points the sentence .+? (?:is grammatically correct and makes sense|is plausible)", True),
        (r"considering these points the sentence .+? is unlikely", False),
        (
            r"based on (?:this analysis|these steps) the sentence .+? (?:is|seems) plausible|"
            r"considering these points the sentence .+? (?:seems to be a possible|appears to be plausible|seems plausible)",
            True,
        ),
        (r"the sentence .+? is not very plausible", False),
        (
            r"considering these points .+? is a plausible sentence|given (?:this information|"
            r"the context) the sentence .+? is plausible|the sentence .+? is flexible and realistic",
            True,
        ),
        (r"considering these points the sentence .+? is not a plausible statement", False),
        (r"the sentence .+? is not plausible", True),
    ),
}


def verdict(answer: str, task: str) -> str | None:
    """yes, no, (a), (b), or None where the original tosses a coin."""
    text = _normal(answer)
    if "hyperbaton" in task:
        return _pair(text)
    name = next((name for name in _ENDS if name in task), None)
    if name is None:
        return None
    said = _spoken(text)
    if said is None:
        said = next((yes for pattern, yes in _ENDS[name] if re.search(pattern, text)), None)
    if said is None:
        for word, yes in (("no", False), ("yes", True)):
            if text.startswith(word):
                said = yes
                break
    if said is None:
        for word, yes in (("no", False), ("yes", True)):
            if text.endswith(word):
                said = yes
                break
    return None if said is None else "yes" if said else "no"


def _normal(answer: str) -> str:
    text = answer.lower()
    if text.endswith("<|user|>"):
        text = text[:-8].strip()
    if text.startswith(("<1>", "<2>", "<3>")):
        text = text[3:].strip()
    return " ".join(_MARKS.sub(" ", text.replace("<|turn_end|>", "")).split())


def _pair(text: str) -> str | None:
    if text in ("a", "b"):
        return "(a)"  # both, by a slip
    for row in _PAIR:
        for letter in "ab":
            if re.search(row.replace("@", letter), text):
                return f"({letter})"
        if "option @ would be more correct" in row and _BOTH in text:
            return "(b)"
    return next((side for pattern, side in _POSITIONS if re.search(pattern, text)), None)


def _spoken(text: str) -> bool | None:
    for row in (*_YES_NO, *_TRUE_FALSE, *_LAST):
        for word, truth, yes in (("no", "false", False), ("yes", "true", True)):
            if re.search(row.replace("W", word).replace("T", truth), text):
                return yes
    return None
