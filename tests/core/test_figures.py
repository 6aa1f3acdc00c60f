from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import warnings
from typing import Any

import pytest

from stages.core import figures
from stages.core.errors import UserError
from stages.core.paths import ROOT

KOREAN = "한국어 음성 벤치마크 ㄱㄴㄷㄹ 뷁"


def _labelled(figure: Any) -> None:
    figure.subplots().set_title(KOREAN)


def test_every_korean_syllable_of_a_title_has_an_outline() -> None:
    """matplotlib warns, and draws a box, for a glyph that the font lacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = figures.svg(figures.draw(_labelled, 4, 3))
    assert text.startswith("<svg")
    assert "<text" not in text


def test_the_same_figure_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "from stages.core import figures\n"
        "from tests.core.test_figures import _labelled\n"
        "import hashlib; f = figures.draw(_labelled, 4, 3)\n"
        "print(hashlib.sha256(figures.svg(f).encode() + figures.png(f)).hexdigest())"
    )
    hashes = {subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(hashes) == 1


def test_the_font_of_a_page_has_the_page_s_glyphs_and_no_others() -> None:
    from fontTools.ttLib import TTFont

    rule = figures.font_face([KOREAN], "House")
    found = re.search(r"base64,([^\"]+)", rule)
    assert found
    content = base64.b64decode(found[1])
    glyphs = TTFont(io.BytesIO(content)).getBestCmap()
    assert {ord(sign) for sign in KOREAN} <= glyphs.keys()
    assert ord("똠") not in glyphs
    assert len(content) < 60_000


def test_a_missing_font_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_PACKAGE", "no_such_package_of_fonts")
    with pytest.raises(UserError, match="pylopdf-fonts-ko"):
        figures.korean_font()


def test_importing_it_loads_no_drawing() -> None:
    code = "import sys, stages.core.figures; print([m for m in ('matplotlib', 'fontTools', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
