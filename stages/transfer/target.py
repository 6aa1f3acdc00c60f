"""From a translator's reply to the columns of the target item. Labels, keys, yes/no words and numbers are set here, by program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import BaseModel

from stages.core.files import Row, nfc
from stages.languages import Language
from stages.transfer import constraints
from stages.transfer.checks.pair import DELETED, REPLACED, Failure, Option, Pair, bare_label
from stages.transfer.replies import IfevalItem, MinimalPair, MultipleChoiceItem, ShortAnswerItem, Translated, YesNoItem
from stages.transfer.rules import Item, Rulebook, design_of, draw, found


@dataclass(frozen=True)
class Target:
    """A target item as a pair for the checks, and what went wrong when it was put together."""

    pair: Pair
    note: str
    problems: list[Failure]

    def columns(self) -> Row:
        """The columns that a kept row gets, but for the requests and the flags."""
        pair = self.pair
        return {
            "category": "error_correction" if pair.corrected and pair.category not in (REPLACED, DELETED) else pair.category,
            "target_prompt": pair.prompt,
            "target_options": [{"label": option.label, "text": option.text} for option in pair.options],
            "target_answer": pair.answer or None,
            "target_answers": [pair.answer, *pair.aliases] if pair.answer else [],
            "target_instructions": [{"id": one.id, "kwargs": _json(one.kwargs)} for one in pair.instructions],
            "rule_ids": sorted(set(pair.rule_ids)),
            "offered_rule_ids": list(pair.offered or ()),
            "transfer_note": self.note,
        }


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def build(row: Row, item: Item, reply: BaseModel, offered: list[str], book: Rulebook, language: Language) -> Target:
    """The target that `reply` describes for `row`. `offered` are the ids of the rules in the request."""
    value = type(reply).model_validate(nfc(reply.model_dump()))
    pair = _source(row, item, offered)
    if isinstance(value, MinimalPair):
        design = design_of(book, pair.item.prompt)
        reason = f"{design.id}: {' '.join(design.do.split())}"
        return Target(_minimal_pair(pair, value, book, language), f"{reason} {value.note.strip()}".strip(), [])
    assert isinstance(value, Translated)
    pair = replace(
        pair, category=value.category, prompt=value.question.strip(), rule_ids=tuple(value.rule_ids),
        deletion_rule_id=value.deletion_rule_id.strip(), deletion_reason=value.deletion_reason.strip(),
    )
    problems: list[Failure] = []
    if value.category == DELETED:
        pair = replace(pair, prompt="")
    elif isinstance(value, ShortAnswerItem):
        aliases = [alias.strip() for alias in value.aliases]
        pair = replace(pair, answer=value.answer.strip(), aliases=tuple(alias for alias in aliases if alias))
    elif isinstance(value, MultipleChoiceItem):
        pair = _multiple_choice(pair, value, row["prompt"], book, language)
    elif isinstance(value, YesNoItem):
        answer = (language.yes if pair.source_key == "yes" else language.no)[0]
        pair = replace(pair, answer=answer, key_claimed=value.answer)
    elif isinstance(value, IfevalItem):
        instructions, problems = constraints.merged(constraints.plan(row, book), value.constraints)
        pair = replace(pair, instructions=tuple(instructions))
    return Target(pair, value.note.strip(), problems)


def _source(row: Row, item: Item, offered: list[str]) -> Pair:
    key = (row["corrected_reference"] or "").strip()
    return Pair(
        item=item,
        source_options=tuple(Option(option["label"], option["text"]) for option in row["options"]),
        source_key=bare_label(key) if row["format"] in ("multiple_choice", "bbh") else "",
        source_instructions=tuple(constraints.source_instructions(row)),
        category="",
        prompt="",
        offered=tuple(offered),
        corrected=row["correction"] == "corrected",
    )


def labelled(texts: list[str], language: Language) -> tuple[Option, ...]:
    """`texts` with the language's labels, in order. More texts than labels is for the checks to see: the rest has none."""
    labels = [*language.option_labels, *[""] * len(texts)]
    return tuple(Option(label, text.strip()) for label, text in zip(labels, texts, strict=False))


def composed(question: str, options: tuple[Option, ...], source_prompt: str, book: Rulebook) -> str:
    """The whole text of a multiple-choice question, as the rulebook puts it together."""
    form = book.conversion.composition
    lines = "\n".join(form.option.format(label=option.label, text=option.text) for option in options)
    text = form.multiple_choice.format(question=question, options=lines)
    if found([form.source_closing], source_prompt) is None:
        return text
    return f"{text}\n{form.closing.format(labels=form.label_separator.join(option.label for option in options))}"


def _multiple_choice(pair: Pair, value: MultipleChoiceItem, source_prompt: str, book: Rulebook, language: Language) -> Pair:
    options = labelled(value.option_texts, language)
    place = pair.key_index
    claimed = value.right_option - 1
    labels = [option.label for option in pair.source_options]
    return replace(
        pair,
        options=options,
        prompt=composed(pair.prompt, options, source_prompt, book),
        answer=options[place].label if place is not None and place < len(options) else "",
        key_claimed=bare_label(labels[claimed]) if 0 <= claimed < len(labels) else f"option {value.right_option}",
    )


def right_place(item_id: str) -> int:
    """Where the right sentence of a minimal pair stands, 0 or 1: fixed by the id, and once each in every two neighbours by number."""
    stem, _, number = item_id.rpartition("-")
    if not number.isdigit():
        return draw(item_id, "place of the right sentence", 2)
    return (draw(f"{stem}-{int(number) // 2}", "place of the right sentence", 2) + int(number)) % 2


def _minimal_pair(pair: Pair, value: MinimalPair, book: Rulebook, language: Language) -> Pair:
    place = right_place(pair.item.id)
    sentences = [value.right_sentence, value.wrong_sentence]
    texts = [sentence.strip().rstrip(".").strip() for sentence in (sentences if place == 0 else sentences[::-1])]
    options = labelled(texts, language)
    prompt = composed(book.task_designs.hyperbaton.question, options, "", book)
    return replace(pair, category=REPLACED, prompt=prompt, options=options, answer=options[place].label, rule_ids=tuple(value.rule_ids))
