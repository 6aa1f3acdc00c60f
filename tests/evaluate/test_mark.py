"""Marks of spoken replies from raw judgments: means, the gate, unreadable ones, ablations, slices, people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.core.settings import load
from stages.evaluate import human_scores, mark, spoken_report
from stages.evaluate import judge as judging
from stages.evaluate.mark import MarkSettings, Tools
from stages.evaluate.scorers import Judgment
from stages.evaluate.spoken_statistics import bootstrap, correlate, mean
from tests.evaluate.test_transcribe import QUERY

ROLE = {"name": "judge", "model": "m"}
SETTINGS = {"judge": {"client": {"mode": "replay"}, "role": ROLE}, "without_checklist": True}


def _row(id: str = "wildspeech-0000001", transcripts: list[str] | None = None, reply: str = "spoken", **more: Any) -> dict[str, Any]:
    transcripts = ["It is blue because air scatters blue light."] * 3 if transcripts is None else transcripts
    return {
        **QUERY, "id": id, "talker": "model", "benchmark": "wildspeech", "reply": reply, "reply_text": None, "reply_sha256": "0" * 64, "reply_s": 3.0,
        "speech_s": 2.5, "transcripts": transcripts, "readings": [], "recognizer": "whisper@x", "quality": '{"overall":3.2}',
        "quality_by": "dnsmos@x", **more,
    }  # fmt: skip


def _judged(row: dict[str, Any], texts: list[str | None], free: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    judgments: dict[str, Any] = {f"{row['id']}#{n}": [Judgment(row["id"], n, text)] for n, text in enumerate(texts)}
    if free is not None:
        judgments[f"{row['id']}#without checklist"] = [Judgment(row["id"], 0, free)]
    return judgments, {key: ["k"] for key in judgments}


def _marked(row: dict[str, Any], texts: list[str | None], free: str | None = None, **change: Any) -> dict[str, Any]:
    settings = load(MarkSettings, {**SETTINGS, **change}, "talkers.x.mark")
    return mark.marked(row, *_judged(row, texts, free), settings)


def test_a_replys_mark_is_the_mean_over_its_transcripts() -> None:
    row = _marked(_row(), ['{"reason": "a", "mark": 6}', '{"reason": "a", "mark": 7}', "Score: 8"], '{"reason": "b", "mark": 9}')
    assert (row["mark"], row["mark_of_one"], row["mark_without_checklist"]) == (7.0, 6.0, 9.0)
    assert [one["mark"] for one in row["marks"]] == [6.0, 7.0, 8.0]
    schemas.check([row], "Marked", "test")


def test_an_unreadable_judgment_is_left_out_and_seen() -> None:
    row = _marked(_row(), ["no mark at all", None, '{"reason": "a", "mark": 4}'])
    assert row["mark"] == 4.0
    assert [one["mark"] for one in row["marks"]] == [None, None, 4.0]
    assert row["mark_of_one"] is None
    assert _marked(_row(), ["?", "?", "?"])["mark"] is None


def test_a_reply_in_another_language_gets_the_lowest_mark_unless_the_gate_is_off() -> None:
    korean = _row(transcripts=["하늘이 파란 것은 빛이 흩어지기 때문입니다."] * 3)
    judged = ['{"reason": "a", "mark": 8}'] * 3
    assert (_marked(korean, judged)["mark"], _marked(korean, judged)["wrong_language"]) == (1.0, True)
    assert _marked(korean, judged, language_gate=False)["mark"] == 8.0
    assert _marked({**korean, "language": "ko"}, judged)["mark"] == 8.0
    assert _marked(_row(transcripts=["Okay."] * 3), judged)["mark"] == 8.0  # short English is English on every run


@pytest.mark.parametrize("reply", ["missing", "silent", "unheard"])
def test_what_was_not_said_gets_the_lowest_mark_without_a_judge(reply: str) -> None:
    row = _marked(_row(transcripts=[], reply=reply), [])
    assert (row["mark"], row["marks"], row["words"]) == (1.0, [], 0)


def test_one_unreadable_judgment_never_stops_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two replies make six judgments, of which one is a sixth: far above the limit of one per cent."""
    asked: list[Any] = []

    def judge(cases: Any, settings: Any, root: Path, progress: Progress) -> judging.Judged:
        asked.append((cases, settings))
        texts = {case.key: [Judgment(case.item.id, 0, "?" if n == 0 else '{"reason": "a", "mark": 5}')] for n, case in enumerate(cases)}
        report = {"n_judgments": len(cases), "n_invalid": 1, "n_dead": 0, "dead": [], "invalid": ["x"]}
        judging._check_share(report, settings)  # the real limit
        return judging.Judged(texts, {key: ["k"] for key in texts}, report)

    monkeypatch.setattr(mark, "judge", judge)
    settings = load(MarkSettings, {**SETTINGS, "without_checklist": False}, "talkers.x.mark")
    outcome = mark.run([_row("wildspeech-0000001"), _row("wildspeech-0000002")], settings, Tools(tmp_path, Progress("test")))
    assert [row["mark"] for row in outcome.kept] == [5.0, 5.0]
    assert outcome.report["judge_n_invalid"] == 1
    cases, used = asked[0]
    assert len(cases) == 6
    assert used.samples == 1
    assert [(case.first, case.of) for case in cases[:3]] == [(0, 3), (1, 3), (2, 3)]  # alike transcripts are judged apart


@pytest.mark.parametrize(("gate", "mean"), [(True, 1.0), (False, 5.0)])
def test_the_mean_of_the_report_is_that_of_the_marks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gate: bool, mean: float) -> None:
    def judge(cases: Any, settings: Any, root: Path, progress: Progress) -> judging.Judged:
        texts = {case.key: [Judgment(case.item.id, 0, '{"reason": "a", "mark": 5}')] for case in cases}
        return judging.Judged(texts, {key: ["k"] for key in texts}, {})

    monkeypatch.setattr(mark, "judge", judge)
    settings = load(MarkSettings, {**SETTINGS, "language_gate": gate}, "talkers.x.mark")
    korean = _row(transcripts=["하늘이 파란 것은 빛이 흩어지기 때문입니다."] * 3)
    outcome = mark.run([korean], settings, Tools(tmp_path, Progress("test")))
    assert outcome.report["mean"] == outcome.kept[0]["mark"] == mean


def test_the_checklist_is_in_the_prompt_and_the_ablation_has_none() -> None:
    with_points, without = mark.item(_row()), mark.item(_row(), with_checklist=False)
    assert with_points.extra["checklist"] == "- It names scattering."
    assert without.extra["checklist"] == ""


def test_means_have_both_intervals() -> None:
    one = mean([2.0, 4.0, 6.0, 8.0])
    assert (one.n, one.mean, one.deviation) == (4, 5.0, 2.582)
    assert (one.t_low, one.t_high) == (pytest.approx(0.8915, abs=1e-3), pytest.approx(9.1085, abs=1e-3))  # 5 ± 3.1824 * 2.582 / 2
    assert 2.0 <= one.boot_low < 5 < one.boot_high <= 8.0  # type: ignore[operator]
    assert bootstrap([2.0, 4.0, 6.0, 8.0]) == bootstrap([8.0, 6.0, 4.0, 2.0])
    assert mean([]).mean is None
    assert mean([3.0]).deviation is None


def test_correlations_know_ties_and_what_does_not_vary() -> None:
    perfect = correlate([(n, 2.0 * n + 1) for n in range(12)])
    assert (perfect.pearson, perfect.spearman, perfect.kendall) == (1.0, 1.0, 1.0)
    assert perfect.intervals["pearson"] == (1.0, 1.0)
    tied = correlate([(1, 1), (2, 1), (2, 2), (3, 3)])
    assert tied.kendall == pytest.approx(4 / 5, abs=1e-4)  # tau-b: 4 concordant, one tie on each side of 6 pairs
    assert correlate([(1, 5), (2, 5), (3, 5)]).pearson is None
    assert correlate([]).n == 0


def _talker(name: str, marks: list[float], words: list[int]) -> list[dict[str, Any]]:
    rows = []
    for n, (value, length) in enumerate(zip(marks, words, strict=True)):
        condition = ["clean", "human_noise", "natural_noise"][n % 3]
        row = _row(f"wildspeech-000000{n}", transcripts=["word " * length] * 3, talker=name, condition=condition)
        rows.append({**_marked(row, [f"Score: {value:g}"] * 3, f"Score: {min(10, value + 2):g}"), "wrong_language": False, "mark": value})
    return rows


def test_people_and_the_judge_are_compared_for_each_protocol(tmp_path: Path) -> None:
    rows = {"a": _talker("a", [2, 4, 6, 8, 9], [5, 9, 7, 3, 8]), "b": _talker("b", [1, 2, 3, 3, 5], [30, 20, 25, 40, 22])}
    table = tmp_path / "people.csv"
    lines = ["talker,id,annotator,score"]
    for talker, of in rows.items():
        for row in of:
            lines += [f"{talker},{row['id']},{name},{min(10, max(1, row['mark'] + shift))}" for name, shift in (("ann", 0), ("bo", 1), ("cy", -1))]
    table.write_text("\n".join(lines))
    known = {(talker, row["id"]) for talker, of in rows.items() for row in of}
    told = human_scores.agreement(rows, human_scores.read(table, known))
    assert told["annotators"] == ["ann", "bo", "cy"]
    assert told["n_replies"] == 10
    assert told["checklist, three transcripts"]["per_item"]["pearson"] > 0.98
    assert told["checklist, three transcripts"]["per_talker"] == {**told["checklist, three transcripts"]["per_talker"], "n": 2, "pearson": None}
    assert set(told["checklist, three transcripts"]["per_item_of_talker"]) == {"a", "b"}
    assert set(told["between_people"]) == {"ann and bo", "ann and cy", "bo and cy"}
    assert set(told) >= set(human_scores.COLUMNS_COMPARED)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a,q1,ann,11", r"line 2 has the score '11'"),
        ("a,q1,ann,", r"line 2 has the score ''"),
        ("a,q9,ann,5", "'q9', which was not judged here"),
        ("a,q1,ann,nan", "has the score 'nan'"),
        ("a,q1,ann,1_0", "has the score '1_0'"),
        ("a,q1,ann,5\na,q1,ann,6", "line 3 is a second score of 'ann'"),
        ("a,q1,,5", "line 2 names no annotator"),
        ("a,q1,ann,7,5", "line 2 has more cells than the head"),
        ("", "holds no mark"),
    ],
)
def test_a_bad_score_is_told(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "p.csv").write_text("talker,id,annotator,score\n" + line)
    with pytest.raises(UserError, match=told):
        human_scores.read(tmp_path / "p.csv", {("a", "q1")})


def test_the_report_shows_slices_length_and_what_is_missing() -> None:
    rows = _talker("a", [2, 4, 6, 8, 9], [5, 9, 7, 3, 8])
    rows.append(_marked(_row("wildspeech-0000009", transcripts=[], reply="missing", quality="{}"), []))
    told = spoken_report.of_talker(rows)
    assert told["all"]["n"] == 6
    assert told["all"]["replies"] == {"missing": 1, "spoken": 5}
    assert told["all"]["mark"]["mean"] == 5.0
    assert told["all"]["quality"]["n"] == 5
    assert {name: one["n"] for name, one in told["slices"]["condition"].items()} == {"clean": 3, "human_noise": 2, "natural_noise": 1}
    assert told["length"]["mark_with_words"]["n"] == 5
    report = {"notice": "A sample.", "scorer": "checklist 1", "talkers": {"a": told}, "length_over_talkers": told["length"]["mark_with_words"]}
    report |= {"judge": ["m"], "recognizer": ["whisper@x", "whisper@y"], "quality_by": []}
    text = spoken_report.written(report)
    assert "judged by m, heard by whisper@x and whisper@y. The" in text
    assert "## Speech quality by category" in text
    assert "| a | 5.00 |" in text
    assert "## By condition" in text
    assert "> A sample." in text


def test_ratios_stand_in_their_order_and_a_mean_says_how_many_marks_it_has() -> None:
    rows = []
    for n, ratio in enumerate([10.0, 5.0, -5.0, 0.0, 0.0]):
        row = _row(f"wildspeech-000000{n}", condition="natural_noise", noise_family="animals", snr_db=ratio)
        rows.append(_marked(row, ["?" if n == 4 else "Score: 6"] * 3))
    told = spoken_report.of_talker(rows)
    report = {"notice": None, "scorer": "checklist 1", "talkers": {"a": told}, "length_over_talkers": told["length"]["mark_with_words"]}
    text = spoken_report.written({**report, "judge": [], "recognizer": [], "quality_by": []})
    assert "| model | -5 dB | 0 dB | 5 dB | 10 dB |" in text
    assert "| a | 6.00 (n 1) | 6.00 (n 1) | 6.00 (n 1) | 6.00 (n 1) |" in text  # one of the two at 0 dB has no readable judgment
    assert (told["all"]["unmarked"], told["all"]["unreadable_judgments"]) == (1, 3)


def test_marks_that_the_gate_holds_tell_nothing_of_length() -> None:
    rows = _talker("a", [2, 4, 6, 8, 9], [5, 9, 7, 3, 8])
    rows.append({**rows[0], "id": "wildspeech-0000009", "wrong_language": True, "mark": 1.0})
    assert spoken_report._length({"a": rows})["n"] == spoken_report.of_talker(rows)["length"]["mark_with_words"]["n"] == 5


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Bonjour, comment allez-vous aujourd'hui ?", False),
        ("Hola, puedo ayudarte.", False),
        ("It's five o'clock.", True),
        ("Don't.", True),
        ("Okay.", True),
    ],
)
def test_an_apostrophe_alone_makes_no_english(text: str, english: bool) -> None:
    assert _marked(_row(transcripts=[text] * 3), ["Score: 8"] * 3)["wrong_language"] is not english
