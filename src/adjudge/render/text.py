"""A document as text: sentences first, then aligned tables, then what to know before using them."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from adjudge._base.records import dataclass, replace
from adjudge._base.text import counted, safe
from adjudge.describe.document import Document, Table
from adjudge.plots.labels import NOTHING

WIDTH = 100  # columns of text, unless a terminal has more or fewer
_BOLD, _GOOD, _BAD, _DOUBT, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_TONES = {"good": _GOOD, "bad": _BAD, "doubtful": _DOUBT}
_WITHOUT = ("Method", "Formula", "Direction", "Specificity")  # columns that a page has room for


def text(document: Document, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return a document for a terminal, in lines of `width` columns; tables are as wide as they must be.

    `colour` marks the first sentence, headings, findings and verdicts; without it the text is the same.
    """
    page = _Page(width, colour=colour)
    first = [page.marked(line, _BOLD) for line in page.wrapped(document.sentences[:1])]
    said = [*first, *page.wrapped(document.sentences[1:])]
    blocks = [said, list(document.lines), *(page.table(each) for each in document.tables)]
    if document.columns:
        blocks.append([page.marked("Columns", _BOLD), *page.indented(document.columns)])
    if document.findings:
        block = [page.marked(counted(len(document.findings), "finding"), _BOLD)]
        for finding in document.findings:
            line, *others = page.indented([safe(str(finding), 2000)])
            block += [line.replace(finding.code, page.marked(finding.code, _DOUBT), 1), *others]
        blocks.append(block)
    blocks.append(page.wrapped(document.closing))
    return "\n\n".join("\n".join(block) for block in blocks if block)


@dataclass(frozen=True)
class _Page:
    """How wide lines are, and whether they have colour."""

    width: int
    colour: bool

    def marked(self, words: str, mark: str) -> str:
        return f"{mark}{words}{_PLAIN}" if self.colour else words

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

    def table(self, table: Table) -> list[str]:
        """Return a table without the columns a terminal has no room for; folded rows are only counted: text cannot unfold."""
        table = table.with_columns([i for i, name in enumerate(table.header) if not name.startswith(_WITHOUT)])
        table = replace(table, folded=(), untold=table.untold + len(table.folded))
        rows = [tuple(cell if cell != NOTHING else "-" for cell in row) for row in (table.header, *table.rows)]
        widths = [max(_columns(row[i]) for row in rows) for i in range(len(table.header))]
        lines = []
        for at, row in enumerate(rows):
            gaps = [" " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
            each = zip(row, gaps, table.align, strict=True)
            cells = [gap + cell if side == "r" else cell + gap for cell, gap, side in each]
            for place, word in list(enumerate(row))[1:] if at else ():
                if word in table.tones:
                    cells[place] = cells[place].replace(word, self.marked(word, _TONES[table.tones[word]]))
            line = "  ".join(cells).rstrip()
            lines.append(line if at else self.marked(line, _BOLD))
        return [*lines, *self.indented([table.remainder] if table.untold else []), *self.indented(table.notes)]


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    shown = (character for character in text if not unicodedata.combining(character))
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in shown)
