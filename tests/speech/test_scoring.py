"""Error rates in which only what can be heard counts."""

from __future__ import annotations

import pytest

from stages.languages import load
from stages.speech.scoring import NONE, compare

KO = load("ko")


@pytest.mark.parametrize(
    ("reference", "transcript", "cer", "wer"),
    [
        ("서울에서 두 시간이 걸립니다.", "서울에서 2시간이 걸립니다", 0.0, 0.0),
        ("오늘 날씨가 좋네요.", "오늘날씨가 좋네요", 0.0, 2 / 3),
        ("오늘 날씨가 좋네요.", "", 1.0, 1.0),
        ("오늘 날씨가 좋네요.", "오늘 날씨가 졸네요", 1 / 8, 1 / 3),
        ("네.", "네 네 네 네", 3.0, 3.0),
        ("Minnie는 누구인가요?", "미니는 누구인가요?", 0.0, 0.0),
    ],
)
def test_rates(reference: str, transcript: str, cer: float, wer: float) -> None:
    errors = compare(reference, transcript, KO)
    assert errors.cer == pytest.approx(cer, abs=1e-3)
    assert errors.wer == pytest.approx(wer, abs=1e-3)


def test_decomposed_hangul_is_the_same_text() -> None:
    import unicodedata

    assert compare("한글", unicodedata.normalize("NFD", "한글"), KO).cer == 0


def test_errors_add_up_by_length() -> None:
    long, short = compare("오늘 날씨가 좋네요.", "오늘 날씨가 좋네요.", KO), compare("네.", "", KO)
    assert (long + short).cer == pytest.approx(1 / 9, abs=1e-3)
    assert sum([long, short], NONE) == long + short
    assert NONE.cer == 0
