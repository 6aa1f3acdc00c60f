"""Checks of paralinguistic items."""

from __future__ import annotations

import pytest

from stages.core.paths import ROOT
from stages.wildspeech import paralinguistic
from stages.wildspeech.item_checks import Item, problems
from tests.wildspeech.conftest import paralinguistic_settings

STRESS = Item(
    "x", "stress", "I never said she took it. Why is she upset?", "I never said *she* took it. Why is she upset?",
    "I never said she *took* it. Why is she upset?", "Somebody took it, but the speaker named nobody.", "She has it, but did not take it.",
    "The answer takes it that another person may have taken it.",
)  # fmt: skip
HOMOPHONE = Item(
    "x", "homophone", "Which flour do I buy for bread?", "Which flour do I buy for bread?", "Which flower do I buy for bread?",
    "Flour for baking.", "A plant.", "The answer is about kinds of flour.",
)  # fmt: skip


def checks(item: Item) -> list[str]:
    return [problem.partition(":")[0] for problem in problems(item, 50, 0.5)]


def test_sound_items_pass() -> None:
    assert checks(STRESS) == []
    assert checks(HOMOPHONE) == []


@pytest.mark.parametrize(
    ("item", "check"),
    [
        (STRESS._replace(meant=" "), "missing"),
        (STRESS._replace(delivery="I never said she took it. Why is she upset?"), "unmarked"),
        (STRESS._replace(delivery="I never said *he* took it. Why is she upset?"), "other_words"),
        (STRESS._replace(delivery="I never said [loud] she took it."), "marks"),
        (STRESS._replace(contrast=STRESS.delivery), "contrast"),
        (STRESS._replace(contrast="I never *told* her so."), "contrast"),
        (STRESS._replace(other=STRESS.meant), "one_reading"),
        (STRESS._replace(must_notice=STRESS.meant), "nothing_to_notice"),
        (STRESS._replace(meant="I never said she took it"), "given_away"),
        (STRESS._replace(query="word " * 60, delivery="*word* " * 60), "too_long"),
        (STRESS._replace(kind="pause"), "unmarked"),
        (STRESS._replace(kind="stutter", delivery="I never said [stutter s 2] she took it. Why is she upset?"), "contrast_none"),
        (STRESS._replace(kind="stutter", delivery="I never said [stutter b 2] she took it. Why is she upset?"), "stutter"),
        (HOMOPHONE._replace(delivery="Which *flour* do I buy for bread?"), "overmarked"),
        (HOMOPHONE._replace(contrast=HOMOPHONE.query), "contrast"),
        (HOMOPHONE._replace(contrast="Which yeast do I buy for bread?"), "contrast"),
        (HOMOPHONE._replace(contrast="Which flower should you rather plant at home?"), "contrast"),
    ],
)
def test_a_flaw_is_named(item: Item, check: str) -> None:
    if check == "contrast_none":  # a stutter heard as other words is what its contrast must show; the same words show nothing
        assert checks(item) == ["contrast"]
    else:
        assert check in checks(item)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_hand_written_items_are_sound_and_of_every_kind(language: str) -> None:
    from stages.core.app import read_config

    topics = read_config("queries", ROOT) and _topics()
    settings = paralinguistic_settings(f"data/handwritten/paralinguistic_{language}.yaml", topics=topics)
    items = paralinguistic.handwritten(ROOT / settings.items, settings)
    for item in items:
        row = paralinguistic._row(item, settings, "w")
        assert problems(paralinguistic._item(row), settings.max_words, settings.min_contrast) == [], item.number
    assert {item.kind for item in items} == set(paralinguistic.KINDS)


def _topics() -> list[str]:
    import yaml

    topics: list[str] = yaml.safe_load((ROOT / "conf/benchmark/_wildspeech.yaml").read_text(encoding="utf-8"))["topics"]
    return topics
