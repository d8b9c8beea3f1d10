"""A result described once, for every renderer: what it says first, its figure, and the parts of its page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.show import Shown
from adjudge.describe.document import Document, Section
from adjudge.describe.sections import sections
from adjudge.describe.summaries import brief, spaced
from adjudge.describe.verdicts import verdict
from adjudge.plots.pictures import picture


def describe(result: Any, *, figure: bool = True, whole: bool = True) -> Document:
    """Return all that a result says as a document; without its figure, or the parts of a page, where nobody asks for them.

    >>> from adjudge.counts.confusion import ConfusionCounts
    >>> describe(ConfusionCounts([[40, 5], [8, 20]], ("no", "yes"))).sentences
    ('73 cases of 2 classes, 60 right (rows true, columns assigned)',)
    """
    found = brief(result)
    return replace(found, figure=_drawn(result) if figure else None, sections=sections(result) if whole else ())


def _drawn(result: Any) -> Any:
    try:
        return picture(result)
    except InputError:  # not everything can be drawn
        return None


@sections.register(object)
def _(result: Any) -> tuple[Section, ...]:
    """Return the page of a result that has none of its own: what it says first, its picture, every number."""
    if not isinstance(result, Shown):
        verdict(result)  # refuses it
    told, drawn = brief(result), _drawn(result)
    parts = [Section("verdict", "verdict", spaced(type(result).__name__), sentences=told.sentences)]
    if told.findings:
        parts.append(Section("findings", "findings", "Caveats", findings=told.findings))
    if drawn is not None:
        parts.append(Section("figure", "picture", "Picture", figure=drawn))
    if told.key is not None:
        parts.append(Section("table", "numbers", "In numbers", tables=(told.key,)))
    return tuple(parts)
