"""The queues that a build puts to people, and the way back: a verdict at the desk changes what the stages make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import files
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.stage import Outcome, Rejection
from stages.core.verdicts import read as read_verdicts
from stages.languages import load
from stages.llm import Request
from stages.review import built, queue
from stages.review.desk.catalog import Catalog
from stages.review.queue import QueueEntry
from stages.transfer import correct, hypertranslate
from stages.transfer.replies import Review
from stages.transfer.rules import read_rulebook
from stages.wildspeech import review as wildspeech
from tests.transfer.items import CORRECT, HYPERTRANSLATE, RULEBOOK, Model, corrected, ingested

SETTINGS = built.read_settings(ROOT)
PLAIN = {"note": "", "rule_ids": [], "deletion_rule_id": "", "deletion_reason": "", "aliases": []}
QUESTIONS = {
    "llama_questions-00000": PLAIN | {"category": "direct_translation", "question": "하늘은 무슨 색인가요?", "answer": "파란색"},
    "llama_questions-00001": PLAIN | {"category": "equivalent_replacement", "question": "'나무'와 끝소리가 같은 말은 '고무'인가요, '의자'인가요?",
                                      "answer": "고무"},
    "llama_questions-00002": PLAIN | {"category": "direct_translation", "question": "year가 몇 개인가요?", "answer": "12개"},
    "llama_questions-00003": PLAIN | {"category": "deletion", "question": "", "answer": "", "deletion_rule_id": "delete-untranslatable",
                                      "deletion_reason": "영어 철자를 묻는 문항임"},
    "llama_questions-00006": PLAIN | {"category": "direct_translation", "question": "풀은 무슨 색인가요?", "answer": "초록색"},
}  # fmt: skip


def rows() -> list[Row]:
    return [
        corrected(0, "short_answer", "What colour is the sky?", ["blue"]),
        corrected(1, "short_answer", "Which word rhymes with moon: spoon or chair?", ["spoon"]),
        corrected(2, "short_answer", "How many months does a year have?", ["12"]),
        corrected(3, "short_answer", "How do you spell the plural of mouse?", ["mice"]),
        corrected(6, "short_answer", "What colour is grass?", ["green"]),
    ]


def write(root: Path, stage: str, outcome: Outcome) -> None:
    folder = root / "data" / stage / "llama_questions"
    files.write_jsonl(folder / "rows.jsonl", outcome.kept)
    out = [{**one.row, "reason": one.reason, "rule_id": one.rule_id, "detail": one.detail} for one in outcome.rejected]
    files.write_jsonl(folder / "rejected.jsonl", out)
    files.write_json(root / "data" / "reports" / stage / "llama_questions.json", outcome.report)


def transfer(root: Path) -> None:
    book = read_rulebook(ROOT / RULEBOOK)
    tools = hypertranslate.Tools(
        Model(lambda request: QUESTIONS[request.item_id]), book, load("ko"), read_verdicts(root, "hypertranslation", rounds=True)
    )
    write(root, "hypertranslate", hypertranslate.run(rows(), HYPERTRANSLATE, tools))


def dispute(root: Path) -> None:
    def answer(request: Request) -> dict[str, Any]:
        if request.schema is not Review:
            return {"reason": "not sure", "decision": "reject"}
        wrong = request.item_id.endswith("4")
        verdict = {"verdict": "wrong", "error_type": "stale_fact", "proposed_answers": ["27"]} if wrong else {"verdict": "unsure"}
        return {"reasoning": "hm", "error_type": "none", "proposed_answers": []} | verdict

    items = [ingested(4, "short_answer", "How many states are there?", ["28"]), ingested(5, "short_answer", "Who is the king?", ["George"])]
    write(root, "correct", correct.run(items, CORRECT, correct.Tools(Model(answer), read_verdicts(root, "correct"))))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    dispute(tmp_path)
    transfer(tmp_path)
    (sky, *_) = files.read_jsonl(tmp_path / "data/hypertranslate/llama_questions/rows.jsonl")
    heard = {"spoken": sky["target_prompt"], "transcript": "하느른 무슨 색인가요?", "readings": [], "voice": "v", "duration_s": 2.0}
    clips = [
        {**sky, **heard, "id": f"llama_questions-0000{n}", "cer": 0.25 if n == 4 else 0.0, "speech_sha256": "ab" * 32} for n in range(4, 9)
    ]  # fmt: skip
    write(tmp_path, "synthesize", Outcome(clips, [Rejection({**sky, **heard}, "unintelligible", "max-cer", "CER 0.6")]))
    return tmp_path


def made(root: Path) -> dict[str, QueueEntry]:
    built.run(root, SETTINGS)
    return {entry.id.split(".")[0].partition(":")[2] + ":" + entry.stage: entry for entry in queue.read(root)}


def test_the_queues_hold_what_a_build_leaves_open(root: Path) -> None:
    entries = made(root)
    subset = "llama_questions:llama_questions"
    assert f"{subset}-00006:hypertranslate" not in entries, "an item without flags"
    redesigned = entries[f"{subset}-00001:hypertranslate"]
    assert redesigned.source == {"prompt": rows()[1]["prompt"], "references": "spoon"}
    assert redesigned.target["target_answers"] == "고무"
    assert "equivalent replacement" in redesigned.flags
    failed = entries[f"{subset}-00002:hypertranslate"]
    assert failed.verdicts() == ("out", "keep", "edit", "reject", "skip")
    assert any("english" in flag for flag in failed.flags)
    deleted = entries[f"{subset}-00003:hypertranslate"]
    assert deleted.target["target_prompt"] == ""
    assert "delete-untranslatable" in deleted.rules
    dispute = entries[f"{subset}-00004:correct"]
    assert (dispute.kind, dispute.source["references"], dispute.target["corrected_references"]) == ("disagreement", "28", "27")
    assert entries[f"{subset}-00005:correct"].flags == ["the reviewer was unsure"]
    unheard = entries[f"{subset}-00000:hypertranslate"]
    assert unheard.flags[0] == "unintelligible: CER 0.6"
    assert unheard.source["transcript"] == "하느른 무슨 색인가요?"
    assert unheard.target["target_prompt"] == "하늘은 무슨 색인가요?"
    clips = [entry for entry in entries.values() if entry.kind == "listen"]
    assert len(clips) == 1 + SETTINGS.listen_at_least
    assert all(entry.audio for entry in clips)
    assert entries[f"{subset}-00004:synthesize"].target["transcript"] == "하느른 무슨 색인가요?"


def test_entries_of_other_stages_stay_whichever_command_comes_last(root: Path) -> None:
    query = dict.fromkeys(("screening", "commonness", "difficulty", "topic", "original_query"), "x")
    row = {**query, "id": "w-0000001", "subset": "w", "query": "How do magnets work?", "category": "II"}
    files.write_json(root / "data/config.json", {"wildspeech": {"w": {}}})
    files.write_jsonl(root / "data/select/w/rows.jsonl", [row])
    files.write_jsonl(root / "data/select/w/rejected.jsonl", [])
    wildspeech.main(["w"], root)
    (asked,) = queue.read(root)
    before = {**made(root)}
    assert asked in before.values()
    assert {entry.stage for entry in before.values()} == {"select", *built.STAGES} - {*built.NOISY}
    wildspeech.main(["w"], root)
    assert made(root) == before
    (root / "data/hypertranslate/llama_questions/rows.jsonl").write_bytes(b"")
    after = made(root)
    assert asked in after.values()
    assert len(after) < len(before), "what the build no longer holds goes"


def test_a_verdict_at_the_desk_comes_back_in_the_next_build(root: Path) -> None:
    catalog = Catalog(root)

    def judge(entry: QueueEntry, verdict: str, **edit: str) -> None:
        catalog.judge({"id": entry.id, "verdict": verdict, "reason": "seen", "edit": edit, "seen": entry.fingerprint(), "reviewer": "kim"})

    entries = made(root)
    subset = "llama_questions:llama_questions"
    judge(entries[f"{subset}-00001:hypertranslate"], "edit", target_prompt="'나무'와 끝소리가 같은 낱말은 '고무'와 '의자' 중 무엇인가요?")
    judge(entries[f"{subset}-00002:hypertranslate"], "keep")
    judge(entries[f"{subset}-00004:correct"], "proposal")
    dispute(root)
    transfer(root)
    kept = {row["id"]: row for row in files.read_jsonl(root / "data/hypertranslate/llama_questions/rows.jsonl")}
    assert sorted(kept) == [f"llama_questions-0000{n}" for n in (0, 1, 2, 6)]
    assert "낱말은" in kept["llama_questions-00001"]["target_prompt"]
    (settled,) = [row for row in files.read_jsonl(root / "data/correct/llama_questions/rows.jsonl") if row["correction"] == "corrected"]
    assert settled["corrected_references"] == ["27"]
    after = made(root)
    assert any("person: kim" in flag for flag in after[f"{subset}-00001:hypertranslate"].flags)
    assert after[f"{subset}-00004:correct"].id == entries[f"{subset}-00004:correct"].id, "the verdict stays with its dispute"


def test_other_queues_stay_and_nothing_built_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queue.write(tmp_path, "question", [])
    assert built.run(tmp_path, SETTINGS) == {"item": [], "disagreement": [], "listen": []}
    assert "nothing has been built yet" in capsys.readouterr().out
    assert queue.path(tmp_path, "question").exists()
