"""What a page says and in which order, with nothing of how it looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from adjudge._base.findings import Finding
from adjudge.plots.labels import named
from adjudge.reports.tables import Table


@dataclass(frozen=True, slots=True)
class Card:
    """One number set large, with a line below."""

    title: str
    value: str
    note: str
    second: str = ""
    """A further line."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    kind: str
    """verdict, findings, figure, table, facts, methods, or part: a result of its own among several."""
    name: str
    """Short and unlike every other section's: anchors and pictures are named by it."""
    title: str
    lead: str = ""
    sentences: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    figure: Any = None
    """A picture that :mod:`adjudge.plots.svg` can draw."""
    wide: bool = False
    """Whether a figure needs the whole width."""
    narrow: bool = False
    """Whether half the width is enough for a table."""
    pictures: tuple[tuple[str, Any], ...] = ()
    """Small figures below the tables, each with what to see in it."""
    inner: tuple[Section, ...] = ()
    """The sections of a part."""
    folded: bool = False
    """Whether it is shown only when asked for."""
    theme: str = ""
    """The chapter it stands in, one of :data:`adjudge.reports.chapters.TITLES`; its own where there is none."""
    reading: tuple[str, ...] = ()
    """What to read off a figure, in plain sentences below it."""
    scripts: tuple[str, ...] = ()
    """The files of the templates' folder that it runs."""
    data: Mapping[str, Any] | None = None
    """What the scripts need to know."""
    template: str = ""
    """The template of its body, where it has controls."""


@singledispatch
def sections(result: Any) -> tuple[Section, ...]:
    """Return the sections of a result; :mod:`adjudge.reports.any_result` has those of results without their own."""
    raise NotImplementedError(type(result))


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system: readers of a page need no folder or host of ours.

    >>> base_name("/srv/me/a.csv"), base_name("\\\\host\\share\\b.csv")
    ('a.csv', 'b.csv')
    """
    parts = [part for part in re.split(r"[/\\]", str(name)) if part.strip(". ")]
    return named([parts[-1]])[0] if parts else "predictions"
