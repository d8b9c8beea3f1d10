"""A document as one self-contained page: no network, the same bytes for the same result, and no script but our own."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from adjudge._base import VERSION, left_to_right
from adjudge.describe.document import SUMMARY, Document, Placed, Section, chapters
from adjudge.plots.drawing import Figure
from adjudge.render.sheets import sheet, template
from adjudge.render.svg import svg

_FEW_CHAPTERS = 3  # that need no list of contents
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}  # what could end a script or be taken for markup


def page(document: Document) -> str:
    """Return a document as HTML.

    The policy in its head lets a browser load nothing, and run nothing but the scripts of ours that the page holds, whatever
    the labels say; every label is escaped all the same (autoescape, and the escaping of :mod:`adjudge.render.svg`).
    """
    sections, look = document.sections, sheet()
    every = [s for part in sections for s in (part, *part.inner)]
    own = ["turning.js"] if any(s.figure is not None and s.figure.turns for s in every) else []
    own += ["folding.js"] if any(s.folded for s in every) else []
    scripts = [template(name) for name in dict.fromkeys((*own, *(name for s in every for name in s.scripts)))]
    run = f"script-src {' '.join(map(_hash, scripts))}; " if scripts else ""
    written = _render(
        "page.html",
        whole=_laid_out(sections, heading=2),
        parts=[(s, _laid_out((s, *s.inner), heading=3)) for s in sections if s.kind == "part"],
        css=Markup(look),  # noqa: S704 - our own file and colours, no data
        policy=f"default-src 'none'; style-src {_hash(look)}; {run}img-src data:; base-uri 'none'; form-action 'none'",
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own files, no data
        version=VERSION,
    )
    return left_to_right(written)


def _laid_out(sections: Sequence[Section], *, heading: int) -> dict[str, Any]:
    """Return sections by where they stand, the first of them being the verdict, and what stands below the title of each."""
    own, bodies = chapters(sections), {}
    first = [Placed(s, "wide" if s.wide else "half", headed=True) for s in sections if s.theme == SUMMARY]
    for placed in (*first, *(placed for chapter in own for placed in chapter.sections)):
        section = placed.section
        data = json.dumps(section.data, separators=(",", ":"), allow_nan=False, ensure_ascii=False).translate(_UNSAFE)
        pictures = [(words, _drawn(drawn, f"{section.name}-picture-{i}")) for i, (words, drawn) in enumerate(section.pictures, 1)]
        body = _render(
            section.template or "section.html",
            section=section,
            picture=_drawn(section.figure, section.name) if section.figure is not None else "",
            pictures=pictures,
            h=heading + placed.headed,
            data=None if section.data is None else Markup(data),  # noqa: S704 - nothing in it can end the element that holds it
        )
        bodies[section.name] = Markup(body)  # noqa: S704 - rendered with autoescape
    above: dict[str, Any] = {kind: [s for s in sections if s.kind == kind] for kind in ("steps", "findings")}
    listed = len(own) > _FEW_CHAPTERS and not sections[0].folded  # folded ones are a list already
    above |= {"verdict": sections[0], "first": first}
    return above | {"chapters": own, "listed": listed, "bodies": bodies, "heading": heading}


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates, kept where Python keeps compiled modules; where nothing can be kept they are compiled each time."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template, if it is there."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template, where Python would write a module."""
        with suppress(OSError):
            if not sys.dont_write_bytecode:
                Path(self.directory).mkdir(exist_ok=True)
                super().dump_bytecode(bucket)


@cache
def _templates() -> Environment:
    kept = _Compiled(str(Path(__file__).parent / "__pycache__"), "%s.jinja")
    blocks: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    return Environment(loader=PackageLoader("adjudge.render", "templates"), bytecode_cache=kept, autoescape=True, **blocks)


def _render(name: str, **told: Any) -> str:
    return _templates().get_template(name).render(**told)


def _drawn(figure: Figure, name: str) -> Markup:
    return Markup(svg(figure.drawing, name))  # noqa: S704 - every word in it is escaped by render.svg


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
