"""Paralinguistic items: the same words, another meaning by pause, stress, tone, stutter, or a word that sounds alike.

Paper 2506.21875 §2.1.1: 100 items; prompts for each kind to a model, and items found or written by people. Here hand-written
items are data (`items` names the file), a model is asked for more of each kind, programs check what can be checked (marks,
both readings, nothing given away, nothing twice), and people accept what is left at the desk. An item states both readings
and what a right answer must notice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.core.settings import Settings, load, watched
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.core.steps import Steps
from stages.llm import Client, ClientSettings, Request, Role
from stages.wildspeech import people, prompts
from stages.wildspeech.item_checks import Item, problems, similar
from stages.wildspeech.people import People, ReviewSettings

KINDS = ("pause", "stress", "tone", "stutter", "homophone")
FIRST_GENERATED = 10_000
"""Numbers of generated items: this, + 10,000 a kind, + 100 a request, + place in the reply. Hand-written ones have their own below it."""
MOST_HANDWRITTEN = FIRST_GENERATED - 1


class LanguageSettings(Settings):
    code: str
    name: str


class ParalinguisticSettings(Settings):
    client: ClientSettings
    query_writer: Role
    language: LanguageSettings
    items: Annotated[str, watched("data/handwritten")]
    """YAML file of hand-written items."""
    items_licence: str
    topics: list[str] = Field(min_length=2)
    targets: dict[str, int]
    """Kind to how many items are wanted; hand-written ones come first."""
    max_handwritten: dict[str, int] = Field(default_factory=dict)
    """Kind to the most hand-written items; all where a kind is not named."""
    ask: dict[str, int]
    """Kind to how many requests for more are made."""
    items_per_request: int = Field(5, ge=1, le=20)
    max_words: int = Field(50, ge=3)
    min_contrast: float = Field(0.5, ge=0, le=1)
    """Letters that a near-homophone must share with the word it is taken for."""
    review: ReviewSettings


class HandItem(Settings):
    """One entry of the hand-written file."""

    number: int = Field(ge=1, le=MOST_HANDWRITTEN)
    kind: Literal["pause", "stress", "tone", "stutter", "homophone"]
    delivery: str
    query: str
    contrast: str
    meant: str
    other: str
    must_notice: str
    topic: str
    needs_recording: bool = False
    author: str


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: str
    delivery: str
    contrast: str
    meant: str
    other: str
    must_notice: str
    needs_human_voice: bool


@cache
def form(topics: tuple[str, ...]) -> type[BaseModel]:
    """The reply's schema, with the topics that may be named."""
    item = create_model("WrittenItem", __base__=_Written, topic=(Literal[topics], ...))  # type: ignore[arg-type]
    return create_model("WrittenItems", __config__=ConfigDict(extra="forbid"), items=(list[item], ...))  # type: ignore[valid-type]


@dataclass
class Tools:
    client: Client
    people: People
    root: Path
    subset: str


def run(_: list[Row], settings: ParalinguisticSettings, tools: Tools) -> Outcome:
    """Rows of Queried. Raises UserError for a hand-written file with an item that fails a check."""
    _check_kinds(settings)
    steps = Steps()
    rejected: list[Rejection] = []
    rows = [_row(item, settings, tools.subset) for item in handwritten(tools.root / settings.items, settings)]
    for row in rows:
        if found := problems(_item(row), settings.max_words, settings.min_contrast):
            raise UserError(f"{settings.items} item {row['id'].rpartition('-')[2].lstrip('0')} cannot be used: {'; '.join(found)}; mend it there.")
    requests = plan_requests([], settings, tools.root)
    replies = tools.client.ask(requests)
    generated = [row for request, reply in zip(requests, replies, strict=True) for row in _generated(request, reply.value, settings, tools.subset)]
    unique, dropped = _checked(rows, generated, settings)
    rejected += steps.removing("checks", len(rows) + len(generated), dropped)
    rows = [*rows, *unique]
    judged, refused = tools.people.judge(
        rows, "paralinguistic", "query_decisions", people.paralinguistic_entry, lambda row, edit: _edited(row, edit, settings), settings.review
    )
    rejected += steps.removing("rejected_by_reviewer", len(rows), refused)
    kept, left = _chosen(judged, settings)
    rejected += steps.removing("choice", len(judged), left)
    counts = Counter(row["kind"] for row in kept)
    report = steps.report | {
        "handwritten": len(rows) - len(unique),
        "generated": len(generated),
        "kinds": {kind: counts[kind] for kind in KINDS},
        "short": {kind: n - counts[kind] for kind, n in settings.targets.items() if counts[kind] < n},
        "need_recordings": sum(row["needs_recording"] for row in kept),
        "review": tools.people.report(tools.subset, "item"),
        "usage": tools.client.usage(),
    }
    return Outcome(kept, rejected, report)


def _check_kinds(settings: ParalinguisticSettings) -> None:
    for name, kinds in (("targets", settings.targets), ("ask", settings.ask), ("max_handwritten", settings.max_handwritten)):
        for kind in kinds:
            if kind not in KINDS:
                raise UserError(f"Config key paralinguistic.{name} names the kind {kind!r}; kinds are {', '.join(KINDS)}.")


def handwritten(path: Path, settings: ParalinguisticSettings) -> list[HandItem]:
    """The hand-written items in order of number. Raises UserError naming file and entry."""
    import yaml

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"The hand-written items {path} cannot be read ({' '.join(str(error).split())}); give a YAML list.") from None
    if not isinstance(entries, list):
        raise UserError(f"The hand-written items {path} are no list; begin each item with `- number:`.")
    items = [load(HandItem, nfc(entry), f"{path.name}[{place}]") for place, entry in enumerate(entries)]
    for number, times in Counter(item.number for item in items).items():
        if times > 1:
            raise UserError(f"{path} gives the number {number} {times} times; numbers are for ever, take a free one.")
    for item in items:
        if item.topic not in settings.topics:
            raise UserError(f"{path} item {item.number} has the topic {item.topic!r}, which is none of paralinguistic.topics.")
    return sorted(items, key=lambda item: item.number)


@cache
def kinds() -> dict[str, dict[str, str]]:
    """What the writer is told about each kind."""
    import yaml

    told: dict[str, dict[str, str]] = yaml.safe_load((Path(__file__).parent / "kinds.yaml").read_text(encoding="utf-8"))
    return told


def plan_requests(rows: list[Row], settings: ParalinguisticSettings, root: Path) -> list[Request]:
    """`ask` requests a kind; they differ in their sample index alone."""
    existing = handwritten(root / settings.items, settings)
    requests = []
    for place, kind in enumerate(KINDS):
        told = kinds()[kind]
        listed = "\n".join(f"- {item.query}" for item in existing if item.kind == kind) or "- none"
        system = prompts.filled(
            "paralinguistic", language=settings.language.name, kind=kind, about=told["about"], contrast=told["contrast"],
            max_words=str(settings.max_words), topics=", ".join(settings.topics),
        )  # fmt: skip
        user = prompts.filled(
            "paralinguistic_item", number=str(settings.items_per_request), kind=kind, language=settings.language.name, existing=listed
        )
        messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
        for sample in range(settings.ask.get(kind, 0)):
            first = FIRST_GENERATED * (place + 1) + 100 * sample
            requests.append(Request(f"pf-{first:05d}", settings.query_writer, messages, form(tuple(settings.topics)), sample))
    return requests


def _row(item: HandItem, settings: ParalinguisticSettings, subset: str) -> Row:
    texts = item.model_dump(include={"kind", "query", "delivery", "contrast", "meant", "other", "must_notice", "topic", "needs_recording"})
    return _whole(f"{subset}-pf-{item.number:05d}", "handwritten", item.author, texts, settings, subset, [])


def _generated(request: Request, value: Any, settings: ParalinguisticSettings, subset: str) -> Iterator[Row]:
    first = int(request.item_id.rpartition("-")[2])
    kind = KINDS[first // FIRST_GENERATED - 1]
    for place, written in enumerate(value.items[:100]):
        texts = {name: text.strip() if isinstance(text, str) else text for name, text in written.model_dump().items()}
        texts |= {"kind": kind, "needs_recording": texts.pop("needs_human_voice")}
        yield _whole(f"{subset}-pf-{first + place:05d}", "generated", settings.query_writer.model, texts, settings, subset, [request.key])


def _whole(id: str, origin: str, source: str, texts: Row, settings: ParalinguisticSettings, subset: str, requests: list[str]) -> Row:
    return {
        **texts,
        "id": id,
        "subset": subset,
        "origin": origin,
        "source": source,
        "source_revision": "",
        "licence": settings.items_licence,
        "source_file": None,
        "source_index": None,
        "conversation_id": None,
        "language": settings.language.code,
        "original_query": texts["query"],
        "category": "PF",
        "commonness": None,
        "difficulty": None,
        "screening": "",
        "query_requests": requests,
        "query_flags": [],
        "query_decisions": [],
    }


def _item(row: Row) -> Item:
    return Item(**{name: row[name] or "" for name in Item._fields})


def _checked(first: list[Row], generated: Iterable[Row], settings: ParalinguisticSettings) -> tuple[list[Row], list[Rejection]]:
    """The generated items that pass every check, and the others with the check that failed."""
    kept: list[Row] = []
    dropped: list[Rejection] = []
    for row in generated:
        found = problems(_item(row), settings.max_words, settings.min_contrast)
        twin = next((other["id"] for other in [*first, *kept] if similar(row["query"], other["query"])), None)
        if twin is not None:
            found.append(f"repeated: nearly the same query as {twin}")
        if found:
            dropped.append(Rejection(row, "check_failed", f"paralinguistic.{found[0].partition(':')[0]}", "; ".join(found)))
        else:
            kept.append(row)
    return kept, dropped


def _edited(row: Row, edit: dict[str, str], settings: ParalinguisticSettings) -> Row:
    """Raises UserError for an edit after which the item fails a check."""
    from stages.core.delivery import parse

    row = {**row, **edit}
    row["query"] = parse(row["delivery"], f"A verdict on {row['id']}").text
    if found := problems(_item(row), settings.max_words, settings.min_contrast):
        raise UserError(f"A verdict on {row['id']} makes an item that cannot be used: {'; '.join(found)}; edit it otherwise at the desk.")
    return row


def _chosen(judged: list[tuple[Row, bool]], settings: ParalinguisticSettings) -> tuple[list[Row], list[Rejection]]:
    """As many of each kind as wanted: hand-written ones first, then by number. Who writes an item by hand has accepted it."""
    kept: list[Row] = []
    left: list[Rejection] = []
    counts: Counter[str] = Counter()
    by_hand: Counter[str] = Counter()
    for row, accepted in sorted(judged, key=lambda pair: (pair[0]["origin"] != "handwritten", pair[0]["id"])):
        kind, handwritten = row["kind"], row["origin"] == "handwritten"
        if handwritten and by_hand[kind] >= settings.max_handwritten.get(kind, by_hand[kind] + 1):
            left.append(Rejection(row, "over_target", "paralinguistic.max_handwritten", f"{kind} has its {by_hand[kind]} hand-written items"))
        elif counts[kind] >= settings.targets.get(kind, 0):
            left.append(Rejection(row, "over_target", "paralinguistic.targets", f"{kind} has its {counts[kind]} items"))
        elif not (accepted or handwritten or not settings.review.required):
            left.append(Rejection(row, "awaiting_review", "review.required", f"needs {settings.review.min_reviewers} reviewers"))
        else:
            counts[kind] += 1
            by_hand[kind] += handwritten
            kept.append(row)
    return kept, left


@contextmanager
def open_tools(settings: ParalinguisticSettings, context: Context) -> Iterator[Tools]:
    with Client.open(settings.client, context.progress, context.root) as client:
        yield Tools(client, people.read(context.root), context.root, context.subset)


def explain(row: Row) -> list[str]:
    if row.get("kind") is None:
        return []
    lines = [f"{row['kind']} item, {row['origin']} by {row['source']}, to be said: {row['delivery']}"]
    lines += [f"meant: {row['meant']}", f"otherwise: {row['other']} ({row['contrast']})", f"to be noticed: {row['must_notice']}"]
    return lines + [f"reviewed by {said}" for said in row["query_decisions"]]


STAGE = Stage(
    name="paralinguistic",
    run=run,
    settings=ParalinguisticSettings,
    reads=None,
    input_schema=None,
    output_schema="Queried",
    tools=open_tools,
    group="wildspeech",
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
