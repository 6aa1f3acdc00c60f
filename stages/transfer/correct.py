"""Ground-truth correction: find wrong labels in the English source before they are carried over (paper 2605.27984 §3.1.1).

A reviewer judges each item's key and proposes a correction where it is likely wrong. An independent meta-reviewer sees the
item and the proposal, but not the reviewer's reasons. Only a confirmed correction is applied (precision before recall);
a proposal that is not confirmed leaves the item in dispute, and disputed items are excluded unless people settle them at
the review desk. A reviewer who is unsure proposes nothing: the item keeps its key and is counted. Formats with a key
only: multiple choice, short answer, BBH.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from stages.core import verdicts
from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.verdicts import Verdict, disagreement_entry
from stages.llm import Client, ClientSettings, Request, Role
from stages.transfer import prompts
from stages.transfer.replies import Asker, MetaReview, Review

FORMATS = ("multiple_choice", "short_answer", "bbh")
NOT_CONFIRMED = "meta-review-not-confirmed"
ILL_POSED = "no-single-right-answer"
UNUSABLE = "proposal-unusable"
TOPIC = "correct"
"""The folder of data/decisions/ where people settle disputes."""


class CorrectSettings(Settings):
    enabled: bool
    """False passes every row on as not reviewed."""
    client: ClientSettings
    reviewer: Role
    meta_reviewer: Role
    as_of: datetime.date
    """The day on which facts are judged. It is part of each request, so a review can be repeated later."""


@dataclass(frozen=True)
class Proposal:
    """A change that the reviewer asks for, with its answers in the form of the source's keys."""

    row: Row
    review: Review
    answers: list[str]
    """Empty for an item said to have no single right answer."""
    requests: list[str]

    @property
    def shown(self) -> list[str]:
        """What people are shown as proposed."""
        return self.answers or self.review.proposed_answers


@dataclass(frozen=True)
class Tools:
    client: Asker | None
    """None where nothing is reviewed."""
    verdicts: Mapping[str, list[Verdict]] = field(default_factory=dict)
    """What people said of disputed keys, by queue id."""


def run(rows: list[Row], settings: CorrectSettings, tools: Tools) -> Outcome:
    """Rows of Ingested to rows of Corrected. Raises UserError for a subset without keys that is to be reviewed."""
    if not settings.enabled:
        return Outcome([_passed(row, "not_reviewed", []) for row in rows], report={"reviewed": 0})
    client = tools.client
    assert client is not None
    requests = plan_requests(rows, settings, Path())
    replies = client.ask(requests)
    kept: list[Row] = []
    rejected: list[Rejection] = []
    proposals: list[Proposal] = []
    unsure: list[str] = []
    disputed: list[tuple[Proposal, str, str]] = []
    for row, request, reply in zip(rows, requests, replies, strict=True):
        review = cast(Review, reply.value)
        if review.verdict != "wrong":
            kept.append(_passed(row, "correct", [request.key]))
            unsure += [row["id"]] if review.verdict == "unsure" else []
            continue
        answers, problem = _usable(row, review)
        proposal = Proposal(row, review, answers, [request.key])
        if problem:
            disputed.append((proposal, UNUSABLE, problem))
        proposals.append(proposal)
    unusable = {proposal.row["id"] for proposal, _, _ in disputed}
    decided = [proposal for proposal in proposals if proposal.row["id"] not in unusable]
    decisions = _decide(decided, settings, client)
    for proposal, (key, decision) in zip(decided, decisions, strict=True):
        done = Proposal(proposal.row, proposal.review, proposal.answers, [*proposal.requests, key])
        if decision.decision != "confirm":
            disputed.append((done, NOT_CONFIRMED, f"meta-reviewer: {decision.decision}: {decision.reason}"))
        elif not done.answers:
            rejected.append(_unresolved(done, ILL_POSED, f"meta-reviewer: confirm: {decision.reason}"))
        else:
            kept.append(_corrected(done, decision))
    settled = []
    for proposal, rule_id, detail in disputed:
        done_row, said = _by_people(proposal, tools.verdicts)
        if done_row is None:
            rejected.append(_unresolved(proposal, rule_id, f"{detail}{said}"))
        else:
            kept.append(done_row)
            settled.append(proposal.row["id"])
    by_id = {proposal.row["id"]: decision for proposal, (_, decision) in zip(decided, decisions, strict=True)}
    report = _report(rows, proposals, by_id, unsure) | {"settled_by_people": sorted(settled), "usage": client.usage()}
    return Outcome(kept, rejected, report)


def _by_people(proposal: Proposal, given: Mapping[str, list[Verdict]]) -> tuple[Row | None, str]:
    """The row as people settled the dispute; else None and what they said, if anything."""
    said = [verdict for verdict in given.get(disagreement_entry(proposal.row, proposal.shown), []) if verdict.verdict in ("key", "proposal", "edit")]
    if not said:
        return None, ""
    if len({(verdict.verdict, verdict.edit.get("corrected_references", "")) for verdict in said}) > 1:
        return None, " people: they disagree"
    who = ", ".join(f"{verdict.reviewer} {verdict.date}" for verdict in said)
    why = " ".join(filter(None, [f"decided by {who}.", *(verdict.reason for verdict in said)]))
    if said[0].verdict == "key":
        return {**_passed(proposal.row, "correct", proposal.requests), "correction_reason": why}, ""
    own = said[0].edit.get("corrected_references", "").splitlines() if said[0].verdict == "edit" else proposal.shown
    answers, problem = _in_form(proposal.row, own)
    if problem:
        return None, f" {who}: {problem}"
    return _changed(Proposal(proposal.row, proposal.review, answers, proposal.requests), why), ""


def plan_requests(rows: list[Row], settings: CorrectSettings, root: Path) -> list[Request]:
    """The first round: one request to the reviewer for each row; none when the subset is not reviewed."""
    if not settings.enabled:
        return []
    for row in rows:
        if row["format"] not in FORMATS:
            raise UserError(
                f"Item {row['id']} has the format {row['format']!r}, which has no key; set subsets.{row['subset']}.correct.enabled to false."
            )
    return [_request(row, settings.reviewer, "reviewer", _item(row, settings), Review) for row in rows]


def _request(row: Row, role: Role, system: str, user: str, schema: type[Review] | type[MetaReview]) -> Request:
    messages = ({"role": "system", "content": prompts.text(system)}, {"role": "user", "content": user})
    return Request(row["id"], role, messages, schema)


def _item(row: Row, settings: CorrectSettings) -> str:
    kind, key = _key_of(row)
    item = prompts.fenced(f"Question:\n{row['prompt']}\n\n{key}")
    return prompts.filled("review_item", as_of=settings.as_of.isoformat(), kind=kind, item=item)


def _key_of(row: Row) -> tuple[str, str]:
    """What kind of key an item has, and its current key, as the prompt says them."""
    if row["format"] == "short_answer":
        return "short answer", "Accepted answers:\n" + "\n".join(f"- {answer}" for answer in row["references"])
    key = f"Current key: {row['reference']}"
    if row["options"]:
        key += "".join(f" ({option['text']})" for option in row["options"] if option["label"] == row["reference"])
        return ("multiple choice" if row["format"] == "multiple_choice" else "choice between two sentences"), key
    return "yes or no", key


def _labels(row: Row) -> list[str]:
    return [option["label"] for option in row["options"]] or ["yes", "no"]


def _bare(label: str) -> str:
    return label.strip().strip("().:").strip().casefold()


def _usable(row: Row, review: Review) -> tuple[list[str], str]:
    """The proposed answers in the form of the source's keys, and why they cannot be used, if so."""
    proposed = [answer for answer in (nfc(text).strip() for text in review.proposed_answers) if answer]
    if review.error_type == "ill_posed":
        return [], f"said to be ill-posed, yet proposes {proposed}" if proposed else ""
    return _in_form(row, proposed)


def _in_form(row: Row, texts: list[str]) -> tuple[list[str], str]:
    """Answers in the form of the source's keys, and why they cannot be used, if so."""
    proposed = [answer for answer in (nfc(text).strip() for text in texts) if answer]
    if not proposed:
        return [], "called wrong without a proposal"
    if row["format"] == "short_answer":
        answers = list({answer.casefold(): answer for answer in reversed(proposed)}.values())[::-1]
        same = {answer.casefold() for answer in answers} == {answer.casefold() for answer in row["references"]}
        return answers, "proposes the accepted answers unchanged" if same else ""
    by_name = {_bare(label): label for label in _labels(row)}
    label = by_name.get(_bare(proposed[0]))
    if len(proposed) > 1 or label is None:
        return [], f"proposes {proposed}, which is not one of {', '.join(by_name.values())}"
    return [label], "proposes the key unchanged" if label == row["reference"] else ""


def _decide(proposals: list[Proposal], settings: CorrectSettings, tools: Asker) -> list[tuple[str, MetaReview]]:
    """The meta-reviewer's request key and decision for each proposal."""
    requests = [
        _request(p.row, settings.meta_reviewer, "meta_reviewer", f"{_item(p.row, settings)}\n\nProposed change\n\n{_proposed(p)}", MetaReview)
        for p in proposals
    ]
    return [(request.key, cast(MetaReview, reply.value)) for request, reply in zip(requests, tools.ask(requests), strict=True)]


def _proposed(proposal: Proposal) -> str:
    if not proposal.answers:
        return prompts.fenced("The question has no single right answer, and no change of the key can mend that; exclude the item.")
    if proposal.row["format"] == "short_answer":
        return prompts.fenced("Replace the accepted answers by:\n" + "\n".join(f"- {answer}" for answer in proposal.answers))
    label = proposal.answers[0]
    text = next((f" ({option['text']})" for option in proposal.row["options"] if option["label"] == label), "")
    return prompts.fenced(f"Replace the key by: {label}{text}")


def _passed(row: Row, correction: str, requests: list[str]) -> Row:
    return {
        **row, "correction": correction, "correction_type": None, "correction_reason": None, "correction_requests": requests,
        "corrected_reference": row["reference"], "corrected_references": row["references"],
    }


def _corrected(proposal: Proposal, decision: MetaReview) -> Row:
    return _changed(proposal, f"reviewer: {proposal.review.reasoning} meta-reviewer: {decision.reason}")


def _changed(proposal: Proposal, why: str) -> Row:
    answers = proposal.answers
    return {
        **proposal.row, "correction": "corrected", "correction_type": proposal.review.error_type, "correction_reason": why,
        "correction_requests": proposal.requests, "corrected_reference": answers[0] if len(answers) == 1 else None, "corrected_references": answers,
    }


def _unresolved(proposal: Proposal, rule_id: str, detail: str) -> Rejection:
    proposed = ", ".join(proposal.answers) or "; ".join(proposal.review.proposed_answers) or "no single right answer"
    row = {**proposal.row, "correction_type": proposal.review.error_type, "correction_requests": proposal.requests}
    return Rejection(row, "unresolved", rule_id, f"proposed: {proposed}. reviewer: {proposal.review.reasoning} {detail}")


def _report(rows: list[Row], proposals: list[Proposal], verdicts: dict[str, MetaReview], unsure: list[str]) -> dict[str, Any]:
    """Counts, error rate (confirmed errors over reviewed items), and every proposal: what was confirmed, what is in dispute."""
    confirmed = [p for p in proposals if p.row["id"] in verdicts and verdicts[p.row["id"]].decision == "confirm"]
    disputed = [p for p in proposals if p not in confirmed]
    return {
        "reviewed": len(rows),
        "unsure": len(unsure),
        "unsure_ids": unsure,
        "proposed": len(proposals),
        "confirmed": len(confirmed),
        "corrected": sum(bool(p.answers) for p in confirmed),
        "unresolved": len(disputed) + sum(not p.answers for p in confirmed),
        "error_rate": round(len(confirmed) / len(rows), 4) if rows else 0.0,
        "by_type": dict(sorted(Counter(p.review.error_type for p in confirmed).items())),
        "proposed_by_type": dict(sorted(Counter(p.review.error_type for p in proposals).items())),
        "corrections": [_line(p, verdicts) for p in confirmed],
        "disagreements": [_line(p, verdicts) for p in disputed],
    }


def _line(proposal: Proposal, verdicts: dict[str, MetaReview]) -> dict[str, Any]:
    decision = verdicts.get(proposal.row["id"])
    return {
        "id": proposal.row["id"],
        "type": proposal.review.error_type,
        "key": proposal.row["references"],
        "proposal": proposal.shown,
        "reviewer": proposal.review.verdict,
        "meta_reviewer": decision.decision if decision else "not asked",
        "reason": decision.reason if decision else "the proposal is unusable",
    }


@contextmanager
def open_tools(settings: CorrectSettings, context: Context) -> Iterator[Tools]:
    if not settings.enabled:
        yield Tools(None)
        return
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(client, verdicts.read(context.root, TOPIC))


def explain(row: Row) -> list[str]:
    if row.get("correction") is None:
        return []
    if row["correction"] != "corrected":
        return [f"label {row['correction'].replace('_', ' ')}", *([str(row["correction_reason"])] if row["correction_reason"] else [])]
    before, after = ", ".join(row["references"]), ", ".join(row["corrected_references"])
    return [f"label corrected ({row['correction_type']}): {before} -> {after}", str(row["correction_reason"])]


STAGE = Stage(
    "correct", run, CorrectSettings, reads="ingest", input_schema="Ingested", output_schema="Corrected", tools=open_tools, explain=explain
)

if __name__ == "__main__":
    main(STAGE)
