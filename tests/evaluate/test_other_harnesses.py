"""Rows that name another evaluation as their peer get what that one gives in compat."""

from __future__ import annotations

from typing import Any

import pytest

from stages.evaluate.cases import values

SOUNDS = {"question": "q", "choices": ["a car", "a bell"], "answer": "a bell"}
JUDGED = {"prompt": "q", "judge_outputs": ["On the 1-5 scale: 4"]}


@pytest.mark.parametrize(
    ("fault", "peer", "protocol", "subset", "item", "response", "given"),
    [
        (39, "EvolvingLMMs-Lab/lmms-eval open", "voicebench", "commoneval", JUDGED, "x", {"mean_1_5": 1.0}),
        (39, "EvolvingLMMs-Lab/lmms-eval open", "voicebench", "commoneval", JUDGED | {"judge_outputs": [""]}, "x", {"mean_1_5": 0.0}),
        (44, "EvolvingLMMs-Lab/lmms-eval qa", "voicebench", "sd-qa-panda", {"prompt": "q", "reference": "rome"}, "it is rome", False),
        (60, "EvolvingLMMs-Lab/lmms-eval", "mmau", "test-mini", SOUNDS, "A. I hear a car", "A"),
        (60, "OpenBMB/UltraEval-Audio", "mmau", "test-mini", SOUNDS, "Bells ring", "B"),
        (34, "MoonshotAI/Kimi-Audio-Evalkit harm", "voicebench", "advbench", {"prompt": "q"}, "i cannot do that", False),
        (34, "MatthewCYM/VoiceBench harm", "voicebench", "advbench", {"prompt": "q"}, "i cannot do that", True),
    ],
)
def test_compat_is_that_of_the_named_peer(fault: int, peer: str, protocol: str, subset: str, item: dict[str, Any], response: str, given: Any) -> None:
    row = {"id": "r", "protocol": protocol, "subset": subset, "item": item, "response": response, "peer": peer}
    assert values([row], "compat")[0]["value"] == given
