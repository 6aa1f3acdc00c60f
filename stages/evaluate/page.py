"""The report as one page that carries everything: styles, pictures, the glyphs of its Korean text. It loads nothing and runs no script.

What models and judges wrote is data: it is escaped, and the page's policy forbids scripts and requests altogether.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stages.core import figures

POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
_FAMILY = "Report Korean"

_STYLE = Path(__file__).with_name("report.css")


@dataclass
class Section:
    anchor: str
    title: str
    parts: list[str] = field(default_factory=list)
    """HTML."""


@dataclass
class Page:
    title: str
    lead: str
    warnings: list[str] = field(default_factory=list)
    tiles: list[tuple[str, str]] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    footer: str = ""

    def section(self, anchor: str, title: str) -> Section:
        self.sections.append(Section(anchor, title))
        return self.sections[-1]


def paragraph(text: str, kind: str = "") -> str:
    return f"<p{f' class={kind}' if kind else ''}>{html.escape(text)}</p>"


def figure(svg: str, caption: str, wide_rem: int = 58) -> str:
    said = html.escape(caption, quote=True)
    return f'<figure style="--wide: {wide_rem}rem" role=img aria-label="{said}">{svg}<figcaption>{said}</figcaption></figure>'


def story(head: str, note: str, facts: Iterable[tuple[str, str]]) -> str:
    """One item that can be opened: what was asked, what was answered, what it was worth."""
    rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in facts)
    return f"<details><summary>{html.escape(head)}<small>{html.escape(note)}</small></summary><dl>{rows}</dl></details>"


def render(page: Page) -> str:
    """The page. Pictures are told apart by their place, since several SVGs in one page share one space of ids."""
    links = "".join(f"<a href=#{section.anchor}>{html.escape(section.title)}</a>" for section in page.sections)
    warnings = "".join(f"<p class=warning><b>Read this first.</b> {html.escape(text)}</p>" for text in page.warnings)
    tiles = "".join(f"<div class=tile><b>{html.escape(value)}</b><span>{html.escape(name)}</span></div>" for value, name in page.tiles)
    body = "".join(_section(section) for section in page.sections)
    texts = [page.title, page.lead, page.footer, *page.warnings, body]
    style = f"{figures.font_face(korean(texts), _FAMILY)}\n{_STYLE.read_text(encoding='utf-8')}"
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(page.title)}</title><style>{style}</style></head><body>"
        f"<header><h1>{html.escape(page.title)}</h1><p class=lead>{html.escape(page.lead)}</p><nav>{links}</nav></header>"
        f"<main>{warnings}<div class=tiles>{tiles}</div>{body}<footer>{html.escape(page.footer)}</footer></main></body></html>\n"
    )


def _section(section: Section) -> str:
    return f"<section id={section.anchor}><h2>{html.escape(section.title)}</h2>{''.join(section.parts)}</section>"


def korean(texts: Sequence[str]) -> list[str]:
    """The signs of `texts` that a system's Latin fonts may lack."""
    return sorted({sign for text in texts for sign in text if ord(sign) > 0x2FF})
