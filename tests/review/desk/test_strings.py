"""The interface's two languages say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from stages.review.desk.server import HERE

STRINGS = yaml.safe_load((HERE / "strings.yaml").read_text(encoding="utf-8"))


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flat(inner, f"{path}.{index}")
    else:
        yield path, value


def test_every_text_stands_in_both_languages_with_the_same_blanks() -> None:
    english, korean = dict(flat(STRINGS["en"])), dict(flat(STRINGS["ko"]))
    assert english.keys() == korean.keys()
    for path, text in english.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", korean[path])), path


def test_every_text_that_the_page_asks_for_is_there() -> None:
    english = STRINGS["en"]
    page = "".join(path.read_text(encoding="utf-8") for path in (HERE / "page").glob("*.js"))
    asked = set(re.findall(r'\bt\("([\w.]+)"', page)) | set(re.findall(r'section\("(\w+)"', page))
    assert len(asked) > 50
    for path in asked:
        value: Any = english
        for key in path.split("."):
            assert key in value, path
            value = value[key]
