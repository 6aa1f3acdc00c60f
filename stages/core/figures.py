"""Pictures: one look for all of them, with a Korean font that comes from a package, so that none depends on the system's fonts.

The font is Noto Sans KR (SIL Open Font License 1.1) out of the package pylopdf-fonts-ko, read as a file and never imported. Text in
an SVG of ours is drawn as outlines: it looks the same wherever the picture is opened. The same figure gives the same bytes.
"""

from __future__ import annotations

import base64
import functools
import importlib.util
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PACKAGE, _DISTRIBUTION, _FILE = "pylopdf_fonts_ko", "pylopdf-fonts-ko", "NotoSansKR-Regular.otf"

INK, MUTED, GRID = "#1b2733", "#66758a", "#e3e8ee"
COLOURS = ["#2f6fb0", "#d9822b", "#3a9a7a", "#b4475f", "#7a5cb0", "#8a7a33", "#4aa3c7", "#9a5a3a"]
"""For up to eight series, told apart with any common colour blindness when they are also labelled."""


def korean_font() -> Path:
    """The font file. Raises UserError when the package is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / _FILE).is_file():
            return path
    raise UserError(f"The package {_DISTRIBUTION}, which carries the font of the pictures, is not installed; run `make build` or install it.")


@functools.cache
def _look() -> Any:
    from matplotlib import font_manager

    path = korean_font()
    font_manager.fontManager.addfont(path)
    return {
        "font.family": font_manager.FontProperties(fname=path).get_name(),
        "font.size": 10,
        "svg.fonttype": "path",
        "svg.hashsalt": "benchferry",
        "axes.unicode_minus": False,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.titlelocation": "left",
        "axes.titlesize": 12,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": GRID,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "legend.frameon": False,
    }


def draw(picture: Any, width_in: float, height_in: float) -> Figure:
    """A figure of the given size in inches, filled by `picture(figure)` in the look of the house. No window, no global state."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_look()):
        figure = Figure(figsize=(width_in, height_in), layout="constrained")
        picture(figure)
        # Lays out and fixes the styles of whatever is made lazily, such as ticks, while the look holds.
        figure.draw_without_rendering()
    return figure


def svg(figure: Figure) -> str:
    """The figure as an SVG element, without the XML head, so that it can stand in a page or in a file."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context(_look()):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


def png(figure: Figure, dots_per_inch: int = 150) -> bytes:
    """The figure as PNG on white."""
    from matplotlib import rc_context

    out = io.BytesIO()
    with rc_context(_look()):
        figure.savefig(out, format="png", dpi=dots_per_inch, facecolor="white", metadata={"Software": None})
    return out.getvalue()


def font_face(texts: Iterable[str], family: str) -> str:
    """A CSS @font-face rule that carries just the glyphs of `texts`, so that a page needs no font of the system."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, drop_tables=["BASE", "VORG", "vhea", "vmtx"])
    font = TTFont(korean_font(), recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(set("".join(texts)) | set(map(chr, range(32, 127))))))
    subsetter.subset(font)
    font.flavor = "woff"
    out = io.BytesIO()
    font.save(out)
    source = f"data:font/woff;base64,{base64.b64encode(out.getvalue()).decode()}"
    return f'@font-face {{ font-family: "{family}"; src: url("{source}") format("woff"); }}'
