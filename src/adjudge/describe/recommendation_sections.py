"""Can it be improved without retraining: what corrections would gain, before and after, or why none was tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge._base.text import counted
from adjudge.corrections.operating import AccuracyRejection
from adjudge.describe.document import Section
from adjudge.describe.recommendations import REJECTING, comparison, in_short, pictures, table, together
from adjudge.describe.verdicts import verdict
from adjudge.judgements.eligibility import Correctable
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.recommendation import Recommendations
from adjudge.plots.corrections import rejection_picture
from adjudge.plots.geometry import cell_map
from adjudge.plots.svg.matrix import NARROW_CLASSES

_TITLE = "Can it be improved without retraining?"


def corrections(result: Evaluation) -> Iterator[Section]:
    """Yield what corrections would gain in accuracy and with all classes counting alike; or why none was tried.

    What is recommended comes first and in sight, whatever the goal; what is not is folded, but for the first.
    """
    known = result.correctable
    if known is not None and known.refused:
        yield Section("table", "corrections", _TITLE, known.about_groups, theme="corrections")
    elif result.uncorrected:
        told = f"Corrections of the probabilities were not tried: {result.uncorrected}."
        yield Section("table", "corrections", _TITLE, told, theme="corrections")
    if known is not None:
        found = sorted(result.recommendations or (), key=lambda each: each.best is None)
        for at, each in enumerate(found):
            yield _section(each, known, result.rejection, first=at == 0)


def _section(found: Recommendations, known: Correctable, rejection: AccuracyRejection | None, *, first: bool) -> Section:
    balanced = found.measure == "balanced_accuracy"
    rejecting = () if balanced or rejection is None else ((REJECTING, rejection_picture(rejection)),)
    about = together(found.groups).strip() or known.about_groups
    return Section(
        "table",
        "corrections-balanced" if balanced else "corrections",
        _ALIKE if balanced else _TITLE if first else _EVERY,
        in_short(found),
        tables=_tables(found),
        pictures=(*_maps(found), *pictures(found), *rejecting),
        theme="corrections",
        reading=tuple(line for line in (_tried(found, known), about, *verdict(found)[1:]) if line) if first else (),
        folded=not first and found.best is None,
    )


_ALIKE = "Can the balanced accuracy be improved without retraining?"
_EVERY = "Can the accuracy be improved without retraining?"


def _tried(found: Recommendations, known: Correctable) -> str:
    """Return how many cases corrections were tried on, and how these were drawn."""
    some = known.cases
    drawn = ""
    if some.weight is not None:
        most = int(np.bincount(some.y).max())
        drawn = f" drawn from {some.of:,}: up to {most:,} of each class, weighted back to the shares of all cases"
    return f"Tried on {counted(found.cases, 'case')}{drawn}, without retraining."


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
