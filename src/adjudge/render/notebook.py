"""A document in a notebook: what it says, its picture and its key numbers, in one self-contained piece of HTML.

Words and tables take the colours around them, a picture brings its own paper. No script, no address, every word escaped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from html import escape

from adjudge._base import counted, left_to_right, safe
from adjudge.describe.document import Document, Table
from adjudge.render.sheets import WRAPPER, look
from adjudge.render.svg import svg

MOST_ROWS, FEW_ROWS, MOST_FINDINGS, MOST_SENTENCES = 12, 8, 3, 3
LARGEST = 60_000  # characters of a picture; one that takes more is not shown unasked
_MOST_WORDS = 1000


def notebook(document: Document) -> str:
    """Return a document as HTML for a notebook; its sections are left to the page."""
    drawn = ""
    if document.figure is not None and not (document.steps and document.figure.drawing.wide):  # a wide one is for the page
        drawing = document.figure.drawing
        name = hashlib.sha256(svg(drawing, WRAPPER).encode()).hexdigest()[:10]  # so that two in a notebook differ
        shapes = svg(drawing, f"{WRAPPER}-{name}")
        drawn = f'<div class="{"wide" if drawing.wide else "narrow"}">{shapes}</div>'
        if len(shapes) > LARGEST:
            drawn = '<p class="more">Its picture is large; plot() draws it.</p>'
    said = (document.sentences or document.closing)[:MOST_SENTENCES]
    known = document.key is not None and document.key.rows
    most = None if document.key_is_whole else FEW_ROWS if document.steps else MOST_ROWS
    key = _table(document.key, most) if document.key is not None and known else ()
    if document.steps:  # how good it is, its weakest point, what to do first, and the numbers
        parts = [f"<p>{_words(document.sentences[0])}</p>", *(f"<p>{_words(line)}</p>" for line in [document.weakest] if line)]
        first = document.steps[0]
        call = f"<br><code>{_words(first.call)}</code>" if first.call else ""
        parts += [f"<p>Next: {_words(str(first))}{call}</p>", *key, drawn]
        others = f"{counted(len(document.findings), 'finding')} and {counted(len(document.steps) - 1, 'more step')}"
        parts.append(f'<p class="more">Print it, or write its page, for all measures, {others}.</p>')
        return _whole(parts, drawn)
    parts = [*(f"<p>{_words(sentence)}</p>" for sentence in said), drawn, *key]
    if document.findings:
        parts.append(f"<ul>{''.join(f'<li>{_words(str(each))}</li>' for each in document.findings[:MOST_FINDINGS])}</ul>")
    parts += _more(len(document.findings) - MOST_FINDINGS, "more finding")
    return _whole(parts, drawn)


def _whole(parts: list[str], drawn: str) -> str:
    """Return one piece of HTML with the look of what is drawn."""
    return left_to_right(f'<div class="{WRAPPER}"><style>{look(drawn)}</style>{"".join(parts)}</div>')


def _more(n: int, *things: str) -> list[str]:
    return [f'<p class="more">And {counted(n, *things)}.</p>'] if n > 0 else []


def _words(text: str) -> str:
    return escape(safe(text, _MOST_WORDS))


def _table(table: Table, most: int | None) -> Iterator[str]:
    kinds = ["r" if side == "r" else "l" for side in table.align]
    head = "".join(f'<th class="{kind}">{_words(name)}</th>' for name, kind in zip(table.header, kinds, strict=True))
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{head}</tr></thead><tbody>" if any(table.header) else "<tbody>"
    for first, *others in table.rows[:most]:
        rest = "".join(f'<td class="{kind}">{_words(cell)}</td>' for cell, kind in zip(others, kinds[1:], strict=True))
        yield f'<tr><th class="{kinds[0]}">{_words(first)}</th>{rest}</tr>'
    yield "</tbody></table></div>"
    left = len(table.rows[most:]) + len(table.folded) + table.untold if most else 0
    yield from _more(left, *(f"more {thing}" for thing in table.things))
