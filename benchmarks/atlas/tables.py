"""Markdown of the page: tables, percentages, and the pictures of a family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from atlas.results import Confirmed, Figure, capital, named

Drawn = dict[str, list[tuple[str, str]]]
NONE = "–"  # noqa: RUF001 - a dash in a table


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; numbers to the right."""
    marks = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(each) + " |" for each in (head, marks, *rows))


def percent(share: float) -> str:
    """Return a share in percent with one decimal."""
    return f"{100 * share:.1f}" if np.isfinite(share) else NONE


def mean_and_worst(figures: Sequence[Figure], *, high: bool = False) -> str:
    """Return the mean and the worst of some cells."""
    if not figures:
        return NONE
    shares = [figure.share for figure in figures]
    return f"{percent(float(np.mean(shares)))} ({percent(max(shares) if high else min(shares))})"


def first_and_fresh(each: Confirmed | None) -> str:
    """Return the worst value and what a fresh seed gave."""
    return f"{percent(each.first.share)} → {percent(each.fresh.share)}" if each and each.fresh else NONE


def cell_of(key: str) -> str:
    """Return a cell's key in words."""
    return key.split(" ", 1)[1] if not key.startswith("class scores") else key.removeprefix("class scores ")


def images(drawn: Drawn, family: str, of: str) -> str:
    """Return the pictures of a family."""
    return "\n\n".join(f"![{capital(named(name))}: {of}](coverage/{file})" for file, name in drawn.get(family, ()))
