"""A new language's open questions: into the desk's queue, and from its verdicts into the rulebooks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from stages.core.errors import UserError
from stages.core.files import read_jsonl, write_jsonl
from stages.core.paths import ROOT
from stages.languages import load, open_questions, skeleton
from stages.review import queue
from stages.review.desk.catalog import Catalog
from stages.transfer import hypertranslate
from stages.transfer.rules import read_rulebook
from tests.transfer.items import HYPERTRANSLATE, Model, corrected


def load_yaml(text: str) -> Any:
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


MODEL = load_yaml((ROOT / "rulebooks/ko/hypertranslation.yaml").read_text("utf-8"))
READING = load_yaml((ROOT / "rulebooks/ko/normalization.yaml").read_text("utf-8"))
HANGUL = re.compile("[ㄱ-ㆎ가-힣]")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ja")
    skeleton.run(["ja", "Japanese"], folder)
    return folder


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def book(root: Path) -> dict:
    tree: dict = load_yaml((root / "rulebooks/ja/hypertranslation.yaml").read_text("utf-8"))
    return tree


def judge(root: Path, id: str, verdict: str, topic: str = "hypertranslation", who: str = "sato", **edit: str) -> None:
    catalog = Catalog(root)
    entry = catalog.entry(open_questions.queue_id("ja", topic, id))
    catalog.judge({"id": entry.id, "verdict": verdict, "reason": "", "edit": edit, "seen": entry.fingerprint(), "reviewer": who})


def test_every_rule_that_rests_on_korean_is_asked_at_the_desk(root: Path) -> None:
    entries = {entry.id for entry in queue.read(root, "question")}
    tree = book(root)
    general = {rule["id"] for section in open_questions._RULE_SECTIONS for rule in tree[section]["rules"] if rule["decided_by"]["person"]}
    for section in open_questions._RULE_SECTIONS:
        for rule in MODEL[section].get("rules", []):
            text = f"{rule['do']} {rule['why']}"
            assert (rule["id"] in general) == (not HANGUL.search(text) and "Korea" not in text and "Hangul" not in text)
            assert rule["id"] in general or open_questions.queue_id("ja", "hypertranslation", f"rule:{rule['id']}") in entries
    for constraint in MODEL["benchmarks"]["constraints"]:
        assert open_questions.queue_id("ja", "hypertranslation", f"constraint:{constraint['id']}") in entries
    for rule in READING["rules"]:
        assert open_questions.queue_id("ja", "normalization", f"rule:{rule['id']}") in entries
    assert general, "rules that hold for any language stay"
    assert not HANGUL.search((root / "rulebooks/ja/hypertranslation.yaml").read_text("utf-8"))


def test_the_book_is_well_formed_and_a_build_refuses_it(root: Path) -> None:
    made = read_rulebook(root / "rulebooks/ja/hypertranslation.yaml")
    settings = HYPERTRANSLATE.model_copy(update={"language": HYPERTRANSLATE.language.model_copy(update={"code": "ja", "name": "Japanese"})})
    with pytest.raises(UserError, match=rf"{len(made.open)} open points, .*make review"):
        hypertranslate.run([corrected(0, "open", "Say hello.")], settings, hypertranslate.Tools(Model(lambda request: {}), made, load("ko")))


def test_answers_of_the_desk_come_into_the_book(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = root / "rulebooks/ja/hypertranslation.yaml"
    path.write_text(path.read_text("utf-8") + "# a remark of mine\n", "utf-8")
    judge(root, "rule:spoken-korean", "edit", do="Write polite spoken Japanese (desu, masu).")
    judge(root, "rule:combined-options", "drop")
    judge(root, "constraint:change_case:english_capital", "removed")
    judge(root, "constraint:keywords:letter_frequency", "edit", words="action: remapped\nfixed: {letter: {a: あ}}")
    judge(root, "part:quality.lexicon.negation", "edit", words="[ない, ません]")
    judge(root, "part:quality.lexicon.lie", "edit", words="not a list")
    judge(root, "part:conversion.composition.closing", "edit", words="答えは{labels}のどれですか。")
    before = len(book(root)["open"])
    capsys.readouterr()
    skeleton.run(["ja"], root)
    told = capsys.readouterr().out
    tree = book(root)
    assert len(tree["open"]) == before - 6
    assert "part:quality.lexicon.lie: what was written is no list" in told
    assert "part:quality.lexicon.lie" in tree["open"]
    rules = {rule["id"]: rule for section in open_questions._RULE_SECTIONS for rule in tree[section]["rules"]}
    assert rules["spoken-korean"]["do"] == "Write polite spoken Japanese (desu, masu)."
    assert rules["spoken-korean"]["decided_by"]["person"] == "sato"
    assert "combined-options" not in rules
    constraints = {one["id"]: one for one in tree["benchmarks"]["constraints"]}
    assert constraints["keywords:letter_frequency"]["fixed"] == {"letter": {"a": "あ"}}
    assert tree["quality"]["lexicon"]["negation"] == ["ない", "ません"]
    assert tree["conversion"]["composition"]["closing"].startswith("答えは")
    assert "# a remark of mine" in path.read_text("utf-8")
    left = {entry.id for entry in queue.read(root, "question")}
    assert open_questions.queue_id("ja", "hypertranslation", "rule:spoken-korean") not in left
    assert read_rulebook(path).rule("spoken-korean")
    skeleton.run(["ja"], root)
    assert book(root) == tree, "a second run changes nothing"


def test_a_rule_that_constraints_need_cannot_be_dropped(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge(root, "rule:bbh-hyperbaton", "drop")
    skeleton.run(["ja"], root)
    assert "hyperbaton needs this rule" in capsys.readouterr().out
    assert "rule:bbh-hyperbaton" in book(root)["open"]


def test_people_who_differ_leave_a_question_open(root: Path) -> None:
    judge(root, "constraint:punctuation:no_comma", "kept")
    judge(root, "constraint:punctuation:no_comma", "removed", who="ito")
    skeleton.run(["ja"], root)
    assert "constraint:punctuation:no_comma" in book(root)["open"]


def test_reading_rules_take_the_examples_that_people_write(root: Path) -> None:
    judge(root, "rule:jamo.label", "drop", "normalization")
    judge(root, "rule:number.decimal" if any(r["id"] == "number.decimal" for r in READING["rules"]) else f"rule:{READING['rules'][5]['id']}", "edit",
          "normalization", examples="3.5 → さんてんご")  # fmt: skip
    skeleton.run(["ja"], root)
    tree = load_yaml((root / "rulebooks/ja/normalization.yaml").read_text("utf-8"))
    (rule,) = tree["rules"]
    assert rule["examples"] == ["3.5 → さんてんご"]
    assert rule["decided_by"]["who"] == "sato"
    left = {entry.id for entry in queue.read(root, "question")}
    assert open_questions.queue_id("ja", "normalization", "rule:jamo.label") not in left
    assert len([id for id in left if ":normalization." in id]) == len(READING["rules"]) - 2


def test_other_questions_stay_in_the_queue(root: Path) -> None:
    path = root / "data/review/question.jsonl"
    entries = read_jsonl(path)
    other = {**entries[0], "id": "question:bbh:q1", "subset": "bbh"}
    write_jsonl(path, [other, *entries])
    skeleton.run(["ja"], root)
    assert {entry.id for entry in queue.read(root, "question")} == {other["id"], *(entry["id"] for entry in entries)}
