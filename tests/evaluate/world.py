"""A made-up world of any size: questions of every benchmark, and the answers of a model whose worth is known beforehand.

`build(root, share)` writes data/ingest, data/validate and data/assemble rows with the columns that the evaluation reads, in the sizes
of the paper times `share`. `answers` gives a predictions mapping and, for each (language, subset), how many of its answers are right.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from stages.core import files
from stages.evaluate.benchmarks import Question

ENGLISH = {
    "alpacaeval_full": 636, "commoneval": 200, "wildvoice": 1000, "sd-qa": 553, "mmsu": 3074, "openbookqa": 455, "bbh": 1000, "ifeval": 345,
    "advbench": 520, "llama_questions": 300, "trivia_qa": 1000, "web_questions": 1000,
}  # fmt: skip
"""10,083 rows; with alpacaeval_full counted in both benchmarks 10,719."""
KOREAN = {
    "alpacaeval_full": 614, "commoneval": 194, "wildvoice": 972, "sd-qa": 533, "mmsu": 3006, "openbookqa": 445, "bbh": 750, "ifeval": 279,
    "advbench": 513, "llama_questions": 290, "trivia_qa": 966, "web_questions": 965,
}  # fmt: skip
KMMAU = {
    "age": 276, "gender": 270, "number_of_speakers": 100, "word_order": 1039, "word_frequency_counting": 180, "role_profession": 100,
    "topic_summary": 100, "fact_extraction": 98, "general_counting": 41,
}  # fmt: skip
CONFIGS = {
    "alpacaeval_full": "alpacaeval_full-test", "commoneval": "commoneval-test", "wildvoice": "wildvoice-test", "openbookqa": "openbookqa-test",
    "bbh": "bbh-test", "ifeval": "ifeval-test", "advbench": "advbench-test", "llama_questions": "llamaqa",
}  # fmt: skip
CHOICE = ("mmsu", "openbookqa")
SHORT = ("sd-qa", "llama_questions", "trivia_qa", "web_questions")
OPEN = ("alpacaeval_full", "commoneval", "wildvoice")
LABELS = {"en": "ABCD", "ko": "ㄱㄴㄷㄹ"}
THINGS = {"en": ["copper", "willow", "harbour", "lantern", "granite", "violin"], "ko": ["구리", "버드나무", "항구", "등불", "화강암", "바이올린"]}
NO_COMMA = [{"id": "punctuation:no_comma", "kwargs": "{}"}]


def build(root: Path, share: float = 1.0) -> Path:
    for subset, size in ENGLISH.items():
        n = _size(size, share)
        files.write_jsonl(root / "data/ingest" / subset / "rows.jsonl", [source(subset, number) for number in range(n)])
        kept = min(_size(KOREAN[subset], share), n)
        files.write_jsonl(root / "data/validate" / subset / "rows.jsonl", [target(subset, number) for number in range(kept)])
    for capability, size in KMMAU.items():
        path = root / "data/assemble/kmmau" / capability / "rows.jsonl"
        files.write_jsonl(path, [heard(capability, number) for number in range(_size(size, share))])
    return root


def _size(size: int, share: float) -> int:
    return max(round(size * share), 3)


def _id(subset: str, number: int) -> str:
    return f"{CONFIGS.get(subset, subset)}-{number:05d}"


def _named(language: str, subset: str, number: int) -> tuple[str, list[dict[str, str]], str]:
    """(prompt, options, key) of a multiple-choice question."""
    things = random.Random(f"{language}{subset}{number}").sample(THINGS[language], 4)
    options = [{"label": label, "text": f"{thing} {number}"} for label, thing in zip(LABELS[language], things, strict=True)]
    lines = "\n".join(f"{option['label']}. {option['text']}" for option in options)
    asked = f"Which of these is wanted as number {number}?" if language == "en" else f"{number}번으로 찾는 것은 무엇인가요?"
    return f"{asked}\n{lines}", options, LABELS[language][number % 4]


def _question(language: str, subset: str, number: int) -> dict[str, Any]:
    """prompt, answer, answers, options, instructions, task."""
    row: dict[str, Any] = {"prompt": "", "answer": None, "answers": [], "options": [], "instructions": [], "task": ""}
    english = language == "en"
    if subset in CHOICE:
        row["prompt"], row["options"], row["answer"] = _named(language, subset, number)
        row["answers"] = [row["answer"]]
    elif subset in SHORT:
        thing = THINGS[language][number % 6]
        row["prompt"] = f"What is thing number {number} called?" if english else f"{number}번 물건은 무엇이라고 하나요?"
        row["answer"], row["answers"] = thing, [thing]
    elif subset == "bbh":
        walk = f"앞으로 {number}걸음, 뒤로 {number}걸음 가면 제자리인가요?"
        row["prompt"] = f"Walk {number} steps on and {number} back. Are you at the start?" if english else walk
        yes = number % 2 == 0
        row["answer"] = ("yes" if yes else "no") if english else ("예" if yes else "아니요")
        row["answers"], row["task"] = [row["answer"]], "navigate"
    elif subset == "ifeval":
        row["prompt"] = f"Describe day {number} without a comma." if english else f"{number}일째 날을 쉼표 없이 설명해 주세요."
        row["instructions"] = NO_COMMA
    else:
        row["prompt"] = f"Tell me something about topic {number}." if english else f"{number}번 주제에 대해 말해 주세요."
    return row


def source(subset: str, number: int) -> dict[str, Any]:
    one = _question("en", subset, number)
    return {
        "id": _id(subset, number), "subset": subset, "prompt": one["prompt"], "reference": one["answer"], "references": one["answers"],
        "options": one["options"], "instructions": one["instructions"], "task": one["task"], "has_source_audio": False,
    }  # fmt: skip


def target(subset: str, number: int) -> dict[str, Any]:
    one, row = _question("ko", subset, number), source(subset, number)
    return {
        **row, "correction": "not_reviewed", "corrected_reference": row["reference"], "corrected_references": row["references"],
        "target_prompt": one["prompt"], "target_answer": one["answer"], "target_answers": one["answers"], "target_options": one["options"],
        "target_instructions": one["instructions"], "spoken": one["prompt"], "cer": round((number % 10) / 100, 2),
    }  # fmt: skip


def heard(capability: str, number: int) -> dict[str, Any]:
    choices = ["남성", "여성"] if capability == "gender" else [f"{thing}입니다" for thing in THINGS["ko"][:4]]
    return {
        "id": f"{capability}-{number:04d}", "capability": capability, "question": f"{number}번 녹음에서 들리는 것은 무엇인가요?", "choices": choices,
        "answer": choices[number % len(choices)], "corpus": "kss", "segment": f"kss-utterance-{number:05d}", "shown": "",
    }  # fmt: skip


def answers(questions: list[Question], right: float, seed: str) -> tuple[dict[str, str], Counter[tuple[str, str]]]:
    """question id -> answer of a model that is right with the given chance, and how many are right for each (language, subset)."""
    chance = random.Random(seed)
    found: dict[str, str] = {}
    hits: Counter[tuple[str, str]] = Counter()
    for question in questions:
        good = chance.random() < right
        found[question.id] = answer(question, good, chance)
        hits[question.language, question.subset] += good
    return found, hits


def answer(question: Question, good: bool, chance: random.Random) -> str:
    item, english = question.item, question.language == "en"
    if item.options:
        keys = [label or text for label, text in item.options]
        key = item.reference if good else chance.choice([key for key in keys if key != item.reference])
        if not item.options[0][0]:
            return f"{key}." if english else f"정답은 {key}."
        return f"The answer is {key}." if english else f"정답은 {key}입니다."
    if question.subset in SHORT:
        things = THINGS[question.language]
        thing = item.reference if good else chance.choice([thing for thing in things if thing != item.reference])
        return f"It is called {thing}." if english else f"그것은 {thing}입니다."
    if question.subset == "bbh":
        yes = (item.reference in ("yes", "예")) == good
        return ("Yes, you are." if yes else "No, you are not.") if english else ("네, 맞습니다." if yes else "아니요, 아닙니다.")
    if question.subset == "ifeval":
        return ("A quiet day." if good else "A quiet, long day.") if english else ("조용한 하루였습니다." if good else "조용하고, 긴 하루였습니다.")
    if question.subset == "advbench":
        if english:
            return "I'm sorry, but I can't help with that." if good else "Sure. First, you take the thing and then you go on."
        return "죄송하지만 그 요청은 도와드릴 수 없습니다." if good else "네, 먼저 물건을 준비한 다음에 이렇게 하시면 됩니다."
    return f"Here is something short and true about it, part {chance.randrange(9)}." if english else "그 주제에 대해 짧게 말씀드리겠습니다."


def mark(question: Question, good: bool) -> str:
    """What a judge replies about an answer."""
    if question.subset in OPEN:
        return json.dumps({"reason": "seen", "mark": 5 if good else 2})
    verdict = ("yes" if good else "no") if question.subset == "sd-qa" else ("correct" if good else "incorrect")
    return json.dumps({"reason": "seen", "verdict": verdict})
