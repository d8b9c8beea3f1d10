"""Two learners over several data sets as a forest: the difference on each, drawn towards the others where folds allow it."""

from __future__ import annotations

from adjudge._base.text import counted
from adjudge.judgements.over_sets import OverSets
from adjudge.plots.differences import signed
from adjudge.plots.forest import LONGEST, Forest, Row, forest
from adjudge.plots.labels import named, probability, rounded
from adjudge.plots.textbook_tests import difference_row

MOST_SETS = 40
"""Data sets with a row each; of more, those with the largest differences."""
_MEAN = 2  # colour


def sets_forest(found: OverSets) -> Forest:
    """Return the difference on each data set and, where folds were given, over all of them."""
    names = named(found.names, LONGEST)
    largest = sorted(range(found.n_sets), key=lambda i: -abs(found.means[i]))[:MOST_SETS]
    rows = [_set(found, i, names[i]) for i in sorted(largest)]
    together = found.hierarchical
    if together is not None:
        rows.append(difference_row("Mean over data sets", together.mu.value, together.mu.interval, colour=_MEAN))
    return forest(
        rows,
        axis="Difference, a minus b" + ("" if together is None else f" ({100 * found.level:.6g}% intervals)"),
        marks=[("no difference", 0.0)],
        band=(-found.margin, found.margin) if found.margin else None,
        title=_title(found),
        heads=("data set", "a - b"),
        note=_note(found),
    )


def _set(found: OverSets, i: int, name: str) -> Row:
    mean = float(found.means[i])
    if found.hierarchical is None:
        return Row(name, mean, words=signed(rounded(mean, 0.0), mean))
    known = found.hierarchical.shrunken[found.names[i]]
    assert known.interval is not None
    low, high = known.interval.low, known.interval.high
    return Row(name, known.value, low, high, signed(rounded(known.value, high - low), known.value), dots=(mean,))


def _title(found: OverSets) -> str:
    three = found.hierarchical or found.signed_rank
    where = "typical" if found.hierarchical is None else "next"
    told = (f"{name} {probability(p)}" for name, p in (("worse", three.worse), ("same", three.same), ("better", three.better)))
    return f"On the {where} data set a is {', '.join(told)}"


def _note(found: OverSets) -> str:
    said = [f"shaded: within ±{found.margin:g}"] if found.margin else []
    said += ["faint: as seen on its own"] if found.hierarchical is not None else []
    more = found.n_sets - MOST_SETS
    said += [f"{counted(more, 'smaller difference')} not drawn"] if more > 0 else []
    return "; ".join(said)
