"""The report as one page that carries everything: styles, pictures, the glyphs of its Korean text. It loads nothing and runs no script.

What models and judges wrote is data: it is escaped, and the page's policy forbids scripts and requests altogether.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from stages.core import figures

POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
_FAMILY = "Report Korean"

_STYLE = """
:root { color-scheme: light dark; --ink: #1b2733; --muted: #5d6b7c; --line: #dfe5ec; --paper: #fff; --wash: #f5f7fa; --accent: #1f5f8f; --warn: #8f3a1f; --warn-wash: #fdf1ec; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ef; --muted: #9aa8b8; --line: #34404d; --paper: #151b22; --wash: #1d252e; --accent: #7db8e0; --warn: #f0a58a; --warn-wash: #3a231b; }
  figure svg { background: #fff; border-radius: 8px; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Report Korean", sans-serif; }
main, header { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.8rem 0 .3rem; }
p { margin: .4rem 0; max-width: 48rem; }
.lead, figcaption, .caption, small { color: var(--muted); }
.caption, figcaption { font-size: .88rem; max-width: 52rem; }
nav { margin: 1rem 0 0; font-size: .92rem; } nav a { margin-right: 1.1rem; } a { color: var(--accent); }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.4rem 0; }
.tile { flex: 1 1 10rem; background: var(--wash); border-radius: 10px; padding: .8rem 1rem; }
.tile b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; } .tile span { color: var(--muted); font-size: .86rem; }
.warning { background: var(--warn-wash); border-left: 4px solid var(--warn); border-radius: 4px; padding: .7rem 1rem; margin: 1rem 0; max-width: none; } .warning b { color: var(--warn); }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .93rem; font-variant-numeric: tabular-nums; min-width: 32rem; }
th, td { padding: .34rem .9rem .34rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child { text-align: left; font-weight: 500; } thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; }
tr.group th { color: var(--muted); font-size: .82rem; padding-top: .9rem; border-bottom: 0; text-transform: none; }
td.best span { font-weight: 700; } td.second span { text-decoration: underline; text-underline-offset: 3px; }
td small { font-size: .78rem; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; max-width: var(--wide, 58rem); display: block; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem 2rem; align-items: start; }
details { border-bottom: 1px solid var(--line); padding: .5rem 0; } summary { cursor: pointer; } summary small { margin-left: .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .92rem; margin: .5rem 0; } dt { color: var(--muted); } dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin: 3rem 0; font-size: .85rem; color: var(--muted); }
@media print { nav { display: none; } details { break-inside: avoid; } }
"""


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
    return f'<figure style="--wide: {wide_rem}rem" role=img aria-label="{html.escape(caption, quote=True)}">{svg}<figcaption>{html.escape(caption)}</figcaption></figure>'


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
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(page.title)}</title><style>{figures.font_face(korean(texts), _FAMILY)}{_STYLE}</style></head><body>"
        f"<header><h1>{html.escape(page.title)}</h1><p class=lead>{html.escape(page.lead)}</p><nav>{links}</nav></header>"
        f"<main>{warnings}<div class=tiles>{tiles}</div>{body}<footer>{html.escape(page.footer)}</footer></main></body></html>\n"
    )


def _section(section: Section) -> str:
    return f"<section id={section.anchor}><h2>{html.escape(section.title)}</h2>{''.join(section.parts)}</section>"


def korean(texts: Sequence[str]) -> list[str]:
    """The signs of `texts` that a system's Latin fonts may lack."""
    return sorted({sign for text in texts for sign in text if ord(sign) > 0x2FF})
