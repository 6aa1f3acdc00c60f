"""A chain of statements on who lies: the same speakers, the same targets and the same claims, in the same order.

Names are compared by identity alone: the first of the source must be the first of the target wherever it comes, whatever it is called.

    "Bo says Ana lies. Cid says Bo lies."   -> a chain in which Cid speaks of Ana, or of someone new
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Pair, Words

_SAYS = re.compile(r"^(?P<speaker>\w[\w'’-]*)(?: says (?P<about>\w[\w'’-]*))? (?P<claim>lies|tells the truth)$")
_ASKS = re.compile(r"^Does (?P<speaker>\w[\w'’-]*) tell the truth$")

Statement = tuple[int, int | None, str]
"""Speaker, the one spoken of, and whether a lie or the truth is told; people by the order in which they first come."""


def check(pair: Pair, words: Words) -> Iterator[str]:
    if pair.item.task != "web_of_lies" or pair.replaced:
        return
    before, after = _source(pair.item.prompt), _target(pair.prompt, words)
    if not before:
        return
    if len(before) != len(after):
        yield f"the source has {len(before)} statements and questions on people, the target {len(after)} that can be read"
        return
    for place, (one, other) in enumerate(zip(before, after, strict=True), 1):
        if one != other:
            what = "who lies or tells the truth" if one[:2] == other[:2] else "who speaks of whom"
            yield f"sentence {place} differs in {what}"
            return


def _source(text: str) -> list[Statement]:
    people: dict[str, int] = {}
    found: list[Statement] = []
    for sentence in re.split(r"[.?!]\s*", re.sub(r"^\s*Question:\s*", "", text)):
        if hit := _SAYS.match(sentence.strip()):
            about = people.setdefault(hit["about"], len(people)) if hit["about"] else None
            found.append((people.setdefault(hit["speaker"], len(people)), about, "lie" if hit["claim"] == "lies" else "truth"))
        elif hit := _ASKS.match(sentence.strip()):
            found.append((people.setdefault(hit["speaker"], len(people)), None, "truth"))
        elif sentence.strip():
            return []  # another wording: nothing is known about it
    return found


def _target(text: str, words: Words) -> list[Statement]:
    known = words.lexicon.statements
    people: dict[str, int] = {}
    found: list[Statement] = []
    for sentence in re.split(r"[.?!]\s*", text):
        lie, truth = re.search(known.lie, sentence), re.search(known.truth, sentence)
        speaker, about = re.search(known.speaker, sentence), re.search(known.about, sentence)
        if not speaker or not (lie or truth):
            continue
        who = people.setdefault(about[1], len(people)) if about else None
        found.append((people.setdefault(speaker[1], len(people)), who, "lie" if lie else "truth"))
    return found
