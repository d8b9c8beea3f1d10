"""A document in a notebook: what it says, its picture and its key numbers, in one self-contained piece of HTML.

Words and tables take the colours around them; a picture brings its own paper, light or dark as the reader's is. No script, no
address, no attribute of style, and every word escaped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from html import escape

from adjudge._base.text import counted, safe
from adjudge.describe.document import Document, Table
from adjudge.plots.drawing import Figure
from adjudge.render.scoped import WRAPPER, look
from adjudge.render.svg import svg

MOST_ROWS = 12
"""Rows of a table; the rest is counted."""
MOST_FINDINGS = 3
MOST_SENTENCES = 3
LARGEST = 60_000
"""Characters of a picture; one that takes more is not shown unasked."""
_MOST_WORDS = 400


def notebook(document: Document) -> str:
    """Return a document as HTML for a notebook; its sections are left to the page."""
    drawn = _drawn(document.figure)
    said = (document.sentences or document.closing)[:MOST_SENTENCES]
    parts = [*(f"<p>{_words(sentence)}</p>" for sentence in said), drawn]
    parts += _table(document.key, None if document.key_is_whole else MOST_ROWS)
    if document.findings:
        parts.append(f"<ul>{''.join(f'<li>{_words(str(each))}</li>' for each in document.findings[:MOST_FINDINGS])}</ul>")
    more = len(document.findings) - MOST_FINDINGS
    if more > 0:
        parts.append(f'<p class="more">And {counted(more, "more finding")}.</p>')
    body = "".join(parts)
    return f'<div class="{WRAPPER}"><style>{look(drawn)}</style>{body}</div>'


def _drawn(figure: Figure | None) -> str:
    """Return a figure, or nothing; its name follows from what it shows, so that two in a notebook differ."""
    if figure is None:
        return ""
    drawing = figure.drawing
    drawn = svg(drawing, f"{WRAPPER}-{hashlib.sha256(svg(drawing, WRAPPER).encode()).hexdigest()[:10]}")
    if len(drawn) > LARGEST:
        return '<p class="more">Its picture is large; plot() draws it.</p>'
    return f'<div class="{"wide" if drawing.wide else "narrow"}">{drawn}</div>'


def _words(text: str) -> str:
    return escape(safe(text, _MOST_WORDS))


def _table(table: Table | None, most: int | None) -> Iterator[str]:
    if table is None or not table.rows:
        return
    kinds = ["r" if side == "r" else "l" for side in table.align]
    head = "".join(f'<th class="{kind}">{_words(name)}</th>' for name, kind in zip(table.header, kinds, strict=True))
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{head}</tr></thead><tbody>" if any(table.header) else "<tbody>"
    for first, *others in table.rows[:most]:
        rest = "".join(f'<td class="{kind}">{_words(cell)}</td>' for cell, kind in zip(others, kinds[1:], strict=True))
        yield f'<tr><th class="{kinds[0]}">{_words(first)}</th>{rest}</tr>'
    yield "</tbody></table></div>"
    more = len(table.rows[most:]) + len(table.folded) + table.untold if most else 0
    if more > 0:
        yield f'<p class="more">And {counted(more, *(f"more {thing}" for thing in table.things))}.</p>'
