"""Documents: all that a result says, as plain data that every renderer reads; nothing of how it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge._base.findings import Finding
from adjudge._base.text import counted
from adjudge.plots.labels import NOTHING

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text. `align` has a letter per column: l for words, n for words on one line, r for numbers, f for formulas."""

    caption: str
    header: Row
    rows: tuple[Row, ...]
    align: str
    folded: tuple[Row, ...] = ()
    untold: int = 0
    """How many more rows there would be."""
    things: tuple[str, str] = ("row", "rows")
    """What a row is of, one and many."""
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What the folded rows are."""
        return self._more(len(self.folded))

    @property
    def remainder(self) -> str:
        """What is not told at all."""
        return f"And {self._more(self.untold)}." if self.untold else ""

    def _more(self, n: int) -> str:
        return counted(n, *(f"more {thing}" for thing in self.things))


def without_empty_columns(table: Table) -> Table:
    """Return a table without the columns that say nothing in any row."""
    kept = [i for i in range(len(table.header)) if any(row[i] != NOTHING for row in table.rows)]
    return with_columns(table, kept)


def with_columns(table: Table, kept: Sequence[int]) -> Table:
    """Return a table of some of its columns."""
    parts = ((table.header,), table.rows, table.folded)
    (header,), rows, folded = (tuple(tuple(row[i] for i in kept) for row in part) for part in parts)
    return replace(table, header=header, rows=rows, folded=folded, align="".join(table.align[i] for i in kept))


@dataclass(frozen=True, slots=True)
class Card:
    """One number set large, with a line below."""

    title: str
    value: str
    note: str
    second: str = ""
    """A further line."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    kind: str
    """verdict, findings, figure, table, facts, methods, or part: a result of its own among several."""
    name: str
    """Short and unlike every other section's: anchors and pictures are named by it."""
    title: str
    lead: str = ""
    sentences: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    figure: Any = None
    """A picture that :mod:`adjudge.plots.svg` can draw."""
    wide: bool = False
    """Whether a figure needs the whole width."""
    narrow: bool = False
    """Whether half the width is enough for a table."""
    pictures: tuple[tuple[str, Any], ...] = ()
    """Small figures below the tables, each with what to see in it."""
    inner: tuple[Section, ...] = ()
    """The sections of a part."""
    folded: bool = False
    """Whether it is shown only when asked for."""
    theme: str = ""
    """The chapter it stands in, one of :data:`adjudge.describe.chapters.TITLES`; its own where there is none."""
    reading: tuple[str, ...] = ()
    """What to read off a figure, in plain sentences below it."""
    scripts: tuple[str, ...] = ()
    """The files of the templates' folder that it runs."""
    data: Mapping[str, Any] | None = None
    """What the scripts need to know."""
    template: str = ""
    """The template of its body, where it has controls."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a result says: a verdict, numbers, what to know before using them, a figure, and the parts of a page."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    """What a terminal shows below the sentences."""
    findings: tuple[Finding, ...] = ()
    columns: tuple[str, ...] = ()
    """The columns of a file, each with its role and the evidence for it."""
    lines: tuple[str, ...] = ()
    """Lines that stay whole, such as one for each rule of a gate."""
    closing: tuple[str, ...] = ()
    """Sentences that come last."""
    key: Table | None = None
    """The few numbers that a notebook shows."""
    key_is_whole: bool = False
    """Whether every row of them is to be seen."""
    figure: Any = None
    """A picture that :mod:`adjudge.plots` can draw, if there is one."""
    sections: tuple[Section, ...] = ()
    """The parts of a page, the verdict first."""
