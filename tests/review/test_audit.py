"""The loop on a small build: what is found, asked, decided, proposed, and what is to run again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from stages import languages
from stages.core import files
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages import Entry
from stages.review import audit, corpus, decisions, findings, queue
from stages.review.audit import AuditSettings, entry_text, settings_of
from stages.review.questions import SUBSET, Answer

KO = languages.load("ko")
TEXTS = {
    "bbh": ["3번이 나왔다.", "어제 5번이 나왔다.", "4번 나왔다.", "사과 5개", "우리말로 すし는 초밥이다."],
    "sd-qa": ["KTDO 이야기", "glucose와 Alice와 IPA", "빛 ▷ 그림자", "신호는 10:20이다."],
}
NUMBER = "question:normalization:unsure.counter.context.label|counter.context.times:번이"
PLAIN_NUMBER = "question:normalization:unsure.counter.context.label|counter.context.times:번_나왔다"
RATIO = "question:normalization:unsure.ratio.plain|time.clock:이다"
SUSHI = "question:normalization:unspeakable.script:hiragana"
SPELLED = "question:normalization:spelled.KTDO"
KEPT = "question:normalization:kept.glucose"
SIGN = "question:normalization:silent.▷"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    for subset, texts in TEXTS.items():
        rows = [{"id": f"{subset}-{n:05}", "target_prompt": text} for n, text in enumerate(texts)]
        files.write_jsonl(tmp_path / f"data/hypertranslate/{subset}/rows.jsonl", rows)
        kept = [{**row, "spoken": KO.read(row["target_prompt"]).text} for row in rows if "すし" not in row["target_prompt"]]
        files.write_jsonl(tmp_path / f"data/normalize/{subset}/rows.jsonl", kept)
        files.write_jsonl(tmp_path / f"data/normalize/{subset}/rejected.jsonl", [row for row in rows if "すし" in row["target_prompt"]])
    return tmp_path


def run(root: Path, **more: Any) -> tuple[findings.Audit, dict[str, Answer]]:
    found, answered = audit.run(AuditSettings(kind="normalization", **more), root)
    return found, {answer.question.id: answer for answer in answered}


def asked(root: Path) -> dict[str, queue.QueueEntry]:
    return {entry.id: entry for entry in queue.read(root, "question")}


def decide(root: Path, id: str, verdict: str, reading: str = "", reviewer: str = "kim", seen: str = "") -> None:
    edit = {"reading": reading} if reading else None
    decisions.append(root, "normalization", reviewer, id, verdict, edit=edit, reason="so", seen=seen)


def test_one_question_a_kind_with_examples_options_and_affected_items(build: Path) -> None:
    run(build)
    entries = asked(build)
    assert {NUMBER, PLAIN_NUMBER, RATIO, SUSHI, SPELLED, KEPT, SIGN} <= entries.keys()
    number = entries[NUMBER]
    assert number.affected == ["bbh-00000", "bbh-00001"]
    assert [option.id for option in number.options] == ["counter.context.times", "counter.context.label", "by_context"]
    assert [option.label.ko for option in number.options[:2]] == ["세", "삼"]
    assert number.source["bbh-00000"] == "⟦3⟧번이 나왔다."
    assert number.rules == ["counter.context.label", "counter.context.times"]
    assert entries[SUSHI].source == {"bbh-00004": "우리말로 ⟦すし⟧는 초밥이다."}
    assert "edit" in entries[SPELLED].verdicts()
    assert "Alice" not in "".join(entries)
    assert {entry.topic for entry in entries.values()} == {"normalization"}


def test_the_statistics_are_those_of_the_rulebooks_categories(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run(build)
    shown = capsys.readouterr().out
    assert list(KO.rulebook.categories.values()) == [line.split("  ")[0] for line in shown.splitlines()[3:14]]
    assert found.readings["counters"] == 4
    report = files.read_json(build / audit.REPORT)
    assert report["categories"]["counters"]["rules"]["counter.native.general"] == 1
    assert sum(category["readings"] for category in report["categories"].values()) == found.readings.total() > 5
    assert found.n_unspeakable == 1


def test_the_same_corpus_gives_the_same_bytes_and_leaves_others_questions_alone(build: Path) -> None:
    other = queue.parse({"id": "question:bbh:q1", "kind": "question", "stage": "hypertranslate", "subset": "bbh", "title": "t", "prompt": "p"}, "x")
    queue.write(build, "question", [other])
    run(build)
    first = queue.path(build, "question").read_bytes()
    run(build)
    assert queue.path(build, "question").read_bytes() == first
    assert asked(build)["question:bbh:q1"] == other


@pytest.mark.parametrize(
    ("id", "verdict", "reading", "section", "item", "spoken"),
    [
        (NUMBER, "counter.context.label", "", "counter_senses", "어제 5번이 나왔다.", "어제 오 번이 나왔다."),
        (NUMBER, "counter.context.times", "", "counter_senses", "어제 5번이 나왔다.", "어제 다섯 번이 나왔다."),
        (PLAIN_NUMBER, "counter.context.label", "", "counter_senses", "4번 나왔다.", "사 번 나왔다."),
        (RATIO, "ratio.plain", "", "rules", "신호는 10:20이다.", "신호는 십 대 이십이다."),
        (SPELLED, "edit", "케이티도", "word_acronyms", "KTDO 이야기", "케이티도 이야기"),
        (KEPT, "edit", "글루코스", "word_acronyms", "glucose와 Alice와 IPA", "글루코스와 Alice와 아이피에이"),
        (SIGN, "edit", "다음은", "symbols", "빛 ▷ 그림자", "빛 다음은 그림자"),
        (SIGN, "pause", "", "symbols", "빛 ▷ 그림자", "빛, 그림자"),
    ],
)
def test_a_decision_becomes_an_entry_that_the_reader_follows(
    build: Path, id: str, verdict: str, reading: str, section: str, item: str, spoken: str
) -> None:
    run(build)
    decide(build, id, verdict, reading, seen=asked(build)[id].fingerprint())
    answer = run(build)[1][id]
    assert answer.note == ""
    assert answer.settled == answer.question.affected
    text = entry_text(answer)
    assert "decided by kim" in text
    (pasted,) = yaml.safe_load(text).items()
    assert pasted[0] == section
    entry = answer.entry
    assert isinstance(entry, Entry)
    assert KO.rulebook.with_entry(entry).read(item).text == spoken
    untouched = [text for texts in TEXTS.values() for text in texts if text != item and "번" not in text]
    assert [KO.rulebook.with_entry(entry).read(text).text for text in untouched] == [KO.read(text).text for text in untouched]


def test_what_is_decided_and_pasted_is_asked_no_more(build: Path, tmp_path: Path) -> None:
    run(build)
    decide(build, NUMBER, "counter.context.label")
    entry = run(build)[1][NUMBER].entry
    assert entry is not None
    tree = yaml.safe_load((ROOT / "rulebooks/ko/normalization.yaml").read_text("utf-8"))
    tree["counter_senses"][entry.key].insert(0, entry.value)
    pasted = tmp_path / "pasted.yaml"
    pasted.write_text(yaml.safe_dump(tree, allow_unicode=True), "utf-8")
    found, answered = run(build, rulebook=str(pasted))
    assert NUMBER not in asked(build)
    assert NUMBER not in answered
    assert found.stale == {"bbh": ["bbh-00000", "bbh-00001"]}, "only these are read otherwise than in the last build"


@pytest.mark.parametrize(
    ("verdicts", "note"),
    [
        ([("kim", "by_context")], "nothing changes"),
        ([("kim", "reject")], "none of the answers fits: so"),
        ([("kim", "counter.context.label"), ("lee", "counter.context.times")], "disagree"),
        ([("kim", "sometimes")], "none of its answers"),
    ],
)
def test_what_leads_to_no_entry_says_why(build: Path, verdicts: list[tuple[str, str]], note: str) -> None:
    for reviewer, verdict in verdicts:
        decide(build, NUMBER, verdict, reviewer=reviewer)
    answer = run(build)[1][NUMBER]
    assert answer.entry is None
    assert note in answer.note


def test_a_verdict_on_a_question_that_has_changed_does_not_count(build: Path) -> None:
    decide(build, NUMBER, "counter.context.label", seen="0123456789abcdef")
    answer = run(build)[1][NUMBER]
    assert answer.entry is None
    assert "asked again" in answer.note


def test_a_file_of_texts_and_rare_kinds_left_out(build: Path) -> None:
    path = build / "texts.txt"
    path.write_text("3번이 나왔다.\n\n5번이 나왔다.\nKTDO\n", encoding="utf-8")
    found, _ = run(build, corpus=str(path), min_items=2)
    assert found.n_texts == 3
    assert [entry.id for entry in asked(build).values()] == [NUMBER]
    assert asked(build)[NUMBER].affected == ["texts-00001", "texts-00003"]
    files.write_jsonl(build / "rows.jsonl", [{"id": "a", "text": "3개"}, {"prompt": "4개"}])
    assert [text.id for text in corpus.of_file(build / "rows.jsonl")] == ["a", "rows-00002"]


def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="dvc repro"):
        run(tmp_path)
    with pytest.raises(UserError, match="nowhere"):
        run(tmp_path, corpus=str(tmp_path / "nowhere.txt"))
    files.write_jsonl(tmp_path / "rows.jsonl", [{"words": "3개"}])
    with pytest.raises(UserError, match="row 1 has none of the texts"):
        run(tmp_path, corpus=str(tmp_path / "rows.jsonl"))
    with pytest.raises(UserError, match="not key=value"):
        settings_of(["normalization"])
    with pytest.raises(UserError, match="corpus"):
        settings_of(["kind=normalization", "corpsu=x"])
    with pytest.raises(UserError, match="kind"):
        settings_of(["kind=normalisation"])


def test_the_command(build: Path) -> None:
    path = build / "texts.txt"
    path.write_text("3번이 나왔다.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "stages.review.audit", "kind=nonsense"], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


def test_ids_hold_for_every_subset() -> None:
    assert all(id.startswith(f"question:{SUBSET}:") for id in (NUMBER, RATIO, SUSHI))
