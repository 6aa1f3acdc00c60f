"""Whether a text is English: its script, then its commonest words against those of the other languages of the script. The same on every run."""

from __future__ import annotations

import re

from stages.languages.tongues import TONGUES, evidence

_COMMON = (
    "a about after again all also always am an and another any are as ask at away back bad be because been before being best better big both but "
    "by bye call came can come could day did do does done down each easy enough even ever every fine first for found from full get give go going "
    "good goodbye got great had happy has have he hello help her here hey hi him his hope how i if in into is it its just keep kind know last let "
    "life like little long look lot love made make man many may maybe me mean meet mine more most much must my name need never new nice night no "
    "not nothing now of off oh ok okay old on once one only or other our out over people please pretty put read really right said same say see "
    "she should show sky so some soon sorry still stop such sure take talk tell than thank thanks that the their them then there these they thing "
    "think this those three time to today too two under until up us use very want was water way we well went were what when where which while who "
    "why will with word work world would wow yeah year yes yet you your "
)
_WORDS = frozenset(_COMMON.split())
_OTHERS = [tongue for code, tongue in TONGUES.items() if code not in ("en", "ko") and tongue.script == TONGUES["en"].script]
_SHORTENED = re.compile(r"'(?:s|t|d|m|re|ve|ll|em|all|clock|er)$")
"""don't, o'clock; not aujourd'hui."""
_LETTER = re.compile(rf"[{TONGUES['en'].script}]")


def is_english(text: str) -> bool:
    """More than half of the letters are Latin, and no other language has more of its commonest words in the text."""
    latin = len(_LETTER.findall(text))
    if not latin or latin <= sum(char.isalpha() for char in _LETTER.sub("", text)):
        return False
    words = re.findall(r"[a-z]+(?:'[a-z]+)?", text.casefold().replace("’", "'"))
    english = sum(word in _WORDS or _SHORTENED.search(word) is not None for word in words)
    if not english and len(words) > 3:
        return False
    return english >= max(evidence(other, text) for other in _OTHERS)
