"""A mistake in conf/tts or conf/asr is named by its key there."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.settings import Settings, load
from stages.speech.settings import RecognizerSettings, SynthesizerSettings


class Both(Settings):
    synthesizer: SynthesizerSettings
    recognizer: RecognizerSettings


def _yaml(name: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load((ROOT / f"conf/{name}.yaml").read_text(encoding="utf-8"))
    bases = [base for base in values.pop("defaults", []) if base != "_self_"]
    for base in bases:
        values = {**_yaml(f"{name.rpartition('/')[0]}/{base}"), **values}
    return values


@pytest.mark.parametrize("tts", sorted(path.stem for path in (ROOT / "conf/tts").glob("[!_]*.yaml")))
@pytest.mark.parametrize("asr", sorted(path.stem for path in (ROOT / "conf/asr").glob("*.yaml")))
def test_every_choice_in_conf_is_valid(tts: str, asr: str) -> None:
    chosen = load(Both, {"synthesizer": _yaml(f"tts/{tts}"), "recognizer": _yaml(f"asr/{asr}")}, "x")
    assert chosen.synthesizer.kind == _yaml(f"tts/{tts}")["kind"]
    assert chosen.synthesizer.variations


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "kokorro"}, "Config key tts.kind is 'kokorro'. Did you mean 'kokoro'"),
        ({"voicess": {}}, r"Config key tts\.voicess is unknown\. Did you mean 'voices'"),
        ({"variations": [{"sped": 1.0}]}, r"Config key tts\.variations\.0\.sped is unknown"),
        ({"variations": [{"speed": 40}]}, r"Config key tts\.variations\.0\.speed has the value 40"),
        ({"voices": {"female": [], "male": [{"name": "jm_kumo"}]}}, r"Config key tts\.voices\.female"),
    ],
)
def test_a_mistake_is_named_by_its_key(change: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        load(Both, {"synthesizer": {**_yaml("tts/kokoro_ko"), **change}, "recognizer": _yaml("asr/whisper_base")}, "x")
