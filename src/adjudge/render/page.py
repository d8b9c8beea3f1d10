"""A document as one self-contained page: no network, the same bytes for the same result, and no script but our own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from adjudge._base.version import VERSION
from adjudge.describe.document import Document, Section, chapters
from adjudge.plots import style
from adjudge.plots.drawing import Figure
from adjudge.render.svg import svg

_FEW_CHAPTERS = 3
"""Chapters that need no list of contents."""
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""What could end a script or be taken for markup within one."""


def page(document: Document) -> str:
    """Return a document as HTML.

    The policy in its head lets a browser load nothing, and run nothing but the scripts of ours that the page holds, whatever
    the labels say; every label is escaped all the same (autoescape, and the escaping of :mod:`adjudge.render.svg`).
    """
    found = document.sections
    look, scripts = _look(), tuple(_scripts(found))
    return (
        _templates()
        .get_template("page.html")
        .render(
            whole=_laid_out(found, heading=2),
            parts=[(s, _laid_out((s, *s.inner), heading=3)) for s in found if s.kind == "part"],
            css=Markup(look),  # noqa: S704 - our own file and colours, no data
            policy=_policy(look, scripts),
            scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own files, no data
            version=VERSION,
        )
    )


def _laid_out(found: Sequence[Section], *, heading: int) -> dict[str, Any]:
    """Return sections by where they stand, the first of them being the verdict."""
    own = chapters(found)
    bodies = {p.section.name: _body(p.section, heading + p.headed) for chapter in own for p in chapter.sections}
    return {
        "verdict": found[0],
        "findings": [s for s in found if s.kind == "findings"],
        "chapters": own,
        "listed": len(own) > _FEW_CHAPTERS,
        "bodies": bodies,
        "heading": heading,
    }


def _body(section: Section, heading: int) -> Markup:
    """Return what stands below the title of a section."""
    template = _templates().get_template(section.template or "section.html")
    told = template.render(
        section=section,
        picture=_drawn(section.figure, section.name) if section.figure is not None else "",
        pictures=[(words, _drawn(drawn, f"{section.name}-picture-{i}")) for i, (words, drawn) in enumerate(section.pictures, 1)],
        h=heading,
        data=None if section.data is None else _data(section.data),
    )
    return Markup(told)  # noqa: S704 - rendered with autoescape


def _drawn(figure: Figure, name: str) -> Markup:
    return Markup(svg(figure.drawing, name))  # noqa: S704 - every word in it is escaped by render.svg


def _data(data: Any) -> Markup:
    """Return JSON that stands in a page as it is: nothing in it can end the element that holds it."""
    return Markup(json.dumps(data, separators=(",", ":"), allow_nan=False).translate(_UNSAFE))  # noqa: S704 - as it says


def _scripts(found: Sequence[Section]) -> Iterator[str]:
    """Yield every script that some section needs, once."""
    every = [s for part in found for s in (part, *part.inner)]
    if any(s.figure is not None and s.figure.turns for s in every):
        yield _file("turning.js")
    for name in dict.fromkeys(name for s in every for name in s.scripts):
        yield _file(name)


def _policy(look: str, scripts: Sequence[str]) -> str:
    run = f"script-src {' '.join(_hash(script) for script in scripts)}; " if scripts else ""
    return f"default-src 'none'; style-src {_hash(look)}; {run}img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _templates() -> Environment:
    loader = PackageLoader("adjudge.render", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _look() -> str:
    return style.css() + "".join(_file(name) for name in ("page.css", "sliders.css")).replace("FONTS", style.FONTS)


@cache
def _file(name: str) -> str:
    return files("adjudge.render").joinpath("templates", name).read_text(encoding="utf-8")
