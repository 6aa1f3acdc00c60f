"""Groups of findings as questions to a person, and people's answers as proposals for the rulebook.

The wording is data: conf/review/normalization.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from stages.core.paths import ROOT
from stages.languages import Candidate, Decision, Entry, Language
from stages.review.decisions import Decisions, Verdict
from stages.review.findings import KEPT, SILENT, SPELLED, UNSURE, Finding, Group
from stages.review.queue import Option, QueueEntry

SUBSET = "normalization"
"""Stands in the place of a subset in the ids of questions: a reading rule holds for all of them."""
READING = "reading"
"""The column in which a person writes how something is said."""
_EXAMPLES = 5
_EXCERPT = 60
_BREAK = re.compile(r"[.?!]\s+|\n")


def wording() -> dict[str, Any]:
    import yaml

    texts: dict[str, Any] = yaml.safe_load((ROOT / "conf/review/normalization.yaml").read_text(encoding="utf-8"))
    return texts


def question_id(group: Group) -> str:
    return f"question:{SUBSET}:{group.id}"


def question(group: Group, language: Language, texts: dict[str, Any]) -> QueueEntry:
    """The question that settles `group`. Its source texts are examples of it, most of them from different items."""
    first = group.findings[0]
    said = texts[group.kind]
    values = {
        "written": first.written, "after": first.after.strip(), "count": str(len(group.affected())),
        "reading": language.read(first.written).text.strip(),
    }  # fmt: skip
    options = [
        {"id": option_id(one), **_filled({name: said["candidate"][name] for name in ("label", "consequence")}, _of(one, values))}
        for one in first.candidates
    ]
    by_text = {finding.text.id: finding for finding in reversed(group.findings)}
    shown = [by_text[id] for id in group.affected()][:_EXAMPLES]
    return QueueEntry(
        id=question_id(group),
        kind="question",
        stage="normalize",
        subset=SUBSET,
        title=_filled(said["title"], values),
        prompt=_filled(said["prompt"], values),
        source={finding.text.id: finding.context() for finding in shown},
        target={} if group.kind == UNSURE else {READING: ""},
        options=[Option.model_validate(one) for one in [*options, *(_filled(one, values) for one in said["options"])]],
        affected=group.affected(),
        rules=sorted({candidate.rule_id for candidate in first.candidates} or {first.rule_id} - {first.rule_id if ":" in first.rule_id else ""}),
        flags=[f"{group.kind}: {group.category}, {len(group.findings)} times"],
    )


def option_id(candidate: Candidate) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", candidate.rule_id)


def _of(candidate: Candidate, values: dict[str, str]) -> dict[str, str]:
    return values | {"reading": candidate.reading.strip(), "rule": candidate.rule_id, "why": candidate.why.rstrip(".")}


def _filled(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), value)
    return {key: _filled(inner, values) for key, inner in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True)
class Answer:
    """What people decided about one question, and what follows."""

    question: QueueEntry
    verdicts: list[Verdict]
    entry: Entry | None
    note: str
    """Why there is no entry, or what the entry does not do."""
    settled: list[str] = field(default_factory=list)
    """The affected items that are read as decided with the entry."""


def answers(groups: Iterable[Group], decisions: Decisions, language: Language) -> list[Answer]:
    """The answers to the questions of this audit. Verdicts on another text than the present one do not count."""
    texts = wording()
    last: dict[str, list[Verdict]] = {}
    for (id, _), verdict in decisions.last().items():
        last.setdefault(id, []).append(verdict)
    found = []
    for group in groups:
        given = [verdict for verdict in last.get(question_id(group), []) if verdict.verdict != "skip"]
        if not given:
            continue
        asked = question(group, language, texts)
        current = [verdict for verdict in given if not verdict.seen or verdict.seen == asked.fingerprint()]
        found.append(
            _answer(group, asked, current, language) if current else Answer(asked, given, None, "the question has changed since; it is asked again")
        )
    return found


def _answer(group: Group, asked: QueueEntry, verdicts: list[Verdict], language: Language) -> Answer:
    if len({(verdict.verdict, verdict.edit.get(READING, "")) for verdict in verdicts}) > 1:
        return Answer(asked, verdicts, None, "reviewers disagree; settle it first")
    verdict = verdicts[-1]
    if verdict.verdict not in asked.verdicts():
        return Answer(asked, verdicts, None, f"{verdict.verdict!r} is none of its answers ({', '.join(asked.verdicts())})")
    if verdict.verdict == "reject":
        return Answer(asked, verdicts, None, f"none of the answers fits: {verdict.reason}")
    decision = _decision(group, verdict, verdicts, language)
    if decision is None:
        return Answer(asked, verdicts, None, "nothing changes")
    entry = language.rulebook.propose(decision)
    if entry is None:
        return Answer(asked, verdicts, None, "the rulebook has no ready form for this; write the rule by hand")
    tried = language.rulebook.with_entry(entry)
    written, spoken = decision.example
    if tried.read(written).text != spoken:
        return Answer(asked, verdicts, entry, f"another rule comes before it: {written!r} is still read {tried.read(written).text!r}")
    settled = [id for id, text in sorted(_by_text(group).items()) if _follows(text, decision, tried, language)]
    left = len(asked.affected) - len(settled)
    return Answer(asked, verdicts, entry, f"{left} of the {len(asked.affected)} items need a rule of their own" if left else "", settled)


def _by_text(group: Group) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in group.findings:
        found.setdefault(finding.text.id, []).append(finding)
    return found


def _follows(findings: list[Finding], decision: Decision, tried: Language, language: Language) -> bool:
    """Whether one text is read as decided: with the chosen candidate in each span; or otherwise than before."""
    text = findings[0].text.written
    if decision.kind != "sense":
        return tried.read(text).text != language.read(text).text
    chosen = {(finding.start, finding.end): next(one for one in finding.candidates if one.rule_id == decision.candidate) for finding in findings}
    return tried.read(text).text == language.read(text, chosen).text


def _decision(group: Group, verdict: Verdict, verdicts: list[Verdict], language: Language) -> Decision | None:
    """What the rulebook has to hold, or None where it holds it already."""
    first = group.findings[0]
    who = ", ".join(sorted({each.reviewer for each in verdicts}))
    decided_by = {"who": who, "date": max(each.date for each in verdicts), "question": group.id}
    if group.kind == UNSURE:
        chosen = next((one for one in first.candidates if option_id(one) == verdict.verdict), None)
        if chosen is None:
            return None
        example = _example(first, chosen, language)
        return Decision("sense", first.written, first.after, first.rule_id, chosen.rule_id, chosen.reading, example, decided_by)
    said = verdict.edit.get(READING, "").strip()
    if group.kind == SILENT and verdict.verdict == "pause":
        said = ","
    if not said:
        return None
    kind = "word" if group.kind in (SPELLED, KEPT) else "sign"
    written = first.written
    example = (written, said) if kind == "word" else (f"{written}", said)
    if said == ",":
        return Decision(kind, written, "", first.rule_id, "", said, (f"A {written} B", language.read("A, B").text), decided_by)
    return Decision(kind, written, "", first.rule_id, "", said, example, decided_by)


def _example(finding: Finding, chosen: Candidate, language: Language) -> tuple[str, str]:
    """The sentence of the span, or its surroundings where that is long, and how it is said with `chosen`."""
    text = finding.text.written
    breaks = [match.end() for match in _BREAK.finditer(text)]
    start = max([at for at in breaks if at <= finding.start], default=0)
    end = min([at for at in breaks if at >= finding.end + len(finding.after)], default=len(text))
    excerpts = [(start, end)]
    if end - start > _EXCERPT:
        excerpts.insert(0, (finding.start, finding.end + len(finding.after)))
    for begin, stop in [*excerpts, (0, len(text))]:
        part = text[begin:stop].rstrip()
        span = (finding.start - begin, finding.end - begin)
        if any((unsure.start, unsure.end) == span for unsure in language.read(part).unsure):
            return part, language.read(part, {span: chosen}).text
    return text, language.read(text, {(finding.start, finding.end): chosen}).text
