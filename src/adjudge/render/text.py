"""A document as text: sentences first, then aligned tables, then what to know before using them."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from adjudge._base import counted, dataclass, left_to_right, replace, safe
from adjudge.describe.document import Document, Step, Table
from adjudge.plots.labels import NOTHING

WIDTH = 100  # columns of text, unless a terminal has more or fewer
_BOLD, _GOOD, _BAD, _DOUBT, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_TONES = {"good": _GOOD, "bad": _BAD, "doubtful": _DOUBT}
_WHOLE: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
_LONGEST = 2000
_WITHOUT = ("Method", "Formula", "Direction", "Specificity")  # columns that a page has room for
_WITH_ROOM = ("Multipliers", "Gain where fitted", "Models", "Training, 1 round", "New, 1 round")
"""Columns that a narrow terminal does without, before words of others are broken into more lines than `_TALL`."""
_TALL = 2


def text(document: Document, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return a document for a terminal, in lines of at most `width` columns.

    `colour` marks the first sentence, headings, findings and verdicts; without it the text is the same.
    """
    page = _Page(width, colour=colour)
    first = [page.marked(line, _BOLD) for line in page.wrapped(document.sentences[:1])]
    said = [*first, *page.wrapped(document.sentences[1:])]
    whole = [line for each in document.lines for line in (page.broken(each, "    ") if each else [each])]
    steps = page.steps(document.steps)
    blocks, findings = [said, whole, steps], []
    if document.findings:
        block = [page.marked(counted(len(document.findings), "finding"), _BOLD)]
        for finding in document.findings:
            line, *others = page.indented([safe(str(finding), _LONGEST)])
            block += [line.replace(finding.code, page.marked(finding.code, _DOUBT), 1), *others]
        findings = [block]
    blocks += findings if document.steps else []  # the first screen: what it says, what to do, what to know; then the numbers
    blocks += [page.table(each) for each in document.tables]
    if document.columns:
        blocks.append([page.marked("Columns", _BOLD), *page.indented(document.columns)])
    blocks += [] if document.steps else findings
    blocks.append(page.wrapped(document.closing))
    return "\n\n".join("\n".join(block if block is steps else map(left_to_right, block)) for block in blocks if block)


@dataclass(frozen=True)
class _Page:
    """How wide lines are, and whether they have colour."""

    width: int
    colour: bool

    def marked(self, words: str, mark: str) -> str:
        return f"{mark}{words}{_PLAIN}" if self.colour else words

    def broken(self, line: str, later: str = "", first: str = "") -> list[str]:
        """Return a line in parts that fit, the later ones indented; only a word wider than all is broken."""
        return _wrapped(line, self.width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)

    def wrapped(self, sentences: Sequence[str]) -> list[str]:
        """Return sentences on lines of their own."""
        return [line for sentence in sentences for line in self.broken(sentence)]

    def indented(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            yield from self.broken(line, "    ", "  ")

    def steps(self, steps: Sequence[Step]) -> list[str]:
        """Return what to do next, numbered; a command stays on one line, to be copied."""
        lines = [self.marked("Next steps", _BOLD)] if steps else []
        for at, step in enumerate(steps, 1):
            lines += map(left_to_right, self.broken(safe(step, _LONGEST), "     ", f"  {at}. "))
            lines += [f"     {safe(step.call, _LONGEST)}"] if step.call else []
        return lines

    def table(self, table: Table) -> list[str]:
        """Return a table without the columns a terminal has no room for; folded rows are only counted: text cannot unfold."""
        table = table.with_columns([i for i, name in enumerate(table.header) if not name.startswith(_WITHOUT)])
        table = replace(table, folded=(), untold=table.untold + len(table.folded))
        rows = [tuple(cell if cell != NOTHING else "-" for cell in row) for row in (table.header, *table.rows)]
        columns = list(zip(*rows, strict=True))
        widths = [max(map(_columns, column)) for column in columns]
        room = self.width - 2 * (len(columns) - 1)
        if sum(widths) > room:  # headers take several lines, then words, the widest first; numbers stay whole
            heads = [max(map(len, header.split()), default=0) for header in rows[0]]
            bodies = [max(map(_columns, (*column[1:], ""))) for column in columns]
            words = [max(_columns(word) for cell in (*column[1:], "-") for word in cell.split()) for column in columns]
            least = [max(head, body) for head, body in zip(heads, bodies, strict=True)]
            if sum(least) > room:
                sides = zip(heads, bodies, words, table.align, strict=True)
                widths, least = least, [max(head, body if side == "r" else word) for head, body, word, side in sides]
            if sum(least) > room:
                fewer = _without_spare(table) if self.width < WIDTH else None
                return self.table(fewer) if fewer is not None else [*self._stacked(rows, table), *self._below(table)]
            most = next(each for each in range(max(widths), -1, -1) if sum(_within(each, least, widths)) <= room)
            widths = _within(most, least, widths)
        if self.width < WIDTH and any(
            len(_wrapped(c, w, **_WHOLE)) > _TALL for r in rows for c, w in zip(r, widths, strict=True)
        ):
            fewer = _without_spare(table)
            if fewer is not None:
                return self.table(fewer)
        lines = []
        for at, row in enumerate(rows):
            broken = [_wrapped(cell, width, **_WHOLE) or [""] for cell, width in zip(row, widths, strict=True)]
            tall = max(map(len, broken))
            filled = [[""] * (tall - len(each)) + each if not at else each + [""] * (tall - len(each)) for each in broken]
            for down in zip(*filled, strict=True):
                gaps = [" " * (width - _columns(cell)) for cell, width in zip(down, widths, strict=True)]
                each = zip(down, gaps, table.align, strict=True)
                cells = [gap + cell if side == "r" else cell + gap for cell, gap, side in each]
                for place, word in list(enumerate(row))[1:] if at else ():
                    if word in table.tones and (part := down[place]):
                        cells[place] = cells[place].replace(part, self.marked(part, _TONES[table.tones[word]]))
                line = "  ".join(cells).rstrip()
                lines.append(line if at else self.marked(line, _BOLD))
        return [*lines, *self._below(table)]

    def _stacked(self, rows: Sequence[Sequence[str]], table: Table) -> Iterator[str]:
        """Yield rows one below the other, each column on a line of its own."""
        header, *others = rows
        for row in others:
            yield from (self.marked(line, _BOLD) for line in self.broken(": ".join(filter(None, (header[0], row[0])))))
            for name, cell in list(zip(header, row, strict=True))[1:]:
                told = self.marked(cell, _TONES[table.tones[cell]]) if cell in table.tones else cell
                yield from (line.replace(cell, told) for line in self.indented([": ".join(filter(None, (name, cell)))]))

    def _below(self, table: Table) -> Iterator[str]:
        """Yield what stands below a table."""
        yield from self.indented([*([table.remainder] if table.untold else []), *table.notes])


def _without_spare(table: Table) -> Table | None:
    """Return a table without the columns that need room, and say which; None where it has none of them."""
    spared = [name for name in table.header if name in _WITH_ROOM]
    kept = table.with_columns([i for i, name in enumerate(table.header) if name not in spared])
    return replace(kept, notes=(*table.notes, f"Wider terminals show more: {'; '.join(spared)}.")) if spared else None


def _within(most: int, least: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Return the widths of columns none of which is wider than `most`, unless a word is."""
    return [min(width, max(word, most)) for width, word in zip(widths, least, strict=True)]


def _wrapped(text: str, width: int, **how: Any) -> list[str]:
    """Return a text in lines that take no more columns than `width`; a letter that takes two counts as two."""
    if text.isascii():
        return textwrap.wrap(text, width, **how)
    doubled = "".join(f"{each}\0" if unicodedata.east_asian_width(each) in "WF" else each for each in text)
    spare = "\0" in doubled and "break_long_words" not in how  # a word may be broken after the first half of a letter
    return [line.replace("\0", "") for line in textwrap.wrap(doubled, width - spare, **how)]


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    shown = (character for character in text if unicodedata.category(character) not in ("Mn", "Me"))
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in shown)
