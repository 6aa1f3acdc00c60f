"""Stage questions_metadata: age, gender and number of speakers, by rule from what the corpus says (paper 2605.27984, section 3.2.1).

The label is the corpus's; no word of the transcript is needed, and a segment whose words tell the answer is not used. Every
question of a capability has the same options, each of which is right equally often, and the draw goes round the speakers and
the other attribute (genders within an age, ages within a gender), so that neither a text nor a speaker gives the answer.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.understanding import draw, options, sources

Name = Literal["age", "gender", "number_of_speakers"]


class Capability(Settings):
    target: int | None = Field(ge=0)
    """Questions wanted; null takes all that balance allows. A shortfall is reported, not padded."""


class Speakers(Capability):
    counts: list[int] = Field(min_length=2)
    """The numbers of speakers that are offered, in their order."""
    last_is_more: bool = False
    """Whether the last of `counts` stands for more as well."""
    min_speech_s: float = Field(1.0, ge=0)
    """Who speaks less in the segment might be missed, so the number of speakers is not certain."""


class MetadataSettings(Settings):
    corpora: list[str]
    seed: int
    rulebook: str
    """Wording, options and give-aways, relative to the project."""
    age: Capability
    gender: Capability
    number_of_speakers: Speakers


@dataclass(frozen=True)
class Tools:
    segments: list[Row]
    rules: dict[str, Any]


@dataclass(frozen=True)
class Labelled:
    """A segment with the option that is right for it, and why."""

    segment: Row
    answer: str
    stratum: str
    """Within an answer, the strata take turns."""
    evidence: dict[str, Any]


@dataclass(frozen=True)
class Unfit:
    reason: str
    rule_id: str
    detail: str


@contextmanager
def open_tools(settings: MetadataSettings, context: Context) -> Iterator[Tools]:
    yield Tools(sources.read_segments(context.root, settings.corpora), read_rules(context.root / settings.rulebook))


def read_rules(path: Path) -> dict[str, Any]:
    """The rulebook with its patterns compiled. Raises UserError when it is not as metadata.yaml describes itself."""
    import yaml

    try:
        book = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name in ("age", "gender"):
            book[name]["gives_away"] = [(rule["id"], re.compile(rule["pattern"])) for rule in book[name]["gives_away"]]
            book[name]["options"] = [dict(option) for option in book[name]["options"]]
        for option in book["age"]["options"]:
            option["text"], option["from"], option["to"]
        {option["is"]: option["text"] for option in book["gender"]["options"]}
        for key in ("question", "one", "more"):
            book["number_of_speakers"][key].format(n=1)
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, re.error) as error:
        raise UserError(f"{path} is no rulebook for questions from metadata ({type(error).__name__}: {error}); see the file in git.") from None
    return dict(book)


def run(_: list[Row], settings: MetadataSettings, tools: Tools) -> Outcome:
    kept: list[Row] = []
    rejected: list[Rejection] = []
    report: dict[str, Any] = {}
    readers: dict[Name, tuple[Capability, Callable[[Row], Labelled | Unfit], list[str]]] = {
        "age": (settings.age, lambda row: age(row, tools.rules["age"]), [one["text"] for one in tools.rules["age"]["options"]]),
        "gender": (settings.gender, lambda row: gender(row, tools.rules["gender"]), [one["text"] for one in tools.rules["gender"]["options"]]),
        "number_of_speakers": (
            settings.number_of_speakers,
            lambda row: number(row, tools.rules["number_of_speakers"], settings.number_of_speakers),
            _counts(tools.rules["number_of_speakers"], settings.number_of_speakers),
        ),
    }
    for name, (chosen, read, offered) in readers.items():
        segments = [segment for segment in tools.segments if name in segment["uses"]]
        labelled = []
        for segment in segments:
            found = read(segment)
            if isinstance(found, Unfit):
                rejected.append(sources.refused(segment, name, found.reason, found.rule_id, found.detail))
            else:
                labelled.append(found)
        taken = drawn(labelled, offered, chosen.target, settings.seed, name)
        kept += _questions(name, taken, offered, tools.rules[name]["question"], settings.seed)
        ids = {one.segment["id"] for one in taken}
        left = [one.segment for one in labelled if one.segment["id"] not in ids]
        rejected += [sources.refused(segment, name, "not_drawn", "balance", "the target was reached, or its answer is plenty") for segment in left]
        report[name] = _report(chosen, segments, labelled, taken, offered)
    return Outcome(kept, rejected, report)


def age(segment: Row, rules: dict[str, Any]) -> Labelled | Unfit:
    years = segment["age_years"]
    if years is None:
        return Unfit("no_label", "age.label", "the corpus does not say how old the only speaker is")
    if told := _told(segment, rules):
        return told
    for option in rules["options"]:
        if option["from"] <= years <= option["to"]:
            stratum = f"{segment['gender']}"
            return Labelled(segment, option["text"], stratum, {"age_years": years, "speaker": segment["speakers"][0]})
    return Unfit("no_option", "age.bands", f"{years} years is in none of the bands")


def gender(segment: Row, rules: dict[str, Any]) -> Labelled | Unfit:
    if segment["gender"] is None:
        return Unfit("no_label", "gender.label", "the corpus does not say the gender of the only speaker")
    if told := _told(segment, rules):
        return told
    for option in rules["options"]:
        if option["is"] == segment["gender"]:
            decade = "" if segment["age_years"] is None else str(segment["age_years"] // 10)
            return Labelled(segment, option["text"], decade, {"gender": segment["gender"], "speaker": segment["speakers"][0]})
    return Unfit("no_option", "gender.options", f"{segment['gender']} is not among the options")


def number(segment: Row, rules: dict[str, Any], chosen: Speakers) -> Labelled | Unfit:
    """The number of people who speak in the segment, each for at least a while."""
    seconds: dict[str, float] = dict.fromkeys(segment["speakers"], 0.0)
    for turn in segment["turns"]:
        seconds[turn["speaker"]] += turn["end_s"] - turn["start_s"]
    heard = {speaker: round(total, 2) for speaker, total in sorted(seconds.items())}
    if segment["participants"] is not None and len(heard) > segment["participants"]:
        return Unfit("participants_disagree", "number.participants", f"{len(heard)} speak, the corpus says {segment['participants']}")
    faint = [f"{speaker} {total:g} s" for speaker, total in heard.items() if total < chosen.min_speech_s]
    if faint:
        return Unfit("hardly_heard", "number.min_speech", ", ".join(faint))
    count = len(heard)
    if chosen.last_is_more:
        count = min(count, chosen.counts[-1])
    if count not in chosen.counts:
        return Unfit("no_option", "number.counts", f"{count} speakers is not among the options")
    answer = _counts(rules, chosen)[chosen.counts.index(count)]
    return Labelled(segment, answer, segment["domain"] or "", {"seconds_of_speaker": heard, "participants": segment["participants"]})


def _counts(rules: dict[str, Any], chosen: Speakers) -> list[str]:
    texts = [rules["one"].format(n=count) for count in chosen.counts]
    return [*texts[:-1], rules["more"].format(n=chosen.counts[-1])] if chosen.last_is_more else texts


def _told(segment: Row, rules: dict[str, Any]) -> Unfit | None:
    for rule_id, pattern in rules["gives_away"]:
        if found := pattern.search(segment["transcript"]):
            return Unfit("told_in_words", rule_id, f"it says {found[0]!r}")
    return None


def drawn(labelled: list[Labelled], offered: list[str], target: int | None, seed: int, name: str) -> list[Labelled]:
    """As many of each option, the options in turn; a larger target adds to the end and moves nothing."""
    by_answer = {option: _in_turn([one for one in labelled if one.answer == option], seed, name) for option in offered}
    rounds = min(map(len, by_answer.values()))
    turns = [by_answer[option][place] for place in range(rounds) for option in draw.ordered(offered, str, seed, f"{name} {place}")]
    return turns[:target]


def _in_turn(labelled: list[Labelled], seed: int, name: str) -> list[Labelled]:
    """The strata one after the other, and in each of them the speakers or recordings."""
    strata: dict[str, list[Labelled]] = defaultdict(list)
    for one in labelled:
        strata[one.stratum].append(one)
    lists = [
        draw.spread(strata[stratum], lambda one: "|".join(one.segment["speakers"]), lambda one: str(one.segment["id"]), None, seed, name)
        for stratum in draw.ordered(strata, str, seed, name)
    ]
    return [one for group in zip_longest(*lists) for one in group if one is not None]


def _questions(name: Name, taken: list[Labelled], offered: list[str], question: str, seed: int) -> list[Row]:
    drafts = [
        options.Draft(one.segment["id"], one.answer, tuple(option for option in offered if option != one.answer)) for one in taken
    ]
    return [
        sources.question_row(
            one.segment,
            id=f"{name}-{place:04d}",
            capability=name,
            method="metadata",
            question=question,
            choices=shown.choices,
            answer_index=shown.answer_index,
            evidence=one.evidence,
            rule_ids=[f"metadata.{name}"],
        )
        for place, (one, shown) in enumerate(zip(taken, options.arrange(drafts, seed), strict=True))
    ]


def _report(chosen: Capability, segments: list[Row], labelled: list[Labelled], taken: list[Labelled], offered: list[str]) -> dict[str, Any]:
    usable = Counter(one.answer for one in labelled)
    made = Counter(one.answer for one in taken)
    return {
        "considered": len(segments),
        "made": len(taken),
        "target": chosen.target,
        "shortfall": max((chosen.target or 0) - len(taken), 0),
        "usable": {option: usable[option] for option in offered},
        "answers": {option: made[option] for option in offered},
        "speakers": len({speaker for one in taken for speaker in one.segment["speakers"]}),
    }


def explain(row: Row) -> list[str]:
    return [f"{row['question']} {' / '.join(row['choices'])}: {row['answer']}, from {row['evidence']}"]


STAGE = Stage(
    name="questions_metadata",
    run=run,
    settings=MetadataSettings,
    reads=None,
    input_schema=None,
    output_schema="Question",
    tools=open_tools,
    group="understanding",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
