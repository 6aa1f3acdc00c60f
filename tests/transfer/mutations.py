"""Defects planted by program in good pairs. A kind says where it applies and yields every place where it can be planted.

The places come from the shape of an item (its options, digits, sentences, keyword arguments) and from small tables of Korean wordings,
never from what the checks look for. `planted` draws evenly over kinds with a fixed seed.
"""

# ruff: noqa: E501  (data: one pattern a line)
from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Line = dict[str, Any]
Change = Iterator[Line]


class Mutant(NamedTuple):
    kind: str
    pair: str
    line: Line


def _with(line: Line, **target: Any) -> Line:
    changed = copy.deepcopy(line)
    changed["target"] |= copy.deepcopy(target)
    return changed


def _text(line: Line) -> str:
    return str(line["target"].get("transcription", ""))


def _stem_end(line: Line) -> int:
    """Where the options begin in the text."""
    options = line["target"].get("options") or []
    place = _text(line).find(f"{options[0]['label']}. {options[0]['text']}") if options else -1
    return place if place >= 0 else len(_text(line))


def _replaced(line: Line, pattern: str, new: str | Callable[[re.Match[str]], str], everywhere: bool = True) -> Change:
    """One mutant for each hit of `pattern` in the question, or in the whole text with the options changed alike."""
    text, end = _text(line), _stem_end(line)
    for hit in re.finditer(pattern, text[:end]):
        put = new(hit) if callable(new) else hit.expand(new)
        yield _with(line, transcription=text[: hit.start()] + put + text[hit.end() :])
    if everywhere:
        for place, option in enumerate(line["target"].get("options") or []):
            for hit in re.finditer(pattern, option["text"]):
                put = new(hit) if callable(new) else hit.expand(new)
                yield _option(line, place, option["text"][: hit.start()] + put + option["text"][hit.end() :])


def _option(line: Line, place: int, text: str) -> Line:
    """`line` with the text of one option changed, in the list and in the question."""
    options = copy.deepcopy(line["target"]["options"])
    label, before = options[place]["label"], options[place]["text"]
    options[place]["text"] = text
    start = _stem_end(line)
    whole = _text(line)
    return _with(line, options=options, transcription=whole[:start] + whole[start:].replace(f"{label}. {before}", f"{label}. {text}", 1))


def _kwargs(line: Line) -> list[Line]:
    return line["target"].get("kwargs") or []


def _with_kwargs(line: Line, place: int, **change: Any) -> Line:
    kwargs = copy.deepcopy(_kwargs(line))
    kwargs[place] |= change
    return _with(line, kwargs=kwargs)


# --- options and keys
def dropped_option(line: Line) -> Change:
    options = line["target"].get("options") or []
    for place, option in enumerate(options):
        rest = [one for one in options if one is not option]
        text = re.sub(rf"\s*{option['label']}\. {re.escape(option['text'])}", "", _text(line))
        yield _with(line, options=rest, transcription=text)
        if place == len(options) - 1:
            yield _with(line, transcription=text)


def swapped_key(line: Line) -> Change:
    labels = [option["label"] for option in line["target"].get("options") or []]
    for label in labels:
        if label != line["target"]["answer"] and line["target"]["category"] != "error_correction":
            yield _with(line, answer=label)


def latin_labels(line: Line) -> Change:
    options = line["target"].get("options") or []
    if options:
        text = _text(line)
        for latin, option in zip("ABCD", options, strict=False):
            text = text.replace(f"{option['label']}. ", f"{latin}. ")
        renamed = [{"label": latin, "text": option["text"]} for latin, option in zip("ABCD", options, strict=False)]
        yield _with(line, options=renamed, transcription=text, answer="ABCD"["ㄱㄴㄷㄹ".index(line["target"]["answer"])])


def swapped_option_texts(line: Line) -> Change:
    """Two options change places; only a number, a symbol or a name can give this away without knowledge of the subject."""
    options = line["target"].get("options") or []
    known = r"\d|[A-Za-z]|쪽$|^(오슬로|빈|도쿄|리스본)$"
    for place in range(len(options) - 1):
        first, second = options[place]["text"], options[place + 1]["text"]
        if re.search(known, first) and re.search(known, second) and line["source"]["benchmark"] != "bbh/hyperbaton":
            yield _option(_option(line, place, second), place + 1, first)


# --- what the question says
_NEGATED = [
    (r"[이가] 아닌", "인"), (r"지 않은", "은"), (r"지 않는", "는"), (r"지 않나요", "나요"), (r"없는", "있는"), (r"지 마세요", "세요"), (r"지 마시고", "시고"), (r"지 말고", "고"),
    (r"절대 (\S+)면 안 되는", r"\1는"), (r"틀린", "옳은"), (r"못하는", "하는"), (r"하지 못한다", "한다"), (r"찾지 않", "찾"), (r"지 않고", "고"),
]
_OPPOSITES = [
    ("많", "적"), ("큰", "작은"), ("높은", "낮은"), ("높아", "낮아"), ("길어", "짧아"), ("오른다", "내린다"), ("오르", "내리"), ("늘면", "줄면"), ("늘어", "줄어"),
    ("이전", "이후"), ("북쪽", "남쪽"), ("동쪽", "서쪽"), ("왼쪽", "오른쪽"), ("앞으로", "뒤로"), ("처음", "마지막"), ("먼저", "나중에"), ("비싼", "싼"),
]  # fmt: skip
_BOUNDS = [("미만", "이하"), ("이상", "초과"), ("이상", "이하"), ("이상", "미만"), ("미만", "이상"), ("미만", "초과")]


def lost_negation(line: Line) -> Change:
    for pattern, new in _NEGATED:
        yield from _replaced(line, pattern, new)


def added_negation(line: Line) -> Change:
    if line["source"]["benchmark"] in ("openbookqa", "mmsu", "triviaqa", "llamaq", "webq", "sd-qa") and line["target"]["category"] != "equivalent_replacement":
        for pattern, new in [(r"인 것은", "이 아닌 것은"), (r"는 것은", "지 않는 것은"), (r"은 (\S+)은 (무엇|어디)", r"지 않은 \1은 \2"), (r"넘는", "넘지 않는"), (r"([가-힣])는 (\S+)[은는] (어디|누구|무엇)", r"\1지 않는 \2는 \3")]:
            yield from _replaced(line, pattern, new, everywhere=False)


def flipped_comparison(line: Line) -> Change:
    for one, other in _OPPOSITES:
        yield from _replaced(line, rf"(?<![가-힣]){one}", other)
        yield from _replaced(line, rf"(?<![가-힣]){other}", one)


def wrong_bound(line: Line) -> Change:
    if line["source"]["benchmark"] == "ifeval":
        for one, other in _BOUNDS:
            yield from _replaced(line, rf"(?<=[가-힣\d] ){one}|(?<=[번개절장곳]){one}", other)


def changed_number(line: Line) -> Change:
    yield from _replaced(line, r"(?<![\d.,])\d+(?![\d,.]*\d)", lambda hit: str(int(hit[0]) + 1))
    yield from _replaced(line, r"\d+", lambda hit: hit[0] + "0")


def dropped_number(line: Line) -> Change:
    yield from _replaced(line, r"\d[\d,.]*\s?[가-힣]*\s?", "", everywhere=False)


def changed_unit(line: Line) -> Change:
    for pattern, new in [("마일", "킬로미터"), ("갤런", "리터"), ("달러", "원"), ("유로", "원"), ("어절", "글자"), ("어절", "자"), ("문장", "문단")]:
        if line["source"]["benchmark"] != "ifeval" or new in ("글자", "자", "문단"):
            yield from _replaced(line, rf"(?<=\d){pattern}", new)


def changed_name(line: Line) -> Change:
    names = ["미국", "캐나다", "아프리카", "러시아", "로마", "스페인", "부다페스트", "빈과", "그리스", "시스티나"]
    others = ["독일", "인도", "유럽", "브라질", "베네치아", "프랑스", "프라하", "뮌헨과", "이집트", "노트르담"]
    for name, other in zip(names, others, strict=True):
        yield from _replaced(line, name, other, everywhere=False)


def untranslated_word(line: Line) -> Change:
    source = re.findall(r"\b[a-z]{4,}\b", line["source"]["prompt"])
    for place, hit in enumerate(re.finditer(r"(?<!\S)[가-힣]{2,}(?=\s)", _text(line)[: _stem_end(line)])):
        if source:
            yield _with(line, transcription=_text(line)[: hit.start()] + source[place % len(source)] + _text(line)[hit.end() :])


def english_gloss(line: Line) -> Change:
    source = re.findall(r"\b[a-z]{4,}\b", line["source"]["prompt"])
    for place, hit in enumerate(re.finditer(r"(?<=\s)[가-힣]{2,}(?=\s)", _text(line)[: _stem_end(line)])):
        if source:
            yield _with(line, transcription=f"{_text(line)[: hit.end()]}({source[place % len(source)]}){_text(line)[hit.end() :]}")


def cut_off(line: Line) -> Change:
    words = _text(line).split(" ")
    for share in (0.35, 0.5, 0.65):
        if len(words) >= 6:
            yield _with(line, transcription=" ".join(words[: int(len(words) * share)]))


def said_twice(line: Line) -> Change:
    if len(_text(line)) > 60:
        yield _with(line, transcription=" ".join([_text(line)] * 3))


def chatter(line: Line) -> Change:
    if _text(line):
        yield _with(line, transcription=f"번역: {_text(line)}")
        yield _with(line, transcription=f"다음은 번역한 문장입니다.\n{_text(line)}")


def code_instead(line: Line) -> Change:
    if _text(line):
        yield _with(line, transcription="```python\nprint('ok')\n```")
        yield _with(line, transcription=f"{_text(line)}\n<script>alert(1)</script>")


def empty(line: Line) -> Change:
    if _text(line):
        yield _with(line, transcription="")


# --- answers
def duplicate_alias(line: Line) -> Change:
    answer, aliases = line["target"].get("answer", ""), line["target"].get("aliases")
    if aliases is not None:
        for known in [answer, *aliases]:
            if known != answer:  # in the lines of a file the answer may stand among the aliases
                yield _with(line, aliases=[*aliases, known])
            if re.search(r"[가-힣]$", known):
                yield _with(line, aliases=[*aliases, f"{known}{'은' if (ord(known[-1]) - 0xAC00) % 28 else '는'}"])
            if len(known) > 2 and re.fullmatch("[가-힣 ]+", known):
                yield _with(line, aliases=[*aliases, f"{known[:2]} {known[2:].strip()}"] if " " not in known else [*aliases, known.replace(" ", "")])


def english_alias(line: Line) -> Change:
    for alias in line["source"].get("aliases") or []:
        if re.search(r"[a-z]{3}", alias):
            yield _with(line, aliases=[*(line["target"].get("aliases") or []), alias])


def leaked_answer(line: Line) -> Change:
    target = line["target"]
    answer = target.get("answer", "")
    if line["source"]["benchmark"].startswith("bbh") or target["category"] in ("equivalent_replacement", "error_correction") or not answer:
        return
    options = {option["label"]: option["text"] for option in target.get("options") or []}
    said = options.get(answer, answer)
    if len(said) > 1 and not re.fullmatch(r"[\d.,]+\S?", said):
        text = _text(line)
        yield _with(line, transcription=f"{said}에 대한 문제입니다. {text}")
        yield _with(line, transcription=re.sub(r"(무엇|어디|누구|어떤 것)", rf"{said} 말고 \1", text, count=1) if re.search("무엇|어디|누구", text) else f"{said}: {text}")


def flipped_answer(line: Line) -> Change:
    if line["target"].get("answer") in ("예", "아니요"):
        yield _with(line, answer="아니요" if line["target"]["answer"] == "예" else "예")
        yield _with(line, answer={"예": "yes", "아니요": "no"}[line["target"]["answer"]])


# --- constraints
def english_kwarg(line: Line) -> Change:
    if "kwargs" not in line["source"] or line["target"].get("kwargs") is None:
        return
    by_id = dict(zip(line["source"]["instruction_id_list"], line["source"]["kwargs"], strict=True))
    for place, id in enumerate(line["target"]["instruction_id_list"]):
        for name, value in _kwargs(line)[place].items():
            source = by_id.get(id, {}).get(name)
            if name not in ("relation", "let_relation", "language") and source != value and isinstance(source, (str, list)):
                yield _with_kwargs(line, place, **{name: source})


def other_kwarg(line: Line) -> Change:
    for place, kwargs in enumerate(_kwargs(line)):
        for name, value in kwargs.items():
            if name not in ("relation", "let_relation", "language", "options", "letter") and isinstance(value, (str, list)):
                yield _with_kwargs(line, place, **{name: "단풍나무" if isinstance(value, str) else ["단풍나무", *value[1:]]})


def changed_count(line: Line) -> Change:
    for place, kwargs in enumerate(_kwargs(line)):
        for name, value in kwargs.items():
            if isinstance(value, int) and name not in ("num_words", "nth_paragraph"):
                yield _with_kwargs(line, place, **{name: value + 2})


def wrong_relation(line: Line) -> Change:
    for place, kwargs in enumerate(_kwargs(line)):
        for name in ("relation", "let_relation"):
            if name in kwargs:
                for other in ("이상", "미만", "at most", "less than" if kwargs[name] == "at least" else "at least"):
                    yield _with_kwargs(line, place, **{name: other})


def dropped_constraint(line: Line) -> Change:
    ids = line["target"].get("instruction_id_list") or []
    for place in range(len(ids)):
        yield _with(line, instruction_id_list=ids[:place] + ids[place + 1 :], kwargs=_kwargs(line)[:place] + _kwargs(line)[place + 1 :])


def unsaid_constraint(line: Line) -> Change:
    """A sentence of the question goes, and the constraint in it is still checked."""
    if not line["target"].get("instruction_id_list"):
        return
    sentences = re.split(r"(?<=[.?!])\s+", _text(line))
    for place in range(1, len(sentences)):
        if re.search(r"주세요|마세요|합니다|해야|쓰고", sentences[place]):
            yield _with(line, transcription=" ".join(sentences[:place] + sentences[place + 1 :]))


def case_left(line: Line) -> Change:
    if line["source"]["benchmark"] == "ifeval":
        for wording in ("모두 소문자로 써 주세요.", "전부 대문자로 답해 주세요.", "대문자로 된 단어를 3개 이상 넣어 주세요."):
            yield _with(line, transcription=f"{_text(line)} {wording}")
        ids = line["target"]["instruction_id_list"]
        yield _with(line, instruction_id_list=[*ids, "change_case:english_lowercase"], kwargs=[*_kwargs(line), {}])


def contradiction(line: Line) -> Change:
    """Text that an answer must have and must not have."""
    ids = line["target"].get("instruction_id_list") or []
    for place, id in enumerate(ids):
        if id == "startend:end_checker" and "punctuation:no_comma" in ids:
            before = _kwargs(line)[place]["end_phrase"]
            yield _with(_with_kwargs(line, place, end_phrase=f"네, {before}"), transcription=_text(line).replace(before, f"네, {before}"))
        if id == "combination:repeat_prompt":
            request = _kwargs(line)[place]["prompt_to_repeat"]
            yield _with(line, instruction_id_list=[*ids, "keywords:forbidden_words"], kwargs=[*_kwargs(line), {"forbidden_words": [request.split()[0]]}],
                        transcription=f"{_text(line)} '{request.split()[0]}'이라는 단어는 쓰지 마세요.")  # fmt: skip
        if id == "keywords:forbidden_words":
            word = _kwargs(line)[place]["forbidden_words"][0]
            other = next((at for at, kwargs in enumerate(_kwargs(line)) if "keywords" in kwargs or "keyword" in kwargs), None)
            if other is not None:
                yield _with_kwargs(line, other, keywords=[word])


# --- tasks
def broken_steps(line: Line) -> Change:
    if line["source"]["benchmark"] == "bbh/navigate":
        steps = re.findall(r"[^.?!]+[.?!]\s*", _text(line))
        for place in range(1, len(steps)):
            yield _with(line, transcription="".join(steps[:place] + steps[place + 1 :]))
        for place in range(1, len(steps) - 1):
            if steps[place].strip() != steps[place + 1].strip():
                yield _with(line, transcription=" ".join(step.strip() for step in [*steps[:place], steps[place + 1], steps[place], *steps[place + 2 :]]))


def broken_lies(line: Line) -> Change:
    if line["source"]["benchmark"] == "bbh/web_of_lies":
        yield from _replaced(line, "진실을 말한다고", "거짓말을 한다고")
        yield from _replaced(line, "거짓말을 한다고", "진실을 말한다고")
        yield from _replaced(line, r"(?<=[는은] )\S+?(?=[이가] (거짓|진실))", "수지")
        statements = re.findall(r"[^.?!]+[.?!]\s*", _text(line))
        for place in range(len(statements) - 1):
            yield _with(line, transcription="".join(statements[:place] + statements[place + 1 :]))


def broken_pair(line: Line) -> Change:
    if line["source"]["benchmark"] == "bbh/hyperbaton":
        first, second = (option["text"] for option in line["target"]["options"])
        yield _option(line, 1, first)
        yield _option(line, 0, second)
        yield _option(line, 1, " ".join([*first.split()[1:-1], first.split()[0], first.split()[-1]]))
        yield _option(line, 0, "네모난 낡은 커다란 나무 상자가 있다")


def baseless_deletion(line: Line) -> Change:
    if _text(line) and line["target"]["category"] == "direct_translation":
        yield _with(line, action="delete", category="deletion", reason="", rule_id="delete-untranslatable")
        yield _with(line, action="delete", category="deletion", reason="어려운 문항임", rule_id="")
        yield _with(line, action="delete", category="deletion", reason="어려운 문항임", rule_id="delete-untranslatable")


KINDS: dict[str, Callable[[Line], Change]] = {
    one.__name__.replace("_", " "): one
    for one in (
        dropped_option, swapped_key, latin_labels, swapped_option_texts, lost_negation, added_negation, flipped_comparison, wrong_bound, changed_number,
        dropped_number, changed_unit, changed_name, untranslated_word, english_gloss, cut_off, said_twice, chatter, code_instead, empty, duplicate_alias,
        english_alias, leaked_answer, flipped_answer, english_kwarg, other_kwarg, changed_count, wrong_relation, dropped_constraint, unsaid_constraint,
        case_left, contradiction, broken_steps, broken_lies, broken_pair, baseless_deletion,
    )
}  # fmt: skip


def all_mutants(pairs: dict[str, Line]) -> list[Mutant]:
    """Every defect that can be planted; nothing that leaves its pair as it was."""
    found = []
    for kind, mutate in KINDS.items():
        for name, line in pairs.items():
            if line["target"].get("action") != "delete":
                found += [Mutant(kind, name, mutant) for mutant in mutate(line) if mutant != line]
    return found


def planted(pairs: dict[str, Line], count: int, seed: int = 0) -> list[Mutant]:
    """`count` defects, drawn evenly over the kinds."""
    rng = random.Random(seed)
    pools: dict[str, list[Mutant]] = {}
    for mutant in all_mutants(pairs):
        pools.setdefault(mutant.kind, []).append(mutant)
    for pool in pools.values():
        rng.shuffle(pool)
    drawn: list[Mutant] = []
    while len(drawn) < count and any(pools.values()):
        drawn += [pool.pop() for pool in pools.values() if pool][: count - len(drawn)]
    return drawn
