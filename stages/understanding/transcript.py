"""Stage questions_transcript: word order and word frequency, by rule from what is said (paper 2605.27984, section 3.2.1).

The answer is measured: the place of a word in the utterance, or how often it occurs. A word is asked for only where a listener
can be as sure as the transcript is: it does not occur inside another word, nothing that sounds alike is said, and for a
place, the number of words up to it does not hang on a writer's habit of spacing. What a word is, is the language's to say
(`Language.lexicon`, for Korean rulebooks/ko/understanding/transcript.yaml).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import Field

from stages import languages
from stages.core.app import main
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language, Lexicon, Word
from stages.understanding import draw, options, sources

Name = Literal["word_order", "word_frequency_counting"]


class Capability(Settings):
    target: int | None = Field(ge=0)
    """Questions wanted; null takes all that balance allows. A shortfall is reported, not padded."""
    n_options: int = Field(4, ge=2)
    most: int = Field(ge=2)
    """The largest place, or the largest count, that is asked for: beyond it a listener counts rather than hears."""
    tolerance: int = Field(1, ge=0)
    """How far the numbers of questions with this or that answer may differ within one set of options."""
    unheard_tags: list[str] = Field([])
    """Tags of a segment in which something is said that the transcript does not have."""
    per_segment: int = Field(1, ge=1)
    """Questions about one segment. A benchmark has 1; more is for trials."""


class TranscriptSettings(Settings):
    language: str
    corpora: list[str]
    seed: int
    capabilities: dict[Name, Capability]


@dataclass(frozen=True)
class Tools:
    segments: list[Row]
    language: Language


@dataclass(frozen=True)
class Target:
    """A word that may be asked for in a segment."""

    text: str
    rule: str
    """word: a stem, whatever is attached to it; form: this very form."""
    value: int
    """Its place, from 1, or its count."""


@dataclass(frozen=True)
class Heard:
    """A segment as a listener has it."""

    words: list[Word]
    stream: str
    """Without spaces, which are not heard."""
    sound: str
    """The same by `Lexicon.same_sound`."""


def run(rows: list[Row], settings: TranscriptSettings, tools: Tools) -> Outcome:
    """Rows of Question. Every segment that may be used for a capability is kept or rejected for it."""
    kept: list[Row] = []
    rejected: list[Rejection] = []
    report: dict[str, Any] = {}
    used = [segment for segment in tools.segments if set(segment["uses"]) & set(settings.capabilities)]
    heard = _heard(used, tools.language)
    for name, chosen in settings.capabilities.items():
        made, refused, about = _make(
            name, chosen, [segment for segment in used if name in segment["uses"]], heard, settings.seed, tools.language.lexicon
        )
        kept += made
        rejected += refused
        report[name] = about
    return Outcome(kept, rejected, {"capabilities": report})


def _heard(segments: list[Row], language: Language) -> dict[str, Heard | str]:
    """Segment id to what is heard, or to why that is not certain."""
    lexicon = language.lexicon
    lines: list[str] = []
    spans: dict[str, tuple[int, int]] = {}
    found: dict[str, Heard | str] = {}
    for segment in segments:
        said = [_said(line, language) for line in segment["transcript"].split("\n")]
        problem = next((line.problem for line in said if line.problem), "")
        if problem:
            found[segment["id"]] = problem
            continue
        spans[segment["id"]] = (len(lines), len(lines) + len(said))
        lines += [line.text for line in said]
    analysed = lexicon.analyse(lines)
    for id, (first, end) in spans.items():
        words = [word for line in analysed[first:end] for word in line]
        stream = "".join(word.text for word in words)
        found[id] = Heard(words, stream, lexicon.same_sound(stream))
    return found


@dataclass(frozen=True)
class _Line:
    text: str
    problem: str = ""


_READ = re.compile(r"[0-9A-Za-z]")


def _said(line: str, language: Language) -> _Line:
    """A line as it is said, numbers read out."""
    if all(char.isspace() or char in ".,!?…~" or (char.isalpha() and not char.isascii()) for char in line):
        return _Line(line)
    reading = language.read(line)
    if reading.unsure:
        return _Line("", f"{reading.unsure[0].before!r} may be read in several ways")
    left = _READ.search(reading.text)
    return _Line("", f"{left[0]!r} has no reading") if left else _Line(reading.text)


def _make(
    name: Name, chosen: Capability, segments: list[Row], heard: dict[str, Heard | str], seed: int, lexicon: Lexicon
) -> tuple[list[Row], list[Rejection], dict[str, Any]]:
    """The questions of one capability, the segments about which none is asked, and a report."""
    find, spell = (placed_words, lexicon.ordinal) if name == "word_order" else (counted_words, lexicon.times)
    spell = cache(spell)
    by_id = {segment["id"]: segment for segment in segments}
    candidates: list[options.Candidate] = []
    targets: dict[str, tuple[str, Target]] = {}
    rejected: list[Rejection] = []
    for id, segment in by_id.items():
        one = heard[id]
        if isinstance(one, str):
            rejected.append(sources.refused(segment, name, "unsure_reading", "reading", one))
            continue
        if unheard := sorted(set(segment["tags"]) & set(chosen.unheard_tags)):
            rejected.append(sources.refused(segment, name, "unsure_words", "tags", f"something is said that is not transcribed: {' '.join(unheard)}"))
            continue
        room = chosen.most if name == "word_frequency_counting" else min(chosen.most, len(one.words))
        if room < chosen.n_options:
            rejected.append(
                sources.refused(segment, name, "too_short", "options", f"{len(one.words)} words give {room} places, {chosen.n_options} needed")
            )
            continue
        found = find(one, chosen.most, lexicon)
        if not found:
            rejected.append(sources.refused(segment, name, "no_target", "targets", "no word of it is certain to be heard as it is counted"))
            continue
        candidates += _candidates(id, found, room, chosen, spell, seed, targets)
    taken = draw.ordered(options.choose(candidates, chosen.target, seed, chosen.tolerance), lambda one: one.candidate.key, seed, name)
    drafts = [
        options.Draft(one.candidate.key, one.candidate.answer, tuple(option for option in one.options if option != one.candidate.answer))
        for one in taken
    ]
    wording = lexicon.rules()["questions"][name]
    made = [
        sources.question_row(
            by_id[targets[draft.key][0]],
            id=f"{name}-{number:04d}",
            capability=name,
            method="transcript",
            question=wording[targets[draft.key][1].rule].format(target=targets[draft.key][1].text),
            choices=shown.choices,
            answer_index=shown.answer_index,
            evidence=_evidence(name, targets[draft.key][1], heard[targets[draft.key][0]]),
            rule_ids=[f"{name}.{targets[draft.key][1].rule}"],
        )
        for number, (draft, shown) in enumerate(zip(drafts, options.arrange(drafts, seed), strict=True))
    ]
    drawn = {row["segment"] for row in made}
    left = {one.group.rpartition("#")[0] for one in candidates} - drawn
    rejected += [sources.refused(by_id[id], name, "not_drawn", "balance", "the target was reached, or its answers are plenty") for id in sorted(left)]
    return made, rejected, _report(chosen, made, len(segments))


def _candidates(
    id: str, found: list[Target], room: int, chosen: Capability, spell: Callable[[int], str], seed: int, targets: dict[str, tuple[str, Target]]
) -> Iterator[options.Candidate]:
    """What could be asked about a segment, noted in `targets` by key."""
    space = tuple(spell(number) for number in range(1, room + 1))
    ranked = draw.ordered(found, lambda target: target.text, seed, id)
    for number, target in enumerate(ranked):
        key = f"{id}#{target.text}"
        targets[key] = (id, target)
        answer = spell(target.value)
        yield options.Candidate(key, f"{id}#{number % chosen.per_segment}", answer, options.windows(space, answer, chosen.n_options))


def placed_words(heard: Heard, most: int, lexicon: Lexicon) -> list[Target]:
    """The words whose place is certain, with it; the last word of the segment, which an ending gives away, is not one of them."""
    found: list[Target] = []
    shortest = int(lexicon.rules()["targets"]["min_syllables"])
    for place, word in enumerate(heard.words[:-1], 1):
        if place > most or not word.firm:
            break
        text = word.stem or word.text
        if word.kind != "linking" and len(text) >= shortest and _occurs(text, heard, lexicon) == 1:
            # Where no particle is attached, nothing has to be said of particles.
            found.append(Target(text, "form" if text == word.text else "word", place))
    return found


def counted_words(heard: Heard, most: int, lexicon: Lexicon) -> list[Target]:
    """The words whose count is certain, each once, with it."""
    shortest = int(lexicon.rules()["targets"]["min_syllables"])
    stems = Counter(word.stem for word in heard.words if word.stem)
    forms = Counter(word.text for word in heard.words if not word.stem and word.kind != "linking")
    found = []
    for rule, counts in (("word", stems), ("form", forms)):
        for text, count in counts.items():
            if len(text) >= shortest and count <= most and _occurs(text, heard, lexicon) == count and not (rule == "form" and text in stems):
                found.append(Target(text, rule, count))
    return found


def _occurs(text: str, heard: Heard, lexicon: Lexicon) -> int:
    """How often a listener may hear `text`: as letters or as sounds, whatever stands around it; -1 when the two differ."""
    count = heard.stream.count(text)
    return count if heard.sound.count(lexicon.same_sound(text)) == count else -1


def _evidence(name: Name, target: Target, heard: Heard | str) -> dict[str, Any]:
    assert isinstance(heard, Heard)
    what = "place" if name == "word_order" else "count"
    return {"target": target.text, "rule": target.rule, what: target.value, "words": len(heard.words)}


def _report(chosen: Capability, made: list[Row], considered: int) -> dict[str, Any]:
    return {
        "target": chosen.target,
        "made": len(made),
        "shortfall": max(0, (chosen.target or 0) - len(made)),
        "segments": considered,
        "answers": dict(sorted(Counter(row["answer"] for row in made).items())),
        "answer_places": dict(sorted(Counter(str(row["answer_index"]) for row in made).items())),
        "corpora": dict(sorted(Counter(row["corpus"] for row in made).items())),
    }


@contextmanager
def open_tools(settings: TranscriptSettings, context: Context) -> Iterator[Tools]:
    yield Tools(sources.read_segments(context.root, settings.corpora), languages.load(settings.language))


STAGE = Stage(
    "questions_transcript",
    run,
    TranscriptSettings,
    reads=None,
    input_schema=None,
    output_schema="Question",
    tools=open_tools,
    group="understanding",
)

if __name__ == "__main__":
    main(STAGE)
