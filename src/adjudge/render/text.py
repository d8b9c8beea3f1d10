"""A document as text: sentences first, then aligned tables, then what to know before using them."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from adjudge._base.findings import Finding
from adjudge._base.text import counted, safe
from adjudge.describe.document import Document, Table, with_columns
from adjudge.plots.labels import NOTHING

WIDTH = 100
"""Columns of text, unless a terminal has more or fewer."""
_BOLD, _GOOD, _BAD, _DOUBT, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_TONES = {"good": _GOOD, "bad": _BAD, "doubtful": _DOUBT}
_WITHOUT = ("Method", "Formula", "Direction", "Specificity")  # columns that a page has room for


def text(document: Document, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return a document for a terminal, in lines of `width` columns; tables are as wide as they must be.

    With `colour` the first sentence, headings, findings and verdicts are marked. Without the marks it is the same text: no word
    is said by colour alone.
    """
    page = _Page(width, colour=colour)
    blocks = [page.sentences(document.sentences), list(document.lines), *(page.table(each) for each in document.tables)]
    if document.columns:
        blocks.append([page.marked("Columns", _BOLD), *page.indented(document.columns)])
    if document.findings:
        blocks.append([page.marked(counted(len(document.findings), "finding"), _BOLD), *page.findings(document.findings)])
    blocks.append(page.wrapped(document.closing))
    return "\n\n".join("\n".join(block) for block in blocks if block)


@dataclass(frozen=True)
class _Page:
    """How wide lines are, and whether they have colour."""

    width: int
    colour: bool

    def marked(self, words: str, mark: str) -> str:
        return f"{mark}{words}{_PLAIN}" if self.colour else words

    def sentences(self, sentences: Sequence[str]) -> list[str]:
        """Return sentences on lines of their own, the first of them bold."""
        first = self.wrapped(sentences[:1])
        return [*(self.marked(line, _BOLD) for line in first), *self.wrapped(sentences[1:])]

    def wrapped(self, sentences: Sequence[str]) -> list[str]:
        """Return sentences on lines of their own; one that is a word too long is left whole."""
        slack = 10 if self.width == WIDTH else 0  # a window has none
        lines: list[str] = []
        for sentence in sentences:
            whole = len(sentence) <= self.width + slack
            lines += [sentence] if whole else textwrap.wrap(sentence, self.width, break_on_hyphens=False)
        return lines

    def indented(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            yield from textwrap.wrap(line, self.width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)

    def findings(self, findings: Sequence[Finding]) -> Iterator[str]:
        for finding in findings:
            first, *others = self.indented([safe(str(finding), 2000)])
            yield first.replace(finding.code, self.marked(finding.code, _DOUBT), 1)
            yield from others

    def table(self, table: Table) -> list[str]:
        """Return a table without the columns a terminal has no room for; folded rows are only counted: text cannot unfold."""
        table = with_columns(table, [i for i, name in enumerate(table.header) if not name.startswith(_WITHOUT)])
        table = replace(table, folded=(), untold=table.untold + len(table.folded))
        rows = [tuple(cell if cell != NOTHING else "-" for cell in row) for row in (table.header, *table.rows)]
        widths = [max(_columns(row[i]) for row in rows) for i in range(len(table.header))]
        lines = []
        for at, row in enumerate(rows):
            cells = [_pad(*cell) for cell in zip(row, widths, table.align, strict=True)]
            for place, word in list(enumerate(row))[1:] if at else ():
                if word in table.tones:
                    cells[place] = cells[place].replace(word, self.marked(word, _TONES[table.tones[word]]))
            line = "  ".join(cells).rstrip()
            lines.append(line if at else self.marked(line, _BOLD))
        return [*lines, *self.indented([table.remainder] if table.untold else []), *self.indented(table.notes)]


def _pad(text: str, width: int, side: str) -> str:
    gap = " " * (width - _columns(text))
    return gap + text if side == "r" else text + gap


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_column(character) for character in text)


def _column(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
