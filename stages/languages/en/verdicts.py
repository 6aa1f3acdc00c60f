"""English: whether an answer says yes or no, also by the statements that the yes/no tasks of BBH ask for.

Explicit are `yes`, `no`, `true`, `correct` and the like where they are a reply, and what `the answer is` is followed by. `no` before a noun
(no doubt, no one) is none, nor is anything in a question, a condition or a quotation of the question (yes or no).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.languages.verdicts import Said, decide

_CORRECTION = re.compile(
    r"\b(?:no,? wait|wait,? no|wait|scratch that|correction|i mean|my mistake|on second thoughts?|i take (?:that|it) back|"
    r"hold on|oops|or rather|strike that|actually|"
    r"let me (?:reconsider|rethink|re-?check)|hmm)\b[\s,.:!…-]*",
    re.IGNORECASE,
)
_SKIPPED = re.compile(
    r"\byes\s*(?:/|or|and|\()\s*(?:a\s+)?no\)?|\bno\s*(?:/|or|and)\s*yes\b|\btrue\s*(?:/|or)\s*false\b|\bno,? wait\b|"
    r"\bwait,? no\b(?=\s+wait)|\bno (?:doubt|matter|problem|one|need|longer|other|more|less|idea|clue|information|"
    r"movement|turns?|steps?|means|such|change|reason|evidence|question|rule|explicit|direct|specific|further|additional|"
    r"worries|kidding)\b|\bof course not\b|(?:,\s*not|\brather than|\binstead of|\bas opposed to)\s+(?:an?\s+)?(?:yes|no)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.?!\n]*\?")
_TAG_QUESTION = re.compile(r",\s*(?:right|correct|isn't it|okay|ok)\s*\?")
_CONDITION = re.compile(
    r"\b(?:if|whether|unless|suppose|assuming|had it been|would only be|determine (?:if|whether)|see (?:if|whether))\b[^,.;:?!\n]*", re.IGNORECASE
)
_CLAUSE_END = (
    r"(?=\s*(?:[,.;:!)\]\"'\n-]|$|\b(?:it|you|he|she|they|we|i|that|this|the|these|those|because|since|as|not|there|and|so|rather|instead|over|"
    r"but|for|in|after|based|given|by|indeed|sir|\w+ (?:is|does|did|lies|tells|doesn't|isn't|do|are))\b))"
)

_ADVERB = (
    r"(?:\w+ly\s+|indeed\s+|just\s+|in fact\s+|of course\s+|an?\s+|the\s+|still\s+|to be\s+|that\s+|therefore[\s,]+|"
    r"thus[\s,]+|then[\s,]+|a\s+(?:resounding|definite|clear|simple|firm)\s+|most\s+|very\s+|quite\s+|at all\s+|all that\s+|"
    r"so\s+|entirely\s+|too\s+|also\s+|both\s+|considered\s+|going to be\s+|in the end\s+|again\s+)*"
)
_ANSWER = re.compile(
    r"(?:\b(?:answer|verdict|conclusion|response|result|reply|prefix|output|final)\b[^.?!\n]{0,60}?(?:\b(?:is|be|was|as|"
    r"would be|should be|must be)\b|'s\b|:|=|->|-)|\b(?:answer|verdict|conclusion|prefix|final)\s+(?=(?:yes|no|true|"
    r"false)\b)|⇒|\b(?:must|has to|should|would|will|can only) be\b|\bit's\b|\bit is\b|\b(?:say|answer|said|going with|"
    r"go with|conclude|reply|respond|vote|goes|it's an?|"
    r"it is an?|that's an?|that is an?)\b(?:\s+with|\s+that)?)"
    rf"[\s,:;\"'(\[-]*{_ADVERB}[\"'(\[]*(?P<not>not\s+|n't\s+)?[\"'(\[]*(?P<word>yes|yeah|yep|no|nope|true|false|correct|"
    rf"incorrect|affirmative|negative|plausible|implausible|right|wrong|valid|invalid)\b(?!\s+(?:answer|one|way|option|"
    rf"order)\b)",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"(?:^|[.?!\n:;]\s*|⇒\s*|[,-]\s*|\b(?:so|therefore|thus|hence|then|and|but|well|um+|uh+|oh|ok|okay|think|say|is|sure|"
    r"final|overall|actually|really|definitely|clearly|obviously|simply|absolutely|surely|probably|likely|answer|short|"
    r"summary|guess|believe|verdict)\b[\s,:-]*)"
    r"[\"'(\[*]*(?P<word>yes|yeah|yep|yup|yea|no|nope|nah)\b" + _CLAUSE_END,
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"(?:^|[.?!\n;]\s*|⇒\s*|\b(?:it is|it's|that is|that's|this is|statement is|claim is|so,?|therefore,?|is)\s+)"
    rf"{_ADVERB}(?P<not>not\s+(?:\w+ly\s+)?)?(?P<word>true|false|correct|incorrect|right|wrong|affirmative|negative|"
    rf"absolutely|certainly|definitely|indeed|exactly|of course|sure)\b(?=\s*(?:[,.;:!\"')\n-]|$)|\s+(?:not|that|because|"
    rf"since)\b)(?P<after>\s*,?\s*not\b)?",
    re.IGNORECASE,
)
_YES_WORDS = {
    "yes",
    "yeah",
    "yep",
    "yup",
    "yea",
    "true",
    "correct",
    "affirmative",
    "plausible",
    "right",
    "valid",
    "absolutely",
    "certainly",
    "definitely",
    "indeed",
    "exactly",
    "of course",
    "sure",
}

_NOT = (
    r"(?:not|n't|never|hardly|scarcely|barely|no longer|cannot|can't|far from|neither|nor|less than|nothing|isn't|doesn't|"
    r"don't|wasn't|aren't|won't|didn't|wouldn't|haven't|hasn't|couldn't|unable to|fails? to|failed to|without)"
)
_DENIED = re.compile(rf"(?:\b{_NOT}|n't)\b(?:\s+(?!but\b)[\w'-]+){{0,4}}\s*$", re.IGNORECASE)
_DOUBLE = re.compile(r"\b(?:not|n't|isn't|never)\b(?:\s+\w+){0,2}\s+(?:not|n't)\b", re.IGNORECASE)

_OPINION = re.compile(
    r"\b(?:n't|not|never|cannot) (?:think|believe|say|consider|call|feel|agree|find|see how|sure|convinced)\b|n't (?:think|"
    r"believe|say|consider|call|feel|agree|find)\b|\bdoubt(?:s|ed)?\b(?! about)",
    re.IGNORECASE,
)
"""What turns the verdict behind it around."""
_SHORT = re.compile(
    r"(?:^|[.!\n]\s*|,?\s*\b(?:but|no,|yes,|so|actually,|in fact,|however,)\s+)(?P<no>not (?:yes|really|at all|quite|exactly|"
    r"so|plausible|likely|possible|true|in the least|in this case)|by no means|in no way|far from it|hardly|never|"
    r"(?:it|that|this|you|we|i|they|he|she|one)(?:\s+(?:is|does|do|was|would|will|can|did|are|am|could|has|have))(?:n't|"
    r"\s+not|not)(?:\s+really|\s+at all)?|it's not|that's not|you're not|they're not|you won't|it can't|you can't|"
    r"cannot be)\s*(?=[.!,;\n]|$)"
    r"|(?:^|[.!\n]\s*|\bbut\s+)(?P<yes>(?:it|that|this|you|we|i|they|he|she)\s+(?:really\s+|certainly\s+|indeed\s+)?(?:is|"
    r"does|do|was|would|will|can|did|are)(?:\s+indeed)?)\s*(?=[.!\n]|$)",
    re.IGNORECASE,
)
"""A verdict without a verdict word: `it isn't`, `not at all`, `it is`."""
_INSIDE_NOT = re.compile(r"\b(?:not|cannot|never)\b|n't\b", re.IGNORECASE)
_STATEMENTS: dict[str, list[tuple[re.Pattern[str], bool]]] = {
    "sports_understanding": [
        (
            re.compile(
                r"\b(?:implausible|impossible|unlikely|improbable|unrealistic|nonsens\w+|illogical|inaccurate|incorrect|false|untrue|"
                r"invalid|inconsistent|far-?fetched|absurd|doubtful|no way)\b",
                re.IGNORECASE,
            ),
            False,
        ),
        (
            re.compile(
                r"\b(?:plausible|possible|realistic|makes? sense|making sense|likely|believable|reasonable|accurate|feasible|conceivable|"
                r"sensible|valid|credible|true|could happen|can happen|does happen|legitimate)\b",
                re.IGNORECASE,
            ),
            True,
        ),
        (re.compile(r"\b(?:does not|doesn't|don't|do not)\s+(?:\w+\s+){0,2}(?:play|use|do|score|belong|apply|exist|happen)\b", re.IGNORECASE), False),
    ],
    "navigate": [
        (
            re.compile(
                r"\b(?:net (?:displacement|movement)|displacement|distance)\b[^.\n]{0,30}\b(?:is|of|equals|=)\s+(?:zero|0)\b|\(0, ?0\)|"
                r"\bright where you (?:started|began)\b",
                re.IGNORECASE,
            ),
            True,
        ),
        (
            re.compile(
                r"\b(?:returns?|returned|returning|bring|brings|back|end up|ending up|ended up|finish|arrive|are|am|is|be|stay|remain|"
                r"stand|standing|landed?|at|lead|leads)\b(?:\s+[\w']+){0,5}?\s+(?:start(?:ing)?(?:\s+(?:point|position|place|spot|"
                r"location))?|where (?:you|i|we|they|he|she) (?:started|began|were|was)|(?:the )?origin(?:al)?(?:\s+(?:point|position|"
                r"place|spot|location))?|beginning|same (?:place|spot|point|position|location)|square one|initial (?:point|position|"
                r"place|location))\b",
                re.IGNORECASE,
            ),
            True,
        ),
        (
            re.compile(
                r"\b(?:away|off|from|east of|west of|north of|south of|behind|ahead of|in front of|short of|left of|right of|past|"
                r"beyond)\s+(?:the\s+|your\s+|my\s+|its\s+|our\s+)?(?:start|origin|beginning|initial|where)",
                re.IGNORECASE,
            ),
            False,
        ),
        (
            re.compile(
                r"\b(?:different|another|other)\s+(?:place|spot|point|position|location)\b|\b(?:one|two|three|four|five|six|seven|eight|"
                r"nine|ten|\d+)\s+(?:steps?|meters?|blocks?|units?|paces?)\s+(?:away|off|left|right|east|west|north|south|forward|back|"
                r"ahead|behind|short)\b|\belsewhere\b",
                re.IGNORECASE,
            ),
            False,
        ),
    ],
    "web_of_lies": [
        (
            re.compile(
                r"\b(?:tells? (?:the |a )?lies?|telling (?:a )?lies?|lies|lie|lying|lied|a liar|liar|untruthful|dishonest|deceitful|"
                r"says? (?:a )?lies?|false|not honest|told a lie)\b",
                re.IGNORECASE,
            ),
            False,
        ),
        (
            re.compile(
                r"\b(?:tells? (?:\w+ )?truth|telling (?:\w+ )?truth|told (?:\w+ )?truth|speaks? (?:\w+ )?truth|speaking (?:\w+ )?truth|"
                r"truthful|honest|truth-?teller|truthfully|says? (?:\w+ )?truth|being truthful|sincere)\b",
                re.IGNORECASE,
            ),
            True,
        ),
    ],
}
_SUBJECT = re.compile(r"\b(?:[Dd]oes|[Ii]s|[Dd]id|[Dd]o)\s+([A-Z][\w-]+)\s+(?:tell|telling|lying|honest|truthful|lie|speak|a liar)\b")
_SAYS = re.compile(r"\b(?:says?|said|claims?|claimed|states?|stated|according to|asserts?|that)\b", re.IGNORECASE)
_NAME = re.compile(r"\b([A-Z][a-z]+)\b")
_PRONOUN = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)


def verdict(text: str, question: str = "", task: str = "") -> bool | None:
    """Whether `text`, which is clean, says yes. `task` names the BBH sub-task, whose statements are then read, too."""
    task = next((name for name in _STATEMENTS if name in task), "")
    asked = (
        text if _QUESTION.fullmatch(text.strip()) else _QUESTION.sub(_stopped, _TAG_QUESTION.sub(lambda found: "." + " " * (len(found[0]) - 1), text))
    )
    masked = _CONDITION.sub(_blanked, _SKIPPED.sub(_blanked, asked))
    subject = next(iter(reversed(_SUBJECT.findall(question))), None) if task == "web_of_lies" else None
    said = list(_explicit(masked, subject))
    if re.search(
        r"\bof course not\b|\bby no means\b|\b(?:absolutely|certainly|definitely|surely|probably|clearly) not\b(?=\s*(?:[.,!;\n]|$))",
        asked,
        re.IGNORECASE,
    ):
        said += [
            Said(found.start(), False, True)
            for found in re.finditer(
                r"\bby no means\b|\b(?:of course|absolutely|certainly|definitely|surely|probably|clearly) not\b", asked, re.IGNORECASE
            )
        ]
    if re.search(r"\bno way\b", asked, re.IGNORECASE) and not said:
        said.append(Said(0, False, True))
    said += _short(masked, explicit=not said)
    said += _implied(masked, question, task)
    return decide(said, _CORRECTION.finditer(text))


def _blanked(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _stopped(found: re.Match[str]) -> str:
    return " " * (len(found[0]) - 1) + "."


def _explicit(text: str, subject: str | None) -> Iterator[Said]:
    for pattern in (_ANSWER, _REPLY, _JUDGED):
        for found in pattern.finditer(text):
            if pattern is _JUDGED and subject and set(_people(text[: found.start("word")].rpartition(".")[2])) - {subject}:
                continue  # what is true of another person answers nothing
            groups = found.groupdict()
            yes = found["word"].casefold() in _YES_WORDS
            denied = bool(groups.get("not") or groups.get("after"))
            if pattern is _JUDGED and found["word"].casefold() not in ("true", "false", "correct", "incorrect", "right", "wrong") and denied:
                yes, denied = False, False
            before = text[max(0, found.start() - 60) : found.start("word")].rpartition(".")[2]
            if pattern is not _REPLY and _OPINION.search(before.rpartition(";")[2].rpartition(", but")[2]):
                denied = not denied
            elif pattern is _ANSWER and not denied:
                denied = _INSIDE_NOT.search(found[0][: found.start("word") - found.start()].rpartition(",")[2]) is not None
            if pattern is _JUDGED and _DENIED.search(text[max(0, found.start("word") - 40) : found.start("word")].rpartition(".")[2]) and not denied:
                yes = not yes
            yield Said(found.start("word"), yes != denied, True)


def _short(text: str, explicit: bool) -> Iterator[Said]:
    for found in _SHORT.finditer(text):
        name = "no" if found["no"] else "yes"
        yield Said(found.start(name), name == "yes", explicit)


def _implied(text: str, question: str, task: str) -> Iterator[Said]:
    subject = next(iter(reversed(_SUBJECT.findall(question))), None) if task == "web_of_lies" else None
    for pattern, yes in _STATEMENTS.get(task, ()):
        for found in pattern.finditer(text):
            clause = re.split(
                r"[.;:\n]|,\s*(?:but|so|and|because|while|whereas|which)?\b|\b(?:but|because|since|while|whereas|so|therefore)\b",
                text[: found.start()],
            )[-1]
            if task == "web_of_lies" and not _is_about(subject, clause, text[: found.start()]):
                continue
            denied = bool(_DENIED.search(clause)) or (
                task == "navigate" and re.search(rf"\b(?:{_NOT})\b|n't\b", clause + found[0]) is not None and yes
            )
            if denied and _DOUBLE.search(clause):
                denied = False
            yield Said(found.start(), yes != denied, False)


def _is_about(subject: str | None, clause: str, before: str) -> bool:
    """Whether a statement is the answer's own about the person asked for, not what one person says of another."""
    if _SAYS.search(clause):
        tail = _SAYS.split(clause)[-1]
        says = re.search(r"\bthat\s*$|\b(?:conclude|means|know|follows|implies|so|think|believe|say)\b[^,]*\bthat\b", clause, re.IGNORECASE)
        if not says or (_NAME.search(clause[: len(clause) - len(tail)]) and re.search(r"\b(?:says?|said|claims?|states?|asserts?)\b", clause)):
            return False
        clause = tail
    names = _people(clause)
    if subject is None or subject in names:
        return True
    if names:
        return False
    earlier = _people(before)
    return not _PRONOUN.search(clause) or subject in earlier or not earlier


_NO_NAME = {
    "The",
    "This",
    "That",
    "So",
    "Therefore",
    "If",
    "Thus",
    "Hence",
    "Then",
    "He",
    "She",
    "They",
    "And",
    "But",
    "Since",
    "Answer",
    "Yes",
    "No",
    "It",
    "We",
    "Because",
    "Also",
    "First",
    "Finally",
    "Given",
    "As",
}


def _people(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if name not in _NO_NAME]
