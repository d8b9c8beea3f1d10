"""A document as Markdown: what the page says, for pull requests, issues and notes; without the pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from adjudge._base import left_to_right, safe, unlinked
from adjudge.describe.document import Document, Section

_SIGNS = {ord(sign): f"\\{sign}" for sign in "\\`*_{}[]<>#|~$&"}
_LISTS = {"-", "+", ".", ")"}  # after a number or none they begin a list, or a line across
_LONGEST = 2000


def markdown(document: Document) -> str:
    """Return headings, sentences, tables and findings; every sign of a label that Markdown or HTML would read is escaped."""
    return "\n".join(line for section in document.sections for line in _lines(section, 1)).strip() + "\n"


def _lines(section: Section, depth: int) -> Iterator[str]:
    told = (section.sentences, section.cards, section.tables, section.findings, section.steps, section.reading, section.inner)
    if not any(told) and not section.lead:
        return
    yield from (f"{'#' * (depth if section.kind in ('verdict', 'part') else depth + 1)} {_plain(section.title)}", "")
    yield from _paragraphs(section.lead, *section.sentences, *section.reading)
    for card in section.cards:
        note = " · ".join(part for part in (card.note, card.second) if part)
        yield f"- **{_plain(card.title)}** {_plain(card.value)}{f' ({_plain(note)})' if note else ''}"
    if section.cards:
        yield ""
    for at, step in enumerate(section.steps, 1):
        yield f"{at}. {_plain(step)}"
        yield from ("", f"       {safe(step.call, _LONGEST)}") if step.call else ()
        yield ""
    for table in section.tables:
        yield from (_row(table.header), _row(["---:" if letter == "r" else "---" for letter in table.align], escape=False))
        yield from (*(_row(row) for row in (*table.rows, *table.folded)), "", *_paragraphs(*table.notes, table.remainder))
    if section.findings:
        yield from (f"- **{finding.code}** {_plain(finding.message)} {_plain(finding.advice)}" for finding in section.findings)
        yield ""
    for part in section.inner:
        yield from _lines(part, depth + 1)


def _paragraphs(*sentences: str) -> Iterator[str]:
    for sentence in filter(None, sentences):
        yield from (_plain(sentence), "")


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return f"| {' | '.join(_plain(cell) if escape else cell for cell in cells)} |"


def _plain(text: Any) -> str:
    words = unlinked(left_to_right(safe(text, _LONGEST))).translate(_SIGNS)
    digits = len(words) - len(words.lstrip("0123456789"))
    begins = words[digits : digits + 1] in _LISTS and words[digits + 1 : digits + 2] in ("", " ", "-")
    return f"{words[:digits]}\\{words[digits:]}" if begins else words
