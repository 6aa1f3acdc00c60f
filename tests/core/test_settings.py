from __future__ import annotations

from typing import Annotated

import pytest

from stages.core.errors import UserError
from stages.core.settings import Settings, load, watched


class Voice(Settings):
    name: str
    speed: float = 1.0


class Speech(Settings):
    max_cer: float
    voice: Voice
    extra: Voice | None = None


def test_values_become_the_class() -> None:
    settings = load(Speech, {"max_cer": 0.2, "voice": {"name": "a"}}, "speech")
    assert settings.max_cer == 0.2
    assert settings.voice.speed == 1.0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"max_cerr": 0.2, "voice": {"name": "a"}, "max_cer": 1}, "Config key speech.max_cerr is unknown. Did you mean 'max_cer'?"),
        ({"max_cer": 0.2, "voice": {"name": "a", "sped": 1}}, "Config key speech.voice.sped is unknown. Did you mean 'speed'?"),
        (
            {"max_cer": 0.2, "voice": {"name": "a"}, "extra": {"name": "b", "sped": 1}},
            "Config key speech.extra.sped is unknown. Did you mean 'speed'?",
        ),
        ({"voice": {"name": "a"}}, "Config key speech.max_cer is missing"),
        ({"max_cer": "high", "voice": {"name": "a"}}, "Config key speech.max_cer has the value 'high'"),
    ],
)
def test_a_wrong_key_or_value_is_one_sentence_that_names_it(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError) as error:
        load(Speech, values, "speech")
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_settings_cannot_be_changed_by_a_stage() -> None:
    settings = load(Voice, {"name": "a"}, "voice")
    with pytest.raises(ValueError, match="frozen"):
        settings.name = "b"  # type: ignore[misc]


class Marks(Settings):
    table: Annotated[str, watched("data/handwritten", "data/sample")] | None = None


def test_a_file_that_dvc_would_not_watch_is_refused() -> None:
    assert load(Marks, {"table": "data/handwritten/marks.csv"}, "marks").table == "data/handwritten/marks.csv"
    assert load(Marks, {}, "marks").table is None
    for path in ("data/raw/marks.csv", "/marks.csv", "data/handwritten/../marks.csv", "data/handwritten", "data/samples/marks.csv"):
        with pytest.raises(UserError, match=f"marks.table has the value '{path}': .*must lie below data/handwritten or data/sample"):
            load(Marks, {"table": path}, "marks")


class _Level(Settings):
    level: float = 0.0


@pytest.mark.parametrize("level", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(UserError, match=r"Config key x\.level has the value"):
        load(_Level, {"level": level}, "x")
