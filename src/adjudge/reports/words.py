"""The verdict for a prompt: sentences first, then aligned tables, then what to know before believing them."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
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
"""Columns of text."""
_LONGEST_NAME = 22
_WITHOUT = ("Method", "Formula", "Direction", "Specificity")  # columns that a page has room for


@singledispatch
def in_words(result: Any) -> str:
    """Return a result as text for a terminal: no colour, no control characters, about 100 columns."""
    return "\n".join(_wrapped(verdict(result)))


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


def _finding(finding: Finding) -> str:
    return safe(str(finding), 2000)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _wrapped(sentences: Sequence[str]) -> list[str]:
    """Return sentences on lines of their own; one that is a word too long is left whole."""
    slack = 10
    lines: list[str] = []
    for sentence in sentences:
        lines += [sentence] if len(sentence) <= WIDTH + slack else textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)
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
