"""Documents as Markdown: tables that stay tables, signs that stay signs, and nothing lost on the way."""

from __future__ import annotations

import re

import pytest
from tests.hostile import HTML
from tests.results import made

from adjudge._base.findings import Finding
from adjudge.describe import describe
from adjudge.describe.document import Card, Document, Section, Table
from adjudge.render.markdown import markdown


def cells(line):
    """Return the cells of a row as GitHub reads them: bars behind a backslash are text, and so is every sign behind one."""
    found = re.findall(r"((?:\\.|[^\\|])*)\|", line.removeprefix("|"))
    return [re.sub(r"\\(.)", r"\1", part.strip()).replace("\u2060", "") for part in found]


def of(*sections):
    return markdown(Document((), sections=sections))


def test_a_table_is_what_it_was():
    rows = (("a|b", "1"), ("*c* _d_", "<b>2</b>"), ("`e` $f$ [g](h)", "#3 ~4~ &lt;"))
    told = of(Section("table", "t", "T", tables=(Table("T", ("Name", "N"), rows[:2], folded=rows[2:]),))).splitlines()
    assert told[:4] == ["## T", "", "| Name | N |", "| --- | ---: |"]
    assert [tuple(cells(line)) for line in told[4:]] == list(rows)


def test_notes_and_rows_not_told_follow_the_table():
    table = Table("T", ("Name",), (("a",),), untold=1234, things=("case", "cases"), notes=("Means.",))
    assert of(Section("table", "t", "T", tables=(table,))).endswith("| a |\n\nMeans.\n\nAnd 1,234 more cases.\n")


def test_parts_in_their_order():
    inner = Section("table", "i", "Inner", "Lead.")
    whole = Section(
        "verdict",
        "v",
        "A & <B>",
        "Lead.",
        ("One.", "Two."),
        cards=(Card("Accuracy", "0.9", "95%", "of 10"), Card("MCC", "0.8", "")),
        findings=(Finding("A101", "Few_cases.", "Get more."),),
        inner=(inner,),
        reading=("Read.",),
    )
    assert of(whole) == (
        "# A \\& \\<B\\>\n\nLead.\n\nOne.\n\nTwo.\n\nRead.\n\n- **Accuracy** 0.9 (95% · of 10)\n- **MCC** 0.8\n\n"
        "- **A101** Few\\_cases. Get more.\n\n### Inner\n\nLead.\n"
    )


def test_pictures_alone_leave_no_heading():
    assert of(Section("figure", "f", "Only a picture", figure=object())) == "\n"


@pytest.mark.parametrize("name", ["Gate", "Ranking"])
def test_hostile_labels_are_text_and_every_row_has_as_many_cells(name):
    told = made(name).to_markdown()
    assert not re.search(r"(?<!\\)[<>]", told)
    tables = [part.splitlines() for part in re.findall(r"(?:^\|.*\n)+", told, re.MULTILINE)]
    shown = [table for section in describe(made(name), figure=False).sections for table in section.tables]
    assert [len(table) for table in tables if table] == [2 + len(t.rows) + len(t.folded) for t in shown]
    assert all(len(cells(line)) == len(cells(table[0])) for table in tables for line in table)


def test_what_would_act_in_html_or_end_a_line_is_escaped():
    for label in (*HTML, "a\nb", "# x", "\x1b[2J"):
        told = of(Section("table", "t", "T", tables=(Table("T", ("Name",), ((label,),)),)))
        assert len(told.splitlines()) == 5
        assert not re.search(r"(?<!\\)[<>`*]", told)
        assert "\x1b" not in told
