"""The report of a world whose truth is known: its numbers, its files, its page in a real browser."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.core import files
from stages.core import settings as typed
from stages.core.errors import UserError
from stages.evaluate import report, score, thresholds, totals
from stages.evaluate.benchmarks import questions
from stages.evaluate.report import ReportSettings
from tests.evaluate import runs, world
from tests.evaluate.suite import suite

MODELS = {"careful": 0.9, "careless": 0.5, "middling": 0.7}
SCRIPT = "<script>window.stolen = 1</script><img src=x onerror='window.stolen = 1'>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = world.build(tmp_path_factory.mktemp("world"), share=0.01)
    for name, right in MODELS.items():
        rows, _ = runs.run(root, name, right)
        if name == "careless":  # what a model writes must stay text
            worst = next(row for row in rows if row["subset"] == "wildvoice")
            worst |= {"response": SCRIPT, "value": 0.0, "question": f"무엇인가요? {SCRIPT}"}
            files.write_jsonl(root / "data/score/careless/rows.jsonl", rows)
    report.run(_settings(), root)
    return root


def _settings(**more: Any) -> ReportSettings:
    return typed.load(ReportSettings, runs.settings(list(MODELS), notice="견본입니다. Nothing is measured.", **more), "evaluation.report")


def _rows(root: Path, name: str) -> list[dict[str, Any]]:
    return files.read_jsonl(root / "data/score" / name / "rows.jsonl")


def test_scores_by_rule_are_those_of_the_known_truth(tmp_path: Path) -> None:
    root = world.build(tmp_path, share=0.02)
    rows, hits = runs.run(root, "known", 0.7, doubt=0.0)
    judged = {"open", "reference", "verdict", "verdict_json"}
    for (language, subset), n in hits.items():
        own = [row for row in rows if (row["language"], row["subset"]) == (language, subset)]
        if own[0]["protocol"] == "open":
            assert sum(row["value"] == 100 for row in own) == n
        elif own[0]["protocol"] not in judged or own[0]["value"] is not None:
            assert sum(row["value"] == 100 for row in own) == n, (language, subset)


def test_totals_reconcile_with_the_questions(made: Path) -> None:
    asked = questions(suite(), made)
    with (made / "data/report/scores.csv").open(encoding="utf-8") as lines:
        scores = [row for row in csv.DictReader(lines) if row["model"] == "careful" and row["subset"]]
    for name in suite().benchmarks:
        assert sum(int(row["n"]) for row in scores if row["benchmark"] == name) == sum(name in question.benchmarks for question in asked)
    for row in scores:
        assert int(row["n"]) == int(row["n_scored"]) + int(row["n_judge_failed"])


def test_voicebench_is_the_mean_of_its_nine_subsets(made: Path) -> None:
    rows = _rows(made, "careful")
    scores = totals.subset_scores(rows, "VoiceBench")
    assert len(scores) == 9
    figure = totals.figure(rows, "VoiceBench", suite().benchmarks["VoiceBench"])
    assert figure.value == pytest.approx(sum(score.value or 0 for score in scores.values()) / 9)
    assert figure.interval is not None
    assert figure.interval[0] < figure.value < figure.interval[1]
    kmmau = totals.figure(rows, "KMMAU", suite().benchmarks["KMMAU"])
    own = [row["value"] for row in rows if "KMMAU" in row["benchmarks"]]
    assert kmmau.value == pytest.approx(sum(own) / len(own))


def test_overall_takes_the_board_s_figure_for_sd_qa(made: Path) -> None:
    rows = _rows(made, "careful")
    scores = totals.subset_scores(rows, "VoiceBench")
    others = sum(score.value or 0 for subset, score in scores.items() if subset != "sd-qa")
    board = scores["sd-qa"].parts["board"]
    assert totals.overall(rows, "VoiceBench", suite().benchmarks["VoiceBench"]) == pytest.approx((others + board) / 9)
    assert totals.overall([row for row in rows if row["subset"] != "bbh"], "VoiceBench", suite().benchmarks["VoiceBench"]) is None


def test_the_three_forms_of_each_table_are_there(made: Path) -> None:
    folder = made / "data/report"
    for name in ("benchmarks", "subsets", "audio_understanding", "gap", "counts", "provenance"):
        assert {path.suffix for path in folder.glob(f"{name}.*")} >= {".md", ".csv", ".tex"}
    assert "**" in (folder / "benchmarks.md").read_text(encoding="utf-8")
    assert "judge-of-tests" in (folder / "provenance.md").read_text(encoding="utf-8")


def test_the_same_scores_give_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    for name in ("score", "reports"):
        shutil.copytree(made / "data" / name, again / "data" / name)
    report.run(_settings(), again)
    for path in sorted((made / "data/report").rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again / "data/report" / path.relative_to(made / "data/report")).read_bytes(), path.name


def test_runs_of_different_judges_are_refused_and_marked_where_wanted(made: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    for name in ("score", "reports"):
        shutil.copytree(made / "data" / name, mixed / "data" / name)
    files.write_json(mixed / "data/reports/score/careless.json", {"judge": {**runs.JUDGE, "model": "another"}})
    with pytest.raises(UserError, match="judge model differs: another \\(careless\\); judge-of-tests"):
        report.run(_settings(), mixed)
    report.run(_settings(anyway=True), mixed)
    page = (mixed / "data/report/index.html").read_text(encoding="utf-8")
    assert "These runs were not scored alike: judge model differs" in page


def test_scores_of_older_code_are_refused(made: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    for name in ("score", "reports"):
        shutil.copytree(made / "data" / name, old / "data" / name)
    rows = _rows(old, "careful")
    for row in rows:
        row["version"] = "0.00000000" if row["protocol"] == "bbh" else row["version"]
    files.write_jsonl(old / "data/score/careful/rows.jsonl", rows)
    with pytest.raises(UserError, match=r"Scores are older than the code: scorer bbh is of version 0\.00000000"):
        report.run(_settings(), old)


def test_scored_again_from_the_stored_judgments(made: Path) -> None:
    """Once as they are, once with every item read anew, as after a change of the code."""
    asked = questions(suite(), made)
    before = {row["id"]: row for row in _rows(made, "careful")}
    assert {row["id"]: row for row in score.again(made / "data/score/careful", asked, "fixed")} == before
    files.write_jsonl(made / "data/score/anew/rows.jsonl", [{**row, "version": "0.0", "value": None} for row in before.values()])
    assert {row["id"]: row for row in score.again(made / "data/score/anew", asked, "fixed")} == before


def test_a_hundred_thresholds_from_stored_scores(made: Path) -> None:
    rows = _rows(made, "careful")
    points = thresholds.cer_gate(rows, 100)
    gated = [row for row in rows if row["cer"] is not None and row["value"] is not None]
    assert len(points) == 101
    for point in points:
        left = [row["value"] for row in gated if row["cer"] <= point.threshold]
        assert point.n == len(left)
        assert point.value == (pytest.approx(sum(left) / len(left)) if left else None)
    limits = thresholds.invalid_limit(rows, 100)
    assert limits[-1].value == 100
    assert (made / "data/report/thresholds/cer_gate.csv").read_text(encoding="utf-8").startswith("model,threshold,n,value\ncareful,0,")


def test_no_model_is_a_page_that_says_so(tmp_path: Path) -> None:
    report.run(typed.load(ReportSettings, runs.settings([]), "r"), tmp_path)
    assert "No model has been evaluated" in (tmp_path / "data/report/index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from tests.review.desk.test_browser import chromium

    running = chromium(tmp_path_factory.mktemp("profile"))
    yield running
    running.quit()


def test_the_page_in_a_real_browser(browser: Any, made: Path) -> None:
    browser.get(f"file://{made}/data/report/index.html")

    def find(selector: str) -> list[Any]:
        return list(browser.find_elements("css selector", selector))

    assert [one.text for one in find("h2")][:3] == ["Benchmarks", "Korean minus English", "Subsets"]
    assert find("p.warning")[0].text.endswith("견본입니다. Nothing is measured.")
    pictures = find("figure svg")
    assert len(pictures) >= 6
    for picture in pictures:
        assert picture.size["width"] > 250
        assert picture.size["height"] > 150
    best = next(row for row in find("#benchmarks tbody tr") if row.text.startswith("KVoiceBench "))
    assert best.find_element("css selector", "td.best span").value_of_css_property("font-weight") == "700"
    bold = best.find_element("css selector", "td.best span").text
    figure = totals.figure(_rows(made, "careful"), "KVoiceBench", suite().benchmarks["KVoiceBench"])
    assert bold == f"{figure.value:.1f}"
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_korean_is_drawn_by_the_page_s_own_font(browser: Any, made: Path) -> None:
    browser.get(f"file://{made}/data/report/index.html")
    assert browser.execute_async_script(
        "const done = arguments[0]; document.fonts.load('16px \"Report Korean\"', '견').then((faces) => done(faces.map((face) => face.status)))"
    ) == ["loaded"]


def test_what_a_model_wrote_stays_text(browser: Any, made: Path) -> None:
    browser.get(f"file://{made}/data/report/index.html")
    assert browser.execute_script("return window.stolen") is None
    assert browser.execute_script("return document.querySelectorAll('script, img').length") == 0
    assert "Content-Security-Policy" in (made / "data/report/index.html").read_text(encoding="utf-8")


def test_no_id_of_one_picture_is_that_of_another(made: Path) -> None:
    """Clip paths and glyphs of several SVGs in one page share one space of ids: equal ids must be equal things."""
    page = (made / "data/report/index.html").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for id, path in re.findall(r'<path id="([^"]+)"[^>]*?\bd="([^"]*)"', page):
        found.setdefault(id, set()).add(path)
    assert [id for id, paths in found.items() if len(paths) > 1] == []
