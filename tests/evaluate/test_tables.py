from __future__ import annotations

import csv
import io

from stages.evaluate import tables
from stages.evaluate.tables import Cell, Line, Table, number


def _table(*lines: Line) -> Table:
    return Table("scores", "Scores", "All of them.", "Benchmark", ["one_a", "b & c", "d|e"], list(lines))


def _line(*values: float | None, ranked: bool = True, label: str = "KBBH_1") -> Line:
    return Line(label, tuple(number(value) for value in values), "Korean", ranked)


def test_best_and_second_best_are_marked() -> None:
    assert tables.marks(_line(10, 30, 20)) == ["", "best", "second"]
    assert tables.marks(_line(10, None, 20)) == ["second", "", "best"]


def test_what_is_shown_as_equal_shares_a_place() -> None:
    assert tables.marks(_line(66.64, 66.61, 50.1)) == ["best", "best", "second"]
    assert tables.marks(_line(50, 50, 50)) == ["", "", ""]
    assert tables.marks(_line(10, 30, 20, ranked=False)) == ["", "", ""]


def test_each_form_carries_the_marks_and_survives_signs_of_its_own() -> None:
    table = _table(_line(10, 30, 20))
    assert "| KBBH\\_1 | 10.0 | **30.0** | <u>20.0</u> |" in tables.markdown(table)
    tex = tables.latex(table)
    assert r"KBBH\_1 & 10.0 & \textbf{30.0} & \uline{20.0} \\" in tex
    assert r"one\_a & b \& c & d|e \\" in tex
    page = tables.hypertext(table)
    assert "<td class=best><span>30.0</span></td>" in page
    assert "b &amp; c" in page


def test_a_label_cannot_bring_markup_into_the_page() -> None:
    page = tables.hypertext(_table(Line("<script>x</script>", (Cell("<b>"), Cell("1"), Cell("2", note="<i>")))))
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;i&gt;" in page


def test_the_csv_has_full_numbers_in_long_form() -> None:
    table = _table(Line("x", (number(12.3456789, (1.0, 20.5)), number(None), number(3)), "g"))
    rows = list(csv.DictReader(io.StringIO(tables.comma_separated(table))))
    assert [row["value"] for row in rows] == ["12.345679", "", "3"]
    assert (rows[0]["low"], rows[0]["high"], rows[0]["mark"], rows[0]["column"]) == ("1.0", "20.5", "best", "one_a")


def test_a_difference_has_its_sign() -> None:
    cell = number(-3.04, (-5, 1), "n 7", signed=True)
    assert (cell.text, cell.note) == ("−3.0", "[−5.0, +1.0] n 7")
