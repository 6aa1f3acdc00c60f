"""Acceptance tables of evaluation: `python -m stages.evaluate.cases FILE --mode fixed|compat`.

Reads lines with `id`, `protocol`, `subset`, `item`, `response` and writes one JSON line each, `{"id", "value"}`, in the order of the file. What an
item holds and what a value is depends on the subset; docs/evaluation.md has the table. Rows are independent of each other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from stages.core.app import exiting
from stages.core.errors import UserError, nearest
from stages.core.files import nfc, read_jsonl
from stages.core.statistics import mean
from stages.evaluate.scorers import checklist, mmau_pro_open, option_text, string_match
from stages.evaluate.scorers import other_harnesses as others
from stages.evaluate.scorers.base import MODES, Item, ItemScore, Judgment, Mode, Prediction, load
from stages.evaluate.scorers.bbh import read as read_bbh
from stages.evaluate.scorers.ifeval import strict
from stages.evaluate.scorers.mmau_pro_instruction import kept
from stages.evaluate.scorers.multiple_choice import chosen
from stages.evaluate.scorers.reference import matched
from stages.evaluate.scorers.replies import read_vote
from stages.evaluate.scorers.voicebench import refuses
from stages.languages import load as language_of

Row = dict[str, Any]
KOREAN = ("kvoicebench", "kopenaudiobench", "kmmau", "kwildspeech", "mmau-pro-ko")
PROTOCOLS = ("voicebench", "openaudiobench", "wildspeech", "mmau", "mmau-pro", *KOREAN)
BOARD = ("alpacaeval_full", "commoneval", "wildvoice", "sd-qa", "mmsu", "openbookqa", "bbh", "ifeval", "advbench")
"""The nine subsets of VoiceBench's overall mean; the first three are marks from 1 to 5."""


def item_of(row: Row) -> Item:
    """The item of a row, as the scorers take it."""
    item: Row = row["item"]
    choices = item.get("choices") or []
    options = tuple(choices.items()) if isinstance(choices, dict) else tuple(("", str(choice)) for choice in choices)
    ids, kwargs = item.get("instruction_id_list") or [], item.get("kwargs") or []
    given = kwargs if isinstance(kwargs, list) else []
    instructions = tuple((id, {name: value for name, value in (one or {}).items() if value is not None}) for id, one in zip(ids, given, strict=False))
    aliases = item.get("aliases") or item.get("references") or []
    reference = item.get("reference", item.get("answer"))
    return Item(
        id=str(row["id"]),
        protocol="",
        language="ko" if row["protocol"] in KOREAN else "en",
        subset=str(row["subset"]),
        prompt=str(item.get("prompt") or item.get("question") or item.get("user_query") or ""),
        reference=None if reference is None else str(reference),
        references=tuple(map(str, aliases)),
        options=options,
        instructions=instructions,
        task=str(item.get("task_identifier") or item.get("id") or ""),
        extra={"kwargs": kwargs if isinstance(kwargs, dict) else {}, "checklist": item.get("checklist", "")},
    )


def value_of(row: Row, mode: Mode) -> Any:
    """The value of a row. Raises UserError for a protocol or subset without one."""
    subset = str(row["subset"]).removesuffix("-test") if row["subset"] != "test-mini" else "test-mini"
    protocol = row["protocol"]
    if protocol not in PROTOCOLS:
        raise UserError(f"Row {row['id']} has the protocol {protocol!r}, which is unknown.{nearest(protocol, PROTOCOLS)}")
    if subset in _BY_SUBSET:
        return _BY_SUBSET[subset](row, mode)
    if protocol in ("mmau", "kmmau"):
        return _aggregate_options(row, mode) if "rows" in row["item"] else _option(row, mode)
    if protocol.startswith("mmau-pro"):
        return (
            _open_judge(row, mode)
            if "judge_outputs" in row["item"]
            else _instruction(row, mode)
            if "task_identifier" in row["item"]
            else _option(row, mode)
        )
    raise UserError(f"Row {row['id']} has the subset {subset!r} of {protocol}, for which there is no protocol.{nearest(subset, _BY_SUBSET)}")


def _peer(row: Row) -> str:
    return str(row.get("peer") or "")


def _response(row: Row) -> str:
    return str(row.get("response") or "")


def _judged(row: Row, scorer: str, mode: Mode) -> ItemScore:
    outputs = row["item"].get("judge_outputs") or []
    judgments = [Judgment(str(row["id"]), sample, None if text is None else str(text)) for sample, text in enumerate(outputs)]
    return load(scorer).item(item_of(row), Prediction(str(row["id"]), row.get("response")), judgments, mode)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _choice(row: Row, mode: Mode) -> Any:
    return chosen(item_of(row), _response(row), mode)


def _bbh(row: Row, mode: Mode) -> Any:
    return read_bbh(item_of(row), _response(row), mode)


def _ifeval(row: Row, mode: Mode) -> Any:
    return strict(item_of(row), _response(row), mode)


def _harm(row: Row, mode: Mode) -> Any:
    if mode == "compat" and others.KIMI in _peer(row):
        return others.kimi_refuses(_response(row))
    return refuses(_response(row)) if mode == "compat" else language_of(item_of(row).language).answers.refuses(_response(row))


def _open(row: Row, mode: Mode) -> Any:
    if mode == "compat" and others.LMMS in _peer(row):
        return {"mean_1_5": _rounded(mean([others.lmms_mark(str(text or "")) for text in row["item"]["judge_outputs"]]))}
    score = _judged(row, "open", mode)
    mark = _rounded(score.parts.get("mark"))
    return {"mean_1_5": mark} if mode == "compat" else {"mean_1_5": mark, "score_100": _rounded(score.value), "n_invalid": score.n_invalid}


def _reference(row: Row, mode: Mode) -> Any:
    score = _judged(row, "reference", mode)
    return None if score.value is None or score.value not in (0.0, 100.0) else score.value == 100.0


def _match(row: Row, mode: Mode) -> Any:
    if mode == "compat" and others.LMMS in _peer(row):
        return others.lmms_panda(item_of(row).reference or "", _response(row))
    return matched(item_of(row), _response(row), mode)


def _scaled(scorer: str) -> Callable[[Row, Mode], Any]:
    def value(row: Row, mode: Mode) -> Any:
        if "judge_outputs" not in row["item"]:
            return matched(item_of(row), _response(row), "fixed")
        outputs = row["item"]["judge_outputs"]
        parts = [_judged(row | {"item": row["item"] | {"judge_outputs": [output]}}, scorer, mode) for output in outputs]
        values = [part.value for part in parts if part.value is not None]
        return {"score": _rounded(mean(values)), "n_invalid": len(parts) - len(values)}

    return value


def _vote(row: Row, mode: Mode) -> Any:
    votes = [read_vote(str(text or ""), item_of(row).language) for text in row["item"]["judge_outputs"]]
    valid = [vote for vote in votes if vote is not None]
    return None if not valid or 2 * sum(valid) == len(valid) else "yes" if 2 * sum(valid) > len(valid) else "no"


def _mark(row: Row, mode: Mode) -> Any:
    outputs = row["item"]["judge_outputs"]
    language = item_of(row).language
    marks = [
        checklist.original(str(text or "")) if mode == "compat" else language_of(language).answers.mark(str(text or ""), 1, 10) for text in outputs
    ]
    found = [mark for mark in marks if mark is not None]
    value = mean([float(mark) for mark in found])
    return None if value is None else int(value) if value == int(value) else _rounded(value)


def _repeats(row: Row, mode: Mode) -> Any:
    text = row["item"]["text"]
    return checklist.original_loops(text) if mode == "compat" else language_of(item_of(row).language).answers.loops(text)


def _transcripts(row: Row, mode: Mode) -> Any:
    return checklist.kept_transcripts(row["item"]["asr_outputs_in_order"], item_of(row).language, mode)


def _aggregate_marks(row: Row, mode: Mode) -> Any:
    language = item_of(row).language
    values, invalid = [], 0
    for one in row["item"]["rows"]:
        marks = one["score"] if isinstance(one["score"], list) else [one["score"]]
        valid = [float(mark) for mark in marks if isinstance(mark, (int, float)) and not isinstance(mark, bool) and 1 <= mark <= 10]
        invalid += len(marks) - len(valid)
        if valid:
            replies = one["response"] if isinstance(one["response"], list) else [one["response"]]
            values.append(sum(valid) / len(valid) if checklist.in_language(language, [str(reply or "") for reply in replies]) else 1.0)
    return {"mean": _rounded(mean(values)), "n_invalid": invalid}


def _aggregate_choices(row: Row, mode: Mode) -> Any:
    scores = []
    for place, one in enumerate(row["item"]["rows"]):
        options = one.get("choices") or row["item"].get("choices") or dict.fromkeys("ABCD" if row["protocol"] not in KOREAN else _LABELS(), "")
        inner = {"id": f"{place:06d}", "protocol": row["protocol"], "subset": "mmsu", "item": {"choices": options, "reference": one["reference"]}}
        scores.append(load("multiple_choice").item(item_of(inner), Prediction(inner["id"], one.get("response")), [], mode))
    total = load("multiple_choice").total(scores, mode)
    return {"acc": _rounded(total.value), "fail": _rounded(total.parts.get("fail"))}


def _LABELS() -> list[str]:
    return language_of("ko").option_labels[:4]


def _aggregate_constraints(row: Row, mode: Mode) -> Any:
    scores = []
    for place, one in enumerate(row["item"]["rows"]):
        inner = {"id": f"{place:06d}", "protocol": row["protocol"], "subset": "ifeval", "item": one}
        scores.append(load("ifeval").item(item_of(inner), Prediction(inner["id"], one.get("response")), [], mode))
    parts = load("ifeval").total(scores, mode).parts
    names = ("strict_prompt", "strict_instruction", "loose_prompt", "loose_instruction")
    return {name.replace("_", "-"): _rounded(parts[name] / 100) if parts else None for name in names}


def _aggregate_options(row: Row, mode: Mode) -> Any:
    hits, n, missing = 0, 0, 0
    for place, one in enumerate(row["item"]["rows"]):
        if "model_output" not in one:
            missing += 1
            continue
        n += 1
        inner = {"id": f"{place}", "protocol": row["protocol"], "subset": "test-mini", "item": one, "response": one["model_output"]}
        hits += bool(_option(inner, mode))
    whole = n if mode == "compat" else n + missing
    return {"acc": _rounded(100 * hits / whole) if whole else None, "n": whole, "n_missing": missing}


def _overall(row: Row, mode: Mode) -> Any:
    """VoiceBench's mean of nine, each on 0 to 100; sd-qa is the mean of its two halves, and rates below or at 1 are fractions where they can be."""
    scores = {name.removesuffix("-test"): value for name, value in (row["item"].get("scores") or row["item"]).items()}
    if "sd-qa" not in scores:
        scores["sd-qa"] = (scores["sdqa_panda"] + scores["sdqa_gpt"]) / 2
    lacking = [name for name in BOARD if scores.get(name) is None]
    if lacking:
        raise UserError(f"Row {row['id']} lacks the score of {', '.join(lacking)}; the overall mean needs all nine.")
    values = [
        20.0 * scores[name] if name in BOARD[:3] else 100.0 * scores[name] if name in ("ifeval", "advbench") and scores[name] <= 1 else scores[name]
        for name in BOARD
    ]
    return _rounded(mean(values))


def _option(row: Row, mode: Mode) -> Any:
    item = item_of(row)
    texts = [text for _, text in item.options]
    if mode == "compat" and others.LMMS in _peer(row):
        return others.lmms_letter(_response(row), texts)
    if mode == "compat" and others.ULTRA in _peer(row):
        return others.ultra_letter(_response(row), texts)
    if mode == "compat":
        return string_match.right(item.reference or "", _response(row), texts)
    text = option_text.chosen(item, _response(row))
    place = option_text.place_of_key(item)
    return text is not None and place is not None and item.options[place][1] == text


def _open_judge(row: Row, mode: Mode) -> Any:
    outputs = row["item"]["judge_outputs"]
    marks = [
        mmau_pro_open.original(str(text)) if mode == "compat" else mmau_pro_open.read(str(text or ""), item_of(row).language) for text in outputs
    ]
    value = mean([mark for mark in marks if mark is not None])
    return None if value is None else int(value) if value == int(value) else _rounded(value)


def _instruction(row: Row, mode: Mode) -> Any:
    return kept(item_of(row), _response(row))


_BY_SUBSET: dict[str, Callable[[Row, Mode], Any]] = {
    "openbookqa": _choice,
    "mmsu": _choice,
    "bbh": _bbh,
    "ifeval": _ifeval,
    "advbench": _harm,
    **dict.fromkeys(("alpacaeval", "alpacaeval_full", "commoneval", "wildvoice"), _open),
    "sd-qa-judge": _reference,
    "sd-qa": _reference,
    "sd-qa-panda": _match,
    **dict.fromkeys(("llama_questions", "llamaqa"), _scaled("verdict")),
    **dict.fromkeys(("trivia_qa", "web_questions"), _scaled("verdict_json")),
    "alpaca_eval": _scaled("alpaca_ten"),
    "reasoning_qa": _scaled("reasoning"),
    "yes-no-judge": _vote,
    "judge-parse": _mark,
    "repeat-check": _repeats,
    "transcribe": _transcripts,
    "mcq-aggregate": _aggregate_choices,
    "ifeval-aggregate": _aggregate_constraints,
    "overall": _overall,
    "open-judge": _open_judge,
    "instruction-following": _instruction,
    "aggregate": lambda row, mode: _aggregate_options(row, mode) if row["protocol"] in ("mmau", "kmmau") else _aggregate_marks(row, mode),
}


def values(rows: Sequence[Row], mode: Mode) -> list[Row]:
    """`{"id", "value"}` for each row. Raises UserError naming the row that is not as the table of shapes says."""
    lines = []
    for row in rows:
        try:
            lines.append({"id": row["id"], "value": value_of(nfc(row) if mode == "fixed" else row, mode)})
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"Row {row.get('id')} has not the shape of its subset {row.get('subset')!r}: {error!r}; see docs/evaluation.md."
            ) from None
    return lines


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m stages.evaluate.cases", description=__doc__, formatter_class=form)
    parser.add_argument("file", type=Path)
    parser.add_argument("--mode", choices=MODES, default="fixed")
    arguments = parser.parse_args()
    for line in values(list(read_jsonl(arguments.file)), arguments.mode):
        sys.stdout.buffer.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    exiting(main)
