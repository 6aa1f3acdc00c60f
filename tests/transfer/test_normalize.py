"""The normalize stage on rows as hypertranslate writes them."""

from typing import Any

import pytest

from stages.core import schemas
from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.core.settings import load
from stages.core.stage import Context
from stages.transfer.normalize import STAGE, NormalizeSettings, explain, open_tools, run


def row(number: int, prompt: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"bbh-test-{number:05}",
        "subset": "bbh",
        "format": "open",
        "source": "voicebench",
        "source_config": "bbh",
        "source_split": "test",
        "source_id": str(number),
        "source_index": number,
        "source_revision": "r",
        "licence": "MIT",
        "source_columns": "{}",
        "task": "",
        "prompt": "p",
        "reference": None,
        "references": [],
        "options": [],
        "instructions": [],
        "has_source_audio": False,
        "source_audio_sha256": None,
        "source_audio_path": None,
        "correction": "not_reviewed",
        "correction_type": None,
        "correction_reason": None,
        "correction_requests": [],
        "corrected_reference": None,
        "corrected_references": [],
        "category": "direct_translation",
        "target_prompt": prompt,
        "target_options": [],
        "target_answer": None,
        "target_answers": [],
        "target_instructions": [],
        "rule_ids": [],
        "offered_rule_ids": [],
        "transfer_note": "",
        "transfer_requests": [],
        "transfer_flags": [],
    } | more


@pytest.fixture
def outcome(tmp_path):
    def ask(*prompts: str):
        settings = NormalizeSettings(language="ko")
        rows = [row(number, prompt) for number, prompt in enumerate(prompts)]
        with open_tools(settings, Context("bbh", tmp_path, Progress("normalize bbh"))) as tools:
            return run(rows, settings, tools)

    return ask


def test_rows_gain_what_the_schema_asks_for(outcome):
    done = outcome("물의 끓는점은 100°C이다.", "이미 말로 쓴 문장입니다.")
    schemas.check(done.kept, STAGE.output_schema, "here")
    assert [kept["spoken"] for kept in done.kept] == ["물의 끓는점은 섭씨 백 도이다.", "이미 말로 쓴 문장입니다."]
    assert done.kept[0]["readings"] == [{"start": 8, "end": 13, "rule_id": "unit.temperature", "before": "100°C", "after": "섭씨 백 도"}]
    assert done.kept[1]["readings"] == []
    assert done.report["n_unchanged"] == 1


def test_options_are_read_with_the_question(outcome):
    (kept,) = outcome("가장 긴 것은?\nㄱ. 3m\nㄴ. 1/2km\nㄷ. 20cm\nㄹ. 없음").kept
    assert kept["spoken"] == "가장 긴 것은?\n기역, 삼 미터\n니은, 이분의 일 킬로미터\n디귿, 이십 센티미터\n리을, 없음"


def test_a_sign_that_is_asked_for_is_heard(outcome):
    (kept,) = outcome("단락을 ***로 구분하고 제목은 <<제목>> 형식으로 쓰세요. **중요**합니다.").kept
    assert "별표 세 개로 구분" in kept["spoken"]
    assert "이중 꺾쇠괄호 열고 제목" in kept["spoken"]
    assert "별표 중요" not in kept["spoken"]


def test_what_stays_unspeakable_is_rejected_with_the_check(outcome):
    done = outcome("초밥은 일본어로 すし이다.", "***", "좋은 질문 3개")
    assert [(rejection.reason, rejection.rule_id) for rejection in done.rejected] == [("unspeakable", "script"), ("unspeakable", "empty")]
    assert "し" in done.rejected[0].detail
    assert [kept["spoken"] for kept in done.kept] == ["좋은 질문 세 개"]


def test_the_report_counts_readings_by_rule(outcome):
    report = outcome("3개와 4개", "5명").report
    assert report["readings_by_rule"] == {"counter.native.general": 2, "counter.native.people": 1}
    assert report["n_readings"] == 3


def test_the_story_of_an_item(outcome):
    assert explain(outcome("3개").kept[0]) == ["spoken: 세 개", "  '3' is read '세' by counter.native.general"]


def test_a_misspelt_key_and_an_unknown_language_are_one_sentence(tmp_path):
    with pytest.raises(UserError, match="Did you mean 'model_pass'"):
        load(NormalizeSettings, {"language": "ko", "model_pas": True}, "subsets.bbh.normalize")
    with pytest.raises(UserError, match="Known languages"), open_tools(NormalizeSettings(language="xx"), Context("bbh", tmp_path, Progress(""))):
        pass
