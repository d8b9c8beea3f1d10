"""The verdict for a prompt: sentences first, then aligned tables, then what to know before believing them."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import singledispatch
from typing import Any

from adjudge._base.findings import Finding
from adjudge._base.text import counted, safe
from adjudge.judgements.evaluation import Evaluation
from adjudge.plots.labels import NOTHING
from adjudge.reports.tables import Table, classes, measures, with_columns
from adjudge.reports.verdicts import verdict

WIDTH = 100
"""Columns of text, unless a terminal has more or fewer."""
_width: ContextVar[int] = ContextVar("columns of text", default=WIDTH)
_LONGEST_NAME = 22
_BOLD, _GOOD, _BAD, _DOUBT, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_SAID = {"recommended": _GOOD, "better": _GOOD, "worth trying": _DOUBT, "undecided": _DOUBT, "leave it": _BAD, "worse": _BAD}
_CELL = re.compile(rf"(?<=  )({'|'.join(_SAID)})(?=  |$)")  # a cell of a table and nothing else; names stand in the first
_FINDING = re.compile(r"^  (A\d{3}) ")
_WITHOUT = ("Method", "Formula", "Direction", "Specificity")  # columns that a page has room for


@singledispatch
def in_words(result: Any) -> str:
    """Return a result as text for a terminal: no colour, no control characters, about 100 columns."""
    raise NotImplementedError(type(result))


@in_words.register
def _(result: Evaluation) -> str:
    tables = [measures(result), *([classes(result, _LONGEST_NAME)] if result.by_class else [])]
    roles = result.origin.roles
    evidence = str(roles).splitlines() if roles is not None and roles.evidence else []
    return text_of(verdict(result), tables, result.findings, columns=evidence)


def text_of(
    sentences: Sequence[str], tables: Iterable[Table], findings: Sequence[Finding], *, columns: Sequence[str] = ()
) -> str:
    """Return sentences, tables, the roles of columns and findings as text, each with a blank line before it."""
    blocks = [_wrapped(sentences), *(_set(_counted_fold(_narrow(table))) for table in tables)]
    if columns:
        blocks.append(["Columns", *_indented(columns)])
    if findings:
        blocks.append([f"{counted(len(findings), 'finding')}", *_indented(_finding(f) for f in findings)])
    return "\n\n".join("\n".join(block) for block in blocks)


def laid_out(result: Any, *, width: int | None = None) -> str:
    """Return a result in words, with lines of `width` columns; tables are as wide as they must be."""
    token = _width.set(width or WIDTH)
    try:
        return str(result.in_words())
    finally:
        _width.reset(token)


def coloured(text: str) -> str:
    """Return a result in words with the marks of a terminal: the first sentence bold, findings and verdicts in colour.

    Without the marks it is the same text; no word is said by colour alone.
    """
    first, *blocks = text.split("\n\n")
    return "\n\n".join([_first_bold(first), *map(_marked, blocks)])


def _first_bold(block: str) -> str:
    lines = block.split("\n")
    end = next((i for i, line in enumerate(lines) if line.endswith(".")), 0)
    return "\n".join([*(f"{_BOLD}{line}{_PLAIN}" for line in lines[: end + 1]), *lines[end + 1 :]])


def _marked(block: str) -> str:
    """Mark what stands in a table, or among the findings; the first line is a heading."""
    head, *lines = block.split("\n")
    told = [_CELL.sub(lambda cell: f"{_SAID[cell[1]]}{cell[1]}{_PLAIN}", line) for line in lines]
    told = [_FINDING.sub(lambda code: f"  {_DOUBT}{code[1]}{_PLAIN} ", line) for line in told]
    return "\n".join([f"{_BOLD}{head}{_PLAIN}" if lines else head, *told])


def _finding(finding: Finding) -> str:
    return safe(str(finding), 2000)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from textwrap.wrap(line, _width.get(), initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _wrapped(sentences: Sequence[str]) -> list[str]:
    """Return sentences on lines of their own; one that is a word too long is left whole."""
    width = _width.get()
    slack = 10 if width == WIDTH else 0  # a window has none
    lines: list[str] = []
    for sentence in sentences:
        lines += [sentence] if len(sentence) <= width + slack else textwrap.wrap(sentence, width, break_on_hyphens=False)
    return lines


def _narrow(table: Table) -> Table:
    """Return a table without the columns a terminal has no room for."""
    return with_columns(table, [i for i, name in enumerate(table.header) if not name.startswith(_WITHOUT)])


def _counted_fold(table: Table) -> Table:
    """Return a table whose folded rows are only counted: text cannot unfold."""
    return replace(table, folded=(), untold=table.untold + len(table.folded))


def _set(table: Table) -> list[str]:
    rows = [tuple(cell if cell != NOTHING else "-" for cell in row) for row in (table.header, *table.rows)]
    widths = [max(_columns(row[i]) for row in rows) for i in range(len(table.header))]
    lines = ["  ".join(_pad(*cell) for cell in zip(row, widths, table.align, strict=True)).rstrip() for row in rows]
    return [*lines, *_indented([table.remainder] if table.untold else []), *_indented(table.notes)]


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
