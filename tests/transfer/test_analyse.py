"""The deterministic part of the transfer: what is certain of an item before any model is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.analyse_sources import ingested as ingested_mirror
from stages.core.errors import UserError
from stages.core.files import Row, read_jsonl, write_jsonl
from stages.core.paths import ROOT
from stages.languages import Language, load
from stages.transfer.analyse import Finding, analyse, report, rows_of
from stages.transfer.contradictions import contradictions
from stages.transfer.rules import read_rulebook
from tests.transfer.items import RULEBOOK, corrected, ingested

BOOK = read_rulebook(ROOT / RULEBOOK)


@pytest.fixture(scope="module")
def language() -> Language:
    return load("ko")


def ifeval(prompt: str, *instructions: tuple[str, dict[str, object]]) -> Row:
    return ingested(0, "ifeval", prompt, instructions=list(instructions))


CAPITALS = ("change_case:english_capital", {})
HINDI = ("language:response_language", {"language": "hi"})
ENGLISH = ("language:response_language", {"language": "en"})
LETTER = ("keywords:letter_frequency", {"letter": "n", "let_frequency": 4, "let_relation": "at least"})
TITLE = ("detectable_format:title", {})
NO_WORD = ("keywords:forbidden_words", {"forbidden_words": ["word"]})
CHOICE = ("detectable_format:constrained_response", {})


@pytest.mark.parametrize(
    ("row", "category", "rule"),
    [
        (ifeval("Name a fruit in capitals.", CAPITALS), "deletion", "ifeval-case"),
        (ifeval("Name a fruit in capitals, with a title.", CAPITALS, TITLE), "format_conversion", "ifeval-case"),
        (ifeval("Name a fruit, with a title.", TITLE), "direct_translation", ""),
        (ifeval("Name a fruit, n four times.", LETTER), "format_conversion", "ifeval-letter-frequency"),
        (ifeval("Name a fruit in Hindi.", HINDI), "direct_translation", ""),
        (ifeval("Name a fruit in English.", ENGLISH), "format_conversion", "ifeval-language"),
        (ifeval("Is it sweet? My answer is yes.", CHOICE), "format_conversion", "ifeval-constrained-response"),
        (ingested(0, "bbh", "Which has the right order?", ["(a)"], task="hyperbaton"), "equivalent_replacement", "bbh-hyperbaton"),
        (ingested(0, "bbh", "Ana lies. Does Ana tell the truth?", ["no"], task="web_of_lies"), "direct_translation", ""),
        (ingested(0, "short_answer", "What is the plural form of mouse?", ["mice"]), "equivalent_replacement or deletion", "design-inflection"),
        (corrected(0, "short_answer", "Who wrote it?", ["Ana"], now=["Bo"]), "error_correction", ""),
    ],
)
def test_the_rules_decide_what_is_certain(row: Row, category: str, rule: str, language: Language) -> None:
    finding = analyse(row, BOOK, language)
    assert (finding.category, finding.deciding_rule) == (category, rule)


def test_each_kept_constraint_is_proved(language: Language) -> None:
    finding = analyse(ifeval("Name a fruit in capitals, with a title, n four times.", CAPITALS, TITLE, LETTER), BOOK, language)
    assert [(proof.instruction_id, proof.changed) for proof in finding.proofs] == [(TITLE[0], False), (LETTER[0], True)]
    for proof in finding.proofs:
        check = language.instructions.check
        assert check(proof.instruction_id, proof.kwargs, proof.witness)
        assert not check(proof.instruction_id, proof.kwargs, proof.near_miss)
    assert finding.proofs[1].kwargs["letter"] == "ㄴ"


def test_letters_of_an_answer_in_a_third_language_are_its_own(language: Language) -> None:
    finding = analyse(ifeval("Name a fruit in Italian, n four times.", LETTER, ("language:response_language", {"language": "it"})), BOOK, language)
    assert finding.category == "direct_translation"
    assert finding.proofs[0].kwargs["letter"] == "n"
    assert finding.proofs[0].witness


@pytest.mark.parametrize(
    ("prompt", "instructions", "told"),
    [
        ("The letter n must appear at most 3 times.", [LETTER], "but the question says 'at most 3 times'"),
        ("The letter n must appear at least 4 times.", [LETTER], None),
        ("Fewer than 4 sentences, and n at least 4 times.", [LETTER], None),
        ("Say it twice.", [("combination:repeat_prompt", {"prompt_to_repeat": "Well, say it."}), ("punctuation:no_comma", {})], "has a comma"),
        ("Say it.", [("combination:repeat_prompt", {"prompt_to_repeat": "Say a word."}), NO_WORD], "'word'"),
        ("Say it.", [("combination:repeat_prompt", {"prompt_to_repeat": "Say words."}), NO_WORD], None),
    ],
)  # fmt: skip
def test_sources_that_contradict_themselves(prompt: str, instructions: list[tuple[str, dict[str, object]]], told: str | None) -> None:
    notes = list(contradictions(ifeval(prompt, *instructions)))
    assert (told in notes[0]) if told else notes == []


def test_the_command_reads_a_file_and_writes_every_proof(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "findings.jsonl"
    write_jsonl(rows, [ifeval("Name a fruit in capitals, with a title.", CAPITALS, TITLE)])
    command = [sys.executable, "-m", "stages.transfer.analyse", str(rows), "--json", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "1  format_conversion by ifeval-case" in done.stdout
    assert "1 of 1 constraints have a near miss" in done.stdout
    (finding,) = read_jsonl(out)
    assert json.loads(json.dumps(finding))["proofs"][0]["instruction_id"] == "detectable_format:title"


def test_a_subset_without_rows_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There are no rows of 'none'"):
        rows_of("none", tmp_path)


@pytest.fixture(scope="module")
def mirrored(shared: Path, language: Language) -> dict[str, list[Finding]]:
    mirror = shared / "mirror"
    if not (mirror / "voicebench" / "ifeval").is_dir():
        pytest.skip("needs ../shared/mirror/voicebench, which is not here")
    subsets = ("ifeval", "bbh")
    rows = {subset: ingested_mirror(mirror, f"voicebench/{subset}", subset, f"{subset}-test") for subset in subsets}
    return {subset: [analyse(row, BOOK, language) for row in rows[subset]] for subset in subsets}


def test_every_ifeval_row_of_the_mirror_is_analysed_and_proved(mirrored: dict[str, list[Finding]], language: Language) -> None:
    findings = mirrored["ifeval"]
    assert len(findings) == 345
    categories = Counter(finding.category for finding in findings)
    assert sum(categories.values()) == 345
    assert categories["deletion"] == 21
    assert set(categories) == {"deletion", "format_conversion", "direct_translation"}
    proofs = [proof for finding in findings for proof in finding.proofs]
    kept = [id for finding in findings for action, id in finding.constraints if action != "removed"]
    assert Counter(proof.instruction_id for proof in proofs) == Counter(kept)
    assert [proof.detail for proof in proofs if proof.detail] == []
    for proof in proofs:
        assert language.instructions.check(proof.instruction_id, proof.kwargs, proof.witness)
        assert not language.instructions.check(proof.instruction_id, proof.kwargs, proof.near_miss)
    removed = {id for finding in findings for action, id in finding.constraints if action == "removed"}
    assert removed == {"change_case:english_capital", "change_case:english_lowercase", "change_case:capital_word_frequency"}


def test_every_bbh_row_of_the_mirror_is_analysed(mirrored: dict[str, list[Finding]]) -> None:
    findings = mirrored["bbh"]
    assert len(findings) == 1000
    assert Counter((finding.task, finding.category) for finding in findings) == {
        ("hyperbaton", "equivalent_replacement"): 250, ("navigate", "direct_translation"): 250,
        ("sports_understanding", "direct_translation"): 250, ("web_of_lies", "direct_translation"): 250,
    }  # fmt: skip
    designed = [finding.design for finding in findings if finding.design]
    keys = Counter(design.rpartition(" ")[2] for design in designed)
    assert abs(keys["ㄱ"] - keys["ㄴ"]) <= 10
    assert len({design.partition(",")[0] for design in designed}) == len(BOOK.task_designs.hyperbaton.designs)
    assert "250  equivalent_replacement by bbh-hyperbaton" in report(findings)
