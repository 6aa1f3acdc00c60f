"""A table once, in Markdown, CSV, LaTeX and HTML. The best and the second-best number of a row are marked in each of them."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["", "best", "second"]


@dataclass(frozen=True)
class Cell:
    text: str
    """As it is shown: a number with one decimal, or `-`."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    """Shown small beside the number: an interval, the number of items."""


@dataclass(frozen=True)
class Line:
    label: str
    cells: tuple[Cell, ...]
    group: str = ""
    """Lines of one group stand together under its name."""
    ranked: bool = True
    """Whether the best and the second-best of the line are marked."""


@dataclass
class Table:
    name: str
    """Its file name."""
    title: str
    caption: str
    corner: str
    """Heading of the first column."""
    columns: list[str]
    lines: list[Line] = field(default_factory=list)


def number(value: float | None, interval: tuple[float, float] | None = None, note: str = "", signed: bool = False) -> Cell:
    if value is None:
        return Cell("-", note=note)
    low, high = interval or (None, None)
    text = f"{value:+.1f}" if signed else f"{value:.1f}"
    shown = f"[{low:{'+' if signed else ''}.1f}, {high:{'+' if signed else ''}.1f}]" if interval else ""
    return Cell(text.replace("-", "−") if signed else text, value, low, high, " ".join(filter(None, [shown.replace("-", "−"), note])))


def marks(line: Line) -> list[Mark]:
    """The best number and the second-best of a line; equals as shown share a place. With fewer than two different numbers none is marked."""
    shown = sorted({float(f"{cell.value:.1f}") for cell in line.cells if cell.value is not None}, reverse=True)
    if not line.ranked or len(shown) < 2:
        return [""] * len(line.cells)
    places: dict[float, Mark] = {shown[0]: "best", shown[1]: "second"}
    return [places.get(float(f"{cell.value:.1f}"), "") if cell.value is not None else "" for cell in line.cells]


def markdown(table: Table) -> str:
    rows = [[table.corner, *table.columns]]
    group = ""
    for line in table.lines:
        if line.group != group:
            group = line.group
            rows.append([f"*{_md(group)}*", *[""] * len(table.columns)])
        cells = []
        for cell, mark in zip(line.cells, marks(line), strict=True):
            text = {"best": f"**{cell.text}**", "second": f"<u>{cell.text}</u>", "": cell.text}[mark]
            cells.append(f"{text} {cell.note}".strip())
        rows.append([_md(line.label), *cells])
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    rule = f"|{'---|' * (len(table.columns) + 1)}".replace("|---|", "|---|", 1)
    return "\n".join([f"## {table.title}", "", head, rule, *body, "", table.caption, ""])


def _md(text: str) -> str:
    return re.sub(r"([|\\`*_<])", r"\\\1", text)


def comma_separated(table: Table) -> str:
    """Long form, one number a line, full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["group", "row", "column", "value", "low", "high", "note", "mark"])
    for line in table.lines:
        for column, cell, mark in zip(table.columns, line.cells, marks(line), strict=True):
            numbers = ["" if one is None else repr(round(one, 6)) for one in (cell.value, cell.low, cell.high)]
            writer.writerow([line.group, line.label, column, *numbers, cell.note, mark])
    return out.getvalue()


_TEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}", "−": "$-$", "–": "--", "→": r"$\to$"}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)


def latex(table: Table) -> str:
    """A booktabs table; `\\usepackage{booktabs}` and, for second-best, `\\usepackage[normalem]{ulem}` are needed, and a Korean font."""
    lines = [r"\begin{table}[t]", r"\centering", rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}", r"\toprule"]
    lines.append(" & ".join(map(_tex, [table.corner, *table.columns])) + r" \\")
    group = ""
    for line in table.lines:
        if line.group != group:
            group = line.group
            lines += [r"\midrule", rf"\multicolumn{{{len(table.columns) + 1}}}{{l}}{{\textit{{{_tex(group)}}}}} \\"]
        elif line is table.lines[0]:
            lines.append(r"\midrule")
        cells = []
        for cell, mark in zip(line.cells, marks(line), strict=True):
            text = _tex(cell.text)
            cells.append({"best": rf"\textbf{{{text}}}", "second": rf"\uline{{{text}}}", "": text}[mark])
        lines.append(" & ".join([_tex(line.label), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_tex(table.caption)}}}", rf"\label{{tab:{table.name}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def hypertext(table: Table) -> str:
    columns = "".join(f"<th scope=col>{html.escape(column)}</th>" for column in table.columns)
    out = [f"<div class=scroll><table><thead><tr><th scope=col>{html.escape(table.corner)}</th>{columns}</tr></thead><tbody>"]
    group = ""
    for line in table.lines:
        if line.group != group:
            group = line.group
            out.append(f"<tr class=group><th colspan={len(table.columns) + 1} scope=rowgroup>{html.escape(group)}</th></tr>")
        cells = "".join(_html_cell(cell, mark) for cell, mark in zip(line.cells, marks(line), strict=True))
        out.append(f"<tr><th scope=row>{html.escape(line.label)}</th>{cells}</tr>")
    return "".join([*out, "</tbody></table></div>"])


def _html_cell(cell: Cell, mark: Mark) -> str:
    note = f" <small>{html.escape(cell.note)}</small>" if cell.note else ""
    return f"<td{f' class={mark}' if mark else ''}><span>{html.escape(cell.text)}</span>{note}</td>"


def write_all(table: Table) -> dict[str, str]:
    """File suffix to content."""
    return {".md": markdown(table), ".csv": comma_separated(table), ".tex": latex(table)}
