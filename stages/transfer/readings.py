"""A model decides what the reading rules leave open, and only that (paper 2605.27984 section 3.1.3: rulebook-guided normalization).

Where the context of a span decides nothing, the reader takes a default and names the other readings with their rules. Here a
model sees that span in its text and chooses, or gives a reading that must pass the language's checks. The program puts the
choice in; every other character of the question stays what the rules made of it, which is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from stages.core.files import Row, nfc
from stages.languages import Candidate, Language, Reading, Unsure
from stages.llm import Request, Role
from stages.transfer import prompts
from stages.transfer.replies import Asker, SpanReading

OWN = "model.reading"
"""The rule id of a reading that the model gave itself. One that it chose has the rule's id after `model:`."""
_AROUND = 600
"""Characters of the question shown on each side of the span."""


@dataclass
class Decided:
    """What the model pass made of one question."""

    reading: Reading
    lines: list[dict[str, Any]] = field(default_factory=list)
    """One for each span that was asked about, for the report."""


def spans(reading: Reading) -> Iterator[Unsure]:
    """The spans to ask about. One whose change a later round of reading has taken into another is left to the rules."""
    changed = {(change.start, change.end) for change in reading.changes}
    for unsure in reading.unsure:
        if (unsure.start, unsure.end) in changed:
            yield unsure


def requests(row: Row, reading: Reading, role: Role, language: Language) -> list[Request]:
    """One request for each span of the row that the rules leave open, in the order of the text."""
    return [_request(row["id"], nfc(row["target_prompt"]), unsure, role, language) for unsure in spans(reading)]


def _request(item_id: str, text: str, unsure: Unsure, role: Role, language: Language) -> Request:
    before, after = text[max(0, unsure.start - _AROUND) : unsure.start], text[unsure.end : unsure.end + _AROUND]
    candidates = "\n".join(f"{n}. {one.reading.strip()} (rule {one.rule_id}: {one.why})" for n, one in enumerate(unsure.candidates, 1))
    item = prompts.fenced(f"{before}⟦{unsure.before}⟧{after}")
    user = prompts.filled("reading_item", item=item, span=unsure.before, candidates=candidates)
    system = prompts.filled("reading", language=language.name)
    return Request(item_id, role, ({"role": "system", "content": system}, {"role": "user", "content": user}), SpanReading)


def decide(rows: list[Row], readings: list[Reading], role: Role, language: Language, asker: Asker) -> list[Decided]:
    """Each question's reading with the model's choices in it. An unusable reply leaves the rules' own reading."""
    asked = [requests(row, reading, role, language) for row, reading in zip(rows, readings, strict=True)]
    replies = iter(asker.ask([request for of_row in asked for request in of_row]))
    decided = []
    for row, reading, of_row in zip(rows, readings, asked, strict=True):
        done = Decided(reading)
        chosen: dict[tuple[int, int], Candidate] = {}
        for unsure, request in zip(list(spans(reading)), of_row, strict=True):
            reply = cast(SpanReading, next(replies).value)
            candidate, problem = _candidate(unsure, reply, nfc(row["target_prompt"])[unsure.end :], language)
            if candidate and candidate != unsure.candidates[0]:
                span = (unsure.start, unsure.end)
                marked = candidate._replace(rule_id=candidate.rule_id if candidate.rule_id == OWN else f"model:{candidate.rule_id}")
                changed = language.read(row["target_prompt"], {**chosen, span: marked})
                problem = _spliced_wrong(done.reading, changed, unsure, marked, language)
                if not problem:
                    done.reading = changed
                    chosen[span] = marked
            done.lines.append(_line(row, unsure, request, reply, candidate, problem))
        decided.append(done)
    return decided


def _candidate(unsure: Unsure, reply: SpanReading, after: str, language: Language) -> tuple[Candidate | None, str]:
    """The reading that the reply asks for, or None and why it is unusable."""
    if 1 <= reply.choice <= len(unsure.candidates):
        return unsure.candidates[reply.choice - 1], ""
    if reply.choice:
        return None, f"there is no reading {reply.choice}"
    said = " ".join(nfc(reply.reading).split())
    failures = language.check_reading(unsure.before, said)
    last = said.rpartition(" ")[2]
    if last != said and after.lstrip().startswith(last):
        failures.append(f"span: {last!r} stands after the span already")
    if failures:
        return None, "; ".join(failures)
    for known in unsure.candidates:
        if said == known.reading.strip():
            return known, ""
    # The blank that the default has between it and what it counts belongs to the span's reading.
    default = unsure.candidates[0].reading
    return Candidate(OWN, said + default[len(default.rstrip()) :], ""), ""


def _spliced_wrong(before: Reading, after: Reading, unsure: Unsure, candidate: Candidate, language: Language) -> str:
    """Why the text with the choice cannot stand, or an empty text: anything else than the span and its particle has changed."""

    def others(reading: Reading) -> list[Any]:
        return [change for change in reading.changes if (change.start, change.end) != (unsure.start, unsure.end) and change.start != unsure.end]

    there = [change.after.strip() for change in after.changes if (change.start, change.end) == (unsure.start, unsure.end)]
    if others(before) != others(after) or there != [candidate.reading.strip()]:
        return "it would change more than the span"
    failures = language.check_spoken(after.text, after.kept)
    if failures:
        return "; ".join(failures)
    return "" if language.read(after.text).text == after.text else "read again, the text would change"


def _line(row: Row, unsure: Unsure, request: Request, reply: SpanReading, candidate: Candidate | None, problem: str) -> dict[str, Any]:
    default = unsure.candidates[0]
    outcome = "unusable" if problem else "kept" if candidate == default else "changed"
    return {
        "id": row["id"],
        "start": unsure.start,
        "before": unsure.before,
        "default": default.reading.strip(),
        "outcome": outcome,
        "reading": candidate.reading.strip() if candidate and not problem else default.reading.strip(),
        "rule_id": candidate.rule_id if candidate and not problem else default.rule_id,
        "problem": problem,
        "reason": reply.reasoning,
        "request": request.key,
    }
