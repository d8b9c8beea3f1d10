"""Can it be mended without retraining: what corrections would gain, before and after, or why none was tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge._base.text import counted
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.mendable import Mendable
from adjudge.judgements.mending import Recommendations
from adjudge.plots.corrections import rejection_picture
from adjudge.plots.geometry import cell_map
from adjudge.plots.svg.matrix import NARROW_CLASSES
from adjudge.reports.mendings import REJECTING, comparison, in_short, pictures, table, together
from adjudge.reports.sections import Section
from adjudge.reports.verdicts import verdict

_TITLE = "Can it be mended?"


def mending(result: Evaluation) -> Iterator[Section]:
    """Yield what corrections would gain in accuracy and, folded, with all classes counting alike; or why none was tried."""
    known = result.mendable
    if known is not None and known.refused:
        yield Section("table", "mending", _TITLE, known.about_groups, theme="mending")
    elif result.unmended:
        told = f"Corrections of the probabilities were not tried: {result.unmended}."
        yield Section("table", "mending", _TITLE, told, theme="mending")
    for found in result.mending if known is not None else ():
        yield _section(found, known) if found.measure != "balanced_accuracy" else _alike(found)


def _section(found: Recommendations, known: Mendable | None) -> Section:
    assert known is not None
    drawn = f" drawn from {known.cases.of:,}" if known.cases.of > found.cases else ""
    tried = f"Tried on {counted(found.cases, 'case')}{drawn}, without retraining."
    about = together(found.groups).strip() or known.about_groups
    rejecting = (REJECTING, rejection_picture(known.rejecting()))
    return Section(
        "table",
        "mending",
        _TITLE,
        in_short(found),
        tables=_tables(found),
        pictures=(*_maps(found), *pictures(found), rejecting),
        theme="mending",
        reading=tuple(line for line in (tried, about, *verdict(found)[1:]) if line),
    )


def _alike(found: Recommendations) -> Section:
    title = "Can it be mended, all classes counting alike?"
    return Section(
        "table",
        "mending-balanced",
        title,
        in_short(found),
        tables=_tables(found),
        pictures=(*_maps(found), *pictures(found)),
        theme="mending",
        folded=True,
    )


def _tables(found: Recommendations) -> tuple[Any, ...]:
    compared = comparison(found)
    return (*(() if compared is None else (compared,)), table(found))


def _maps(found: Recommendations) -> Iterator[tuple[str, Any]]:
    """Yield the confusion maps without and with the best correction, where they differ and are small enough to be read."""
    both = found.unseen
    if both is None or both.before.k > NARROW_CLASSES or both.before == both.after:
        return
    yield "Decisions as they are.", cell_map(both.before)
    yield f"Decisions with {both.name}, on cases it had not seen.", cell_map(both.after)
