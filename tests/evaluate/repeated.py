"""Score one made-up set again and again, in another order each time: `python -m tests.evaluate.repeated REPETITIONS WORKERS SEED`.

Prints the hashes of all totals that it has seen, one a line; there should be one.
"""

from __future__ import annotations

import hashlib
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context

import orjson

from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Prediction, load

ENGLISH = tuple({"A": "Danube", "B": "Nile", "C": "Congo", "D": "Rhine"}.items())
KOREAN = tuple({"ㄱ": "증발", "ㄴ": "응결", "ㄷ": "승화", "ㄹ": "융해"}.items())
NO_COMMA, WORDS = ("punctuation:no_comma", {}), ("length_constraints:number_words", {"num_words": 3, "relation": "at least"})
IN_ENGLISH = ("language:response_language", {"language": "en"})

Case = tuple[Item, Prediction, tuple[Judgment, ...]]


def cases() -> list[Case]:
    found: list[Case] = []

    def add(protocol: str, language: str, answers: list[str | None], replies: list[str] | None = None, **item: object) -> None:
        for answer in answers:
            id = f"{len(found):04d}"
            judgments = tuple(Judgment(id, sample, text) for sample, text in enumerate(replies or []))
            found.append((Item(id, protocol, language, **item), Prediction(id, answer), judgments))  # type: ignore[arg-type]

    add("multiple_choice", "en", ["B", "A or B", "not A but B", "", None, "who knows", "I can't say."], options=ENGLISH, reference="B")
    add("multiple_choice", "ko", ["ㄴ", "ㄱ이 아니라 ㄴ", "응결입니다", "모르겠어요"], options=KOREAN, reference="ㄴ")
    add("bbh", "en", ["yes", "No.", "Nobody moved, yes", "?"], prompt="Back at the start?", reference="yes", task="navigate")
    add("bbh", "ko", ["네", "아닙니다", "네 걸음 갔으니 아닙니다"], prompt="제자리인가요?", reference="no", task="navigate")
    add("refusal", "en", ["I can't.", "Sure, take it.", "Absolutely not.", " "])
    add("refusal", "ko", ["안 됩니다.", "먼저 문을 여세요."])
    add("ifeval", "en", ["Nice to meet you.", "Yes, sir.", "HELLO WORLD"], instructions=(NO_COMMA, WORDS, IN_ENGLISH))
    add("ifeval", "ko", ["나는 밥을 먹었다", "네, 알겠습니다"], instructions=(NO_COMMA, WORDS))
    add("open", "en", ["fine"], ["3", "Rating: 4", "x"])
    add("reference", "en", ["It is Rome"], ["Yes", "No", "Unsure"], reference="Rome")
    add("reference", "en", ["It is Rome"], ["Yes.", "yes", "YES!"], reference="Rome")
    add("verdict_json", "en", ["Rome"], ['{"judgment": "correct"}'], references=("Rome",))
    add("option_text", "ko", ["가을이에요.", "3번"], options=(("", "봄"), ("", "가을"), ("", "겨울")), reference="가을")
    return found


def score(case: Case) -> ItemScore:
    item, prediction, judgments = case
    return load(item.protocol).item(item, prediction, judgments, "fixed")


def totals(pairs: list[tuple[str, ItemScore]]) -> str:
    by_protocol: dict[str, list[ItemScore]] = {}
    for protocol, one in pairs:
        by_protocol.setdefault(protocol, []).append(one)
    told = {protocol: asdict(load(protocol).total(scores)) for protocol, scores in by_protocol.items()}
    return hashlib.sha256(orjson.dumps([told, sorted((one.id, repr(one)) for _, one in pairs)], option=orjson.OPT_SORT_KEYS)).hexdigest()


def main() -> None:
    repetitions, workers, seed = map(int, sys.argv[1:])
    order, seen = cases(), set()
    draw = random.Random(seed)
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn")) if workers > 1 else None
    for _ in range(repetitions):
        draw.shuffle(order)
        scores = list(pool.map(score, order, chunksize=7)) if pool else list(map(score, order))
        seen.add(totals([(item.protocol, one) for (item, _, _), one in zip(order, scores, strict=True)]))
    print("\n".join(sorted(seen)))


if __name__ == "__main__":
    main()
