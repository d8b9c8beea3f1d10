"""One self-contained page: no network, the same bytes for the same result, and no script but the one that turns solids."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from adjudge._base.version import VERSION
from adjudge.plots import style
from adjudge.plots.svg import svg
from adjudge.plots.svg.turning import script, source, turns
from adjudge.reports.sections import Section, sections


def page(result: Any) -> str:
    """Return the report of a result as HTML.

    The policy in its head lets a browser load nothing and run nothing, whatever the labels hold, but our own script where
    there is a solid to turn; every label is escaped all the same (autoescape, and the escaping of :mod:`adjudge.plots.svg`).
    """
    found = sections(result)
    look = _look()
    turning = any(turns(s.figure) for part in found for s in (part, *part.inner))
    return _template().render(
        whole=_laid_out(found),
        parts=[(s, _laid_out((s, *s.inner))) for s in found if s.kind == "part"],
        css=Markup(look),  # noqa: S704 - our own file and colours, no data
        policy=_policy(look, turning=turning),
        script=Markup(script()) if turning else "",  # noqa: S704 - our own file, no data
        version=VERSION,
    )


def _laid_out(found: tuple[Section, ...]) -> dict[str, Any]:
    """Return sections by where they stand, the first of them being the verdict."""
    return {
        "verdict": found[0],
        "findings": [s for s in found if s.kind == "findings"],
        "figures": [(s, _figure(s)) for s in found if s.kind == "figure"],
        "alone": _alone(found),
        "tables": [s for s in found if s.kind == "table"],
        "pictures": {s.name: [(words, _picture(s, i)) for i, (words, _) in enumerate(s.pictures)] for s in found},
        "facts": [s for s in found if s.kind == "facts"],
        "methods": [s for s in found if s.kind == "methods"],
    }


def _figure(section: Section) -> Markup:
    return Markup(svg(section.figure, section.name))  # noqa: S704 - every word in it is escaped by plots.svg


def _picture(section: Section, at: int) -> Markup:
    return Markup(svg(section.pictures[at][1], f"{section.name}-picture-{at + 1}"))  # noqa: S704 - as above


def _alone(found: tuple[Section, ...]) -> str:
    """Return the picture that would stand beside nothing in a page of two columns."""
    narrow = [s.name for s in found if s.kind == "figure" and not s.wide]
    return narrow[-1] if len(narrow) % 2 else ""


def _policy(look: str, *, turning: bool) -> str:
    digest = base64.b64encode(hashlib.sha256(look.encode()).digest()).decode()
    run = f"script-src {source()}; " if turning else ""
    return f"default-src 'none'; style-src 'sha256-{digest}'; {run}img-src data:; base-uri 'none'; form-action 'none'"


@cache
def _template() -> Template:
    loader = PackageLoader("adjudge.reports", "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.get_template("page.html")


@cache
def _look() -> str:
    own = files("adjudge.reports").joinpath("templates", "page.css").read_text(encoding="utf-8")
    return style.css() + own.replace("FONTS", style.FONTS)
