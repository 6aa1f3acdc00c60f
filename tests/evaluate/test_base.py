"""Totals and their intervals, the registry, and filling a prompt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.statistics import mean
from stages.evaluate.scorers.base import Item, ItemScore, Judgment, Prediction, Scorer, deciding, fill, load, names, protocol_of
from stages.evaluate.scorers.statistics import interval

SCORER = Scorer(name="base", number=3, metric="accuracy", item=lambda item, prediction, judgments, mode: ItemScore(item.id, 100.0))


def test_a_total_counts_what_the_mean_leaves_out() -> None:
    scores = [ItemScore("b", 0.0, empty=True), ItemScore("a", 100.0, refused=True), ItemScore("c", None, judge_failed=True, n_invalid=3)]
    total = SCORER.total(scores)
    assert (total.value, total.n, total.n_scored) == (50.0, 3, 2)
    assert (total.n_empty, total.n_refused, total.n_judge_failed, total.n_invalid) == (1, 1, 1, 3)
    assert SCORER.total(scores[::-1]) == total
    assert total.version.startswith("3.")


def test_nothing_scored_is_no_number() -> None:
    total = SCORER.total([])
    assert (total.value, total.interval, total.n) == (None, None, 0)


def test_a_mean_does_not_depend_on_the_order() -> None:
    values = [0.1, 100 / 3, 1e-9, 66.7, 0.1] * 99
    assert mean(values) == mean(sorted(values)) == mean(values[::-1])


def test_intervals_are_those_of_the_textbooks() -> None:
    # Wilson: 8 of 10, Newcombe 1998's formula; Student: 20, 40, 60 has s = 20, t(2) = 4.3027.
    assert interval([100.0] * 8 + [0.0] * 2) == pytest.approx((49.0162, 94.3318), abs=1e-3)
    assert interval([20.0, 40.0, 60.0]) == (0.0, pytest.approx(40 + 4.30265 * 20 / 3**0.5, abs=1e-3))
    assert interval([100.0]) is None


def test_a_subset_is_known_by_its_source_name_and_by_its_released_one() -> None:
    assert protocol_of("kvoicebench", "bbh-test") == protocol_of("voicebench", "bbh") == "bbh"
    assert protocol_of("kopenaudiobench", "llamaqa") == "verdict"
    assert protocol_of("kmmau", "age") == "option_text"
    with pytest.raises(UserError, match="Did you mean 'bbh'"):
        protocol_of("voicebench", "bbhh")
    with pytest.raises(UserError, match="multiple_choice"):
        load("multiple-choice")


def test_a_filled_text_is_never_filled_again() -> None:
    fields = {"question": "what is {response}?", "response": "{question}"}
    assert fill("Q: {question} A: {response}", fields) == "Q: what is {response}? A: {question}"
    with pytest.raises(UserError, match="candidate"):
        fill("{candidate}", {"response": ""})


def test_a_no_that_answers_is_no_refusal() -> None:
    asked = Item("bbh-test-00000", "bbh", "en", "bbh", "Is Ann at the start?", "no", task="navigate")
    marked = [Judgment("wildvoice-test-00000", sample, '{"mark": 5}') for sample in range(3)]
    open_ended = Item("wildvoice-test-00000", "open", "en", "wildvoice", "Is it cheaper?")
    answered = load("bbh").item(asked, Prediction(asked.id, "No, she isn't."), (), "fixed")
    judged = load("open").item(open_ended, Prediction(open_ended.id, "No, the other one is cheaper."), marked, "fixed")
    refused = load("bbh").item(asked, Prediction(asked.id, "I'm sorry, but I can't help with that."), (), "fixed")
    assert (answered.value, answered.refused) == (100, False)
    assert (judged.value, judged.refused) == (100, False)
    assert (refused.value, refused.refused) == (0, True)


_RUN = """
import sys
from stages.evaluate.scorers.base import MODES, Item, Judgment, Prediction, load
from stages.languages import available
from stages.languages import load as languages
scorer = load({name!r})
for code in available():
    language = languages(code)
    language.answers, language.instructions  # what is imported is not yet run
run = set()
sys.setprofile(lambda frame, event, _: run.add(frame.f_code.co_filename) if frame.f_code.co_name != "<module>" else None)
told = [("punctuation:no_comma", {{}}), ("language:response_language", {{"language": "de"}})]
for language, text in (("en", "Yes, the answer is B. Sorry, I can't help."), ("ko", "\\ub124, \\uc815\\ub2f5\\uc740 B\\uc785\\ub2c8\\ub2e4.")):
    for task in ("navigate", ""):
        item = Item("a", {name!r}, language, prompt="Which?", reference="B", references=("B",), options=(("A", "x"), ("B", "y")), instructions=told,
                    task=task, extra={{"kwargs": {{}}}})
        for mode in MODES:
            try:
                scorer.item(item, Prediction("a", text), [Judgment("a", 0, "Rating: 4")], mode)
            except Exception as error:
                assert type(error).__name__ == "UserError", repr(error)
sys.setprofile(None)
print(*(name for name in run if "/stages/evaluate/" in name or "/stages/languages/" in name), sep="\\n")
"""
_NEVER_DECIDE = {f"stages/languages/{code}/{name}.py" for code in ("en", "ko") for name in ("__init__", "language")}
"""What only hands on the modules that decide."""


@pytest.mark.parametrize("name", names())
def test_all_code_that_an_answer_runs_through_is_in_the_version(name: str) -> None:
    """Seen from outside: the files whose functions are called when an answer in each language is scored."""
    done = subprocess.run([sys.executable, "-c", _RUN.format(name=name)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ran = {Path(line).relative_to(ROOT).as_posix() for line in done.stdout.split()}
    told = set(deciding(name, load(name).reads))
    assert len(ran) > 4
    assert ran - _NEVER_DECIDE <= told
    assert {"stages/languages/en/refusals.py", "stages/languages/ko/answers/refusals.py", "stages/evaluate/scorers/answering.py"} <= told


def test_a_version_leaves_out_how_korean_is_read_aloud() -> None:
    assert "stages/languages/ko/reader.py" not in deciding("open", ("answers",))
    assert "stages/languages/tongues.py" in deciding("checklist", load("checklist").reads)
    assert "stages/languages/en/tongue.py" in deciding("checklist", load("checklist").reads)
